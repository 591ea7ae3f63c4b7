//! One file of an archive, unpacked and held to what the archive says of it.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, ErrorKind};

use super::listing::{Listed, Wares};
use vocalhost_letters::words::quoted;

/// The largest file that is unpacked: what a file of a package may have.
const MAX_BYTES: u64 = 1 << 30;
/// How many times as long a file may become. Packing hardly makes weights shorter; only uniform content gets this short.
const MAX_RATIO: u64 = 50;
/// What a file may have whatever its ratio is.
const HARMLESS_BYTES: u64 = 1 << 20;
/// Pieces in which files are written.
const PIECE_BYTES: usize = 256 << 10;
/// The most letters of the name of an unpacked file, without its ending: less than any file system takes, in any script.
const MAX_LETTERS: usize = 60;

/// Why a file does not come out.
pub(super) enum Fault {
    /// The archive is at fault; what is wrong with the file.
    Damaged(String),
    /// It could not be written.
    Io(io::Error),
}

/// Whether a file may be unpacked, by what the archive says of it.
pub(super) fn check(wares: &Wares, listed: &Listed) -> Result<(), String> {
    if listed.is_link {
        return Err("is a link to another file, which is not followed".to_owned());
    }
    if listed.is_encrypted {
        return Err(
            "is encrypted with a password; unpack the archive and give what is in it".to_owned(),
        );
    }
    let is_known = [CompressionMethod::STORE, CompressionMethod::DEFLATE].contains(&listed.method);
    if !is_known {
        return Err(
            "is packed in another way than ZIP's usual one (deflate); unpack the archive and give what is in it"
                .to_owned(),
        );
    }
    let (packed, bytes) = (
        listed.place.compressed_size_hint(),
        listed.place.uncompressed_size_hint(),
    );
    if bytes > MAX_BYTES {
        return Err(format!(
            "unpacks to {bytes} bytes, {MAX_BYTES} are the most that can be used"
        ));
    }
    if bytes > HARMLESS_BYTES && bytes / MAX_RATIO > packed {
        return Err(format!(
            "unpacks to more than {MAX_RATIO} times its length, as no model does"
        ));
    }
    let mut names = vec![0; 2 * usize::from(u16::MAX)];
    let entry = wares.archive.get_entry(listed.place);
    let head = entry.and_then(|entry| {
        let head = entry.local_header(&mut names)?;
        Ok((head.file_path().as_ref().to_vec(), head.flags()))
    });
    match head {
        Ok((name, _)) if name != listed.raw_name => Err(format!(
            "is called {} where its content lies, as in no archive that can be trusted",
            quoted(&String::from_utf8_lossy(&name))
        )),
        Ok((_, flags)) if flags.is_encrypted() => Err(
            "is encrypted with a password where its content lies, and is not in the list"
                .to_owned(),
        ),
        Ok(_) => Ok(()),
        Err(_) => Err("is cut off".to_owned()),
    }
}

/// Unpacks a file to `target`, where nothing may lie yet.
pub(super) fn unpack(wares: &Wares, listed: &Listed, target: &Path) -> Result<(), Fault> {
    let entry = wares.archive.get_entry(listed.place);
    let entry = entry.map_err(|_| Fault::Damaged("is cut off".to_owned()))?;
    let packed = BufReader::new(entry.reader());
    let content: Box<dyn Read + '_> = if listed.method == CompressionMethod::STORE {
        Box::new(packed)
    } else {
        Box::new(DeflateDecoder::new(packed))
    };
    let said = listed.place.uncompressed_size_hint();
    // One byte more than it may have: whoever verifies it sees its end, or refuses that byte.
    let mut content = entry.verifying_reader(content).take(said + 1);
    let mut file = File::create_new(target).map_err(Fault::Io)?;
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let read = content.read(&mut piece);
        let read = read.map_err(|error| Fault::Damaged(in_words(&error)))?;
        if read == 0 {
            return Ok(());
        }
        file.write_all(&piece[..read]).map_err(Fault::Io)?;
    }
}

/// Why reading a file failed.
fn in_words(error: &io::Error) -> String {
    let zip = error.get_ref();
    let zip = zip.and_then(|inner| inner.downcast_ref::<rawzip::Error>());
    let what = match zip.map(rawzip::Error::kind) {
        Some(ErrorKind::InvalidChecksum { .. }) => {
            "its checksum is another than the archive says".to_owned()
        }
        Some(ErrorKind::InvalidSize { expected, actual }) if actual > expected => {
            format!("it unpacks to more than the {expected} bytes that the archive says")
        }
        Some(ErrorKind::InvalidSize { expected, actual }) => {
            format!("it unpacks to {actual} bytes where the archive says {expected}")
        }
        Some(ErrorKind::Eof) => "it is cut off".to_owned(),
        _ if error.kind() == io::ErrorKind::UnexpectedEof => "it is cut off".to_owned(),
        _ => "it does not unpack".to_owned(),
    };
    format!("is damaged: {what}")
}

/// A name for an unpacked file that is made of its own, whose words tell people and the importer what it is, and that leads nowhere.
pub(super) fn tame(name: &str) -> String {
    let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let (stem, ending) = base.rsplit_once('.').unwrap_or((base, "bin"));
    let may_stay = |letter: char| letter.is_alphanumeric() || " -_.()[]+&,'".contains(letter);
    let stem: String = stem
        .chars()
        .map(|letter| if may_stay(letter) { letter } else { '_' })
        .take(MAX_LETTERS)
        .collect();
    let stem = stem.trim().trim_start_matches('.').trim();
    let stem = if stem.is_empty() { "model" } else { stem };
    format!("{stem}.{}", ending.to_ascii_lowercase())
}
