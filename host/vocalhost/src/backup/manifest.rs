use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::BackupError;
use super::error::at;
use super::names::{MANIFEST, is_inside};

/// The form of backups that this release writes, and the newest that it reads.
pub const FORMAT: i64 = 1;

/// How much of a file is read at a time.
const PIECE_BYTES: usize = 1 << 20;

/// The list of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The form of the backup.
    pub format: i64,
    /// The release that made it.
    pub release: String,
    /// The version of the database's schema.
    pub schema: i64,
    /// When it was made, in microseconds since the Unix epoch.
    pub made_at_us: i64,
    /// The bucket that recordings, results and voices lie in, when they do: the backup does not have them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_in: Option<String>,
    /// Every file but the list itself.
    pub files: Vec<ListedFile>,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedFile {
    /// Its path within the backup.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its content, lower-case hex.
    pub sha256: String,
}

impl Manifest {
    /// Reads the list of the backup in `folder`; `schema` is the newest that this release knows.
    pub fn read(folder: &Path, schema: i64) -> Result<Self, BackupError> {
        let path = folder.join(MANIFEST);
        if !path.is_file() {
            return Err(BackupError::Incomplete(folder.to_owned()));
        }
        let text = fs::read(&path).map_err(at(&path))?;
        let list: Self = serde_json::from_slice(&text)?;
        for (what, found, known) in [
            ("the format", list.format, FORMAT),
            ("the database schema", list.schema, schema),
        ] {
            if found > known {
                return Err(BackupError::Newer { what, found, known });
            }
        }
        match list.files.iter().find(|file| !is_inside(&file.path)) {
            Some(strange) => Err(BackupError::Strange(strange.path.clone())),
            None => Ok(list),
        }
    }
}

impl ListedFile {
    /// The entry of the file at `path` within `folder`.
    pub(super) fn of(folder: &Path, path: String) -> Result<Self, BackupError> {
        let file = folder.join(&path);
        let (bytes, sha256) = digest(&file)?;
        Ok(Self {
            path,
            bytes,
            sha256,
        })
    }

    /// Whether the file within `folder` is the one of the list.
    pub(super) fn check(&self, folder: &Path) -> Result<(), BackupError> {
        let file = folder.join(&self.path);
        if digest(&file)? == (self.bytes, self.sha256.clone()) {
            return Ok(());
        }
        Err(BackupError::Damaged(file))
    }
}

fn digest(path: &Path) -> Result<(u64, String), BackupError> {
    let mut file = File::open(path).map_err(at(path))?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; PIECE_BYTES];
    let mut bytes = 0;
    loop {
        let length = file.read(&mut piece).map_err(at(path))?;
        if length == 0 {
            return Ok((bytes, base16ct::lower::encode_string(&hash.finalize())));
        }
        hash.update(&piece[..length]);
        bytes += length as u64;
    }
}
