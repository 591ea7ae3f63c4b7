use std::borrow::Cow;

use half::f16;

use crate::sections::{IndexElement, IndexFormat, IndexPart, IndexWeighting};

/// The index of one voice that is blended.
pub(super) struct VoiceIndex<'a> {
    /// What its manifest says about it.
    pub(super) format: &'a IndexFormat,
    /// Its file: the rows, followed by the cells that they are divided into.
    pub(super) file: Cow<'a, [u8]>,
    /// The voice's share in the blend, over 0.
    pub(super) share: f64,
}

/// Joins the indexes of the voices of a blend into one file: all rows, voice after voice, and the share of each.
///
/// A conversion searches each voice's rows and mixes the results by the shares, so that the shares hold exactly. If rows of all voices were
/// searched together, the nearest voice would win whatever its share. Blends among the voices bring their parts along, and rows that occur
/// twice are kept once, with both shares. Cells are kept, so that each voice's rows are searched as before. Rows are as wide as the widest.
/// `None` when no voice has an index.
pub(super) fn combine(indexes: &[VoiceIndex<'_>]) -> Option<(IndexFormat, Vec<u8>)> {
    let dim = indexes.first()?.format.dim;
    let is_half = |index: &VoiceIndex<'_>| index.format.dtype == IndexElement::F16;
    let dtype = if indexes.iter().all(is_half) {
        IndexElement::F16
    } else {
        IndexElement::F32
    };
    let row_bytes = dim as usize * dtype.bytes();
    let files = indexes.iter().map(|index| rows_as(dtype, index));
    let files: Vec<(Cow<'_, [u8]>, &[u8])> = files.collect::<Option<_>>()?;
    let mut shelves: Vec<Shelf<'_>> = Vec::new();
    for (index, (rows, cells)) in indexes.iter().zip(&files) {
        let (mut rows, mut cells) = (&rows[..], *cells);
        for part in index.format.shelves() {
            let cell_bytes = part.cells.map_or(0, |cells| cells.bytes(dim));
            let shelf = Shelf {
                part: IndexPart {
                    share: index.share * part.share,
                    ..part
                },
                rows: rows.split_off(..part.rows as usize * row_bytes)?,
                cells: cells.split_off(..cell_bytes as usize)?,
            };
            match shelves.iter_mut().find(|known| known.is_like(&shelf)) {
                Some(known) => known.part.share += shelf.part.share,
                None => shelves.push(shelf),
            }
        }
    }
    let parts: Vec<IndexPart> = shelves.iter().map(|shelf| shelf.part).collect();
    let format = IndexFormat {
        rows: parts.iter().map(|part| part.rows).sum(),
        dim,
        dtype,
        k: parts.iter().map(|part| part.k).max()?,
        weighting: IndexWeighting::InverseSquare,
        parts,
        cells: None,
        reach: None,
    };
    let rows = shelves.iter().map(|shelf| shelf.rows);
    let cells = shelves.iter().map(|shelf| shelf.cells);
    let file: Vec<&[u8]> = rows.chain(cells).collect();
    Some((format, file.concat()))
}

/// The part of a blend's index that comes from one voice.
struct Shelf<'f> {
    part: IndexPart,
    rows: &'f [u8],
    cells: &'f [u8],
}

impl Shelf<'_> {
    /// Whether a search gives the same in both.
    fn is_like(&self, other: &Self) -> bool {
        let alike = |shelf: &Self| (shelf.part.k, shelf.part.cells, shelf.part.reach);
        alike(self) == alike(other) && self.rows == other.rows && self.cells == other.cells
    }
}

