//! Files of the format safetensors: the length of a header, the header in JSON, and the numbers of all tensors without a gap.

use std::collections::BTreeMap;
use std::fmt::{self, Formatter};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::container::Plain;
use super::document::Document;
use super::error::TorchError;
use super::tensor::{Element, MAX_RANK, StoredTensor};
use vocalhost_letters::words::quoted;

/// Bytes of the number that says how long the header is.
const LENGTH_BYTES: u64 = 8;
/// The longest header that is read; a network of a thousand tensors has some hundred thousand bytes.
const MAX_HEADER_BYTES: u64 = 4 << 20;
/// The most tensors of a file.
const MAX_TENSORS: usize = 20_000;
/// The longest name of a tensor.
const MAX_NAME_BYTES: usize = 1_024;
/// What the header says besides tensors.
const METADATA: &str = "__metadata__";

/// Whether a file begins as such files do: with a length that somebody could mean, and an object.
pub(super) fn is_one(head: &[u8]) -> bool {
    matches!(head, [_, _, _, _, _, 0, 0, 0, b'{', ..])
}

/// A tensor as the header has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Described {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: [u64; 2],
}

/// A header: its tensors in its order.
struct Header(Vec<(String, Described)>);

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries)
    }
}

struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Header;

    fn expecting(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str("an object with tensors")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut entries: M) -> Result<Header, M::Error> {
        let mut found: Vec<(String, Described)> = Vec::new();
        while let Some(name) = entries.next_key::<String>()? {
            if name == METADATA {
                entries.next_value::<BTreeMap<String, String>>()?;
                continue;
            }
            if found.len() == MAX_TENSORS {
                return Err(M::Error::custom(format!("more than {MAX_TENSORS} tensors")));
            }
            if name.len() > MAX_NAME_BYTES {
                return Err(M::Error::custom(format!(
                    "a name of more than {MAX_NAME_BYTES} bytes"
                )));
            }
            found.push((name, entries.next_value()?));
        }
        Ok(Header(found))
    }
}

/// Reads the header; tensors stay where they are.
pub(super) fn open(path: &Path) -> Result<(Document, Plain), TorchError> {
    let mut file = File::open(path)?;
    let length = file.seek(SeekFrom::End(0))?;
    file.rewind()?;
    let mut said = [0; LENGTH_BYTES as usize];
    file.read_exact(&mut said)?;
    let said = u64::from_le_bytes(said);
    let start = LENGTH_BYTES.saturating_add(said);
    if start > length {
        return Err(TorchError::damaged(
            "its header is said to be longer than the file; download or copy it again",
        ));
    }
    if said > MAX_HEADER_BYTES {
        return Err(TorchError::refused(format!(
            "has a header of {said} bytes; {MAX_HEADER_BYTES} are the most that are read"
        )));
    }
    let mut header = vec![0; said as usize];
    file.read_exact(&mut header)?;
    let Header(described) = serde_json::from_slice(&header)
        .map_err(|error| TorchError::damaged(&format!("its header cannot be read: {error}")))?;
    let (tensors, places) = placed(described, (start, length))?;
    let plain = Plain {
        file,
        length,
        places,
    };
    Ok((Document::of_tensors(tensors), plain))
}

type Placed = (BTreeMap<String, StoredTensor>, BTreeMap<String, (u64, u64)>);

/// The tensors and where they lie: each as long as its shape says, one behind the other from the header to the end.
fn placed(
    mut described: Vec<(String, Described)>,
    (start, length): (u64, u64),
) -> Result<Placed, TorchError> {
    described.sort_by_key(|(_, tensor)| tensor.data_offsets);
    let (mut tensors, mut places) = (BTreeMap::new(), BTreeMap::new());
    let mut behind = 0;
    for (name, said) in described {
        let damaged = |what: &str| {
            TorchError::damaged(&format!(
                "its header says that tensor {} {what}",
                quoted(&name)
            ))
        };
        let [from, to] = said.data_offsets;
        if from != behind || to < from {
            return Err(damaged("does not begin where the one before it ends"));
        }
        if to > length - start {
            return Err(damaged(
                "lies beyond the end of the file; download or copy it again",
            ));
        }
        behind = to;
        let element = Element::of_safetensors(&said.dtype).ok_or_else(|| {
            TorchError::refused(format!(
                "has the tensor {} in numbers of the type {}, which are not supported; save it in F16 or F32",
                quoted(&name),
                quoted(&said.dtype)
            ))
        })?;
        if said.shape.len() > MAX_RANK {
            return Err(damaged("has too many dimensions"));
        }
        let mut dims = said.shape.iter();
        let count = dims.try_fold(1_u64, |count, dim| count.checked_mul(*dim));
        let bytes = count.and_then(|count| count.checked_mul(element.width()));
        let Some(count) = count.filter(|_| bytes == Some(to - from)) else {
            return Err(damaged("is not as long as its shape"));
        };
        let tensor = StoredTensor {
            storage: name.clone(),
            stored: count,
            element,
            offset: 0,
            strides: strides(&said.shape),
            dims: said.shape,
        };
        places.insert(name.clone(), (start + from, to - from));
        if tensors.insert(name.clone(), tensor.checked()?).is_some() {
            return Err(damaged("is there twice"));
        }
    }
    if behind != length - start {
        return Err(TorchError::damaged("it has bytes that belong to no tensor"));
    }
    Ok((tensors, places))
}

/// How many numbers lie between neighbours along each dimension, the last one being the closest. Of a tensor without numbers any will do.
fn strides(dims: &[u64]) -> Vec<u64> {
    let mut strides = vec![1_u64; dims.len()];
    for axis in (1..dims.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(dims[axis]);
    }
    strides
}
