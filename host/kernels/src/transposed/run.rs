use super::super::lanes::read_lanes;
use super::super::task::{Task, run};
use super::super::tile::tile;
use super::super::vector::{VECTORS, Vector};
use super::filter::Filter;

/// An image with as many channels as a filter has inputs. The filter runs over its rows; a line has the width 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) height: usize,
    pub(super) width: usize,
    /// Rows of the result that are cut off at its beginning.
    pub(super) begin: usize,
    /// Rows of the result.
    pub(super) results: usize,
}

/// Applies a filter to an image. Both are channel by row by column.
///
/// # Panics
/// When an image has another number of samples.
pub(super) fn convolve(filter: &Filter, image: &[f32], size: Size, result: &mut [f32]) {
    let samples = size.height * size.width;
    assert_eq!(image.len(), filter.inputs * samples, "the image is whole");
    let results = filter.outputs * size.results * size.width;
    assert_eq!(result.len(), results, "the result is whole");
    if image.is_empty() || result.is_empty() {
        return;
    }
    let panel = VECTORS * filter.instructions.floats();
    let floats = (filter.lines() + filter.instructions.outputs()) * panel;
    let task = Over {
        filter,
        image,
        size,
        result,
    };
    run(filter.instructions, floats, task);
}

/// A filter that runs over an image.
struct Over<'a> {
    filter: &'a Filter,
    image: &'a [f32],
    size: Size,
    result: &'a mut [f32],
}

impl Task for Over<'_> {
    /// Runs the filter panel by panel. The lanes are the image's samples, row by row, and one row more: each gives the results between the
    /// previous sample and its own.
    #[inline(always)]
    fn run<V: Vector, const BLOCK: usize>(mut self, working: &mut [f32]) {
        let panel = VECTORS * V::FLOATS;
        let lines = self.filter.lines();
        let (columns, sums) = working.split_at_mut(lines * panel);
        let samples = self.size.height * self.size.width;
        let lanes = samples + self.size.width;
        for first in (0..lanes).step_by(panel) {
            let length = (lanes - first).min(panel);
            let late = [-(self.size.width as isize), 0];
            read_lanes::<V>((self.image, samples), &late, first, columns);
            let blocks = self.filter.values.chunks_exact(lines * BLOCK);
            for (block, factors) in blocks.enumerate() {
                tile::<V, BLOCK>(factors, columns, sums, panel);
                let rows = block * BLOCK..self.filter.rows().min((block + 1) * BLOCK);
                for (row, sums) in rows.zip(sums.chunks_exact(panel)) {
                    self.write(row, first, &sums[..length]);
                }
            }
        }
    }
}

impl Over<'_> {
    /// Writes the results of a filter's row for the lanes from `first` on, without those that are cut off.
    #[inline(always)]
    fn write(&mut self, row: usize, first: usize, sums: &[f32]) {
        let (width, stride) = (self.size.width, self.filter.stride);
        let (output, offset) = (row / stride, row % stride);
        let length = self.size.results * width;
        let channel = &mut self.result[output * length..][..length];
        let row_of = |lane: usize| (lane / width * stride + offset).checked_sub(self.size.begin);
        if width == 1 {
            let outside = (0..sums.len()).take_while(|lane| row_of(first + lane).is_none());
            let outside = outside.count();
            let places = row_of(first + outside).and_then(|row| channel.get_mut(row..));
            let places = places.unwrap_or_default().iter_mut().step_by(stride);
            let pairs = places.zip(&sums[outside..]);
            pairs.for_each(|(place, sum)| *place = *sum);
            return;
        }
        let mut done = 0;
        while done < sums.len() {
            let column = (first + done) % width;
            let run = (width - column).min(sums.len() - done);
            let row = row_of(first + done);
            let places = row.and_then(|row| channel.get_mut(row * width + column..));
            let places = places.unwrap_or_default();
            let inside = places.len().min(run);
            places[..inside].copy_from_slice(&sums[done..][..inside]);
            done += run;
        }
    }
}
