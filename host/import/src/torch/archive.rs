use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use super::error::TorchError;
use vocalhost_letters::words::quoted;

/// The most entries of an archive. A voice has some 460 tensors, a training file three times as many and their statistics.
const MAX_ENTRIES: u64 = 20_000;
/// The longest list of entries that is read.
const MAX_DIRECTORY_BYTES: u64 = 8 << 20;
/// The longest name of an entry.
const MAX_NAME_BYTES: usize = 1_024;

/// Lengths and signatures of the records of a ZIP file (APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12, 4.3.14 to 4.3.16).
pub(super) mod record {
    pub(in super::super) const LOCAL: u32 = 0x0403_4b50;
    pub(super) const LOCAL_BYTES: usize = 30;
    pub(in super::super) const ENTRY: u32 = 0x0201_4b50;
    pub(super) const ENTRY_BYTES: usize = 46;
    pub(in super::super) const END: u32 = 0x0605_4b50;
    pub(super) const END_BYTES: usize = 22;
    pub(super) const LONG_END: u32 = 0x0606_4b50;
    pub(super) const LONG_END_BYTES: usize = 56;
    pub(super) const LONG_LOCATOR: u32 = 0x0706_4b50;
    pub(super) const LONG_LOCATOR_BYTES: usize = 20;
    pub(super) const LONG_EXTRA: u16 = 1;
}

/// A ZIP file whose entries lie in it as they are, which is how torch writes its files. Nothing is unpacked, so an archive
/// holds no more than its own length.
#[derive(Debug)]
pub(super) struct Archive {
    file: File,
    length: u64,
    entries: BTreeMap<String, Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Where its local header is.
    header: u64,
    bytes: u64,
    crc: u32,
}

impl Archive {
    /// Reads the list of entries.
    pub(super) fn open(path: &Path) -> Result<Self, TorchError> {
        let mut file = File::open(path)?;
        let length = file.seek(SeekFrom::End(0))?;
        let (start, bytes, count) = directory(&mut file, length)?;
        let listing = read_at(&mut file, start, bytes as usize)?;
        let entries = entries(&listing, count, length)?;
        Ok(Self {
            file,
            length,
            entries,
        })
    }

    /// The file's length in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The names of all entries.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// How long an entry is, if it is there.
    pub(super) fn bytes(&self, name: &str) -> Option<u64> {
        self.entries.get(name).map(|entry| entry.bytes)
    }

    /// Reads an entry and compares it with its checksum.
    pub(super) fn read(&mut self, name: &str, limit_bytes: u64) -> Result<Vec<u8>, TorchError> {
        let Some(entry) = self.entries.get(name).copied() else {
            return Err(TorchError::refused(format!(
                "has no entry {}",
                quoted(name)
            )));
        };
        if entry.bytes > limit_bytes {
            let reason = format!("{} is longer than {limit_bytes} bytes", quoted(name));
            return Err(TorchError::refused(reason));
        }
        let header = read_at(&mut self.file, entry.header, record::LOCAL_BYTES)?;
        if u32_at(&header, 0) != record::LOCAL {
            return Err(TorchError::damaged(
                "an entry is not where it is said to be",
            ));
        }
        let names = u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28));
        let start = entry.header + record::LOCAL_BYTES as u64 + names;
        if start.saturating_add(entry.bytes) > self.length {
            return Err(TorchError::damaged("it is cut off"));
        }
        let content = read_at(&mut self.file, start, entry.bytes as usize)?;
        if crc32fast::hash(&content) != entry.crc {
            let reason = format!("the checksum of {} does not agree", quoted(name));
            return Err(TorchError::damaged(&reason));
        }
        Ok(content)
    }
}

/// Where the list of entries begins, its length, and how many there are.
fn directory(file: &mut File, length: u64) -> Result<(u64, u64, u64), TorchError> {
    let tail_bytes = length.min((record::END_BYTES + usize::from(u16::MAX)) as u64) as usize;
    let tail_start = length - tail_bytes as u64;
    let tail = read_at(file, tail_start, tail_bytes)?;
    let last = tail.len().checked_sub(record::END_BYTES);
    let found = last.and_then(|last| {
        (0..=last)
            .rev()
            .find(|at| u32_at(&tail, *at) == record::END)
    });
    let Some(end) = found else {
        return Err(TorchError::refused(
            "is cut off: the list of its entries is missing, which is the end of such an archive; download or copy it again"
                .to_owned(),
        ));
    };
    let mut place = (
        u64::from(u32_at(&tail, end + 16)),
        u64::from(u32_at(&tail, end + 12)),
        u64::from(u16_at(&tail, end + 10)),
    );
    // Torch writes the long form always; the short one then holds placeholders.
    let locator = end.checked_sub(record::LONG_LOCATOR_BYTES);
    if let Some(locator) = locator.filter(|at| u32_at(&tail, *at) == record::LONG_LOCATOR) {
        let at = u64_at(&tail, locator + 8);
        if at.saturating_add(record::LONG_END_BYTES as u64) > length {
            return Err(TorchError::damaged("its list of entries is cut off"));
        }
        let long = read_at(file, at, record::LONG_END_BYTES)?;
        if u32_at(&long, 0) != record::LONG_END {
            return Err(TorchError::damaged(
                "its list of entries is not where it is said to be",
            ));
        }
        place = (u64_at(&long, 48), u64_at(&long, 40), u64_at(&long, 32));
    }
    let (start, bytes, count) = place;
    if start.saturating_add(bytes) > length {
        return Err(TorchError::damaged("its list of entries is cut off"));
    }
    if bytes > MAX_DIRECTORY_BYTES || count > MAX_ENTRIES {
        return Err(TorchError::refused("has too many entries".to_owned()));
    }
    Ok((start, bytes, count))
}

