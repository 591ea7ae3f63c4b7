//! What an import of a whole folder of models needs to know about the models that are installed.

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

    /// The installed models, by the digests of the files that they were imported from and of their graphs. A voice in the store is given by
    /// its number, any other model by the id of its package, as `vocalhost models show` takes them. A voice whose manifest cannot be read
    /// is skipped.
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

/// The digests of the file that a model was imported from, and of its graph.
fn digests(manifest: &Manifest) -> impl Iterator<Item = &str> {
    let graph = manifest.file(FileRole::Graph);
    let graph = graph.map(|(_, file)| file.sha256.as_str());
    manifest.source_sha256.as_deref().into_iter().chain(graph)
}
