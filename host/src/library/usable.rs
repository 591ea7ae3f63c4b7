//! Which voices of the file store can be used: those whose files are there, and with them the packages that they need.

use std::path::Path;

use super::LibraryError;
use crate::files::{FileStore, FilesError};
use crate::model::{self, Manifest, Package};
use crate::store::{ModelRecord, Store};

/// Looks at every voice of the file store and notes which can be used. Sizes are compared here; whoever loads a voice
/// compares its hashes.
pub(super) async fn sync(
    store: &Store,
    files: &FileStore,
    models: &model::Catalog,
) -> Result<(), LibraryError> {
    for voice in store.stored_voices().await? {
        let fault = fault_of(files, models, &voice).await?;
        if let Some(fault) = &fault {
            tracing::warn!(voice = voice.id, fault, "a stored voice cannot be used");
        }
        if voice.usable != fault.is_none() {
            store.set_usable(voice.id, fault.is_none()).await?;
        }
    }
    Ok(())
}

async fn fault_of(
    files: &FileStore,
    models: &model::Catalog,
    voice: &ModelRecord,
) -> Result<Option<String>, FilesError> {
    for file in &voice.package {
        let found = match files.size(&file.key).await {
            Ok(bytes) => bytes,
            Err(FilesError::NotFound { key }) => return Ok(Some(format!("{key} is gone"))),
            Err(error) => return Err(error),
        };
        if found != file.bytes {
            return Ok(Some(format!(
                "{} has {found} bytes instead of {}",
                file.key, file.bytes
            )));
        }
    }
    let manifest = voice
        .package
        .iter()
        .find(|file| file.name == Package::MANIFEST_NAME);
    let Some(manifest) = manifest else {
        return Ok(Some("there is no manifest".to_owned()));
    };
    let text = files.read(&manifest.key).await?;
    let text = String::from_utf8_lossy(&text);
    match Manifest::parse(Path::new(&manifest.key), &text) {
        Ok(manifest) => Ok(missing_part(models, &manifest)),
        Err(error) => Ok(Some(error.to_string())),
    }
}

pub(super) fn missing_part(models: &model::Catalog, manifest: &Manifest) -> Option<String> {
    models
        .parts(manifest)
        .err()
        .map(|missing| missing.to_string())
}
