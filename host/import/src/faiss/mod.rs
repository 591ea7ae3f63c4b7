//! Indexes of FAISS: as RVC writes them, `IVF…,Flat`, whose vectors are divided into cells, and `Flat`; graphs of neighbours (HNSW),
//! quantised vectors (PQ, SQ) and those that rank by the inner product become one of the two.
//!
//! The layout is that of FAISS's `impl/index_write.cpp`: little-endian numbers one behind the other, each index with a tag
//! of four letters. Nothing is allocated that the file's length does not cover, but for quantised vectors, which are counted first.

mod index;
mod quantised;
mod read;
mod reader;
mod recall;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;

use toml::Value;

use super::ImportError;
use super::draft::Draft;
use read::parse;
use reader::MAX_FILE_BYTES;
use vocalhost_model::{FileRole, MAX_INDEX_CELLS, MAX_INDEX_ROWS};

/// Vectors that RVC mixes.
const NEAREST: u64 = 8;

/// Adds the index in the file at `path` to the package of a voice whose content vectors have `dim` channels. Says what was
/// found.
pub(super) fn add(draft: &mut Draft<'_>, path: &Path, dim: u64) -> Result<String, ImportError> {
    let refused = |reason: String| ImportError::Refused {
        file: path.to_owned(),
        reason,
    };
    let io = |source| ImportError::Io {
        file: path.to_owned(),
        source,
    };
    let length = fs::metadata(path).map_err(io)?.len();
    if length > MAX_FILE_BYTES {
        return Err(refused(format!("is longer than {MAX_FILE_BYTES} bytes")));
    }
    let bytes = fs::read(path).map_err(io)?;
    let mut index = parse(&bytes).map_err(refused)?;
    drop(bytes);
    if index.dim as u64 != dim {
        let reason = format!(
            "holds vectors of {} channels, and the voice wants {dim}: it belongs to another voice",
            index.dim
        );
        return Err(refused(reason));
    }
    let rows = index.rows.len() / (index.dim * 4);
    if rows == 0 {
        let reason =
            "is empty: RVC writes two indexes, and the one whose name begins with added_ is needed";
        return Err(refused(reason.to_owned()));
    }
    let every = index.thin(MAX_INDEX_ROWS as usize);
    let (held, rows) = (rows, index.rows.len() / (index.dim * 4));
    if let Some(cells) = &index.cells {
        if cells.counts.len() > MAX_INDEX_CELLS as usize {
            let reason = format!(
                "has {} cells, and an index has at most {MAX_INDEX_CELLS}",
                cells.counts.len()
            );
            return Err(refused(reason));
        }
        let cells = toml::Table::from_iter([
            ("count".to_owned(), Value::from(cells.counts.len() as i64)),
            ("probe".to_owned(), Value::from(cells.probe as i64)),
        ]);
        draft.entry("index", "cells", Value::Table(cells));
    }
    for (key, value) in [
        ("rows", Value::from(rows as i64)),
        ("dim", Value::from(index.dim as i64)),
        ("dtype", Value::from("f32")),
        ("k", Value::from((NEAREST as usize).min(rows) as i64)),
        ("weighting", Value::from("inverse-square")),
    ] {
        draft.entry("index", key, value);
    }
    draft.file("index.f32", FileRole::Index, |out| index.write(out))?;
    let cells = index.cells.as_ref().map_or(String::new(), |cells| {
        format!(" in {} cells", cells.counts.len())
    });
    let mut found = vec![if every > 1 {
        format!(
            "An index of FAISS with {held} vectors{cells}, thinned out to {rows}, one in {every}: {MAX_INDEX_ROWS} are the most."
        )
    } else {
        format!("An index of FAISS with {rows} vectors{cells}.")
    }];
    found.append(&mut index.was);
    found.extend(recall::of(&index, NEAREST as usize));
    Ok(found.join(" "))
}
