//! Archives (ZIP) byte by byte: honest ones, and ones that say false things of their files.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// A file in an archive. What is said of it can differ from what is there.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name in the list at the end.
    pub name: Vec<u8>,
    /// Its name where its content lies.
    pub local_name: Vec<u8>,
    /// 0 stored, 8 deflated; others say that they are something else.
    pub method: u16,
    /// Bit 0: encrypted.
    pub flags: u16,
    /// The checksum that is said.
    pub crc: u32,
    /// The bytes that lie in the archive.
    pub packed: Vec<u8>,
    /// The length that is said of them.
    pub packed_bytes: u64,
    /// The length that is said of the content.
    pub bytes: u64,
    /// The kind of file and its rights, as Unix has them.
    pub mode: u32,
    /// How many bytes before or behind its place the list has it.
    pub shift: i64,
}

impl Member {
    /// A file as it is.
    pub fn stored(name: &str, content: &[u8]) -> Self {
        Self {
            name: name.into(),
            local_name: name.into(),
            method: 0,
            flags: 0,
            crc: crc32fast::hash(content),
            packed: content.to_vec(),
            packed_bytes: content.len() as u64,
            bytes: content.len() as u64,
            mode: 0o100_644,
            shift: 0,
        }
    }

    /// A file that is packed.
    pub fn deflated(name: &str, content: &[u8]) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).expect("memory takes it");
        let packed = encoder.finish().expect("memory takes it");
        Self {
            method: 8,
            packed_bytes: packed.len() as u64,
            packed,
            ..Self::stored(name, content)
        }
    }
}

/// An archive of these files in their order.
pub fn zip(members: &[Member]) -> Vec<u8> {
    zip_of(members, members.len() as u16)
}

/// The same, but its end says that there are `count` files.
pub fn zip_of(members: &[Member], count: u16) -> Vec<u8> {
    let (mut archive, mut list) = (Vec::new(), Vec::new());
    for member in members {
        let place = archive.len() as i64 + member.shift;
        let (extra, [packed_bytes, bytes, place]) =
            lengths(&[member.packed_bytes, member.bytes, place as u64]);
        archive.extend(0x0403_4b50_u32.to_le_bytes());
        archive.extend(head(member, packed_bytes, bytes));
        archive.extend(short(member.local_name.len()));
        archive.extend(short(0));
        archive.extend(&member.local_name);
        archive.extend(&member.packed);
        list.extend(0x0201_4b50_u32.to_le_bytes());
        // Made on Unix, so that the mode counts.
        list.extend([45, 3]);
        list.extend(head(member, packed_bytes, bytes));
        list.extend(short(member.name.len()));
        list.extend(short(extra.len()));
        // No comment, the first disk, nothing about text.
        list.extend([0; 6]);
        list.extend((member.mode << 16).to_le_bytes());
        list.extend(place.to_le_bytes());
        list.extend(&member.name);
        list.extend(&extra);
    }
    let start = archive.len() as u32;
    archive.extend(&list);
    archive.extend(0x0605_4b50_u32.to_le_bytes());
    archive.extend([0; 4]);
    archive.extend([count.to_le_bytes(); 2].concat());
    archive.extend((list.len() as u32).to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0; 2]);
    archive
}

/// What stands in both places of a file, from the version that it needs to the length of its content.
fn head(member: &Member, packed_bytes: u32, bytes: u32) -> Vec<u8> {
    let mut head = Vec::new();
    head.extend(45_u16.to_le_bytes());
    head.extend(member.flags.to_le_bytes());
    head.extend(member.method.to_le_bytes());
    head.extend([0; 4]);
    head.extend(member.crc.to_le_bytes());
    head.extend(packed_bytes.to_le_bytes());
    head.extend(bytes.to_le_bytes());
    head
}

/// Numbers of 32 bits, and the field with those that are larger: the content's length comes first there.
fn lengths(&[packed, bytes, place]: &[u64; 3]) -> (Vec<u8>, [u32; 3]) {
    let fits = |number: u64| number < u64::from(u32::MAX);
    let large: Vec<u8> = [bytes, packed, place]
        .into_iter()
        .filter(|number| !fits(*number))
        .flat_map(u64::to_le_bytes)
        .collect();
    let mut field = Vec::new();
    if !large.is_empty() {
        field.extend(1_u16.to_le_bytes());
        field.extend(short(large.len()));
        field.extend(large);
    }
    let short = |number: u64| {
        if fits(number) {
            number as u32
        } else {
            u32::MAX
        }
    };
    (field, [packed, bytes, place].map(short))
}

fn short(length: usize) -> [u8; 2] {
    (length as u16).to_le_bytes()
}
