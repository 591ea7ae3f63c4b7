use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::import::ImportAsk;
use super::remove::{prefix_of, remove_folder, stored};
use super::{BesideFile, Library, LibraryError};
use vocalhost_files::is_plain_name;
use vocalhost_model::{Manifest, Package};
use vocalhost_store::{
    Actor, AnswerOf, Completion, ImportedVoice, ModelRecord, NewVoice, StoredPackageFile,
};
use vocalhost_work::worker::import::ImportFault;

/// The folder of one import, deleted on drop.
pub(super) struct Work(TempDir);

impl Work {
    /// Makes one in `folder`, which is made if it is missing.
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

    /// Where the package is made.
    pub(super) fn package(&self) -> PathBuf {
        self.0.path().join("package")
    }

    /// Where the child's order is written.
    pub(super) fn order(&self) -> PathBuf {
        self.0.path().join("order.json")
    }
}

impl Library {
    /// Publishes the package of a voice under `id` and makes it known, and completes the request for it.
    pub(super) async fn keep_voice(
        &self,
        work: &Work,
        (id, ask): (&str, &ImportAsk),
        request: Option<(&Completion, &AnswerOf<'_, ModelRecord>)>,
        actor: &Actor,
        now_us: i64,
    ) -> Result<ModelRecord, LibraryError> {
        // Packages may have come or gone through the command line since the last look.
        self.current(now_us).await?;
        let (folder, its_id) = (work.package(), id.to_owned());
        let named = move || name_package(&folder, &its_id);
        let manifest = tokio::task::spawn_blocking(named).await??;
        let kept = self.publish_voice(work, (id, &manifest), ask).await;
        let mut new = match kept {
            Ok(new) => new,
            Err(error) => {
                self.0.files.delete_prefix(&prefix_of(id)).await?;
                return Err(error);
            }
        };
        let made = {
            // Nobody looks at the voices until the row is there: they would miss this one, and what it needs could be removed.
            let _alone = self.0.looking.lock().await;
            new.fault = self.seen().fault_of_parts(&manifest);
            let making = self.0.store.create_imported(&new, request, actor, now_us);
            making.await
        };
        match made {
            Ok(record) => {
                self.nudge()?;
                Ok(record)
            }
            Err(error) => {
                self.0.files.delete_prefix(&prefix_of(id)).await?;
                Err(error.into())
            }
        }
    }

    /// Makes the server look again at which voices can be used, unless this process is the server: its folders may be others than those
    /// that were looked at here. A folder made and deleted in `imported` changes the age of that.
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
        let facts = manifest.voice.as_ref();
        Ok(ImportedVoice {
            voice: NewVoice {
                package_id: id.to_owned(),
                title: manifest.name.clone(),
                tags: facts.map(|voice| voice.tags.clone()).unwrap_or_default(),
                instrument: facts.is_some_and(|voice| voice.instrument),
            },
            owner: ask.owner,
            fault: None,
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
        let stored = stored(package_id, file);
        self.0.files.publish(&file.path, &stored.key).await?;
        Ok(Some(stored))
    }

    /// A moment later than that of every package that is there, and not before `now_us`: many arrive within one tick of a clock.
    async fn next_moment(&self, now_us: i64) -> Result<i64, LibraryError> {
        let seen = self.current(now_us).await?;
        let moments = seen.packages().iter();
        let last = moments
            .filter_map(|package| package.manifest().imported_us)
            .max();
        Ok(last.map_or(now_us, |last| now_us.max(last.saturating_add(1))))
    }

    /// Moves a package into the folder of imported ones. The future must run to its end.
    pub(super) async fn keep_package(
        &self,
        work: Work,
        id: &str,
        actor: &Actor,
        now_us: i64,
    ) -> Result<(), LibraryError> {
        let name = plain_name(id)?;
        self.refuse_taken(id, now_us).await?;
        let moment = self.next_moment(now_us).await?;
        let folder = work.package();
        let stamping = move || Package::open(&folder)?.imported_at(moment);
        tokio::task::spawn_blocking(stamping).await??;
        let imported = self.0.settings.imported.clone();
        let target = imported.join(name);
        let moving = {
            let target = target.clone();
            move || move_in(&work.package(), &imported, &target)
        };
        tokio::task::spawn_blocking(moving).await??;
        let store = &self.0.store;
        if let Err(error) = store.note(actor, ("importModel", id), "ok", now_us).await {
            // An install must not go without its line in the audit.
            let imports = self.0.settings.imports.clone();
            let removing = move || remove_folder(&target, &imports).map_err(at(&target));
            tokio::task::spawn_blocking(removing).await??;
            return Err(error.into());
        }
        self.current(now_us).await?;
        Ok(())
    }
}

/// Moves the package to `target` in `imported`, where nothing may lie yet.
fn move_in(package: &Path, imported: &Path, target: &Path) -> Result<(), LibraryError> {
    fs::create_dir_all(imported).map_err(at(imported))?;
    fs::rename(package, target).map_err(|error| match error.kind() {
        // What lies there may be damaged, but it is somebody's. Which of the two errors comes depends on the file system.
        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists => {
            let name = target.file_name().unwrap_or_default();
            LibraryError::IdTaken(name.to_string_lossy().into_owned())
        }
        _ => at(target)(error),
    })
}

/// Gives the package in `folder` the id that its voice has in the database. It is unique, because two people may import the same voice.
fn name_package(folder: &Path, id: &str) -> Result<Manifest, LibraryError> {
    let path = folder.join(Package::MANIFEST_NAME);
    let text = fs::read_to_string(&path).map_err(at(&path))?;
    let broken = |reason: String| ImportFault::Broken(reason);
    let mut manifest: toml::Table =
        toml::from_str(&text).map_err(|error| broken(error.to_string()))?;
    manifest.insert("id".to_owned(), toml::Value::String(id.to_owned()));
    if let Some(toml::Value::Table(files)) = manifest.get_mut("files") {
        call_by_role(folder, files).map_err(at(folder))?;
    }
    let text = toml::to_string(&manifest).map_err(|error| broken(error.to_string()))?;
    fs::write(&path, &text).map_err(at(&path))?;
    Ok(Manifest::parse(&path, &text)?)
}

/// Names the picture and the demo of a package after their roles: in the file store they are known by these names.
fn call_by_role(folder: &Path, files: &mut toml::Table) -> io::Result<()> {
    for role in ["picture", "demo"] {
        let is_it =
            |entry: &toml::Value| entry.get("role").is_some_and(|r| r.as_str() == Some(role));
        let mut entries = files.iter();
        let Some(name) = entries
            .find(|(_, entry)| is_it(entry))
            .map(|(name, _)| name.clone())
        else {
            continue;
        };
        let extension = Path::new(&name).extension().and_then(|one| one.to_str());
        let called = format!("{role}.{}", extension.unwrap_or("bin").to_ascii_lowercase());
        if files.contains_key(&called) {
            continue;
        }
        fs::rename(folder.join(&name), folder.join(&called))?;
        if let Some(entry) = files.remove(&name) {
            files.insert(called, entry);
        }
    }
    Ok(())
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

/// The file store and the workers' cache store packages without subfolders.
fn plain_name(name: &str) -> Result<&str, LibraryError> {
    if is_plain_name(name) {
        return Ok(name);
    }
    let reason = format!("{name:?} is no plain name");
    Err(ImportFault::Rejected { file: None, reason }.into())
}

pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> LibraryError {
    let path = path.to_owned();
    move |source| LibraryError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use vocalhost_testing::repository;

    use super::*;

    #[test]
    fn a_package_gets_its_id_and_its_picture_the_name_that_it_is_found_by() {
        let source = repository("models/vocalhost.amber-5");
        let folder = tempfile::tempdir().expect("a temporary folder");
        for entry in fs::read_dir(&source).expect("the package") {
            let entry = entry.expect("an entry");
            fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("copied");
        }
        let path = folder.path().join(Package::MANIFEST_NAME);
        let text = fs::read_to_string(&path).expect("a manifest");
        fs::write(&path, text.replace("picture.png", "cover.PNG")).expect("written");
        let cover = folder.path().join("cover.PNG");
        fs::rename(folder.path().join("picture.png"), cover).expect("renamed");

        let manifest = name_package(folder.path(), "import.1").expect("it is a package");
        assert_eq!(manifest.id, "import.1");
        let package = Package::open(folder.path()).expect("it is whole");
        package.verify().expect("it is sound");
        let picture = manifest.file(vocalhost_model::FileRole::Picture);
        assert_eq!(picture.map(|(name, _)| name), Some("picture.png"));
    }

    #[test]
    fn a_package_never_takes_the_place_of_another() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (package, imported) = (folder.path().join("package"), folder.path().join("models"));
        let target = imported.join("mine.vocals");
        for text in ["first", "second"] {
            fs::create_dir(&package).expect("a folder");
            fs::write(package.join("package.toml"), text).expect("written");
            let moved = move_in(&package, &imported, &target);
            let is_taken =
                matches!(moved, Err(LibraryError::IdTaken(ref id)) if id == "mine.vocals");
            assert_eq!(
                (moved.is_ok(), is_taken),
                (text == "first", text != "first")
            );
        }
        let kept = fs::read_to_string(target.join("package.toml"));
        assert_eq!(kept.expect("it is there"), "first");
    }
}
