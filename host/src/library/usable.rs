//! Which voices of the file store can be used: those whose files are there, and with them the packages that they need.

use std::path::Path;

use super::LibraryError;
use crate::files::{FileStore, FilesError};
use crate::model::{self, Manifest, ModelError, Package};
use crate::store::{ModelRecord, Store};

/// Looks at every voice of the file store and notes which can be used. Sizes are compared here; whoever loads a voice
/// compares its hashes.
pub(super) async fn sync(
    store: &Store,
    files: &FileStore,
    models: &model::Catalog,
) -> Result<(), LibraryError> {
    for voice in store.stored_voices().await? {
        let fault = fault_of(files, models, &voice).await;
        if let Some(fault) = &fault {
            tracing::warn!(voice = voice.id, fault, "a stored voice cannot be used");
        }
        if voice.fault != fault {
            store.set_fault(voice.id, fault.as_deref()).await?;
        }
    }
    Ok(())
}

/// Why a voice of the file store cannot be used. What cannot be read of one voice says nothing of the others.
pub(super) async fn fault_of(
    files: &FileStore,
    models: &model::Catalog,
    voice: &ModelRecord,
) -> Option<String> {
    let unreadable = |name: &str, error: &FilesError| {
        if matches!(error, FilesError::NotFound { .. }) {
            return format!("its {name} is gone");
        }
        tracing::error!(voice = voice.id, name, %error, "a file of a voice cannot be read");
        format!("its {name} cannot be read")
    };
    for file in &voice.package {
        let name = &file.name;
        let found = match files.size(&file.key).await {
            Ok(bytes) => bytes,
            Err(error) => return Some(unreadable(name, &error)),
        };
        if found != file.bytes {
            let wanted = file.bytes;
            return Some(format!("its {name} has {found} bytes instead of {wanted}"));
        }
    }
    match manifest_of(files, voice).await {
        Ok(Some(Ok(manifest))) => missing_part(models, &manifest),
        Ok(Some(Err(error))) => Some(error.to_string()),
        Ok(None) => Some("it has no manifest".to_owned()),
        Err(error) => Some(unreadable(Package::MANIFEST_NAME, &error)),
    }
}

/// The manifest of a voice in the file store, if it has one there.
pub(super) async fn manifest_of(
    files: &FileStore,
    voice: &ModelRecord,
) -> Result<Option<Result<Manifest, ModelError>>, FilesError> {
    let mut package = voice.package.iter();
    let Some(file) = package.find(|file| file.name == Package::MANIFEST_NAME) else {
        return Ok(None);
    };
    let text = files.read(&file.key).await?;
    let text = String::from_utf8_lossy(&text);
    Ok(Some(Manifest::parse(Path::new(&file.key), &text)))
}

/// Why a voice cannot listen with the packages that are there.
pub(super) fn missing_part(models: &model::Catalog, manifest: &Manifest) -> Option<String> {
    models.parts(manifest).err().map(|missing| missing.reason)
}
