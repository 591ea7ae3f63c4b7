//! Which voices of the file store can be used: those whose files are all there, together with the packages that they need.

use std::path::Path;

use super::LibraryError;
use super::catalogue::Seen;
use vocalhost_files::{FileStore, FilesError};
use vocalhost_model::{Manifest, ModelError, Package};
use vocalhost_store::{ModelRecord, Store};

/// Checks every voice of the file store and notes which can be used. Only sizes are compared here; hashes are compared when a voice is
/// loaded.
pub(super) async fn sync(
    store: &Store,
    files: &FileStore,
    seen: &Seen,
) -> Result<(), LibraryError> {
    for voice in store.stored_voices().await? {
        let fault = match whole(files, &voice).await {
            Ok(manifest) => seen.fault_of_parts(&manifest),
            Err(Unusable::Found(fault)) => Some(fault),
            // A store that does not answer says nothing about the voice.
            Err(Unusable::Unknown(_)) => continue,
        };
        if voice.fault != fault {
            if let Some(fault) = &fault {
                tracing::warn!(voice = voice.id, fault, "a stored voice cannot be used");
            }
            store.set_fault(voice.id, fault.as_deref()).await?;
        }
    }
    Ok(())
}

/// Why a voice of the file store cannot be used.
pub(super) enum Unusable {
    /// Something is wrong with its files.
    Found(String),
    /// The file store could not be asked, and may answer later.
    Unknown(String),
}

impl Unusable {
    /// The message for people.
    pub(super) fn into_fault(self) -> String {
        match self {
            Self::Found(fault) | Self::Unknown(fault) => fault,
        }
    }
}

/// The manifest of a voice whose files are all in the file store, or what is wrong with them. An error with one voice does not affect the
/// others.
pub(super) async fn whole(files: &FileStore, voice: &ModelRecord) -> Result<Manifest, Unusable> {
    let unreadable = |name: &str, error: &FilesError| {
        if matches!(error, FilesError::NotFound { .. }) {
            return Unusable::Found(format!("its {name} is gone"));
        }
        tracing::error!(voice = voice.id, name, %error, "a file of a voice cannot be read");
        let fault = format!("its {name} cannot be read");
        if error.may_pass() {
            return Unusable::Unknown(fault);
        }
        Unusable::Found(fault)
    };
    for file in &voice.package {
        let name = &file.name;
        let found = match files.size(&file.key).await {
            Ok(bytes) => bytes,
            Err(error) => return Err(unreadable(name, &error)),
        };
        if found != file.bytes {
            let wanted = file.bytes;
            return Err(Unusable::Found(format!(
                "its {name} has {found} bytes instead of {wanted}"
            )));
        }
    }
    match manifest_of(files, voice).await {
        Ok(Some(manifest)) => manifest.map_err(|error| Unusable::Found(error.to_string())),
        Ok(None) => Err(Unusable::Found("it has no manifest".to_owned())),
        Err(error) => Err(unreadable(Package::MANIFEST_NAME, &error)),
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
