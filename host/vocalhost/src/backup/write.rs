use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::error::at;
use super::manifest::ListedFile;
use super::names::{DATABASE, FILES, MANIFEST, MODELS, SIGNING_KEY};
use super::{BackupError, FORMAT, Manifest};
use vocalhost_system::disk::is_full;

/// How files get into a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// As hard links where the file system has them, otherwise as copies. Stored files never change, so a link stays what
    /// it is; but one damaged disk damages both.
    Link,
    /// As copies.
    Copy,
}

/// A backup in the making; the server may be running.
///
/// The order makes it consistent: the files that are there now, then the database, then the files that have come since.
/// So every file that the database names is there, unless it was deleted in that moment; files that it does not name
/// are cleaned away after a restore. A backup that is dropped before [`Self::finish`] has made it whole is deleted again.
#[derive(Debug)]
pub struct Backup {
    data_folder: PathBuf,
    folder: PathBuf,
    way: Way,
    taken: BTreeSet<PathBuf>,
    files_in: Option<String>,
    whole: bool,
}

impl Backup {
    /// Begins a backup of `data_folder` in `folder`, which must be empty or not there and not inside of it, and takes the files.
    pub fn begin(data_folder: &Path, folder: &Path, way: Way) -> Result<Self, BackupError> {
        require_outside(data_folder, folder)?;
        require_empty(folder)?;
        private_folder(folder)?;
        let mut backup = Self {
            data_folder: data_folder.to_owned(),
            folder: folder.to_owned(),
            way,
            taken: BTreeSet::new(),
            files_in: None,
            whole: false,
        };
        backup.take_files(Path::new(FILES))?;
        backup.take_files(Path::new(MODELS))?;
        Ok(backup)
    }

    /// Notes the bucket that recordings, results and voices lie in, which the backup does not have.
    #[must_use]
    pub fn without_files_in(mut self, bucket: Option<String>) -> Self {
        self.files_in = bucket;
        self
    }

    /// Where the database is to be written before [`Self::finish`].
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.folder.join(DATABASE)
    }

    /// Takes what has come since, and writes the list. `progress` is told of every file that was read again.
    pub fn finish(
        mut self,
        (release, schema): (&str, i64),
        made_at_us: i64,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<Manifest, BackupError> {
        self.take_files(Path::new(FILES))?;
        self.take_files(Path::new(MODELS))?;
        if self.data_folder.join(SIGNING_KEY).is_file() {
            // Small, and the one file that could be put in place anew.
            self.copy(Path::new(SIGNING_KEY))?;
        }
        self.taken.insert(PathBuf::from(DATABASE));
        let count = self.taken.len();
        let mut files = Vec::with_capacity(count);
        for path in &self.taken {
            let path = path.to_string_lossy().into_owned();
            files.push(ListedFile::of(&self.folder, path)?);
            progress(files.len(), count);
        }
        let list = Manifest {
            format: FORMAT,
            release: release.to_owned(),
            schema,
            made_at_us,
            files_in: self.files_in.clone(),
            files,
        };
        let path = self.folder.join(MANIFEST);
        let text = serde_json::to_vec_pretty(&list)?;
        let mut file = File::create_new(&path).map_err(at(&path))?;
        let written = file.write_all(&text).and_then(|()| file.sync_all());
        written.map_err(at(&path))?;
        self.whole = true;
        Ok(list)
    }

    fn take_files(&mut self, inner: &Path) -> Result<(), BackupError> {
        let folder = self.data_folder.join(inner);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            // A folder that a job's files were just deleted from.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(at(&folder)(error)),
        };
        for entry in entries {
            let entry = entry.map_err(at(&folder))?;
            let path = inner.join(entry.file_name());
            let kind = match entry.file_type() {
                Ok(kind) => kind,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(at(&entry.path())(error)),
            };
            if kind.is_dir() {
                self.take_files(&path)?;
            } else if kind.is_file() && !is_unfinished(&path) && !self.taken.contains(&path) {
                self.take(&path)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, path: &Path) -> Result<(), BackupError> {
        let target = self.folder.join(path);
        if let Some(parent) = target.parent() {
            private_folder(parent)?;
        }
        if self.way == Way::Link {
            match fs::hard_link(self.data_folder.join(path), &target) {
                Ok(()) => {
                    self.taken.insert(path.to_owned());
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                // Another file system, or one without links.
                Err(_) => {}
            }
        }
        self.copy(path)
    }

    fn copy(&mut self, path: &Path) -> Result<(), BackupError> {
        let source = self.data_folder.join(path);
        let target = self.folder.join(path);
        match fs::copy(&source, &target) {
            Ok(_) => {
                File::open(&target)
                    .and_then(|file| file.sync_all())
                    .map_err(at(&target))?;
                self.taken.insert(path.to_owned());
                Ok(())
            }
            // Deleted since it was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound && !source.exists() => {
                let _ = fs::remove_file(&target);
                Ok(())
            }
            Err(error) if is_full(&error) => Err(at(&target)(error)),
            Err(error) => Err(at(&source)(error)),
        }
    }
}

impl Drop for Backup {
    fn drop(&mut self) {
        if !self.whole {
            clear(&self.folder);
        }
    }
}

/// The file store writes under a name with a number sign and renames.
fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| name.contains('#'))
}

