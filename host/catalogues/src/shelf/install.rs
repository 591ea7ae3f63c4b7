use std::path::Path;

use super::live::read_back;
use super::{ListedEffect, Shelf, ShelfError};
use vocalhost_effects::{Catalog, EffectHost, is_reserved};
use vocalhost_files::component_key;
use vocalhost_store::{
    Distrust, EffectKey, EffectOrigin, EffectOverrides, EffectRecord, InstallOutcome, NewEffect,
    SignedBy,
};
use vocalhost_work::worker::inspect::{InspectError, InspectOptions, Inspection, inspect_in_child};

/// An effect that somebody wants to install.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InstallRequest<'a> {
    /// The file with its component; it stays where it is.
    pub component: &'a Path,
    /// Its own limits, under which it must already start.
    pub overrides: EffectOverrides,
    /// Who signed it, and whether the operator trusts them regardless of earlier signatures.
    pub signed: SignedBy<'a>,
    /// The user who installs it through the API.
    pub installed_by: Option<&'a str>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Installed {
    /// The effect that is there now.
    pub effect: ListedEffect,
    /// Whether it was not there before.
    pub is_new: bool,
}

impl Shelf {
    /// The keys that ids belong to.
    pub async fn keys(&self) -> Result<Vec<EffectKey>, ShelfError> {
        Ok(self.store.effect_keys().await?)
    }

    /// The bytes of the effect called `name`, enabled or not; without a version the newest one.
    pub async fn component(&self, name: &str) -> Result<Vec<u8>, ShelfError> {
        let listing = self.current().await?;
        let effect = listing.look_up(name)?;
        let digest = &effect.record.effect.digest;
        if let Some(component) = Catalog::carried(digest) {
            return Ok(component.to_vec());
        }
        Ok(self.files.read(&component_key(digest)).await?)
    }

    /// Installs an effect:
    ///
    /// 1. A child compiles the component, asks it what it is and sends a little sound through it.
    /// 2. Its bytes are published under their digest.
    /// 3. One transaction makes it known, unless its name is somebody else's; then the bytes are deleted again.
    pub async fn install(
        &self,
        request: &InstallRequest<'_>,
        now_us: i64,
    ) -> Result<Installed, ShelfError> {
        self.check_overrides(&request.overrides)?;
        let is_unsigned = request.signed.key.is_none();
        if is_unsigned && let Some(effect) = self.already_there(request.component).await? {
            return Ok(Installed {
                effect,
                is_new: false,
            });
        }
        let inspection = self.inspect(request).await?;
        let (id, vendor) = (&inspection.descriptor.id, &inspection.descriptor.vendor);
        if is_reserved(id) {
            return Err(ShelfError::Reserved { id: id.clone() });
        }
        let new = new_effect(&inspection, request.overrides);
        let key = component_key(&new.digest);
        self.files.publish(request.component, &key).await?;
        let outcome = self
            .store
            .install_effect(&new, request.signed, request.installed_by, now_us)
            .await?;
        let refusal = match outcome {
            InstallOutcome::Installed(record) => {
                tracing::info!(
                    effect = id,
                    version = new.version,
                    "an effect was installed"
                );
                return installed(record, true);
            }
            InstallOutcome::AlreadyThere(record) => return installed(record, false),
            InstallOutcome::IdTaken { vendor: theirs } => ShelfError::IdTaken {
                id: id.clone(),
                theirs,
                ours: vendor.clone(),
            },
            InstallOutcome::Distrusted(distrust) => distrusted(id, &distrust, request.signed.key),
            InstallOutcome::VersionTaken { digest } => ShelfError::VersionTaken {
                id: id.clone(),
                version: new.version.clone(),
                digest,
            },
        };
        if !self.store.knows_effect(&new.digest).await? {
            self.files.delete(&key).await?;
        }
        Err(refusal)
    }

    /// The installed effect whose component the file holds. It was inspected before, and need not wait for others.
    async fn already_there(&self, component: &Path) -> Result<Option<ListedEffect>, ShelfError> {
        let read = tokio::fs::read(component).await;
        let bytes = read.map_err(|error| ShelfError::Inspection(error.to_string()))?;
        let digest = EffectHost::digest(&bytes);
        let listing = self.current().await?;
        let is_it = |effect: &&ListedEffect| {
            effect.record.origin == EffectOrigin::Installed && effect.record.effect.digest == digest
        };
        Ok(listing.all().iter().find(is_it).cloned())
    }

    async fn inspect(&self, request: &InstallRequest<'_>) -> Result<Inspection, ShelfError> {
        let _one_at_a_time = self.inspections.acquire().await;
        let (memory_bytes, work_per_audio) = self.limits(&request.overrides);
        let options = InspectOptions {
            effect_cache: self.settings.effect_cache.clone(),
            memory_bytes,
            work_per_audio,
        };
        inspect_in_child(&self.settings.program, request.component, &options)
            .await
            .map_err(|error| match error {
                InspectError::Rejected(reason) => ShelfError::Rejected(reason),
                InspectError::Broken(_) => ShelfError::Inspection(error.to_string()),
            })
    }
}

fn distrusted(id: &str, distrust: &Distrust, signer: Option<&str>) -> ShelfError {
    let who = signer.map_or_else(|| "nobody".to_owned(), str::to_owned);
    let why = match distrust {
        Distrust::BelongsTo { key } => {
            format!("{id} belongs to the key {key}, and this one is signed by {who}")
        }
        Distrust::Unsigned => {
            format!(
                "{id} is here already from somebody who did not sign, and this one is signed by {who}"
            )
        }
    };
    ShelfError::Distrusted(why)
}

fn installed(record: EffectRecord, is_new: bool) -> Result<Installed, ShelfError> {
    let effect = read_back(record)?;
    Ok(Installed { effect, is_new })
}

fn new_effect(inspection: &Inspection, overrides: EffectOverrides) -> NewEffect {
    let effect = &inspection.descriptor;
    NewEffect {
        digest: inspection.digest.clone(),
        effect_id: effect.id.clone(),
        version: effect.version.clone(),
        vendor: effect.vendor.clone(),
        descriptor: serde_json::json!(effect),
        bytes: inspection.bytes,
        overrides,
    }
}
