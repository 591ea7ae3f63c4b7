//! `vocalhost convert`, `vocalhost live` and `vocalhost split`: the server's jobs here and now, without a server.

mod convert;
mod ear;
mod live;
mod split;
mod voice;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::{Value, json};

pub use convert::{ConvertArguments, run as convert};
pub use live::{LiveArguments, run as live};
pub use split::{SplitArguments, run as split};

use super::effect::shelf::look_at_shelf;
use super::progress::Progress;
use super::separate::check_apart;
use super::{Chosen, CliError, warnings};
use vocalhost_api::v1::FieldError;
use vocalhost_catalogues::shelf::Listing;
use vocalhost_config::Settings;
use vocalhost_effects::Catalog;
use vocalhost_job::{JobResult, JobSpec, OutputFormat};
use vocalhost_model::ProviderChoice;
use vocalhost_store::EffectOrigin;
use vocalhost_work::worker::protocol::{OrderedEffect, WorkOrder};
use vocalhost_work::worker::{WorkerHere, WorkerOptions};

/// The folder of the voice that is named, as [`ConvertArguments`] have it; one of the file store is brought into the scratch folder.
pub fn find_voice(
    chosen: &Chosen,
    settings: &Settings,
    named: &str,
    scratch: &Path,
) -> Result<PathBuf, CliError> {
    Ok(voice::find(chosen, settings, named, scratch)?.folder)
}

/// What both commands take, as requests have it.
#[derive(Debug, Args)]
struct Wishes {
    /// Effects on the recording, as in a request: `{"noiseGate":{"threshold_db":-50}}` or `[{"effect":"reverb"}]`.
    #[arg(long, value_name = "JSON")]
    pre: Option<String>,
    /// Effects on the result.
    #[arg(long, value_name = "JSON")]
    post: Option<String>,
    /// What the files are: wav16, wav24, wav32f, flac, mp3 or opus; without it what the ending of a result's name says, and wav24 in a
    /// folder.
    #[arg(long)]
    format: Option<String>,
    /// In kbit/s, for mp3 and opus.
    #[arg(long, value_name = "KBPS")]
    bitrate: Option<String>,
    /// The loudness that the result is brought to, in LUFS.
    #[arg(long, value_name = "LUFS", allow_hyphen_values = true)]
    loudness: Option<String>,
    /// Refuse a recording that is cut or damaged.
    #[arg(long)]
    strict_input: bool,
    /// Pieces to work on side by side, 1 to 64.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    threads: u8,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Fields of a form out of options.
fn given<const N: usize>(options: [(&str, Option<String>); N]) -> Vec<(String, String)> {
    let given = options.into_iter();
    let given = given.filter_map(|(name, text)| Some((name.to_owned(), text?)));
    given.collect()
}

impl Wishes {
    /// The effects among which those that are wished for are looked up; none where none are, as the first look compiles them all.
    fn effects(&self) -> Result<Arc<Listing>, CliError> {
        if self.pre.is_none() && self.post.is_none() {
            return Ok(Arc::default());
        }
        effects(&self.chosen)
    }

    /// The format that the ending of a file's name says, where none is wished for.
    fn format_for(&self, path: &Path) -> Result<Option<OutputFormat>, CliError> {
        if self.format.is_some() {
            return Ok(None);
        }
        let format = format_of(path).ok_or_else(|| {
            let shown = path.display();
            CliError::Usage(format!(
                "{shown} says no format: end it in .wav, .flac, .mp3 or .opus, or give --format"
            ))
        });
        format.map(Some)
    }