/// Makes a folder and those above it, readable for its owner alone: backups hold people's recordings.
pub(super) fn private_folder(folder: &Path) -> Result<(), BackupError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(at(folder))
}

/// Refuses a folder inside the data folder: later backups would have this one in them, and it would be lost with the data.
fn require_outside(data_folder: &Path, folder: &Path) -> Result<(), BackupError> {
    let data_folder = data_folder.canonicalize().map_err(at(data_folder))?;
    let whole = std::path::absolute(folder).map_err(at(folder))?;
    let there = whole.ancestors().find_map(|part| part.canonicalize().ok());
    if there.is_some_and(|there| there.starts_with(&data_folder)) {
        return Err(BackupError::Inside(folder.to_owned()));
    }
    Ok(())
}

/// Deletes what is in a folder that was empty before a backup came into it. The folder itself may be somebody's mount point.
pub(super) fn clear(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let removed = match entry.file_type() {
            Ok(kind) if kind.is_dir() => fs::remove_dir_all(&path),
            _ => fs::remove_file(&path),
        };
        if let Err(error) = removed {
            tracing::warn!(path = %path.display(), %error, "a part of a backup is left");
        }
    }
}

/// Refuses a folder that has something in it.
pub(super) fn require_empty(folder: &Path) -> Result<(), BackupError> {
    match fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(BackupError::NotEmpty(folder.to_owned())),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(at(folder)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_a_backup_that_is_given_up() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let data = place.path().join("data");
        let result = Path::new(FILES).join("results/1/output.wav");
        let stored = data.join(&result);
        fs::create_dir_all(stored.parent().expect("it has one")).expect("it can be made");
        fs::write(&stored, b"RIFF").expect("it can be written");
        let folder = place.path().join("backup");
        for way in [Way::Copy, Way::Link] {
            let backup = Backup::begin(&data, &folder, way).expect("it begins");
            fs::write(backup.database(), b"half").expect("it can be written");
            assert!(folder.join(&result).exists());
            drop(backup);
            let left = fs::read_dir(&folder).expect("it is there").count();
            assert_eq!(left, 0);
        }
        let backup = Backup::begin(&data, &folder, Way::Copy).expect("it begins");
        fs::write(backup.database(), b"whole").expect("it can be written");
        let list = backup.finish(("0.1.0", 1), 0, |_, _| {});
        assert_eq!(list.expect("it is finished").files.len(), 2);
        assert!(folder.join(MANIFEST).exists() && folder.join(&result).exists());
        assert!(stored.exists());
    }
}
