//! Indexes of FAISS, as RVC writes them: `IVF…,Flat`, whose vectors are divided into cells, and `Flat`.
//!
//! The layout is that of FAISS's `impl/index_write.cpp`: little-endian numbers one behind the other, each index with a tag
//! of four letters. Nothing is allocated that the file's length does not cover.

#[cfg(test)]
mod tests;

use std::fs;
use std::io::Write;
use std::path::Path;

use toml::Value;

use super::ImportError;
use super::draft::Draft;
use vocalhost_model::{FileRole, MAX_INDEX_CELLS, MAX_INDEX_ROWS};

/// The longest index that is read: 600,000 vectors of 768 channels are 1.8 GB. It is in memory twice while it is looked at.
const MAX_FILE_BYTES: u64 = 2 << 30;
/// The largest number of a vector, far above those of any encoder, and far below those whose squares do not fit into 32 bits.
const LARGEST_VALUE: f32 = 1e15;
/// Vectors that RVC mixes.
const NEAREST: u64 = 8;
/// The measure of distance that RVC uses, the squared Euclidean one.
const L2: i32 = 1;

/// The vectors of an index.
#[derive(Debug, Clone, PartialEq)]
struct Index {
    dim: usize,
    /// Row after row, those of the first cell first.
    rows: Vec<u8>,
    cells: Option<Cells>,
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
    if every > 1 {
        return Ok(format!(
            "An index of FAISS with {held} vectors{cells}, thinned out to {rows}, one in {every}: {MAX_INDEX_ROWS} are the most."
        ));
    }
    Ok(format!("An index of FAISS with {rows} vectors{cells}."))
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

/// Takes the file apart.
fn parse(bytes: &[u8]) -> Result<Index, String> {
    let mut reader = Reader { rest: bytes };
    match &reader.tag()? {
        b"IwFl" => divided(&mut reader),
        b"IxF2" | b"IxFl" => flat(&mut reader),
        b"IxFI" => {
            Err("measures by the inner product; RVC's indexes measure by distance".to_owned())
        }
        tag => Err(format!(
            "is an index of the kind {:?}; RVC's are IVF,Flat and Flat",
            String::from_utf8_lossy(tag)
        )),
    }
}

/// What every index begins with.
struct Header {
    dim: usize,
    rows: usize,
}

fn header(reader: &mut Reader<'_>) -> Result<Header, String> {
    let dim = i32::from_le_bytes(reader.array()?);
    let rows = i64::from_le_bytes(reader.array()?);
    // Two numbers that nothing uses, and whether it was trained.
    reader.take(17)?;
    let metric = i32::from_le_bytes(reader.array()?);
    if metric != L2 {
        return Err(
            "measures by something other than the distance, which RVC's indexes never do"
                .to_owned(),
        );
    }
    let dim = usize::try_from(dim)
        .ok()
        .filter(|dim| (1..=4_096).contains(dim));
    let rows = usize::try_from(rows).ok();
    match dim.zip(rows) {
        Some((dim, rows)) => Ok(Header { dim, rows }),
        None => Err("has an impossible size".to_owned()),
    }
}

fn flat(reader: &mut Reader<'_>) -> Result<Index, String> {
    let (header, rows) = vectors(reader)?;
    reader.end()?;
    Ok(Index {
        dim: header.dim,
        rows,
        cells: None,
    })
}

/// A header and the vectors that it announces.
fn vectors(reader: &mut Reader<'_>) -> Result<(Header, Vec<u8>), String> {
    let header = header(reader)?;
    let numbers = reader.count()?;
    if header.rows.checked_mul(header.dim) != Some(numbers) {
        return Err("has another number of vectors than it says".to_owned());
    }
    let bytes = numbers.checked_mul(4).ok_or_else(cut_off)?;
    Ok((header, finite(reader.take(bytes)?)?.to_vec()))
}

fn divided(reader: &mut Reader<'_>) -> Result<Index, String> {
    let whole = header(reader)?;
    let cells = reader.count()?;
    let probe = reader.count()? as u64;
    let centres = coarse(reader, &whole, cells)?;
    direct_map(reader)?;
    if &reader.tag()? != b"ilar" {
        return Err("keeps its vectors in another way than RVC's indexes".to_owned());
    }
    let (lists, code_bytes) = (reader.count()?, reader.count()?);
    if lists != cells || code_bytes != whole.dim * 4 {
        return Err("has vectors of another size than it says".to_owned());
    }
    let counts = list_lengths(reader, cells)?;
    let mut rows = Vec::new();
    for count in &counts {
        let bytes = count.checked_mul(code_bytes).ok_or_else(cut_off)?;
        rows.extend_from_slice(finite(reader.take(bytes)?)?);
        // The numbers under which the vectors were added.
        reader.take(count.checked_mul(8).ok_or_else(cut_off)?)?;
    }
    reader.end()?;
    if rows.len() != whole.rows.saturating_mul(code_bytes) {
        return Err("has another number of vectors than it says".to_owned());
    }
    let counts = counts.into_iter().map(|count| count as u32).collect();
    Ok(Index {
        dim: whole.dim,
        rows,
        cells: Some(Cells {
            centres,
            counts,
            probe: probe.clamp(1, cells as u64),
        }),
    })
}

/// The centres of the cells, an index of their own.
fn coarse(reader: &mut Reader<'_>, whole: &Header, cells: usize) -> Result<Vec<u8>, String> {
    if ![b"IxF2", b"IxFl"].contains(&&reader.tag()?) {
        return Err("finds its cells in another way than RVC's indexes".to_owned());
    }
    let (header, centres) = vectors(reader)?;
    if header.dim != whole.dim || header.rows != cells || cells == 0 {
        return Err("has another number of cells than it says".to_owned());
    }
    Ok(centres)
}

/// Where each vector is, by its number; nothing here asks by number.
fn direct_map(reader: &mut Reader<'_>) -> Result<(), String> {
    const NONE_OR_ARRAY: [u8; 2] = [0, 1];
    let [kind] = reader.array()?;
    if !NONE_OR_ARRAY.contains(&kind) {
        return Err("numbers its vectors in another way than RVC's indexes".to_owned());
    }
    let places = reader.count()?;
    reader.take(places.checked_mul(8).ok_or_else(cut_off)?)?;
    Ok(())
}

/// How many vectors each cell has: a number for each, or pairs of cell and number for those that are not empty.
fn list_lengths(reader: &mut Reader<'_>, cells: usize) -> Result<Vec<usize>, String> {
    let tag = reader.tag()?;
    let entries = reader.count()?;
    let bytes = reader.take(entries.checked_mul(8).ok_or_else(cut_off)?)?;
    let mut numbers = bytes
        .as_chunks::<8>()
        .0
        .iter()
        .map(|number| usize::try_from(u64::from_le_bytes(*number)).unwrap_or(usize::MAX));
    let lengths: Vec<usize> = match &tag {
        b"full" if entries == cells => numbers.collect(),
        b"sprs" if entries.is_multiple_of(2) => {
            let mut lengths = vec![0; cells];
            while let Some((cell, length)) = numbers.next().zip(numbers.next()) {
                *lengths
                    .get_mut(cell)
                    .ok_or_else(|| "has a vector in a cell that is not there".to_owned())? = length;
            }
            lengths
        }
        _ => return Err("lists its cells in another way than RVC's indexes".to_owned()),
    };
    if lengths.iter().all(|length| u32::try_from(*length).is_ok()) {
        Ok(lengths)
    } else {
        Err(cut_off())
    }
}

/// The vectors, when distances between them are numbers.
fn finite(bytes: &[u8]) -> Result<&[u8], String> {
    let mut numbers = bytes.as_chunks::<4>().0.iter();
    if numbers.all(|number| f32::from_le_bytes(*number).abs() <= LARGEST_VALUE) {
        Ok(bytes)
    } else {
        Err(format!(
            "holds a value that is not a number of at most {LARGEST_VALUE:e}"
        ))
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(bytes).ok_or_else(cut_off)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or_else(cut_off)?;
        self.rest = rest;
        Ok(*taken)
    }

    fn tag(&mut self) -> Result<[u8; 4], String> {
        self.array()
    }

    /// A number of things that follow in the file, so that it is at most the file's length.
    fn count(&mut self) -> Result<usize, String> {
        let count = u64::from_le_bytes(self.array()?);
        let count = usize::try_from(count).ok();
        count.ok_or_else(cut_off)
    }

    fn end(&self) -> Result<(), String> {
        match self.rest {
            [] => Ok(()),
            _ => Err("goes on behind its end".to_owned()),
        }
    }
}

fn cut_off() -> String {
    "is damaged: it is cut off".to_owned()
}
