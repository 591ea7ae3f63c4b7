//! Indexes of FAISS: as RVC writes them, `IVF…,Flat`, whose vectors are divided into cells, and `Flat`; graphs of neighbours (HNSW),
//! quantised vectors (PQ, SQ) and those that rank by the inner product become one of the two.
//!
//! The layout is that of FAISS's `impl/index_write.cpp`: little-endian numbers one behind the other, each index with a tag
//! of four letters. Nothing is allocated that the file's length does not cover, but for quantised vectors, which are counted first.

mod quantised;
mod read;
mod reader;
mod recall;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::Write;
use std::path::Path;

use toml::Value;

use super::ImportError;
use super::draft::Draft;
use read::parse;
use vocalhost_model::{FileRole, MAX_INDEX_CELLS, MAX_INDEX_ROWS};

/// The longest index that is read: 600,000 vectors of 768 channels are 1.8 GB. It is in memory twice while it is looked at.
const MAX_FILE_BYTES: u64 = 2 << 30;
/// The largest number of a vector, far above those of any encoder, and far below those whose squares do not fit into 32 bits.
const LARGEST_VALUE: f32 = 1e15;
/// Vectors that RVC mixes.
const NEAREST: u64 = 8;

/// The vectors of an index.
#[derive(Debug, Clone, PartialEq)]
struct Index {
    dim: usize,
    /// Row after row, those of the first cell first.
    rows: Vec<u8>,
    cells: Option<Cells>,
    /// What it was in FAISS besides, in sentences.
    was: Vec<String>,
}

/// How the vectors are divided.
#[derive(Debug, Clone, PartialEq)]
struct Cells {
    /// The centres, row after row.
    centres: Vec<u8>,
    /// How many vectors each has.
    counts: Vec<u32>,
    /// How many cells a search looks into.
    probe: u64,
}

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

impl Index {
    /// Leaves one in so many vectors of each cell, the first of it among them, so that at most `most` are left; gives in how many. The
    /// vectors of a voice lie so close together that their neighbours stand in for them.
    fn thin(&mut self, most: usize) -> usize {
        let row_bytes = self.dim * 4;
        let rows = self.rows.len() / row_bytes;
        let whole = [rows as u32];
        let counts = self
            .cells
            .as_ref()
            .map_or(&whole[..], |cells| &cells.counts);
        let left = |every: usize| {
            counts
                .iter()
                .map(move |count| (*count as usize).div_ceil(every))
        };
        let mut every = rows.div_ceil(most).max(1);
        // Every cell keeps a vector, which may be more than its share.
        while every < rows && left(every).sum::<usize>() > most {
            every += 1;
        }
        if every == 1 {
            return 1;
        }
        let mut kept = Vec::with_capacity(most * row_bytes);
        let mut start = 0;
        for count in counts {
            let cell = &self.rows[start * row_bytes..(start + *count as usize) * row_bytes];
            let vectors = cell.chunks_exact(row_bytes).step_by(every);
            vectors.for_each(|vector| kept.extend_from_slice(vector));
            start += *count as usize;
        }
        let left: Vec<u32> = left(every).map(|count| count as u32).collect();
        self.rows = kept;
        if let Some(cells) = &mut self.cells {
            cells.counts = left;
        }
        every
    }

    /// Writes the file of a package's index: the rows, the cells' centres, and how many rows each cell has.
    fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        out.write_all(&self.rows)?;
        if let Some(cells) = &self.cells {
            out.write_all(&cells.centres)?;
            for count in &cells.counts {
                out.write_all(&count.to_le_bytes())?;
            }
        }
        Ok(())
    }
}
