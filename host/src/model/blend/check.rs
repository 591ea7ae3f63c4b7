use crate::model::check::{Fault, require};
use crate::model::manifest::{Kind, Manifest};
use crate::model::sections::IndexFormat;

/// The most voices that a blend of blends may come from.
const MAX_SOURCES: usize = 256;
/// The most indexes in one: each is searched for every frame.
const MAX_INDEX_PARTS: usize = 64;
/// Shares are sums of products, so they are held to be 1 within this.
const SHARE_TOLERANCE: f64 = 1e-6;

/// Checks what a manifest says about the voices that it was blended from.
pub(in crate::model) fn sources(manifest: &Manifest) -> Result<(), Fault> {
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
pub(in crate::model) fn index_parts(index: &IndexFormat) -> Result<(), Fault> {
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
