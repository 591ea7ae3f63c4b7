use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::ModelError;
use super::file_names::{MANIFEST_NAME, name_fault};
use super::limits::MAX_MANIFEST_BYTES;
use super::manifest::{FileEntry, FileRole, Manifest};

/// A model package: a folder with a manifest and the files that it lists.
///
/// Packages are untrusted. Opening one checks the manifest and that every file lies inside the folder, is a plain file
/// and has the declared size; nothing but the manifest is read. The content is checked by [`Package::verify`], and again
/// when a file is loaded.
#[derive(Debug, Clone)]
pub struct Package {
    folder: PathBuf,
    manifest: Manifest,
}

impl Package {
    /// The manifest's name in every package.
    pub const MANIFEST_NAME: &str = MANIFEST_NAME;

    /// Opens the package in `folder`.
    pub fn open(folder: &Path) -> Result<Self, ModelError> {
        let folder = folder
            .canonicalize()
            .map_err(|error| file_fault(folder, error.to_string()))?;
        let path = confine(&folder, MANIFEST_NAME)?;
        let text = String::from_utf8(read_bounded(&path, MAX_MANIFEST_BYTES)?)
            .map_err(|_| file_fault(&path, "is not UTF-8 text"))?;
        let manifest = Manifest::parse(&path, &text)?;
        for (name, entry) in &manifest.files {
            let file = confine(&folder, name)?;
            let bytes = fs::metadata(&file)
                .map_err(|error| file_fault(&file, error.to_string()))?
                .len();
            if bytes != entry.bytes {
                let reason = format!("has {bytes} bytes, the manifest says {}", entry.bytes);
                return Err(file_fault(&file, reason));
            }
        }
        Ok(Self { folder, manifest })
    }

    /// Reads every file and compares its SHA-256 with the manifest's.
    pub fn verify(&self) -> Result<(), ModelError> {
        for (name, entry) in &self.manifest.files {
            let path = confine(&self.folder, name)?;
            let mut file = open_plain(&path)?;
            let mut hasher = Sha256::new();
            let mut buffer = vec![0; 1 << 16];
            loop {
                let count = file
                    .read(&mut buffer)
                    .map_err(|error| file_fault(&path, error.to_string()))?;
                if count == 0 {
                    break;
                }
                hasher.update(&buffer[..count]);
            }
            compare(&path, entry, hasher)?;
        }
        Ok(())
    }

    /// The package under the current title and tags of its voice.
    #[must_use]
    pub fn called(mut self, title: &str, tags: Option<&[String]>) -> Self {
        self.manifest.rename(title, tags);
        self
    }

    /// The package of a separator for a trial: a recording is cut into as few pieces as joining allows. The inputs and outputs of its
    /// graphs stay the same, and the trial measures the graph rather than how finely recordings are cut.
    #[must_use]
    pub fn for_a_trial(mut self) -> Self {
        let stft = self.manifest.stft.as_ref();
        self.manifest.chunk = self.manifest.chunk.map(|chunk| chunk.in_few_pieces(stft));
        self
    }

    /// What the package says about itself.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The package's folder, absolute and without links.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the first file of a role is.
    #[must_use]
    pub fn file(&self, role: FileRole) -> Option<PathBuf> {
        self.manifest
            .file(role)
            .map(|(name, _)| self.folder.join(name))
    }

    /// Reads the file of a role and checks the bytes read, so that a file that changes after [`Package::verify`] is still refused. Returns
    /// the path for messages.
    pub(super) fn read(&self, role: FileRole) -> Result<(PathBuf, Vec<u8>), ModelError> {
        let Some((name, entry)) = self.manifest.file(role) else {
            let reason = format!("lists no file of role {role:?}");
            return Err(file_fault(&self.folder.join(MANIFEST_NAME), reason));
        };
        self.read_entry(name, entry)
    }

    /// Reads a file by its name, checked like those of [`Package::read`].
    pub(super) fn read_file(&self, name: &str) -> Result<(PathBuf, Vec<u8>), ModelError> {
        let Some(entry) = self.manifest.files.get(name) else {
            let reason = format!("lists no file {name:?}");
            return Err(file_fault(&self.folder.join(MANIFEST_NAME), reason));
        };
        self.read_entry(name, entry)
    }

    /// Reads every file of a role, in the order of their names, each checked like those of [`Package::read`].
    pub(super) fn read_all(&self, role: FileRole) -> Result<Vec<(PathBuf, Vec<u8>)>, ModelError> {
        let entries = self.manifest.files.iter();
        let entries = entries.filter(|(_, entry)| entry.role == role);
        entries
            .map(|(name, entry)| self.read_entry(name, entry))
            .collect()
    }

    fn read_entry(&self, name: &str, entry: &FileEntry) -> Result<(PathBuf, Vec<u8>), ModelError> {
        let path = confine(&self.folder, name)?;
        let bytes = read_bounded(&path, entry.bytes)?;
        compare(&path, entry, Sha256::new().chain_update(&bytes))?;
        Ok((path, bytes))
    }
}

/// Joins a name to the package's folder and makes sure that the result is a plain file inside: no absolute names, no
/// parent folders, and no symbolic link on the way, since a link could point anywhere.
fn confine(folder: &Path, name: &str) -> Result<PathBuf, ModelError> {
    let mut path = folder.to_owned();
    let refused = |reason: &str| {
        file_fault(
            &folder.join(MANIFEST_NAME),
            format!("files.{name:?}: {reason}"),
        )
    };
    if let Some(reason) = name_fault(name) {
        return Err(refused(reason));
    }
    for part in Path::new(name).components() {
        path.push(part);
        let metadata = fs::symlink_metadata(&path)
            .map_err(|error| file_fault(&path, format!("cannot be read: {error}")))?;
        if metadata.is_symlink() {
            return Err(file_fault(
                &path,
                "is a symbolic link, which packages must not have",
            ));
        }
    }
    if path.is_file() {
        Ok(path)
    } else {
        Err(file_fault(&path, "is not a file"))
    }
}

fn open_plain(path: &Path) -> Result<File, ModelError> {
    File::open(path).map_err(|error| file_fault(path, error.to_string()))
}

fn read_bounded(path: &Path, limit_bytes: u64) -> Result<Vec<u8>, ModelError> {
    let mut bytes = Vec::new();
    open_plain(path)?
        .take(limit_bytes + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| file_fault(path, error.to_string()))?;
    if bytes.len() as u64 > limit_bytes {
        return Err(file_fault(
            path,
            format!("is longer than {limit_bytes} bytes"),
        ));
    }
    Ok(bytes)
}

fn compare(path: &Path, entry: &FileEntry, hasher: Sha256) -> Result<(), ModelError> {
    let found = base16ct::lower::encode_string(&hasher.finalize());
    if found == entry.sha256 {
        return Ok(());
    }
    let reason = format!(
        "has the SHA-256 {found}, the manifest says {}",
        entry.sha256
    );
    Err(file_fault(path, reason))
}

fn file_fault(path: &Path, reason: impl Into<String>) -> ModelError {
    ModelError::File {
        path: path.to_owned(),
        reason: reason.into(),
    }
}
