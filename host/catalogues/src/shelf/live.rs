use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use super::builtin::Carried;
use super::listing::listed;
use super::{EffectLimit, ListedEffect, Listing, ShelfError};
use vocalhost_files::FileStore;
use vocalhost_store::{EffectChange, EffectOrigin, EffectOverrides, EffectRecord, Store};

/// One page of WebAssembly memory.
const LEAST_MEMORY_BYTES: u64 = 64 << 10;

/// An effect may have this fraction of the memory of a worker (one half): with more the worker would be stopped first, and nobody could
/// tell which effect was to blame.
const SHARE_OF_WORKER: u64 = 2;

/// Below the minimum an effect could do nothing; above the maximum no worker would finish a recording in its time.
const WORK_PER_AUDIO: RangeInclusive<f64> = 0.001..=1_000.0;

/// What the shelf needs to know to look at a component.
#[derive(Debug, Clone, PartialEq)]
pub struct ShelfSettings {
    /// This program, which is started again to look at components.
    pub program: PathBuf,
    /// Where compiled effects are kept.
    pub effect_cache: PathBuf,
    /// Memory that an effect may use unless it has a limit of its own.
    pub memory_bytes: u64,
    /// Seconds of work per second of audio that an effect may take unless it has a limit of its own.
    pub work_per_audio: f64,
    /// Memory that a whole worker may use.
    pub worker_memory_bytes: u64,
}

/// The effects of an installation.
pub struct Shelf {
    pub(super) store: Store,
    pub(super) files: FileStore,
    pub(super) settings: ShelfSettings,
    /// Components are inspected one at a time: compiling one uses every core.
    pub(super) inspections: Semaphore,
    /// The built-in effects that this program declares, when it is a server.
    pub(super) carried: tokio::sync::Mutex<Option<Carried>>,
    /// The last listing read from the store, with its revision.
    seen: Mutex<Option<(i64, Arc<Listing>)>>,
}

impl Shelf {
    /// The shelf over a database and a file store.
    #[must_use]
    pub fn new(store: Store, files: FileStore, settings: ShelfSettings) -> Self {
        Self {
            store,
            files,
            settings,
            inspections: Semaphore::new(1),
            carried: tokio::sync::Mutex::default(),
            seen: Mutex::new(None),
        }
    }

    /// The effects as they are now, whoever changed them. Reads a single row unless they have changed.
    pub async fn current(&self) -> Result<Arc<Listing>, ShelfError> {
        self.speak_when_due().await?;
        let revision = self.store.effects_revision().await?;
        if let Some((seen, listing)) = &*self.seen.lock().unwrap_or_else(PoisonError::into_inner)
            && *seen == revision
        {
            return Ok(listing.clone());
        }
        let (mut revision, mut records) = self.store.effects().await?;
        if self.speak_when_missing(&records).await? {
            (revision, records) = self.store.effects().await?;
        }
        let listing = Arc::new(Listing::new(records));
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // A task that read later may have been here first.
        if seen.as_ref().is_none_or(|(known, _)| *known < revision) {
            *seen = Some((revision, listing.clone()));
        }
        Ok(listing)
    }

    /// The limits of an effect: its own, else those of the settings.
    #[must_use]
    pub fn limits(&self, overrides: &EffectOverrides) -> (u64, f64) {
        (
            overrides.memory_bytes.unwrap_or(self.settings.memory_bytes),
            overrides
                .work_per_audio
                .unwrap_or(self.settings.work_per_audio),
        )
    }

    /// Whether limits make sense.
    pub(super) fn check_overrides(&self, overrides: &EffectOverrides) -> Result<(), ShelfError> {
        let most_bytes = self.settings.worker_memory_bytes / SHARE_OF_WORKER;
        let memory_bytes = LEAST_MEMORY_BYTES..=most_bytes;
        if overrides
            .memory_bytes
            .is_some_and(|bytes| !memory_bytes.contains(&bytes))
        {
            return Err(ShelfError::Limit {
                limit: EffectLimit::MemoryBytes,
                wanted: format!(
                    "between {LEAST_MEMORY_BYTES} and {most_bytes}, half of what a worker may use"
                ),
            });
        }
        if overrides
            .work_per_audio
            .is_some_and(|work| !WORK_PER_AUDIO.contains(&work))
        {
            return Err(ShelfError::Limit {
                limit: EffectLimit::WorkPerAudio,
                wanted: format!(
                    "between {} and {}",
                    WORK_PER_AUDIO.start(),
                    WORK_PER_AUDIO.end()
                ),
            });
        }
        Ok(())
    }

    /// Enables, disables or limits the effect called `name`.
    pub async fn change(
        &self,
        name: &str,
        change: &EffectChange,
    ) -> Result<ListedEffect, ShelfError> {
        self.check_overrides(&EffectOverrides {
            memory_bytes: change.memory_bytes.flatten(),
            work_per_audio: change.work_per_audio.flatten(),
        })?;
        let listing = self.current().await?;
        let effect = listing.single_out(name)?;
        let digest = &effect.record.effect.digest;
        let changed = self.store.change_effect(digest, change).await?;
        let record = changed.ok_or_else(|| ShelfError::Missing(name.to_owned()))?;
        tracing::info!(
            effect = effect.full_name(),
            ?change,
            "an effect was changed"
        );
        read_back(record)
    }

    /// Removes the installed effect called `name`. Jobs that were accepted keep it until they have ended.
    pub async fn remove(&self, name: &str, now_us: i64) -> Result<ListedEffect, ShelfError> {
        let listing = self.current().await?;
        let effect = listing.single_out(name)?;
        if effect.record.origin == EffectOrigin::BuiltIn {
            let id = effect.descriptor.id.clone();
            return Err(ShelfError::BuiltIn { id });
        }
        let digest = &effect.record.effect.digest;
        if !self.store.remove_effect(digest, now_us).await? {
            return Err(ShelfError::Missing(name.to_owned()));
        }
        tracing::info!(effect = effect.full_name(), "an effect was removed");
        Ok(effect.clone())
    }
}

/// An effect that the store has just written.
pub(super) fn read_back(record: EffectRecord) -> Result<ListedEffect, ShelfError> {
    let id = record.effect.effect_id.clone();
    listed(record).ok_or(ShelfError::Missing(id))
}
