use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::error::at;
use super::names::FILES;
use super::write::{clear, private_folder, require_empty};
use super::{BackupError, Manifest};

/// A backup that is being put into an empty data folder.
#[derive(Debug)]
pub struct Restore {
    folder: PathBuf,
    data_folder: PathBuf,
    list: Manifest,
}

impl Restore {
    /// Looks at the backup in `folder`, which this release must understand, and at `data_folder`, which must be empty or
    /// not there; `schema` is the newest that this release knows. Changes nothing.
    pub fn begin(folder: &Path, data_folder: &Path, schema: i64) -> Result<Self, BackupError> {
        let list = Manifest::read(folder, schema)?;
        require_empty(data_folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            data_folder: data_folder.to_owned(),
            list,
        })
    }

    /// Whether the backup goes with the place where files lie: the `bucket`, or the data folder. Without its files a database is of
    /// little use, and files that lie where nobody looks are none.
    pub fn goes_with(&self, bucket: Option<&str>) -> Result<(), BackupError> {
        match (&self.list.files_in, bucket) {
            (Some(were_in), None) => Err(BackupError::FilesElsewhere(were_in.clone())),
            (None, Some(bucket)) if self.has_files() => {
                Err(BackupError::FilesNotThere(bucket.to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn has_files(&self) -> bool {
        let mut files = self.list.files.iter();
        files.any(|file| Path::new(&file.path).starts_with(FILES))
    }

    /// Copies every file and checks each copy; `progress` is told of every one. When one is damaged, nothing is left in
    /// the data folder.
    pub fn run(self, mut progress: impl FnMut(usize, usize)) -> Result<Manifest, BackupError> {
        private_folder(&self.data_folder)?;
        let count = self.list.files.len();
        for (done, file) in self.list.files.iter().enumerate() {
            let copied = self
                .copy(&file.path)
                .and_then(|()| file.check(&self.data_folder));
            if let Err(error) = copied {
                clear(&self.data_folder);
                return Err(match error {
                    // The copy is gone; what is damaged is the backup.
                    BackupError::Damaged(_) => BackupError::Damaged(self.folder.join(&file.path)),
                    other => other,
                });
            }
            progress(done + 1, count);
        }
        Ok(self.list)
    }

    fn copy(&self, path: &str) -> Result<(), BackupError> {
        let source = self.folder.join(path);
        let target = self.data_folder.join(path);
        if let Some(parent) = target.parent() {
            private_folder(parent)?;
        }
        fs::copy(&source, &target).map_err(at(&source))?;
        let synced = File::open(&target).and_then(|file| file.sync_all());
        synced.map_err(at(&target))
    }
}
