//! Archives that `vocalhost models export` writes: ZIP files whose first entry is the manifest of a package, and whose others are
//! the files that it lists, in the order of their names and as they are. Nothing is unpacked, so nothing comes out that is larger
//! than the archive.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use vocalhost_letters::words::quoted;
use vocalhost_model::Package;

use super::package::{MAX_MANIFEST_BYTES, at, read_manifest, take_in, write_new};
use super::{ImportError, ImportRequest, Imported};

/// The signature of a file's header in a ZIP archive, and the length of its fixed part (APPNOTE.TXT 6.3.10, 4.3.7).
const LOCAL: u32 = 0x0403_4b50;
const LOCAL_BYTES: usize = 30;

/// What is wrong with an archive that another program wrote.
const NOT_OURS: &str = "is no package as `vocalhost models export` writes it; the folder of a package can be imported, too";

/// Imports a package from an archive of one; `None` when the only file is no such archive.
pub(super) fn import(request: &ImportRequest<'_>) -> Option<Result<Imported, ImportError>> {
    let [file] = request.files else {
        return None;
    };
    begun(file).map(|begun| unpack(request, file, begun))
}

/// An archive of ours, read past the header of its manifest; `None` when the file is no such archive.
fn begun(file: &Path) -> Option<(Archive, Entry)> {
    let mut archive = Archive::open(file).ok()?;
    let first = archive.next().ok()?;
    (first.name == Package::MANIFEST_NAME).then_some((archive, first))
}

/// The manifest of such an archive; `None` when the file is not one.
pub(super) fn manifest(file: &Path) -> Option<Result<String, ImportError>> {
    begun(file).map(|begun| manifest_of(file, begun).map(|(text, _)| text))
}

/// The manifest, and the archive behind it.
fn manifest_of(
    file: &Path,
    (mut archive, first): (Archive, Entry),
) -> Result<(String, Archive), ImportError> {
    // One more than a manifest may have is refused by whoever reads it.
    let bytes = first.bytes.min(MAX_MANIFEST_BYTES + 1);
    let text = read_manifest(file, &mut (&mut archive.0).take(bytes))?;
    Ok((text, archive))
}

/// Whether a file is such an archive.
pub(super) fn is_one(file: &Path) -> bool {
    begun(file).is_some()
}

fn unpack(
    request: &ImportRequest<'_>,
    file: &Path,
    begun: (Archive, Entry),
) -> Result<Imported, ImportError> {
    let refused = |reason: &str| ImportError::Refused {
        file: file.to_owned(),
        reason: reason.to_owned(),
    };
    let (text, mut archive) = manifest_of(file, begun)?;
    take_in(request, &text, &mut |name, listed, target| {
        let entry = archive.next().map_err(|fault| match fault {
            Fault::NotOurs => refused(NOT_OURS),
            Fault::Cut => refused("ends too early"),
            Fault::Io(error) => at(file)(error),
        })?;
        if entry.name != name || entry.bytes != listed.bytes {
            let reason = format!(
                "has {} of {} bytes where its manifest lists {} of {}",
                quoted(&entry.name),
                entry.bytes,
                quoted(name),
                listed.bytes
            );
            return Err(refused(&reason));
        }
        let mut content = (&mut archive.0).take(entry.bytes);
        write_new(target, &mut content)?;
        if content.limit() > 0 {
            return Err(refused("ends too early"));
        }
        Ok(())
    })
}

/// An archive, read from its beginning to its end.
struct Archive(BufReader<File>);

/// A file in an archive.
struct Entry {
    name: String,
    bytes: u64,
}

/// Why there is no next file.
enum Fault {
    NotOurs,
    Cut,
    Io(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            Self::Cut
        } else {
            Self::Io(error)
        }
    }
}

impl Archive {
    fn open(file: &Path) -> io::Result<Self> {
        Ok(Self(BufReader::new(File::open(file)?)))
    }

    /// The next file, whose content follows.
    fn next(&mut self) -> Result<Entry, Fault> {
        let mut head = [0; LOCAL_BYTES];
        self.0.read_exact(&mut head)?;
        let half = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let word = |at: usize| u32::from(half(at)) | (u32::from(half(at + 2)) << 16);
        let (flags, method, packed, bytes) = (half(6), half(8), word(18), word(22));
        // Neither encrypted, nor with its length behind its content, nor packed, nor with a length of 64 bits.
        let plain = flags & 0b1001 == 0 && method == 0 && packed == bytes && bytes < u32::MAX;
        if word(0) != LOCAL || !plain {
            return Err(Fault::NotOurs);
        }
        let mut name = vec![0; usize::from(half(26))];
        self.0.read_exact(&mut name)?;
        let mut extra = vec![0; usize::from(half(28))];
        self.0.read_exact(&mut extra)?;
        Ok(Entry {
            name: String::from_utf8(name).map_err(|_| Fault::NotOurs)?,
            bytes: u64::from(bytes),
        })
    }
}
