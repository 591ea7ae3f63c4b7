use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::keep::at;
use super::{BesideFile, Library, LibraryError};
use crate::store::{Actor, OwnVoice, OwnVoiceChange};

/// The folder of an import that ended without tidying up is as old as this at the least: no import takes so long.
const LEFT_BEHIND: Duration = Duration::from_hours(1);

/// Where the files of a voice lie in the file store that was imported under this package id.
pub(super) fn prefix_of(package_id: &str) -> String {
    format!("imports/{package_id}")
}

/// Where a picture or a demo of a voice lies: under its content, so that another one never takes its place while somebody
/// reads it.
#[must_use]
pub fn beside_key(package_id: &str, file: &BesideFile) -> String {
    format!("{}/{}/{}", prefix_of(package_id), file.sha256, file.name)
}

impl Library {
    /// Changes a voice of the user's own; `picture` and `demo` are published for it.
    pub async fn change_own_voice(
        &self,
        (id, user_id): (i64, i64),
        mut change: OwnVoiceChange,
        (picture, demo): (Option<&BesideFile>, Option<&BesideFile>),
        (actor, now_us): (&Actor, i64),
    ) -> Result<OwnVoice, LibraryError> {
        let Some(voice) = self.0.store.model(id).await? else {
            return Ok(OwnVoice::Unknown);
        };
        if voice.owner_id != Some(user_id) {
            return Ok(OwnVoice::NotOwn);
        }
        change.storage_quota_bytes = self.0.settings.storage_quota_bytes;
        change.picture = self.put_beside(&voice.package_id, picture).await?;
        change.demo = self.put_beside(&voice.package_id, demo).await?;
        // What was published for a change that is refused is cleaned up when it is old, like all that nothing names.
        let store = &self.0.store;
        let changed = store.change_own_voice((id, user_id), &change, actor, now_us);
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

    /// Removes an imported package, one that is refused too. Voices that need it cannot be used from then on. Goes on to the
    /// end when whoever asked gives up waiting: a package would be gone of which the audit knows nothing.
    pub async fn remove_package(
        &self,
        id: &str,
        actor: &Actor,
        now_us: i64,
    ) -> Result<(), LibraryError> {
        let (library, id, actor) = (self.clone(), id.to_owned(), actor.clone());
        let removing = async move { library.take_package_away(&id, &actor, now_us).await };
        tokio::spawn(removing).await?
    }

    async fn take_package_away(
        &self,
        id: &str,
        actor: &Actor,
        now_us: i64,
    ) -> Result<(), LibraryError> {
        let models = self.current(now_us).await?;
        let settings = &self.0.settings;
        let imported = settings.imported.canonicalize().unwrap_or_default();
        let found = models.find(id).map(|package| package.folder().to_owned());
        let folder = match found {
            Some(folder) if folder.parent() == Some(&imported) => folder,
            Some(folder) => {
                let id = id.to_owned();
                return Err(LibraryError::NotImported { id, folder });
            }
            None => {
                let refused = models.rejected().iter().map(|(folder, _)| folder);
                let mut refused = refused.filter(|folder| folder.starts_with(&settings.imported));
                let named =
                    refused.find(|folder| folder.file_name().is_some_and(|name| name == id));
                named
                    .cloned()
                    .ok_or_else(|| LibraryError::Missing(id.to_owned()))?
            }
        };
        let imports = settings.imports.clone();
        let removing = move || remove_folder(&folder, &imports).map_err(at(&folder));
        tokio::task::spawn_blocking(removing).await??;
        let store = &self.0.store;
        store
            .note(actor, ("removeModelPackage", id), "ok", now_us)
            .await?;
        self.current(now_us).await?;
        Ok(())
    }

    /// Deletes what imports left behind that were killed. What cannot be deleted stays, with a warning: it takes room, but
    /// is in nobody's way.
    pub fn clear_left_behind(&self) {
        let folder = &self.0.settings.imports;
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                tracing::warn!(folder = %folder.display(), %error, "cannot look for what imports left");
                return;
            }
        };
        for entry in entries {
            if let Err(error) = entry.and_then(|entry| remove_if_old(&entry.path())) {
                tracing::warn!(folder = %folder.display(), %error, "cannot remove what an import left");
            }
        }
    }
}

/// Removes a folder, or whatever else lies there, when no import can be using it. Links are not followed.
fn remove_if_old(path: &Path) -> io::Result<()> {
    let facts = fs::symlink_metadata(path)?;
    // What is from the future is not old.
    let age = SystemTime::now().duration_since(facts.modified()?);
    if !age.is_ok_and(|age| age > LEFT_BEHIND) {
        return Ok(());
    }
    if facts.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}

/// Takes the folder away in one step, so that nobody ever opens half of it, and deletes it then.
pub(super) fn remove_folder(folder: &Path, imports: &Path) -> io::Result<()> {
    fs::create_dir_all(imports)?;
    let away = tempfile::Builder::new()
        .prefix("removed-")
        .tempdir_in(imports)?;
    fs::rename(folder, away.path().join("package"))?;
    away.close()
}
