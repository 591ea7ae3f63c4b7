use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::keep::at;
use super::{BesideFile, Library, LibraryError};
use vocalhost_model::{Manifest, Package};
use vocalhost_store::{Actor, OwnVoice, OwnVoiceChange, StoredPackageFile};

/// Where the files of a voice that was imported under this package id lie in the file store.
pub(super) fn prefix_of(package_id: &str) -> String {
    format!("imports/{package_id}")
}

/// Where a picture or a demo of a voice lies. The key contains its hash, so that another file never takes its place while somebody reads
/// it.
#[must_use]
fn beside_key(package_id: &str, file: &BesideFile) -> String {
    format!("{}/{}/{}", prefix_of(package_id), file.sha256, file.name)
}

/// The entry of a picture or a demo in a voice's record.
pub(super) fn stored(package_id: &str, file: &BesideFile) -> StoredPackageFile {
    StoredPackageFile {
        name: file.name.clone(),
        key: beside_key(package_id, file),
        bytes: file.bytes,
        sha256: file.sha256.clone(),
    }
}

impl Library {
    /// Changes a voice: of the user's own, or with `None` one of everybody's that was imported or blended; `picture` and `demo`
    /// are published for it.
    pub async fn change_voice(
        &self,
        (id, user_id): (i64, Option<i64>),
        mut change: OwnVoiceChange,
        (picture, demo): (Option<&BesideFile>, Option<&BesideFile>),
        (actor, now_us): (&Actor, i64),
    ) -> Result<OwnVoice, LibraryError> {
        let Some(voice) = self.0.store.model(id).await? else {
            return Ok(OwnVoice::Unknown);
        };
        if voice.owner_id != user_id || (user_id.is_none() && voice.package.is_empty()) {
            return Ok(OwnVoice::NotOwn);
        }
        change.storage_quota_bytes = self.0.settings.storage_quota_bytes;
        change.picture = picture.map(|file| stored(&voice.package_id, file));
        change.demo = demo.map(|file| stored(&voice.package_id, file));
        let store = &self.0.store;
        // Before anything is published. If this passes and the change is refused all the same, the cleanup deletes the files once they are
        // old, like all files that nothing names.
        store.check_room_for(&voice, &change, now_us).await?;
        let _alone = self.0.changing.lock().await;
        self.put_beside(&voice.package_id, picture).await?;
        self.put_beside(&voice.package_id, demo).await?;
        let changed = store.change_voice((id, user_id), &change, actor, now_us);
        let changed = changed.await?;
        if let OwnVoice::Done(_, needless) = &changed {
            self.delete(needless).await?;
        }
        Ok(changed)
    }

    /// Removes a voice with its files: of the user's own, or with `None` any that was imported or blended. Jobs that wait
    /// for it fail.
    pub async fn remove_voice(
        &self,
        id: i64,
        user_id: Option<i64>,
        actor: &Actor,
        now_us: i64,
    ) -> Result<OwnVoice, LibraryError> {
        let store = &self.0.store;
        let removed = store.remove_voice(id, user_id, actor, now_us).await?;
        if let OwnVoice::Done(_, keys) = &removed {
            self.delete(keys).await?;
        }
        Ok(removed)
    }

    async fn delete(&self, keys: &[String]) -> Result<(), LibraryError> {
        for key in keys {
            self.0.files.delete(key).await?;
        }
        Ok(())
    }

    /// Removes an imported package, even one that is refused. Only if `forced` is set does it remove a package that the settings name, or
    /// one that other models need, which then cannot be used. Goes on to the end when the caller gives up waiting: otherwise a package
    /// would be gone without a line in the audit.
    pub async fn remove_package(
        &self,
        id: &str,
        forced: bool,
        actor: &Actor,
        now_us: i64,
    ) -> Result<(), LibraryError> {
        let (library, id, actor) = (self.clone(), id.to_owned(), actor.clone());
        let removing = async move {
            let folder = library.imported_folder(&id, now_us).await?;
            let by = library.needing(&id).await?;
            if !forced && !by.is_empty() {
                return Err(LibraryError::Needed { id, by });
            }
            let naming = library.0.settings.naming(&id);
            if let Some(setting) = naming.filter(|_| !forced) {
                return Err(LibraryError::Named { id, setting });
            }
            library
                .take_package_away(&id, &folder, &actor, now_us)
                .await
        };
        tokio::spawn(removing).await?
    }

    /// The titles of the models that can be used now but could not be without this package.
    async fn needing(&self, id: &str) -> Result<Vec<String>, LibraryError> {
        let models = self.known();
        let without = models.without(id);
        let listens = |voice: &Manifest| models.parts(voice).is_ok();
        let needs = |voice: &Manifest| listens(voice) && without.parts(voice).is_err();
        let others = models.packages().iter().map(Package::manifest);
        let mut by: Vec<String> = others
            .filter(|other| other.id != id)
            .filter(|other| without.find(&other.id).is_none() || needs(other))
            .map(|other| other.name.clone())
            .collect();
        for voice in self.0.store.stored_voices().await? {
            if self.manifest(&voice).await.is_ok_and(|own| needs(&own)) {
                by.push(voice.title);
            }
        }
        Ok(by)
    }

    /// The folder of an imported package.
    async fn imported_folder(&self, id: &str, now_us: i64) -> Result<PathBuf, LibraryError> {
        let models = self.current(now_us).await?;
        let settings = &self.0.settings;
        let imported = settings.imported.canonicalize().unwrap_or_default();
        let found = models.find(id).map(|package| package.folder().to_owned());
        match found {
            Some(folder) if folder.parent() == Some(&imported) => Ok(folder),
            Some(folder) => {
                let id = id.to_owned();
                Err(LibraryError::NotImported { id, folder })
            }
            None => {
                let refused = models.rejected().iter().map(|(folder, _)| folder);
                // Some folders are written as in the settings, some by their real path.
                let lies_there = |folder: &&PathBuf| {
                    let parent = folder.parent().map(Path::canonicalize);
                    matches!(parent, Some(Ok(parent)) if parent == imported)
                };
                let mut refused = refused.filter(lies_there);
                let named =
                    refused.find(|folder| folder.file_name().is_some_and(|name| name == id));
                named
                    .cloned()
                    .ok_or_else(|| LibraryError::Missing(id.to_owned()))
            }
        }
    }

    async fn take_package_away(
        &self,
        id: &str,
        folder: &Path,
        actor: &Actor,
        now_us: i64,
    ) -> Result<(), LibraryError> {
        let (folder, imports) = (folder.to_owned(), self.0.settings.imports.clone());
        let removing = move || remove_folder(&folder, &imports).map_err(at(&folder));
        tokio::task::spawn_blocking(removing).await??;
        let store = &self.0.store;
        store
            .note(actor, ("removeModelPackage", id), "ok", now_us)
            .await?;
        self.current(now_us).await?;
        Ok(())
    }
}

/// Moves the folder away in one step, so that nobody ever opens half of it, and then deletes it.
pub(super) fn remove_folder(folder: &Path, imports: &Path) -> io::Result<()> {
    fs::create_dir_all(imports)?;
    let away = tempfile::Builder::new()
        .prefix("removed-")
        .tempdir_in(imports)?;
    fs::rename(folder, away.path().join("package"))?;
    away.close()
}
