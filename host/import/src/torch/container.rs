use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use super::archive::Archive;
use super::error::TorchError;

/// Where the numbers of tensors lie.
#[derive(Debug)]
pub(super) enum Container {
    /// In entries of an archive, below a folder.
    Archive {
        /// The archive.
        archive: Archive,
        /// The folder, with the slash behind it.
        folder: String,
    },
    /// One behind the other in a file.
    Plain(Plain),
}

/// A file in which numbers lie one behind the other.
#[derive(Debug)]
pub(super) struct Plain {
    pub(super) file: File,
    /// Its length in bytes.
    pub(super) length: u64,
    /// Where the numbers of each storage begin, and how many bytes they have; all of them inside the file.
    pub(super) places: BTreeMap<String, (u64, u64)>,
}

impl Container {
    /// The file's length in bytes.
    pub(super) fn length(&self) -> u64 {
        match self {
            Self::Archive { archive, .. } => archive.length(),
            Self::Plain(plain) => plain.length,
        }
    }

    /// How many bytes a storage has; none where it is not there.
    pub(super) fn bytes(&self, storage: &str) -> u64 {
        match self {
            Self::Archive { archive, folder } => archive.bytes(&entry(folder, storage)),
            Self::Plain(plain) => plain.places.get(storage).map(|(_, bytes)| *bytes),
        }
        .unwrap_or(0)
    }

    /// The bytes of a storage.
    pub(super) fn read(&mut self, storage: &str) -> Result<Vec<u8>, TorchError> {
        match self {
            Self::Archive { archive, folder } => archive.read(&entry(folder, storage), u64::MAX),
            Self::Plain(plain) => plain.read(storage),
        }
    }
}

/// The entry of an archive that holds a storage.
fn entry(folder: &str, storage: &str) -> String {
    format!("{folder}data/{storage}")
}

impl Plain {
    fn read(&mut self, storage: &str) -> Result<Vec<u8>, TorchError> {
        let place = self.places.get(storage);
        let (start, bytes) = *place
            .ok_or_else(|| TorchError::damaged("it lacks numbers of a tensor that it speaks of"))?;
        let mut content = vec![0; bytes as usize];
        self.file.seek(SeekFrom::Start(start))?;
        self.file.read_exact(&mut content)?;
        Ok(content)
    }
}
