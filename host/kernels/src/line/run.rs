use super::super::lanes::read_lanes;
use super::super::sigmoid::sigmoid;
use super::super::task::{Task, run};
use super::super::tile::tile;
use super::super::vector::{VECTORS, Vector, copy_panel};
use super::filter::Filter;

/// Applies a filter along a line, with zeros around it; the result has the same length. Both are channel by sample.
///
/// # Panics
/// When a line has another number of samples.
pub(super) fn convolve(filter: &Filter, line: &[f32], result: &mut [f32]) {
    let samples = line.len() / filter.inputs.max(1);
    assert_eq!(line.len(), filter.inputs * samples, "the line is whole");
    assert_eq!(
        result.len(),
        filter.results * samples,
        "the result is whole"
    );
    if result.is_empty() {
        return;
    }
    let panel = VECTORS * filter.instructions.floats();
    let floats = (filter.lines() + filter.instructions.outputs()) * panel;
    let task = Along {
        filter,
        line,
        samples,
        result,
    };
    run(filter.instructions, floats, task);
}

/// A filter that runs along a line.
struct Along<'a> {
    filter: &'a Filter,
    line: &'a [f32],
    samples: usize,
    result: &'a mut [f32],
}

impl Task for Along<'_> {
    /// Runs the filter panel by panel.
    #[inline(always)]
    fn run<V: Vector, const BLOCK: usize>(self, working: &mut [f32]) {
        let panel = VECTORS * V::FLOATS;
        let (lines, in_block) = (self.filter.lines(), self.filter.results_of(BLOCK));
        let (columns, sums) = working.split_at_mut(lines * panel);
        for first in (0..self.samples).step_by(panel) {
            let length = (self.samples - first).min(panel);
            let line = (self.line, self.samples);
            read_lanes::<V>(line, &self.filter.distances, first, columns);
            let blocks = self.filter.values.chunks_exact(lines * BLOCK);
            let results = self.result.chunks_mut(in_block * self.samples);
            for (factors, results) in blocks.zip(results) {
                tile::<V, BLOCK>(factors, columns, sums, panel);
                let (values, gates) = sums.split_at_mut(in_block * panel);
                for (value, gate) in values.iter_mut().zip(gates) {
                    *value *= sigmoid(*gate);
                }
                let rows = results.chunks_exact_mut(self.samples);
                for (row, sums) in rows.zip(values.chunks_exact(panel)) {
                    if length == panel {
                        copy_panel::<V>(sums, &mut row[first..]);
                    } else {
                        row[first..][..length].copy_from_slice(&sums[..length]);
                    }
                }
            }
        }
    }
}
