//! The kinds of indexes.

use super::index::{Cells, Index};
use super::quantised::{Codes, Product, Scalar, room};
use super::reader::{Reader, cut_off, finite};

/// Indexes inside one another: a list of numbers around a graph around vectors.
const DEEPEST: usize = 3;
/// FAISS's numbers of the measures.
const INNER_PRODUCT: i32 = 0;
const L2: i32 = 1;

const BY_PRODUCT: &str = "It ranks by the inner product, and voices by distance: all of its vectors are searched by that.";
const GRAPH: &str = "Its graph of neighbours (HNSW) is left out: all of its vectors are searched, and none is missed.";

/// Takes the file apart.
pub(super) fn parse(bytes: &[u8]) -> Result<Index, String> {
    let mut reader = Reader { rest: bytes };
    let index = index(&mut reader, DEEPEST)?;
    reader.end()?;
    Ok(index)
}

/// Reads an index, which may have others inside.
fn index(reader: &mut Reader<'_>, deep: usize) -> Result<Index, String> {
    match &reader.tag()? {
        b"IwFl" => divided(reader, deep, &|_, _| Ok((Codes::Flat, false))),
        b"IwPQ" => divided(reader, deep, &|reader, dim| {
            let on_centres = reader.flag()?;
            let bytes = reader.count()?;
            let codes = Codes::Product(Product::read(reader, dim)?);
            same_size(&codes, dim, bytes)?;
            Ok((codes, on_centres))
        }),
        tag @ (b"IwSq" | b"IwSQ") => divided(reader, deep, &|reader, dim| {
            let codes = Codes::Scalar(Scalar::read(reader, dim)?);
            same_size(&codes, dim, reader.count()?)?;
            Ok((codes, tag == b"IwSQ" || reader.flag()?))
        }),
        b"IxF2" | b"IxFl" | b"IxFI" => flat(reader),
        tag @ (b"IxPq" | b"IxPo" | b"IxPQ") => {
            let header = header(reader)?;
            let codes = Codes::Product(Product::read(reader, header.dim)?);
            let index = coded(reader, &header, &codes)?;
            if tag != b"IxPQ" {
                // How it would be searched.
                reader.take(9)?;
            }
            Ok(index)
        }
        b"IxSQ" => {
            let header = header(reader)?;
            let codes = Codes::Scalar(Scalar::read(reader, header.dim)?);
            coded(reader, &header, &codes)
        }
        b"IHNf" | b"IHNp" | b"IHNs" => graph(reader, deep),
        b"IxMp" | b"IxM2" => {
            let header = header(reader)?;
            let index = inner(reader, deep, &header)?;
            // The numbers under which the vectors were added.
            reader.row(8)?;
            Ok(index)
        }
        tag => Err(format!(
            "is an index of the kind {:?}; Flat, IVF and HNSW are read, with whole vectors or with those of PQ or SQ",
            String::from_utf8_lossy(tag)
        )),
    }
}

/// The index inside another, which has the same vectors.
fn inner(reader: &mut Reader<'_>, deep: usize, outer: &Header) -> Result<Index, String> {
    let deep = deep.checked_sub(1);
    let deep = deep.ok_or_else(|| "has indexes inside one another that are too many".to_owned())?;
    let index = index(reader, deep)?;
    if index.dim != outer.dim || index.rows.len() / (index.dim * 4) != outer.rows {
        return Err("has another number of vectors than it says".to_owned());
    }
    Ok(index)
}

/// What every index begins with.
struct Header {
    dim: usize,
    rows: usize,
    /// Whether it ranks by the inner product.
    by_product: bool,
}

fn header(reader: &mut Reader<'_>) -> Result<Header, String> {
    let dim = reader.small()?;
    let rows = i64::from_le_bytes(reader.array()?);
    // Two numbers that nothing uses, and whether it was trained.
    reader.take(17)?;
    let by_product = match reader.small()? {
        L2 => false,
        INNER_PRODUCT => true,
        _ => {
            return Err(
                "measures by something other than the distance or the inner product".to_owned(),
            );
        }
    };
    let dim = usize::try_from(dim)
        .ok()
        .filter(|dim| (1..=4_096).contains(dim));
    let rows = usize::try_from(rows).ok();
    match dim.zip(rows) {
        Some((dim, rows)) => Ok(Header {
            dim,
            rows,
            by_product,
        }),
        None => Err("has an impossible size".to_owned()),
    }
}

