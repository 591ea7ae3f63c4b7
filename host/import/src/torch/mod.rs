//! Files that torch has written: an archive with a pickle, which says what there is, and the numbers of its tensors.
//!
//! A pickle is a program. This one is read by a machine of our own that knows the instructions that torch's files are made
//! of and a fixed list of names; it calls nothing. Every length is held to what the file has.

mod archive;
mod document;
mod others;
mod pickle;
mod tensor;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use thiserror::Error;

use archive::Archive;
pub(super) use document::{Document, Entry, Node};
pub(super) use others::known_by;
pub(super) use tensor::{StoredTensor, Values};

/// The longest pickle that is read; those of training files have some hundred thousand bytes.
const MAX_PICKLE_BYTES: u64 = 4 << 20;
/// How much of a file of the old format is searched for words that say what it is: its pickle comes first.
const MAX_WORDS_BYTES: u64 = 1 << 20;
/// The longest file that is read.
const MAX_FILE_BYTES: u64 = 2 << 30;

/// What to do with a checkpoint that is no voice: its classes would have to be run to know its graph.
pub(super) const AS_ONNX: &str = "any other model is imported as its export to ONNX";

/// Why a file of torch is not read.
#[derive(Debug, Error)]
pub(super) enum TorchError {
    /// It cannot be used, or must not be.
    #[error("{0}")]
    Refused(String),
    /// The system failed to read it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl TorchError {
    fn refused(reason: String) -> Self {
        Self::Refused(reason)
    }

    fn damaged(reason: &str) -> Self {
        Self::Refused(format!("is damaged: {reason}"))
    }
}

/// Why an archive is not torch's, if it is not: it is cut off or damaged, or has other files than torch puts there.
pub(super) fn why_none(path: &Path) -> Option<String> {
    match Archive::open(path) {
        Ok(archive) if pickle_name(&archive).is_some() => None,
        Err(TorchError::Refused(reason)) => Some(reason),
        Ok(_) | Err(TorchError::Io(_)) => Some(
            "is an archive that holds neither a checkpoint of torch nor a package; one with the files of a model in it is given alone"
                .to_owned(),
        ),
    }
}

fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(512).read_to_end(&mut head)?;
    Ok(head)
}

/// The number that files of torch before 1.6 begin with, in a pickle, or a tape archive with such files.
fn is_old(head: &[u8]) -> bool {
    const OLD: [u8; 12] = [
        0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19,
    ];
    head.get(2..14) == Some(&OLD) || head.get(257..262) == Some(b"ustar")
}

/// What to do with a file that torch wrote before version 1.6: what is no voice does not become one by being saved again.
pub(super) fn why_old(path: &Path) -> std::io::Result<&'static str> {
    Ok(what_old(path)?.unwrap_or(
        "is in the format that torch had before version 1.6; load it and save it again with a newer one",
    ))
}

/// What such a file is, where it is known to be no voice.
pub(super) fn what_old(path: &Path) -> std::io::Result<Option<&'static str>> {
    let mut words = Vec::new();
    File::open(path)?
        .take(MAX_WORDS_BYTES)
        .read_to_end(&mut words)?;
    Ok(others::known_by_text(&words))
}

/// An opened file of torch.
#[derive(Debug)]
pub(super) struct TorchFile {
    archive: Archive,
    prefix: String,
    document: Document,
    /// How many bytes of tensors may still be read: twice the file, so that sharing cannot multiply it.
    budget: u64,
}

impl TorchFile {
    /// Opens a file and reads its pickle; tensors stay where they are.
    pub(super) fn open(path: &Path) -> Result<Self, TorchError> {
        if is_old(&head(path)?) {
            return Err(TorchError::refused(why_old(path)?.to_owned()));
        }
        let mut archive = Archive::open(path)?;
        if archive.length() > MAX_FILE_BYTES {
            let reason = format!("is longer than {MAX_FILE_BYTES} bytes");
            return Err(TorchError::refused(reason));
        }
        let Some(name) = pickle_name(&archive) else {
            let reason = "is an archive, but none that torch has written";
            return Err(TorchError::refused(reason.to_owned()));
        };
        let prefix = name[..name.len() - "data.pkl".len()].to_owned();
        if archive.bytes(&format!("{prefix}constants.pkl")).is_some() {
            let reason = format!("is a program of TorchScript, which is not run; {AS_ONNX}");
            return Err(TorchError::refused(reason));
        }
        let order = format!("{prefix}byteorder");
        if archive.bytes(&order).is_some() && archive.read(&order, 16)? != b"little" {
            let reason = "has numbers whose first byte is the largest";
            return Err(TorchError::refused(reason.to_owned()));
        }
        let program = archive.read(&name, MAX_PICKLE_BYTES)?;
        let document = pickle::read(&program)?;
        let budget = archive.length().saturating_mul(2);
        Ok(Self {
            archive,
            prefix,
            document,
            budget,
        })
    }

    /// The file's length in bytes.
    pub(super) fn length(&self) -> u64 {
        self.archive.length()
    }

    /// What the pickle says.
    pub(super) fn document(&self) -> &Document {
        &self.document
    }

    /// The numbers of a tensor, in the order of its dimensions.
    pub(super) fn values(&mut self, tensor: &StoredTensor) -> Result<Values, TorchError> {
        let name = format!("{}data/{}", self.prefix, tensor.storage);
        let bytes = self.archive.bytes(&name).unwrap_or(0);
        self.budget = self.budget.checked_sub(bytes).ok_or_else(|| {
            TorchError::refused("has tensors that share their numbers over and over".to_owned())
        })?;
        let storage = self.archive.read(&name, bytes)?;
        tensor.gather(&storage)
    }
}

/// The one entry with the pickle; torch puts everything into a folder that is named after the file.
fn pickle_name(archive: &Archive) -> Option<String> {
    let mut found = archive
        .names()
        .filter(|name| *name == "data.pkl" || name.ends_with("/data.pkl"));
    let name = found.next()?;
    found.next().is_none().then(|| name.to_owned())
}
