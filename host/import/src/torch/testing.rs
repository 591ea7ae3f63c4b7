//! Files of torch, written by hand: just as much of a pickle and of an archive as hostile files need.

use std::path::Path;

use super::archive::{Archive, record};
use super::{Document, Entry, Node, TorchFile, Values};

/// A pickle under construction.
pub(crate) struct Pickle(pub(crate) Vec<u8>);

impl Pickle {
    /// Begins a dictionary that [`Pickle::end`] ends.
    pub(crate) fn dict() -> Self {
        Self(b"\x80\x02}(".to_vec())
    }

    /// A text.
    pub(crate) fn text(mut self, text: &str) -> Self {
        self.0.push(b'X');
        self.0.extend((text.len() as u32).to_le_bytes());
        self.0.extend(text.as_bytes());
        self
    }

    /// Instructions as they are.
    pub(crate) fn code(mut self, code: &[u8]) -> Self {
        self.0.extend(code);
        self
    }

    /// A global: a module and a name in it.
    pub(crate) fn global(self, module: &str, name: &str) -> Self {
        self.code(format!("c{module}\n{name}\n").as_bytes())
    }

    /// A list of integers that ends a tuple's worth of the stack.
    pub(crate) fn tuple(self, numbers: &[i64]) -> Self {
        let pickle = numbers.iter().fold(self.code(b"("), |pickle, number| {
            pickle.code(b"\x8a\x08").code(&number.to_le_bytes())
        });
        pickle.code(b"t")
    }

    /// A tensor of halves in the entry `key`.
    pub(crate) fn tensor(self, key: &str, stored: i64, dims: &[i64], strides: &[i64]) -> Self {
        self.global("torch._utils", "_rebuild_tensor_v2")
            .code(b"((")
            .text("storage")
            .global("torch", "HalfStorage")
            .text(key)
            .text("cpu")
            .code(b"\x8a\x08")
            .code(&stored.to_le_bytes())
            .code(b"tQK\x00")
            .tuple(dims)
            .tuple(strides)
            .code(b"\x89")
            .global("collections", "OrderedDict")
            .code(b")RtR")
    }

    /// Ends the dictionary and the pickle.
    pub(crate) fn end(self) -> Vec<u8> {
        self.code(b"u.").0
    }
}

/// An archive of entries below the folder `archive`.
pub(crate) fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut file, mut listing) = (Vec::new(), Vec::new());
    for (name, content) in entries {
        let name = format!("archive/{name}");
        let header = file.len() as u32;
        let lengths = [content.len() as u32; 2].map(u32::to_le_bytes).concat();
        let crc = crc32fast::hash(content).to_le_bytes();
        file.extend(record::LOCAL.to_le_bytes());
        file.extend([0; 10]);
        file.extend(crc);
        file.extend(&lengths);
        file.extend((name.len() as u16).to_le_bytes());
        file.extend([0; 2]);
        file.extend(name.as_bytes());
        file.extend(*content);
        listing.extend(record::ENTRY.to_le_bytes());
        listing.extend([0; 12]);
        listing.extend(crc);
        listing.extend(&lengths);
        listing.extend((name.len() as u16).to_le_bytes());
        listing.extend([0; 12]);
        listing.extend(header.to_le_bytes());
        listing.extend(name.as_bytes());
    }
    let (start, length) = (file.len() as u32, listing.len() as u32);
    file.extend(listing);
    file.extend(record::END.to_le_bytes());
    file.extend([0; 4]);
    file.extend([(entries.len() as u16).to_le_bytes(); 2].concat());
    file.extend(length.to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0; 2]);
    file
}

/// The checkpoint that torch wrote to `path`, with these words besides.
pub(crate) fn with_words(path: &Path, words: &[(&str, &str)]) -> Vec<u8> {
    let mut stored = Archive::open(path).expect("an archive");
    let names: Vec<String> = stored.names().map(str::to_owned).collect();
    let entries = names.iter().map(|name| {
        let content = stored.read(name, u64::MAX).expect("an entry");
        let (_, name) = name.split_once('/').expect("a folder");
        if name != "data.pkl" {
            return (name, content);
        }
        let open = content.strip_suffix(b"u.").expect("a dictionary");
        let pickle = words
            .iter()
            .fold(Pickle(open.to_vec()), |pickle, (key, word)| {
                pickle.text(key).text(word)
            });
        (name, pickle.end())
    });
    let entries: Vec<_> = entries.collect();
    let entries: Vec<(&str, &[u8])> = entries
        .iter()
        .map(|(name, content)| (*name, content.as_slice()))
        .collect();
    archive(&entries)
}

/// The tensors of the dictionary `key` of a file, as a file of the format safetensors.
pub(crate) fn as_safetensors(path: &Path, key: &str) -> Vec<u8> {
    let mut file = TorchFile::open(path).expect("a file of torch");
    let tensors: Vec<_> = {
        let document: &Document = file.document();
        let dict: Entry = document
            .root()
            .and_then(|root| document.member_entry(root, key))
            .expect("a dictionary");
        let members = document.members(dict);
        let tensors = members.filter_map(|(name, entry)| match document.get(entry) {
            Node::Tensor(tensor) => Some((name.to_owned(), tensor.clone())),
            _ => None,
        });
        tensors.collect()
    };
    let (mut described, mut numbers) = (serde_json::Map::new(), Vec::new());
    for (name, tensor) in tensors {
        let (dtype, bytes) = match file.values(&tensor).expect("its numbers") {
            Values::F16(bytes) => ("F16", bytes),
            Values::F32(bytes) => ("F32", bytes),
        };
        let from = numbers.len();
        numbers.extend(bytes);
        let entry = serde_json::json!({
            "dtype": dtype, "shape": tensor.dims, "data_offsets": [from, numbers.len()],
        });
        described.insert(name, entry);
    }
    let header = serde_json::to_vec(&described).expect("JSON");
    let length = (header.len() as u64).to_le_bytes();
    [&length[..], &header, &numbers].concat()
}
