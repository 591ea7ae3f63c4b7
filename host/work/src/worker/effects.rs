use std::path::Path;

use super::protocol::OrderedEffect;
use vocalhost_effects::{Catalog, CatalogEntry, EffectHost, EffectLimits, PluginError};
use vocalhost_job::ChainItem;
use vocalhost_pipeline::PipelineError;

/// Installed effects that stay loaded: users mostly use the same few. Most have a few hundred kilobytes of code; one in
/// JavaScript has 40 MB.
const KEPT: usize = 8;

/// The loaded effects of a worker: the built-in ones, and those of earlier jobs.
pub(super) struct WorkerEffects {
    host: EffectHost,
    builtin: Catalog,
    /// Most recently used last.
    installed: Vec<CatalogEntry>,
}

impl WorkerEffects {
    /// Loads the built-in effects.
    pub(super) fn open(cache: Option<&Path>, limits: EffectLimits) -> Result<Self, PluginError> {
        let host = EffectHost::open(cache, limits)?;
        Ok(Self {
            builtin: Catalog::builtin(&host)?,
            host,
            installed: Vec::new(),
        })
    }

    /// The effects of a job, each under its own limits. One that is neither built in nor in the order is left out, and
    /// the pipeline reports it.
    pub(super) fn of_job<'a>(
        &mut self,
        chain: impl Iterator<Item = &'a ChainItem>,
        ordered: &[OrderedEffect],
    ) -> Result<Catalog, PipelineError> {
        let mut entries = Vec::new();
        for item in chain {
            let order = ordered.iter().find(|order| order.digest == item.digest);
            let limits = order.map_or(self.host.limits(), |order| self.limits(order));
            let component = order.and_then(|order| order.component.as_deref());
            let entry = match component {
                Some(component) => Some(self.installed(item, component, limits)?),
                None => self
                    .builtin
                    .pinned(&item.id, &item.version, &item.digest)
                    .cloned(),
            };
            entries.extend(entry.map(|entry| CatalogEntry {
                effect: entry.effect.with_limits(limits),
                ..entry
            }));
        }
        Ok(Catalog::of(entries))
    }

    fn limits(&self, order: &OrderedEffect) -> EffectLimits {
        let settings = self.host.limits();
        EffectLimits::of(
            order
                .memory_bytes
                .map_or(settings.memory_bytes, |bytes| bytes as usize),
            order.work_per_audio.unwrap_or(settings.work_per_audio),
        )
    }

    fn installed(
        &mut self,
        item: &ChainItem,
        component: &Path,
        limits: EffectLimits,
    ) -> Result<CatalogEntry, PipelineError> {
        let kept = self
            .installed
            .iter()
            .position(|entry| entry.digest == item.digest);
        let entry = match kept {
            Some(position) => self.installed.remove(position),
            None => load(&self.host.with_limits(limits), item, component)?,
        };
        if self.installed.len() == KEPT {
            self.installed.remove(0);
        }
        self.installed.push(entry.clone());
        Ok(entry)
    }
}

/// Loads a component and checks that it is the one that the job pinned: files in the scratch folder are not trusted.
fn load(
    host: &EffectHost,
    item: &ChainItem,
    component: &Path,
) -> Result<CatalogEntry, PipelineError> {
    let unusable = |reason: String| PipelineError::EffectUnusable {
        id: item.id.clone(),
        version: item.version.clone(),
        reason,
    };
    let bytes = std::fs::read(component)?;
    if EffectHost::digest(&bytes) != item.digest {
        return Err(unusable("its stored component is damaged".to_owned()));
    }
    let effect = host
        .load(&bytes)
        .map_err(|error| unusable(error.to_string()))?;
    let says = effect.descriptor();
    if says.id != item.id || says.version != item.version {
        let reason = format!("it now says that it is {} {}", says.id, says.version);
        return Err(unusable(reason));
    }
    Ok(CatalogEntry::from(effect))
}
