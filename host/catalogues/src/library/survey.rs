//! What a folder of models that is to be imported needs to know of what is here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::keep::at;
use super::{Library, LibraryError, usable};
use vocalhost_model::Kind;
use vocalhost_work::worker::glance::{Glance, glance_in_child};

impl Library {
    /// Has a child look at a file that may be a model, and makes nothing of it; `beside` are files that may hold its weights.
    pub async fn glance(&self, file: &Path, beside: &[PathBuf]) -> Result<Glance, LibraryError> {
        let settings = &self.0.settings;
        fs::create_dir_all(&settings.imports).map_err(at(&settings.imports))?;
        let glancing = glance_in_child(&settings.program, &settings.imports, file, beside);
        Ok(glancing.await?)
    }

    /// The models that were imported from files, by the digests of these: of a voice its number, of any other model the id of its
    /// package, as `vocalhost models show` takes them. A voice whose manifest cannot be read is passed over.
    pub async fn sources(&self, now_us: i64) -> Result<BTreeMap<String, String>, LibraryError> {
        let models = self.current(now_us).await?;
        let packages = models.packages().iter();
        let packages = packages.filter(|package| package.manifest().kind != Kind::Voice);
        let mut found: BTreeMap<String, String> = packages
            .filter_map(|package| {
                let manifest = package.manifest();
                Some((manifest.source_sha256.clone()?, manifest.id.clone()))
            })
            .collect();
        for voice in self.0.store.stored_voices().await? {
            let manifest = usable::manifest_of(&self.0.files, &voice).await;
            if let Ok(Some(Ok(manifest))) = manifest
                && let Some(source) = manifest.source_sha256
            {
                found.insert(source, voice.id.to_string());
            }
        }
        Ok(found)
    }
}
