use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{Shelf, ShelfError};
use vocalhost_effects::{Catalog, CatalogEntry, EffectHost};
use vocalhost_files::{FilesError, component_key};
use vocalhost_store::{EffectOverrides, EffectRecord, NewEffect, Store};
use vocalhost_system::clock;

/// How often a server declares that it still has its built-in effects.
const SAID_EVERY: Duration = Duration::from_hours(1);

/// How many components are looked up in the file store at a time.
const AT_A_TIME: usize = 8;

/// The built-in effects of this program, which a server declares regularly.
#[derive(Debug)]
pub(super) struct Carried {
    effects: Vec<NewEffect>,
    /// When they were last declared.
    said: Instant,
}

/// Enters the built-in effects of this program into the database. `builtin` holds those effects, and no others.
pub async fn sync_builtin(store: &Store, builtin: &Catalog, now_us: i64) -> Result<(), ShelfError> {
    Ok(store.sync_builtin_effects(&rows(builtin), now_us).await?)
}

impl Shelf {
    /// Enters the built-in effects of this program, and declares them regularly from then on. Their components go into the file store, so
    /// that servers of other releases find them when they get a job with one.
    pub async fn carry_builtin(&self, builtin: &Catalog, now_us: i64) -> Result<(), ShelfError> {
        self.publish_builtin().await?;
        let effects = rows(builtin);
        self.store.sync_builtin_effects(&effects, now_us).await?;
        let said = Instant::now();
        *self.carried.lock().await = Some(Carried { effects, said });
        Ok(())
    }

    async fn publish_builtin(&self) -> Result<(), FilesError> {
        stream::iter(Catalog::builtin_components())
            .map(|component| self.publish_component(component))
            .buffer_unordered(AT_A_TIME)
            .try_collect()
            .await
    }

    /// Publishes a component that is not in the file store.
    async fn publish_component(&self, component: &'static [u8]) -> Result<(), FilesError> {
        let key = component_key(&EffectHost::digest(component));
        match self.files.size(&key).await {
            Ok(bytes) if bytes == component.len() as u64 => Ok(()),
            Ok(_) | Err(FilesError::NotFound { .. }) => {
                self.files.write(Bytes::from_static(component), &key).await
            }
            Err(error) => Err(error),
        }
    }

    /// Declares the built-in effects of this program again when the last time was long ago.
    pub(super) async fn speak_when_due(&self) -> Result<(), ShelfError> {
        let mut carried = self.carried.lock().await;
        match &mut *carried {
            Some(carried) if carried.said.elapsed() >= SAID_EVERY => self.speak(carried).await,
            _ => Ok(()),
        }
    }

    /// Declares them when one is missing in `records`, as after the start of a release that did not know it; returns whether it did.
    pub(super) async fn speak_when_missing(
        &self,
        records: &[EffectRecord],
    ) -> Result<bool, ShelfError> {
        let mut carried = self.carried.lock().await;
        let Some(carried) = &mut *carried else {
            return Ok(false);
        };
        let is_there = |one: &NewEffect| records.iter().any(|row| row.effect.digest == one.digest);
        if carried.effects.iter().all(is_there) {
            return Ok(false);
        }
        self.speak(carried).await?;
        Ok(true)
    }

    async fn speak(&self, carried: &mut Carried) -> Result<(), ShelfError> {
        let now_us = clock::now_us();
        let effects = &carried.effects;
        self.store.carry_builtin_effects(effects, now_us).await?;
        carried.said = Instant::now();
        Ok(())
    }
}

fn rows(builtin: &Catalog) -> Vec<NewEffect> {
    let components = Catalog::builtin_components();
    let entries = builtin.entries().iter().zip(components);
    entries
        .map(|(entry, component)| row(entry, component.len()))
        .collect()
}

fn row(entry: &CatalogEntry, bytes: usize) -> NewEffect {
    let effect = &entry.descriptor;
    NewEffect {
        digest: entry.digest.clone(),
        effect_id: effect.id.clone(),
        version: effect.version.clone(),
        vendor: effect.vendor.clone(),
        descriptor: serde_json::json!(effect),
        bytes: bytes as u64,
        overrides: EffectOverrides::default(),
    }
}
