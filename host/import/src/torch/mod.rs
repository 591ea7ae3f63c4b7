//! Files that hold weights: those that torch has written, with a pickle that lists the tensors, and their numbers; and safetensors,
//! with a header in JSON instead of the pickle.
//!
//! A pickle is a program. This one is read by a machine of our own that knows the instructions that torch's files are made
//! of and a fixed list of names; it calls nothing. Every length is held to what the file has.

mod archive;
mod container;
mod document;
mod error;
mod old;
mod others;
mod pickle;
mod safetensors;
mod tensor;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use archive::Archive;
use container::Container;
pub(super) use document::{Document, Entry, Name, Node, WEIGHTS};
pub(super) use error::{AS_ONNX, TorchError};
pub(super) use others::known_by;
pub(super) use tensor::{StoredTensor, Values};

/// The longest file that is read. A training file also has the state of its optimiser, twice the weights and more, which is not read.
const MAX_FILE_BYTES: u64 = 16 << 30;

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

/// An opened file of weights.
#[derive(Debug)]
pub(super) struct TorchFile {
    container: Container,
    document: Document,
    /// How many bytes of tensors may still be read: twice the file, so that sharing cannot multiply it.
    budget: u64,
}

impl TorchFile {
    /// Opens a file and reads what it says of its tensors, which stay where they are.
    pub(super) fn open(path: &Path) -> Result<Self, TorchError> {
        let head = head(path)?;
        let (container, document) = if old::is_one(&head) {
            let (document, plain) = old::open(path)?;
            (Container::Plain(plain), document)
        } else if safetensors::is_one(&head) {
            let (document, plain) = safetensors::open(path)?;
            (Container::Plain(plain), document)
        } else {
            of_archive(Archive::open(path)?)?
        };
        if container.length() > MAX_FILE_BYTES {
            let reason = format!("is longer than {MAX_FILE_BYTES} bytes");
            return Err(TorchError::refused(reason));
        }
        let budget = container.length().saturating_mul(2);
        Ok(Self {
            container,
            document,
            budget,
        })
    }

    /// The file's length in bytes.
    pub(super) fn length(&self) -> u64 {
        self.container.length()
    }

    /// What the file says of its tensors.
    pub(super) fn document(&self) -> &Document {
        &self.document
    }

    /// The numbers of a tensor, in the order of its dimensions.
    pub(super) fn values(&mut self, tensor: &StoredTensor) -> Result<Values, TorchError> {
        let bytes = self.container.bytes(&tensor.storage);
        self.budget = self.budget.checked_sub(bytes).ok_or_else(|| {
            TorchError::refused("has tensors that share their numbers over and over".to_owned())
        })?;
        let storage = self.container.read(&tensor.storage)?;
        tensor.gather(&storage)
    }
}

fn of_archive(mut archive: Archive) -> Result<(Container, Document), TorchError> {
    let Some(name) = pickle_name(&archive) else {
        let reason = "is an archive, but none that torch has written";
        return Err(TorchError::refused(reason.to_owned()));
    };
    let folder = name[..name.len() - "data.pkl".len()].to_owned();
    if archive.bytes(&format!("{folder}constants.pkl")).is_some() {
        let reason = format!("is a program of TorchScript, which is not run; {AS_ONNX}");
        return Err(TorchError::refused(reason));
    }
    let order = format!("{folder}byteorder");
    if archive.bytes(&order).is_some() && archive.read(&order, 16)? != b"little" {
        let reason = "has numbers whose first byte is the largest";
        return Err(TorchError::refused(reason.to_owned()));
    }
    let program = archive.read(&name, pickle::MAX_BYTES)?;
    let document = pickle::read(&program)?;
    Ok((Container::Archive { archive, folder }, document))
}

/// The one entry with the pickle; torch puts everything into a folder that is named after the file.
fn pickle_name(archive: &Archive) -> Option<String> {
    let mut found = archive
        .names()
        .filter(|name| *name == "data.pkl" || name.ends_with("/data.pkl"));
    let name = found.next()?;
    found.next().is_none().then(|| name.to_owned())
}
