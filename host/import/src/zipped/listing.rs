//! The list of the files in an archive, held against the archive itself.

use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

use rawzip::{CompressionMethod, FileReader, ZipArchive, ZipArchiveEntryWayfinder};

use vocalhost_letters::words::quoted;

/// The most files of an archive. People who hand a voice around put some pictures and samples beside it.
const MAX_FILES: usize = 1_000;
/// The most entries that are looked through for the one that says that torch wrote the archive.
const MAX_ENTRIES: u64 = 20_000;
/// What torch calls its pickle.
const PICKLE: &str = "data.pkl";

/// What an archive is.
pub(super) enum Opened {
    /// Torch wrote it: a checkpoint.
    Torch,
    /// It has no list of its files, as when it is cut off.
    Unlisted,
    /// Files that somebody put together.
    Wares(Wares),
}

/// An archive whose list was checked.
pub(super) struct Wares {
    pub(super) archive: ZipArchive<FileReader>,
    pub(super) listed: Vec<Listed>,
}

/// A file in an archive, as the list has it.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    /// Its path in the archive. Nothing is ever opened under it.
    pub(super) name: String,
    /// The bytes of that path.
    pub(super) raw_name: Vec<u8>,
    pub(super) place: ZipArchiveEntryWayfinder,
    pub(super) method: CompressionMethod,
    pub(super) is_encrypted: bool,
    pub(super) is_link: bool,
    pub(super) is_folder: bool,
    /// Where its header begins.
    header: u64,
}

impl Listed {
    /// The part of its name behind the folders, whichever way they are written.
    pub(super) fn base(&self) -> &str {
        self.name.rsplit(['/', '\\']).next().unwrap_or_default()
    }
}

/// Opens an archive and reads its list; the error says what is wrong with it.
pub(super) fn open(path: &Path) -> Result<Opened, String> {
    // No record of a list is longer.
    let mut buffer = vec![0; rawzip::MAX_CENTRAL_DIRECTORY_RECORD_SIZE];
    let file = File::open(path).map_err(|error| error.to_string())?;
    let Ok(archive) = ZipArchive::from_file(file, &mut buffer) else {
        return Ok(Opened::Unlisted);
    };
    let mut listed = Vec::new();
    let mut count = 0_u64;
    let mut entries = archive.entries(&mut buffer);
    loop {
        let entry = match entries.next_entry() {
            Ok(Some(entry)) => entry,
            Ok(None) => break,
            Err(_) => return Err(damaged("its list of files is broken")),
        };
        count += 1;
        let raw_name = entry.file_path().as_ref().to_vec();
        let name = String::from_utf8_lossy(&raw_name).into_owned();
        if name == PICKLE || name.ends_with(&format!("/{PICKLE}")) {
            return Ok(Opened::Torch);
        }
        if count > MAX_ENTRIES {
            break;
        }
        if listed.len() <= MAX_FILES {
            listed.push(Listed {
                name,
                raw_name,
                place: entry.wayfinder(),
                method: entry.compression_method(),
                is_encrypted: entry.flags().is_encrypted(),
                is_link: entry.mode().is_symlink(),
                is_folder: entry.is_dir(),
                header: entry.local_header_offset(),
            });
        }
    }
    if listed.len() > MAX_FILES {
        return Err(format!(
            "is an archive of more than {MAX_FILES} files; unpack it and give those of the voice"
        ));
    }
    if count != archive.entries_hint() {
        return Err(damaged(&format!(
            "it lists {count} files and says that they are {}",
            archive.entries_hint()
        )));
    }
    if listed.is_empty() {
        return Err("is an archive without files".to_owned());
    }
    refuse_twins(&listed)?;
    refuse_overlaps(&archive, &listed)?;
    Ok(Opened::Wares(Wares { archive, listed }))
}

/// Refuses two files of one name: programs do not agree on which is meant.
fn refuse_twins(listed: &[Listed]) -> Result<(), String> {
    let mut names = HashSet::new();
    match listed.iter().find(|one| !names.insert(&one.raw_name)) {
        Some(twin) => Err(format!(
            "is an archive with two files {}",
            quoted(&twin.name)
        )),
        None => Ok(()),
    }
}

/// Files that share bytes unpack to far more than the archive could hold.
fn refuse_overlaps(archive: &ZipArchive<FileReader>, listed: &[Listed]) -> Result<(), String> {
    let mut ranges = Vec::with_capacity(listed.len());
    for one in listed {
        let entry = archive.get_entry(one.place);
        let entry = entry.map_err(|_| {
            damaged(&format!(
                "there is nothing where it lists {}",
                quoted(&one.name)
            ))
        })?;
        let (_, end) = entry.compressed_data_range();
        ranges.push((one.header, end, one));
    }
    ranges.sort_by_key(|(start, end, _)| (*start, *end));
    for pair in ranges.windows(2) {
        let [(_, end, one), (start, _, other)] = pair else {
            continue;
        };
        if end > start {
            return Err(damaged(&format!(
                "its files {} and {} lie over each other",
                quoted(&one.name),
                quoted(&other.name)
            )));
        }
    }
    match ranges.last() {
        Some((_, end, one)) if *end > archive.directory_offset() => Err(damaged(&format!(
            "its file {} is longer than what there is of it",
            quoted(&one.name)
        ))),
        _ => Ok(()),
    }
}

fn damaged(what: &str) -> String {
    format!("is a damaged archive: {what}")
}
