use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::import::ImportAsk;
use super::remove::{beside_key, prefix_of};
use super::{BesideFile, Library, LibraryError, usable};
use crate::model::{Manifest, Package};
use crate::store::{Actor, ImportedVoice, ModelRecord, NewVoice, StoredPackageFile};
use crate::worker::import::ImportFault;

/// The folder of one import; it goes when this is dropped.
pub(super) struct Work(TempDir);

impl Work {
    /// Makes one in `folder`, which is made when it is not there.
    pub(super) fn begin(folder: &Path) -> Result<Self, LibraryError> {
        let made = || {
            fs::create_dir_all(folder)?;
            let work = tempfile::Builder::new()
                .prefix("import-")
                .tempdir_in(folder)?;
            fs::create_dir(work.path().join("package"))?;
            Ok(work)
        };
        Ok(Self(made().map_err(at(folder))?))
    }

    /// The package that comes of it.
    pub(super) fn package(&self) -> PathBuf {
        self.0.path().join("package")
    }

    /// What the child is told.
    pub(super) fn order(&self) -> PathBuf {
        self.0.path().join("order.json")
    }
}

impl Library {
    /// Publishes the package of a voice and makes it known. Gives the package's id, too.
    pub(super) async fn keep_voice(
        &self,
        work: &Work,
        ask: &ImportAsk,
        actor: &Actor,
        now_us: i64,
    ) -> Result<(String, ModelRecord), LibraryError> {
        let id = format!("import.{}", ask.token);
        let (folder, its_id) = (work.package(), id.clone());
        let named = move || name_package(&folder, &its_id);
        let manifest = tokio::task::spawn_blocking(named).await??;
        let kept = self.publish_voice(work, (&id, &manifest), ask).await;
        let made = match kept {
            Ok(new) => self.0.store.create_imported(&new, actor, now_us).await,
            Err(error) => {
                self.0.files.delete_prefix(&prefix_of(&id)).await?;
                return Err(error);
            }
        };
        match made {
            Ok(record) => {
                self.nudge()?;
                Ok((id, record))
            }
            Err(error) => {
                self.0.files.delete_prefix(&prefix_of(&id)).await?;
                Err(error.into())
            }
        }
    }

    /// Has whoever says which voices can be used look again, when that is another process: its folders may be others than
    /// those that were looked at here. A folder that comes and goes shows in the age of the one that it was in.
    fn nudge(&self) -> Result<(), LibraryError> {
        let settings = &self.0.settings;
        if settings.keeps_voices {
            return Ok(());
        }
        let nudged = tempfile::tempdir_in(&settings.imported).and_then(TempDir::close);
        nudged.map_err(at(&settings.imported))
    }

    async fn publish_voice(
        &self,
        work: &Work,
        (id, manifest): (&str, &Manifest),
        ask: &ImportAsk,
    ) -> Result<ImportedVoice, LibraryError> {
        let mut package = Vec::with_capacity(manifest.files.len() + 1);
        for (name, entry) in &manifest.files {
            package.push(StoredPackageFile {
                key: format!("{}/{}", prefix_of(id), plain_name(name)?),
                name: name.clone(),
                bytes: entry.bytes,
                sha256: entry.sha256.clone(),
            });
        }
        package.push(manifest_file(&work.package(), id)?);
        for file in &package {
            let local = work.package().join(&file.name);
            self.0.files.publish(&local, &file.key).await?;
        }
        let models = self.known();
        let facts = manifest.voice.as_ref();
        Ok(ImportedVoice {
            voice: NewVoice {
                package_id: id.to_owned(),
                title: manifest.name.clone(),
                tags: facts.map(|voice| voice.tags.clone()).unwrap_or_default(),
                instrument: facts.is_some_and(|voice| voice.instrument),
            },
            owner: ask.owner,
            usable: usable::missing_part(&models, manifest).is_none(),
            package,
            picture: self.put_beside(id, ask.picture.as_ref()).await?,
            demo: self.put_beside(id, ask.demo.as_ref()).await?,
            storage_quota_bytes: self.0.settings.storage_quota_bytes,
        })
    }

