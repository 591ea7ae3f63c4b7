//! A job of a command: its order, and the worker in this process that does it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::wishes::Wishes;
use crate::cli::effect::host::compiled_effects;
use crate::cli::effect::shelf::look_at_shelf;
use crate::cli::progress::Progress;
use crate::cli::{Chosen, CliError};
use vocalhost_config::Settings;
use vocalhost_effects::Catalog;
use vocalhost_job::{JobResult, JobSpec};
use vocalhost_model::ProviderChoice;
use vocalhost_store::EffectOrigin;
use vocalhost_work::worker::protocol::{OrderedEffect, WorkOrder};
use vocalhost_work::worker::{WorkerHere, WorkerOptions};

/// Brings the components of installed effects into the scratch folder.
fn ordered_effects(
    chosen: &Chosen,
    spec: &JobSpec,
    scratch: &Path,
) -> Result<Vec<OrderedEffect>, CliError> {
    let system = |source| CliError::System {
        what: "cannot write a component",
        source,
    };
    let mut ordered = Vec::new();
    let items: Vec<_> = spec.effects().cloned().collect();
    if items.is_empty() {
        return Ok(ordered);
    }
    let found = look_at_shelf(chosen, async |shelf| {
        let listing = shelf.current().await?;
        let mut found = Vec::new();
        for item in &items {
            let name = format!("{}@{}", item.id, item.version);
            let record = &listing.look_up(&name)?.record;
            let component = match record.origin {
                EffectOrigin::BuiltIn if Catalog::carried(&record.effect.digest).is_some() => None,
                EffectOrigin::BuiltIn | EffectOrigin::Installed => {
                    Some(shelf.component(&name).await?)
                }
            };
            found.push((item.digest.clone(), component, record.effect.overrides));
        }
        Ok(found)
    })?;
    for (digest, component, overrides) in found {
        let component = match component {
            None => None,
            Some(bytes) => {
                let path = scratch.join(format!("{digest}.wasm"));
                fs::write(&path, bytes).map_err(system)?;
                Some(path)
            }
        };
        ordered.push(OrderedEffect {
            digest,
            component,
            memory_bytes: overrides.memory_bytes,
            work_per_audio: overrides.work_per_audio,
        });
    }
    Ok(ordered)
}

/// The order for a job of this command on one recording, without voices and backing.
pub(super) fn order_of(
    wishes: &Wishes,
    spec: JobSpec,
    (input, scratch): (&Path, &Path),
) -> Result<WorkOrder, CliError> {
    Ok(WorkOrder {
        job_id: 0,
        request_id: String::new(),
        trace_parent: None,
        effects: ordered_effects(&wishes.chosen, &spec, scratch)?,
        spec,
        input: Some(input.to_owned()),
        backing: None,
        scratch: scratch.to_owned(),
        voices: BTreeMap::new(),
        beside: BTreeMap::new(),
        training: None,
    })
}

/// What a worker in this process is started with.
pub fn options(settings: &Settings, providers: ProviderChoice, threads: usize) -> WorkerOptions {
    WorkerOptions {
        models_dirs: settings.model_folders(),
        separators: settings.separators.clone(),
        voice_parts: settings.voice_parts.clone(),
        effect_cache: compiled_effects(settings),
        voice_cache: None,
        onnxruntime: settings.onnxruntime.clone(),
        providers,
        model_memory_bytes: settings.model_memory(),
        threads,
        effect_memory_bytes: settings.effect_memory_bytes as usize,
        effect_work_per_audio: settings.effect_work_per_audio,
        max_duration_s: settings.max_duration_s,
        max_training_minutes: settings.max_training_minutes,
        // Whoever runs a command watches over the disk.
        min_free_bytes: 0,
    }
}

/// Does a job in this process, with its progress on a terminal.
pub(super) fn work(
    settings: &Settings,
    threads: u8,
    order: &WorkOrder,
) -> Result<JobResult, CliError> {
    let options = options(settings, settings.provider_choice(), usize::from(threads));
    let mut progress = Progress::new();
    let done = WorkerHere::open(&options)?.perform(order, &mut |report| {
        progress.tell(report.percent / 100.0);
    });
    Ok(JobResult {
        successions: order.spec.successions().to_vec(),
        ..done?
    })
}
