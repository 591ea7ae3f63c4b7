use std::ops::Range;

use super::{dot, floats, half_norms};
use crate::sections::IndexCells;

/// The cells that rows are divided into. Only those whose centres are nearest to a query are searched, as FAISS does.
pub(super) struct Cells {
    dim: usize,
    probe: usize,
    centres: Vec<f32>,
    half_norms: Vec<f32>,
    /// The rows of each cell.
    rows: Vec<Range<usize>>,
}

impl Cells {
    /// Reads what follows the rows of an index file: the centres, then the number of rows in each cell. `None` when the numbers do not add
    /// up to all rows.
    pub(super) fn read(bytes: &[u8], cells: IndexCells, all: u64, dim: usize) -> Option<Self> {
        let count = cells.count as usize;
        let (centres, sizes) = bytes.split_at_checked(count * dim * 4)?;
        let centres = floats(centres);
        let mut end = 0_usize;
        let mut rows = Vec::with_capacity(count);
        for size in sizes.chunks_exact(4).take(count) {
            let size = u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize;
            let start = end;
            end = end.checked_add(size)?;
            rows.push(start..end);
        }
        let whole = rows.len() == count && end as u64 == all;
        if !whole || centres.iter().any(|value| !value.is_finite()) {
            return None;
        }
        Some(Self {
            dim,
            probe: cells.probe as usize,
            half_norms: half_norms(&centres, dim),
            centres,
            rows,
        })
    }

    /// Whether every query searches all cells, so that the division does not matter.
    pub(super) fn are_all_near(&self) -> bool {
        self.probe >= self.rows.len()
    }

    /// The rows of the cells nearest to a query, cell after cell.
    pub(super) fn near(&self, query: &[f32]) -> impl Iterator<Item = Range<usize>> {
        let centres = self.centres.chunks_exact(self.dim).zip(&self.half_norms);
        let distances: Vec<f32> = centres
            .map(|(centre, half_norm)| half_norm - dot(centre, query))
            .collect();
        // Of equally near cells, the first ones count.
        let mut ranks: Vec<(f32, usize)> = distances.iter().copied().zip(0..).collect();
        let order = |a: &(f32, usize), b: &(f32, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        let last = self.probe.min(ranks.len()).saturating_sub(1);
        let (_, last, _) = ranks.select_nth_unstable_by(last, order);
        let last = *last;
        let cells = distances.into_iter().zip(0..).zip(&self.rows);
        cells
            .filter(move |(rank, _)| order(rank, &last).is_le())
            .map(|(_, rows)| rows.clone())
    }
}