    /// Publishes a picture or a demo of the voice with this package.
    pub(super) async fn put_beside(
        &self,
        package_id: &str,
        file: Option<&BesideFile>,
    ) -> Result<Option<StoredPackageFile>, LibraryError> {
        let Some(file) = file else {
            return Ok(None);
        };
        let key = beside_key(package_id, file);
        self.0.files.publish(&file.path, &key).await?;
        Ok(Some(StoredPackageFile {
            name: file.name.clone(),
            key,
            bytes: file.bytes,
            sha256: file.sha256.clone(),
        }))
    }

    /// Moves a package into the folder of imported ones.
    pub(super) async fn keep_package(
        &self,
        work: Work,
        id: &str,
        actor: &Actor,
        now_us: i64,
    ) -> Result<(), LibraryError> {
        let name = plain_name(id)?;
        if self.current(now_us).await?.find(id).is_some() {
            return Err(LibraryError::IdTaken(id.to_owned()));
        }
        let imported = self.0.settings.imported.clone();
        let target = imported.join(name);
        let moving = move || {
            fs::create_dir_all(&imported).map_err(at(&imported))?;
            match fs::rename(work.package(), &target) {
                // What lies there may be damaged, but it is somebody's.
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Err(None),
                moved => moved.map_err(|error| Some(at(&target)(error))),
            }
            .map_err(|error| error.unwrap_or_else(|| taken(&target)))
        };
        tokio::task::spawn_blocking(moving).await??;
        let store = &self.0.store;
        store.note(actor, ("importModel", id), "ok", now_us).await?;
        self.current(now_us).await?;
        Ok(())
    }
}

fn taken(target: &Path) -> LibraryError {
    let name = target.file_name().unwrap_or_default();
    LibraryError::IdTaken(name.to_string_lossy().into_owned())
}

/// Gives the package in `folder` the id that its voice has in the database, which no other has: two people may import the
/// same voice.
fn name_package(folder: &Path, id: &str) -> Result<Manifest, LibraryError> {
    let path = folder.join(Package::MANIFEST_NAME);
    let text = fs::read_to_string(&path).map_err(at(&path))?;
    let broken = |reason: String| ImportFault::Broken(reason);
    let mut manifest: toml::Table =
        toml::from_str(&text).map_err(|error| broken(error.to_string()))?;
    manifest.insert("id".to_owned(), toml::Value::String(id.to_owned()));
    let text = toml::to_string(&manifest).map_err(|error| broken(error.to_string()))?;
    fs::write(&path, &text).map_err(at(&path))?;
    Ok(Manifest::parse(&path, &text)?)
}

fn manifest_file(folder: &Path, id: &str) -> Result<StoredPackageFile, LibraryError> {
    let path = folder.join(Package::MANIFEST_NAME);
    let text = fs::read(&path).map_err(at(&path))?;
    Ok(StoredPackageFile {
        name: Package::MANIFEST_NAME.to_owned(),
        key: format!("{}/{}", prefix_of(id), Package::MANIFEST_NAME),
        bytes: text.len() as u64,
        sha256: base16ct::lower::encode_string(&Sha256::digest(&text)),
    })
}

/// The file store and the workers' cache keep packages without folders in them.
fn plain_name(name: &str) -> Result<&str, LibraryError> {
    let mut components = Path::new(name).components();
    match (components.next(), components.next()) {
        (Some(Component::Normal(only)), None) if only == name => Ok(name),
        _ => Err(ImportFault::Rejected {
            file: None,
            reason: format!("{name:?} is no plain name"),
        }
        .into()),
    }
}

pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> LibraryError {
    let path = path.to_owned();
    move |source| LibraryError::Io { path, source }
}