fn flat(reader: &mut Reader<'_>) -> Result<Index, String> {
    let (header, rows) = vectors(reader)?;
    Ok(Index {
        dim: header.dim,
        rows,
        cells: None,
        was: said(&header, &Codes::Flat),
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

/// Quantised vectors.
fn coded(reader: &mut Reader<'_>, header: &Header, codes: &Codes) -> Result<Index, String> {
    let content = reader.row(1)?;
    if header.rows.checked_mul(codes.bytes(header.dim)) != Some(content.len()) {
        return Err("has another number of vectors than it says".to_owned());
    }
    let mut rows = Vec::with_capacity(room(header.rows, header.dim)?);
    codes.decode(content, (header.dim, None), &mut rows);
    finite(&rows)?;
    Ok(Index {
        dim: header.dim,
        rows,
        cells: None,
        was: said(header, codes),
    })
}

/// A graph of neighbours around its vectors.
fn graph(reader: &mut Reader<'_>, deep: usize) -> Result<Index, String> {
    let header = header(reader)?;
    // Chances of a level, neighbours and level of each vector, where its neighbours begin, and who they are.
    for width in [8, 4, 4, 8, 4] {
        reader.row(width)?;
    }
    // Where a search begins, and how far it goes.
    reader.take(20)?;
    let mut index = inner(reader, deep, &header)?;
    if index.cells.is_some() {
        return Err("has cells inside its graph of neighbours".to_owned());
    }
    index.was.insert(0, GRAPH.to_owned());
    Ok(index)
}

/// Reads how the vectors of a divided index are kept, and whether on top of their cell's centre.
type ReadCodes<'f> = &'f dyn Fn(&mut Reader<'_>, usize) -> Result<(Codes, bool), String>;

fn divided(reader: &mut Reader<'_>, deep: usize, how: ReadCodes<'_>) -> Result<Index, String> {
    let whole = header(reader)?;
    let cells = reader.count()?;
    let probe = reader.count()? as u64;
    let centres = coarse(reader, deep, &whole, cells)?;
    direct_map(reader)?;
    let (codes, on_centres) = how(reader, whole.dim)?;
    if &reader.tag()? != b"ilar" {
        return Err("keeps its vectors in another way than RVC's indexes".to_owned());
    }
    let (lists, code_bytes) = (reader.count()?, reader.count()?);
    if lists != cells {
        return Err("has another number of cells than it says".to_owned());
    }
    same_size(&codes, whole.dim, code_bytes)?;
    let counts = list_lengths(reader, cells)?;
    let all = counts
        .iter()
        .try_fold(0_usize, |all, count| all.checked_add(*count));
    if all != Some(whole.rows) {
        return Err("has another number of vectors than it says".to_owned());
    }
    if whole
        .rows
        .checked_mul(code_bytes)
        .is_none_or(|bytes| bytes > reader.rest.len())
    {
        return Err(cut_off());
    }
    let mut rows = Vec::with_capacity(room(whole.rows, whole.dim)?);
    for (cell, count) in counts.iter().enumerate() {
        let bytes = count.checked_mul(code_bytes).ok_or_else(cut_off)?;
        let content = reader.take(bytes)?;
        if codes == Codes::Flat {
            rows.extend_from_slice(content);
        } else if *count > 0 {
            let centre = centres[cell * whole.dim * 4..][..whole.dim * 4].as_chunks::<4>();
            let centre = centre.0.iter().map(|value| f32::from_le_bytes(*value));
            let centre: Option<Vec<f32>> = on_centres.then(|| centre.collect());
            codes.decode(content, (whole.dim, centre.as_deref()), &mut rows);
        }
        // The numbers under which the vectors were added.
        reader.take(count.checked_mul(8).ok_or_else(cut_off)?)?;
    }
    finite(&rows)?;
    let counts = counts.into_iter().map(|count| count as u32).collect();
    let cells = Cells {
        centres,
        counts,
        probe: probe.clamp(1, cells as u64),
    };
    Ok(Index {
        dim: whole.dim,
        rows,
        was: said(&whole, &codes),
        // The cell with the largest product is another than the nearest one.
        cells: (!whole.by_product).then_some(cells),
    })
}

fn same_size(codes: &Codes, dim: usize, bytes: usize) -> Result<(), String> {
    if codes.bytes(dim) == bytes {
        Ok(())
    } else {
        Err("has vectors of another size than it says".to_owned())
    }
}

fn said(header: &Header, codes: &Codes) -> Vec<String> {
    let ranks = header.by_product.then(|| BY_PRODUCT.to_owned());
    ranks.into_iter().chain(codes.text(header.dim)).collect()
}

/// The centres of the cells, an index of their own.
fn coarse(
    reader: &mut Reader<'_>,
    deep: usize,
    whole: &Header,
    cells: usize,
) -> Result<Vec<u8>, String> {
    let wanted = Header {
        rows: cells,
        ..*whole
    };
    let index = inner(reader, deep, &wanted)?;
    if cells == 0 || index.cells.is_some() {
        return Err("finds its cells in another way than RVC's indexes".to_owned());
    }
    Ok(index.rows)
}

/// Where each vector is, by its number; nothing here asks by number.
fn direct_map(reader: &mut Reader<'_>) -> Result<(), String> {
    const TABLE: u8 = 2;
    let [kind] = reader.array()?;
    reader.row(8)?;
    match kind {
        0 | 1 => Ok(()),
        TABLE => reader.row(16).map(drop),
        _ => Err("numbers its vectors in another way than RVC's indexes".to_owned()),
    }
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