fn entries(
    mut listing: &[u8],
    count: u64,
    length: u64,
) -> Result<BTreeMap<String, Entry>, TorchError> {
    let mut found = BTreeMap::new();
    for _ in 0..count {
        let cut = || TorchError::damaged("its list of entries is cut off");
        let (head, rest) = listing
            .split_at_checked(record::ENTRY_BYTES)
            .ok_or_else(cut)?;
        if u32_at(head, 0) != record::ENTRY {
            return Err(TorchError::damaged("its list of entries is broken"));
        }
        let lengths = [28, 30, 32].map(|at| usize::from(u16_at(head, at)));
        let (name, rest) = rest.split_at_checked(lengths[0]).ok_or_else(cut)?;
        let (extra, rest) = rest.split_at_checked(lengths[1]).ok_or_else(cut)?;
        let (_, rest) = rest.split_at_checked(lengths[2]).ok_or_else(cut)?;
        listing = rest;
        let name = std::str::from_utf8(name).ok();
        let Some(name) = name.filter(|name| name.len() <= MAX_NAME_BYTES) else {
            return Err(TorchError::refused(
                "has an entry without a readable name".to_owned(),
            ));
        };
        let entry = entry(head, extra, name)?;
        if entry.header.saturating_add(entry.bytes) > length {
            return Err(TorchError::damaged("it is cut off"));
        }
        if found.insert(name.to_owned(), entry).is_some() {
            return Err(TorchError::refused(format!(
                "has two entries {}",
                quoted(name)
            )));
        }
    }
    Ok(found)
}

fn entry(head: &[u8], extra: &[u8], name: &str) -> Result<Entry, TorchError> {
    const ENCRYPTED: u16 = 1;
    if u16_at(head, 10) != 0 || u16_at(head, 8) & ENCRYPTED != 0 {
        let reason = format!(
            "is an archive that packs its entry {}; checkpoints of torch and packages are stored without, and one with the files \
             of a model in it is given alone",
            quoted(name)
        );
        return Err(TorchError::refused(reason));
    }
    let (packed, bytes) = (u32_at(head, 20), u32_at(head, 24));
    let header = u32_at(head, 42);
    // The long form lists only what does not fit the short one, in this order.
    let mut long = long_extra(extra)
        .chunks_exact(8)
        .map(|field| u64_at(field, 0));
    let mut widened = |short: u32| match short {
        u32::MAX => long
            .next()
            .ok_or_else(|| TorchError::damaged("its list of entries is broken")),
        short => Ok(u64::from(short)),
    };
    let bytes = widened(bytes)?;
    let packed = widened(packed)?;
    let header = widened(header)?;
    if packed != bytes {
        let reason = format!("entry {} has two lengths", quoted(name));
        return Err(TorchError::damaged(&reason));
    }
    Ok(Entry {
        header,
        bytes,
        crc: u32_at(head, 16),
    })
}

/// The content of the extra field that holds numbers of 64 bits; empty without one.
fn long_extra(mut extra: &[u8]) -> &[u8] {
    while let Some((head, rest)) = extra.split_at_checked(4) {
        let Some((content, behind)) = rest.split_at_checked(usize::from(u16_at(head, 2))) else {
            break;
        };
        if u16_at(head, 0) == record::LONG_EXTRA {
            return content;
        }
        extra = behind;
    }
    &[]
}

fn read_at(file: &mut File, at: u64, bytes: usize) -> Result<Vec<u8>, TorchError> {
    file.seek(SeekFrom::Start(at))?;
    let mut content = vec![0; bytes];
    match file.read_exact(&mut content) {
        Ok(()) => Ok(content),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            Err(TorchError::damaged("it is cut off"))
        }
        Err(error) => Err(error.into()),
    }
}

/// Little-endian numbers at a place; what lies beyond the end reads as zero, which no caller takes for a signature.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    array_at(bytes, at).map_or(0, u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    array_at(bytes, at).map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    array_at(bytes, at).map_or(0, u64::from_le_bytes)
}

fn array_at<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}
