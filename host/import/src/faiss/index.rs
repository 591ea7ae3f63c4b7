//! The vectors of an index, as voices have them.

use std::io::Write;

/// The vectors of an index.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Index {
    pub(super) dim: usize,
    /// Row after row, those of the first cell first.
    pub(super) rows: Vec<u8>,
    pub(super) cells: Option<Cells>,
    /// What it was in FAISS besides, in sentences.
    pub(super) was: Vec<String>,
}

/// How the vectors are divided.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cells {
    /// The centres, row after row.
    pub(super) centres: Vec<u8>,
    /// How many vectors each has.
    pub(super) counts: Vec<u32>,
    /// How many cells a search looks into.
    pub(super) probe: u64,
}

impl Index {
    /// Keeps every n-th vector of each cell, beginning with the first, so that at most `most` are left; gives n. The vectors of a
    /// voice lie so close together that their neighbours stand in for them.
    pub(super) fn thin(&mut self, most: usize) -> usize {
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
    pub(super) fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
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
