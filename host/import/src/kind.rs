use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// What a file is by its first bytes. Names say nothing: people rename models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// A graph, or bytes that begin like one.
    Onnx,
    /// A ZIP archive: a checkpoint of torch, or a package.
    Archive,
    /// An index of FAISS.
    Faiss,
    /// Weights without an archive around them: of torch before version 1.6, or safetensors.
    Weights,
    /// Something that cannot be used, and what to do about it.
    Useless(&'static str),
    /// Anything else, such as a graph's weights in a file of their own.
    Data,
}

/// Bytes that are looked at.
const HEAD_BYTES: u64 = 64;

/// What web pages, and the answers of file stores about missing files, begin with.
const WEB: [&str; 5] = ["<!doctype", "<html", "<!--", "<?xml", "<error"];

/// What packed archives begin with that are no ZIP: gzip, RAR, 7-Zip, xz, zstd.
const PACKED: [&[u8]; 5] = [
    b"\x1f\x8b\x08",
    b"Rar!\x1a\x07",
    b"7z\xbc\xaf\x27\x1c",
    b"\xfd7zXZ\0",
    b"\x28\xb5\x2f\xfd",
];

/// Looks at the first bytes of a file.
pub(super) fn kind_of(path: &Path) -> io::Result<FileKind> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(of(&head))
}

fn of(head: &[u8]) -> FileKind {
    // A pickle of protocol 2 that begins with torch's magic number, as before version 1.6.
    const OLD_TORCH: [u8; 14] = [
        0x80, 0x02, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19,
    ];
    // Editors on Windows put a byte order mark in front.
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let text = text.trim_ascii_start();
    let begins = |word: &str| {
        text.get(..word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
    };
    match head {
        [] => FileKind::Useless("is empty"),
        [b'P', b'K', 3 | 5, 4 | 6, ..] => FileKind::Archive,
        [b'I', b'w' | b'x' | b'H' | b'B', kind, ..] if kind.is_ascii_alphanumeric() => {
            FileKind::Faiss
        }
        [_, _, _, _, b'O', b'R', b'T', b'M', ..] => FileKind::Useless(
            "is in ONNX Runtime's own format (.ort); the .onnx file that it was made from is needed",
        ),
        _ if head.starts_with(&OLD_TORCH) => FileKind::Weights,
        _ if begins("version https://git-lfs") => {
            FileKind::Useless("is only a pointer of Git LFS; the model itself has to be downloaded")
        }
        _ if WEB.iter().any(|word| begins(word)) => {
            FileKind::Useless("is a web page; the download of the model failed")
        }
        _ if PACKED.iter().any(|magic| head.starts_with(magic)) => FileKind::Useless(
            "is a packed archive (gzip, RAR, 7-Zip, xz or zstd); unpack it and give what is in it",
        ),
        // Safetensors: a length, then a JSON object.
        [_, _, _, _, _, 0, 0, 0, b'{', ..] => FileKind::Weights,
        // `ModelProto.ir_version` comes first, in whatever was written by a library.
        [0x08, 1..=64, ..] => FileKind::Onnx,
        _ => FileKind::Data,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_first_bytes() {
        assert_eq!(of(b"PK\x03\x04rest"), FileKind::Archive);
        assert_eq!(of(b"IwFl\0\x03"), FileKind::Faiss);
        assert_eq!(of(b"IxF2\0\x03"), FileKind::Faiss);
        assert_eq!(of(&[0x08, 8, 0x12, 7]), FileKind::Onnx);
        assert_eq!(of(&[0; 64]), FileKind::Data);
        let old = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
        assert_eq!(of(old), FileKind::Weights);
        let safetensors = b"\x40\x01\0\0\0\0\0\0{\"__metadata__\":{}}";
        assert_eq!(of(safetensors), FileKind::Weights);
        for useless in [
            &b""[..],
            b"\0\0\0\0ORTM",
            b"version https://git-lfs.github.com/spec/v1",
            b"\n<!DOCTYPE html>",
            b"\xef\xbb\xbf<!-- saved --><html>",
            b"<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code>",
            b"7z\xbc\xaf\x27\x1c\0\x04",
            b"\x1f\x8b\x08\0",
        ] {
            assert!(matches!(of(useless), FileKind::Useless(_)), "{useless:?}");
        }
    }
}
