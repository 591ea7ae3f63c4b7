//! What a folder of models that is to be imported needs to know of what is here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::keep::at;
use super::{Library, LibraryError, usable};
use vocalhost_model::{FileRole, Manifest};
use vocalhost_work::worker::glance::{Glance, glance_in_child};

impl Library {
    /// Has a child look at a file that may be a model, and makes nothing of it; `beside` are files that may hold its weights.
    pub async fn glance(&self, file: &Path, beside: &[PathBuf]) -> Result<Glance, LibraryError> {
        let settings = &self.0.settings;
        fs::create_dir_all(&settings.imports).map_err(at(&settings.imports))?;
        let glancing = glance_in_child(&settings.program, &settings.imports, file, beside);
        Ok(glancing.await?)
    }

    /// The models that are here, by the digests of the files that they were imported from and of their graphs: of a voice in the store
    /// its number, of any other model the id of its package, as `vocalhost models show` takes them. A voice whose manifest cannot be read is passed over.
    pub async fn sources(&self, now_us: i64) -> Result<BTreeMap<String, String>, LibraryError> {
        let models = self.current(now_us).await?;
        let mut found = BTreeMap::new();
        for package in models.packages() {
            let manifest = package.manifest();
            for digest in digests(manifest) {
                found.insert(digest.to_owned(), manifest.id.clone());
            }
        }
        for voice in self.0.store.stored_voices().await? {
            let manifest = usable::manifest_of(&self.0.files, &voice).await;
            if let Ok(Some(Ok(manifest))) = manifest {
                for digest in digests(&manifest) {
                    found.insert(digest.to_owned(), voice.id.to_string());
                }
            }
        }
        Ok(found)
    }
}

/// Of the file that a model was imported from, and of its graph.
fn digests(manifest: &Manifest) -> impl Iterator<Item = &str> {
    let graph = manifest.file(FileRole::Graph);
    let graph = graph.map(|(_, file)| file.sha256.as_str());
    manifest.source_sha256.as_deref().into_iter().chain(graph)
}
