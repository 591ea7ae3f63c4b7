use std::ops::Range;

use super::{Nearest, dot, floats, half_norms};
use crate::model::sections::IndexCells;

/// Cells that rows are divided into. Only those whose centres are nearest to a query are searched, as FAISS does.
pub(super) struct Cells {
    dim: usize,
    probe: usize,
    centres: Vec<f32>,
    half_norms: Vec<f32>,
    /// The rows of each cell.
    rows: Vec<Range<usize>>,
}

impl Cells {
    /// Reads what follows the rows of an index file: the centres, then the number of rows in each cell. `None` when it is no
    /// division of so many rows.
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

    /// The rows of the cells nearest to a query.
    pub(super) fn near(&self, query: &[f32]) -> impl Iterator<Item = Range<usize>> {
        let mut best = Nearest::new(self.probe);
        for (number, centre) in self.centres.chunks_exact(self.dim).enumerate() {
            best.offer(self.half_norms[number] - dot(centre, query), number);
        }
        best.found
            .into_iter()
            .map(|(_, number)| self.rows[number].clone())
    }
}