    fn fields(&self, format: Option<OutputFormat>) -> Vec<(String, String)> {
        let format = format.map(|format| format.as_str().to_owned());
        given([
            ("pre", self.pre.clone()),
            ("post", self.post.clone()),
            ("outputFormat", self.format.clone().or(format)),
            ("outputBitrate", self.bitrate.clone()),
            ("outputLoudness", self.loudness.clone()),
            ("strictInput", self.strict_input.then(|| "true".to_owned())),
        ])
    }
}

/// The format that the ending of a file's name says.
fn format_of(path: &Path) -> Option<OutputFormat> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "wav" => Some(OutputFormat::Wav24),
        "flac" => Some(OutputFormat::Flac),
        "mp3" => Some(OutputFormat::Mp3),
        "opus" | "ogg" => Some(OutputFormat::Opus),
        _ => None,
    }
}

/// The mistakes of fields as one error; a form's fields are options here.
pub(super) fn refused(mistakes: &[FieldError]) -> CliError {
    let lines = mistakes.iter().map(|mistake| mistake.message.as_str());
    CliError::Usage(lines.collect::<Vec<_>>().join("\n"))
}

/// The folders that models are looked for in, for people.
pub(super) fn model_folders(settings: &Settings) -> String {
    let folders = settings.model_folders();
    let shown = folders.iter().map(|folder| folder.display().to_string());
    format!("{} (models_dir)", shown.collect::<Vec<_>>().join(", "))
}

/// Looks for the recording before anything is loaded.
pub(super) fn check_recording(path: &Path) -> Result<(), CliError> {
    if path.is_file() {
        return Ok(());
    }
    if path.is_dir() {
        let what = format!("{} is a folder, not a recording", path.display());
        return Err(CliError::WrongState(what));
    }
    Err(CliError::Missing(format!("recording {}", path.display())))
}

/// Looks whether a file can be where the result is wanted, before anything is loaded.
pub(super) fn check_place(path: &Path) -> Result<(), CliError> {
    let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    let folder = if is_folder { Some(path) } else { path.parent() };
    match folder.filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        Some(folder) => Err(CliError::Missing(format!("folder {}", folder.display()))),
        None => Ok(()),
    }
}

/// The effects of the data folder in force, or those of the program where there is none.
pub(super) fn effects(chosen: &Chosen) -> Result<Arc<Listing>, CliError> {
    look_at_shelf(chosen, async |shelf| shelf.current().await)
}

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
fn order_of(
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
pub(super) fn options(
    settings: &Settings,
    providers: ProviderChoice,
    threads: usize,
) -> WorkerOptions {
    WorkerOptions {
        models_dirs: settings.model_folders(),
        separators: settings.separators.clone(),
        voice_parts: settings.voice_parts.clone(),
        effect_cache: super::effect::compiled_effects(settings),
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
fn work(settings: &Settings, threads: u8, order: &WorkOrder) -> Result<JobResult, CliError> {
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

/// Moves a file of a result to where it is wanted, over what is there, but not over a recording that it was made of.
fn put(
    (scratch, recordings): (&Path, &[&Path]),
    name: &str,
    target: &Path,
) -> Result<(), CliError> {
    for recording in recordings {
        check_apart(recording, target)?;
    }
    let from = scratch.join(name);
    if fs::rename(&from, target).is_ok() {
        return Ok(());
    }
    // Another disk.
    let copied = fs::copy(&from, target).map(drop);
    copied.map_err(CliError::of_file("cannot write", target))
}

/// What a command says of a result as JSON.
fn record(result: &JobResult, files: &[PathBuf]) -> Value {
    json!({
        "files": files,
        "models": result.models,
        "provider": result.provider,
        "durationSeconds": result.duration_s,
        "gainDb": result.gain_db,
        "warnings": warnings::records(&result.warnings, &result.successions),
    })
}

/// Tells what came of a job.
fn tell(wishes: &Wishes, result: &JobResult, files: &[PathBuf]) {
    warnings::warn(&result.warnings, &result.successions);
    if wishes.json {
        super::print_json(&record(result, files));
        return;
    }
    // What is no file, such as another program's input, has taken the sound itself.
    for file in files.iter().filter(|file| file.is_file()) {
        say_line!("{}", file.display());
    }
}
