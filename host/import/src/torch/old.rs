//! The format that torch had before version 1.6, and still writes when it is asked to: pickles one behind the other, and behind them
//! the numbers of the storages in the order of a list.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::container::Plain;
use super::document::{Document, Node};
use super::error::TorchError;
use super::pickle::{self, read_first};
use super::tensor::Element;

/// The pickle of the number that such files begin with.
pub(super) const MAGIC: [u8; 15] = [
    0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, b'.',
];
/// The version of the format, which there is one of.
const VERSION: i64 = 1_001;
/// What stands in front of a storage: how many numbers it holds.
const COUNT_BYTES: u64 = 8;

/// Whether a file begins as such files do.
pub(super) fn is_one(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
}

/// Reads the pickles and finds the storages.
pub(super) fn open(path: &Path) -> Result<(Document, Plain), TorchError> {
    let mut file = File::open(path)?;
    let length = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut head = Vec::new();
    file.by_ref()
        .take(pickle::MAX_BYTES)
        .read_to_end(&mut head)?;
    let rest = head.strip_prefix(&MAGIC);
    let rest = rest.ok_or_else(|| TorchError::damaged("it does not begin as it should"))?;
    let (version, rest) = read_first(rest)?;
    let said = version.root().and_then(|root| version.integer(root));
    if said != Some(VERSION) {
        let reason = "is in a version of torch's old format that nobody knows";
        return Err(TorchError::refused(reason.to_owned()));
    }
    let (machine, rest) = read_first(rest)?;
    let order = machine
        .root()
        .and_then(|root| machine.member(root, "little_endian"));
    if matches!(order, Some(Node::Bool(false))) {
        let reason = "has numbers whose first byte is the largest";
        return Err(TorchError::refused(reason.to_owned()));
    }
    let (document, rest) = read_first(rest)?;
    let (keys, behind) = read_first(rest)?;
    let start = (head.len() - behind.len()) as u64;
    let places = places(&mut file, &document, &keys, (start, length))?;
    let plain = Plain {
        file,
        length,
        places,
    };
    Ok((document, plain))
}

/// Where each storage lies, in the order of the list `keys`.
fn places(
    file: &mut File,
    document: &Document,
    keys: &Document,
    (start, length): (u64, u64),
) -> Result<BTreeMap<String, (u64, u64)>, TorchError> {
    let mut said: BTreeMap<&str, (Element, u64)> = BTreeMap::new();
    for (key, element, count) in document.storages() {
        let before = *said.entry(key).or_insert((element, count));
        if before != (element, count) {
            return Err(TorchError::damaged("it speaks of one storage in two ways"));
        }
    }
    let keys = keys
        .root()
        .and_then(|root| Some((keys, keys.elements(root)?)));
    let (keys, listed) =
        keys.ok_or_else(|| TorchError::damaged("it has no list of its storages"))?;
    let (mut places, mut at) = (BTreeMap::new(), start);
    for entry in listed {
        let cut = || TorchError::damaged("it is cut off");
        let Node::Text(key) = keys.get(*entry) else {
            return Err(TorchError::damaged("its list of storages is broken"));
        };
        let (element, count) = *said
            .get(key.as_str())
            .ok_or_else(|| TorchError::damaged("it lists a storage that no tensor has"))?;
        let begins = at
            .checked_add(COUNT_BYTES)
            .filter(|begins| *begins <= length);
        let begins = begins.ok_or_else(cut)?;
        let mut stored = [0; COUNT_BYTES as usize];
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut stored)?;
        if u64::from_le_bytes(stored) != count {
            return Err(TorchError::damaged(
                "a storage is not as long as it must be",
            ));
        }
        let bytes = count.checked_mul(element.width()).ok_or_else(cut)?;
        at = begins
            .checked_add(bytes)
            .filter(|end| *end <= length)
            .ok_or_else(cut)?;
        if places.insert(key.clone(), (begins, bytes)).is_some() {
            return Err(TorchError::damaged("it has a storage twice"));
        }
    }
    Ok(places)
}
