use std::collections::BTreeSet;

use serde::Serialize;

use super::provenance;
use crate::fault::{Fault, require};
use crate::limits::{
    MAX_FILE_BYTES, MAX_FILES, MAX_INDEX_ROWS, MAX_MANIFEST_BYTES, MAX_TEXT_BYTES,
};
use crate::manifest::{FileRole, Kind, Manifest};
use crate::sections::{BlendSource, IndexElement, IndexFormat};

/// The most voices that a blend of blends may come from.
const MAX_SOURCES: usize = 256;
/// The most indexes in one: each is searched for every frame.
const MAX_INDEX_PARTS: usize = 64;
/// Files of a blend that are not notices: graph, index, picture, card and demo.
const OTHER_FILES: u64 = 5;
/// The size of a blend's manifest without its sources: four joined texts, and the rest.
const OTHER_TEXT_BYTES: u64 = 4 * MAX_TEXT_BYTES as u64 + 16 * 1024;
/// Shares are sums of products and count as 1 within this.
const SHARE_TOLERANCE: f64 = 1e-6;

/// Voices that hold more together than one voice may.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "they cannot be blended: together they have {count} {what}, and a voice has at most {most}"
)]
pub struct TooMuch {
    what: &'static str,
    count: u64,
    most: u64,
}

/// Whether one voice can hold what these voices bring along: the voices that they were blended from with their terms, their notices, and
/// the rows and cells of their indexes; duplicates count once. Voices without a share bring nothing.
pub fn check_size(parts: &[(&Manifest, f64)]) -> Result<(), TooMuch> {
    let heard = parts.iter().filter(|(_, share)| *share > 0.0);
    let heard: Vec<(&Manifest, f64)> = heard.copied().collect();
    let at_most = |what, count: u64, most: u64| {
        let fits = count <= most;
        fits.then_some(()).ok_or(TooMuch { what, count, most })
    };
    let sources = provenance::sources(&heard);
    at_most("sources", sources.len() as u64, MAX_SOURCES as u64)?;
    let texts = written_bytes(&sources) + OTHER_TEXT_BYTES;
    at_most("bytes of terms", texts, MAX_MANIFEST_BYTES)?;
    let files = heard
        .iter()
        .flat_map(|(manifest, _)| manifest.files.values());
    let notices = files.filter(|file| file.role == FileRole::Notice);
    let notices: BTreeSet<&str> = notices.map(|file| file.sha256.as_str()).collect();
    let files = notices.len() as u64 + OTHER_FILES;
    at_most("files with their notices", files, MAX_FILES as u64)?;
    let mut indexes: Vec<(&str, &IndexFormat)> = Vec::new();
    for (manifest, _) in &heard {
        if let (Some(index), Some((_, file))) = (&manifest.index, manifest.file(FileRole::Index)) {
            let found = (&*file.sha256, index);
            if !indexes.contains(&found) {
                indexes.push(found);
            }
        }
    }
    let total =
        |count: fn(&IndexFormat) -> u64| indexes.iter().map(|(_, index)| count(index)).sum();
    let (rows, shelves) = (
        total(|index| index.rows),
        total(|index| index.shelves().len() as u64),
    );
    at_most("indexes", shelves, MAX_INDEX_PARTS as u64)?;
    at_most("index rows", rows, MAX_INDEX_ROWS)?;
    let element = if (indexes.iter()).all(|(_, index)| index.dtype == IndexElement::F16) {
        IndexElement::F16
    } else {
        IndexElement::F32
    };
    let dim = indexes.first().map_or(0, |(_, index)| index.dim);
    let bytes = rows * u64::from(dim) * element.bytes() as u64 + total(IndexFormat::cell_bytes);
    at_most("bytes of indexes", bytes, MAX_FILE_BYTES)
}

/// Bytes that the sources take in a manifest.
fn written_bytes(sources: &[BlendSource]) -> u64 {
    #[derive(Serialize)]
    struct Written<'a> {
        blend: &'a [BlendSource],
    }
    toml::to_string(&Written { blend: sources }).map_or(u64::MAX, |text| text.len() as u64)
}

/// Checks what a manifest says about the voices that it was blended from.
pub(crate) fn sources(manifest: &Manifest) -> Result<(), Fault> {
    if manifest.blended.is_empty() {
        return Ok(());
    }
    require(
        manifest.kind == Kind::Voice,
        "blend",
        "only voices have this",
    )?;
    require(
        manifest.blended.len() <= MAX_SOURCES,
        "blend",
        format!("at most {MAX_SOURCES} voices"),
    )?;
    shares(
        "blend.share",
        manifest.blended.iter().map(|source| source.share),
    )
}

/// Checks the parts of an index against the whole.
pub(crate) fn index_parts(index: &IndexFormat) -> Result<(), Fault> {
    if index.parts.is_empty() {
        return Ok(());
    }
    require(
        index.parts.len() <= MAX_INDEX_PARTS,
        "index.parts",
        format!("at most {MAX_INDEX_PARTS}"),
    )?;
    let rows = index
        .parts
        .iter()
        .try_fold(0_u64, |rows, part| rows.checked_add(part.rows));
    require(
        rows == Some(index.rows),
        "index.parts.rows",
        format!("must add up to index.rows, {}", index.rows),
    )?;
    for part in &index.parts {
        require(
            part.k >= 1 && part.k <= 64 && part.rows >= u64::from(part.k),
            "index.parts.k",
            format!("must be 1 to 64 and at most its rows, is {}", part.k),
        )?;
    }
    shares(
        "index.parts.share",
        index.parts.iter().map(|part| part.share),
    )
}

fn shares(key: &str, shares: impl Iterator<Item = f64>) -> Result<(), Fault> {
    let mut sum = 0.0;
    for share in shares {
        require(
            share > 0.0 && share <= 1.0 + SHARE_TOLERANCE,
            key,
            format!("must be over 0 and at most 1, is {share}"),
        )?;
        sum += share;
    }
    require(
        sum <= 1.0 + SHARE_TOLERANCE,
        key,
        format!("must add up to at most 1, is {sum}"),
    )
}
