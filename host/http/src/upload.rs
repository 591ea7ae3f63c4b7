use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};
use tempfile::TempPath;
use tokio::fs::File;
use tokio::io::{AsyncWriteExt, BufWriter};

/// Writes to the disk are gathered to this size.
const WRITE_BYTES: usize = 256 << 10;
/// The longest name of a file.
const MAX_NAME_BYTES: usize = 255;

/// A file that was uploaded whole. It is deleted when this is dropped.
#[derive(Debug)]
pub struct Upload {
    path: TempPath,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its content, lower-case hex.
    pub sha256: String,
    /// The client's name for it, without folders, if it gave one. Nothing is stored under this name.
    pub name: Option<String>,
}

impl Upload {
    /// The same upload with the client's name for it. A name longer than any file's is dropped.
    #[must_use]
    pub fn named(self, name: Option<&str>) -> Self {
        let inside = name.and_then(|name| name.rsplit(['/', '\\']).next());
        let name = inside.filter(|name| !name.is_empty() && name.len() <= MAX_NAME_BYTES);
        Self {
            name: name.map(str::to_owned),
            ..self
        }
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A file that is being uploaded: counted and hashed as it is written, and deleted when it is dropped unfinished.
pub struct UploadWriter {
    file: BufWriter<File>,
    path: TempPath,
    hash: Sha256,
    bytes: u64,
}

impl UploadWriter {
    /// Starts a file in `folder`.
    pub fn create(folder: &Path) -> io::Result<Self> {
        let named = tempfile::Builder::new()
            .prefix("upload-")
            .tempfile_in(folder)?;
        let (file, path) = named.into_parts();
        Ok(Self {
            file: BufWriter::with_capacity(WRITE_BYTES, File::from_std(file)),
            path,
            hash: Sha256::new(),
            bytes: 0,
        })
    }

    /// Adds a piece; returns the size so far.
    pub async fn write(&mut self, piece: &[u8]) -> io::Result<u64> {
        self.hash.update(piece);
        self.file.write_all(piece).await?;
        self.bytes += piece.len() as u64;
        Ok(self.bytes)
    }

    /// Finishes the file.
    pub async fn finish(mut self) -> io::Result<Upload> {
        self.file.flush().await?;
        let sha256 = base16ct::lower::encode_string(&self.hash.finalize());
        Ok(Upload {
            path: self.path,
            bytes: self.bytes,
            sha256,
            name: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_as_its_client_calls_it_without_folders() {
        let named = |name: Option<&str>| {
            let upload = Upload {
                path: TempPath::try_from_path("/nowhere/x").expect("it is not looked for"),
                bytes: 0,
                sha256: String::new(),
                name: None,
            };
            upload.named(name).name
        };
        assert_eq!(named(Some("a.th")).as_deref(), Some("a.th"));
        assert_eq!(named(Some("C:\\models\\a.th")).as_deref(), Some("a.th"));
        assert_eq!(named(Some("../../a.th")).as_deref(), Some("a.th"));
        let long = "x".repeat(MAX_NAME_BYTES + 1);
        for none in [None, Some(""), Some("a/"), Some(long.as_str())] {
            assert_eq!(named(none), None, "{none:?}");
        }
    }
}