/// The rows of an index converted to floats of the type, and the bytes after them. `None` when there are fewer than it says.
fn rows_as<'i>(
    dtype: IndexElement,
    index: &'i VoiceIndex<'_>,
) -> Option<(Cow<'i, [u8]>, &'i [u8])> {
    let format = index.format;
    let numbers = usize::try_from(format.rows)
        .ok()?
        .checked_mul(format.dim as usize)?;
    let length = numbers.checked_mul(format.dtype.bytes())?;
    let (rows, behind) = index.file.split_at_checked(length)?;
    if format.dtype == dtype {
        return Some((Cow::Borrowed(rows), behind));
    }
    let widened = rows.chunks_exact(2).flat_map(|half| {
        let half = f16::from_le_bytes([half[0], half[1]]);
        half.to_f32().to_le_bytes()
    });
    Some((Cow::Owned(widened.collect()), behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::IndexCells;

    fn format(rows: u64, k: u32, parts: Vec<IndexPart>) -> IndexFormat {
        IndexFormat {
            rows,
            dim: 2,
            dtype: IndexElement::F16,
            k,
            weighting: IndexWeighting::InverseSquare,
            parts,
            cells: None,
            reach: None,
        }
    }

    fn voice<'a>(format: &'a IndexFormat, rows: &'a [u8], share: f64) -> VoiceIndex<'a> {
        VoiceIndex {
            format,
            file: Cow::Borrowed(rows),
            share,
        }
    }

    #[test]
    fn rows_lie_one_behind_the_other_with_their_shares() {
        let (a, b) = (format(2, 2, Vec::new()), format(1, 1, Vec::new()));
        let (a_rows, b_rows) = ([1; 8], [2; 4]);
        let voices = [voice(&a, &a_rows, 0.75), voice(&b, &b_rows, 0.25)];
        let (found, rows) = combine(&voices).expect("an index");
        assert_eq!(rows, [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2]);
        assert_eq!((found.rows, found.dim, found.k), (3, 2, 2));
        let shares: Vec<_> = found
            .parts
            .iter()
            .map(|part| (part.rows, part.share, part.k))
            .collect();
        assert_eq!(shares, [(2, 0.75, 2), (1, 0.25, 1)]);
    }

    #[test]
    fn a_blend_that_is_blended_again_keeps_its_parts_and_no_row_comes_twice() {
        let plain = format(1, 1, Vec::new());
        let part = |share| IndexPart {
            rows: 1,
            share,
            k: 1,
            cells: None,
            reach: None,
        };
        let blend = format(2, 1, vec![part(0.5), part(0.5)]);
        let (plain_rows, blend_rows) = ([7; 4], [7, 7, 7, 7, 9, 9, 9, 9]);
        let voices = [
            voice(&plain, &plain_rows, 0.5),
            voice(&blend, &blend_rows, 0.5),
        ];
        let (found, rows) = combine(&voices).expect("an index");
        assert_eq!(rows, blend_rows);
        assert_eq!(found.parts, [part(0.75), part(0.25)]);
    }

    #[test]
    fn rows_of_two_widths_become_those_of_the_wider_and_keep_their_cells() {
        let half = format(1, 1, Vec::new());
        let single = IndexFormat {
            dtype: IndexElement::F32,
            cells: Some(IndexCells { count: 1, probe: 1 }),
            ..format(1, 1, Vec::new())
        };
        let halves = [0.5_f32, -2.0]
            .map(|x| f16::from_f32(x).to_le_bytes())
            .concat();
        let singles = [1.0_f32, 3.0].map(f32::to_le_bytes).concat();
        let mut file = singles.clone();
        file.extend([0xaa; 12]);
        let voices = [voice(&half, &halves, 0.5), voice(&single, &file, 0.5)];
        let (found, rows) = combine(&voices).expect("an index");
        assert_eq!((found.dtype, found.cells), (IndexElement::F32, None));
        let cells = found.parts.iter().map(|part| part.cells);
        assert_eq!(cells.collect::<Vec<_>>(), [None, single.cells]);
        let mut expected = [0.5_f32, -2.0, 1.0, 3.0].map(f32::to_le_bytes).concat();
        expected.extend([0xaa; 12]);
        assert_eq!(rows, expected);
    }

    #[test]
    fn the_same_rows_that_are_searched_otherwise_are_another_part() {
        let divided = |probe| IndexFormat {
            cells: Some(IndexCells { count: 2, probe }),
            ..format(2, 1, Vec::new())
        };
        let (one, both) = (divided(1), divided(2));
        let file: Vec<u8> = (0..32).collect();
        let found = |second: &IndexFormat, second_file: &[u8]| {
            let voices = [voice(&one, &file, 0.5), voice(second, second_file, 0.5)];
            combine(&voices).expect("an index")
        };
        let (same, bytes) = found(&one, &file);
        assert_eq!((same.parts.len(), bytes.len()), (1, 32));
        assert_eq!(found(&both, &file).0.parts.len(), 2);
        let mut other_centres = file.clone();
        other_centres[9] += 1;
        let (apart, bytes) = found(&one, &other_centres);
        assert_eq!(apart.parts.len(), 2);
        assert_eq!(
            bytes,
            [&file[..8], &file[..8], &file[8..], &other_centres[8..]].concat()
        );
    }

    #[test]
    fn an_index_that_is_shorter_than_it_says_makes_none() {
        let format = format(2, 1, Vec::new());
        assert!(combine(&[voice(&format, &[0; 4], 1.0)]).is_none());
    }

    #[test]
    fn voices_without_an_index_make_a_blend_without_one() {
        assert!(combine(&[]).is_none());
    }
}
