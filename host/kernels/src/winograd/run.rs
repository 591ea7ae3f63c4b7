//! The products and the sums around them.

use super::super::sigmoid::sigmoid;
use super::super::task::{Task, run};
use super::super::vector::{VECTORS, Vector};
use super::filter::Filter;
use super::lines::{Axis, INPUTS, Lines, RESULTS};
use super::operator::After;

/// The most bytes processed at a time, which should stay in the second level of cache; processors have 1 to 2 MiB of it per core.
const GROUP_BYTES: usize = 1 << 20;

/// The least number of panels processed at a time, whatever their size: a filter's values are read once for all of them.
const MIN_PANELS: usize = 4;
const MAX_PANELS: usize = 16;

/// An image with as many channels as a filter has inputs, or outputs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) height: usize,
    pub(super) width: usize,
}

impl Size {
    /// Samples of a channel.
    pub(super) fn samples(self) -> usize {
        self.height * self.width
    }
}

/// Applies a filter to an image, with zeros around it, giving an image of the same size with as many channels as the filter has results.
/// Both are channel by row by column.
///
/// # Panics
/// When an image has another number of samples.
pub(super) fn convolve(filter: &Filter, image: &[f32], size: Size, result: &mut [f32]) {
    assert_eq!(
        image.len(),
        filter.inputs * size.samples(),
        "the image is whole"
    );
    assert_eq!(
        result.len(),
        filter.results() * size.samples(),
        "the result is whole"
    );
    if size.samples() == 0 {
        return;
    }
    let channel = size.samples();
    match filter.axis {
        Axis::Rows => over(filter, image, channel, size, result),
        // Each row is a line of its own.
        Axis::Line => {
            let line = Size { height: 1, ..size };
            for row in 0..size.height {
                let at = row * size.width;
                over(filter, &image[at..], channel, line, &mut result[at..]);
            }
        }
    }
}

fn over(filter: &Filter, image: &[f32], channel: usize, size: Size, result: &mut [f32]) {
    let lines = Lines::new(filter.axis, size.height, size.width, filter.dilation);
    let room = Room::new(filter, lines.count());
    let floats = room.floats();
    let task = Over {
        filter,
        image,
        channel,
        size,
        lines,
        room,
        result,
    };
    run(filter.instructions, floats, task);
}

/// A filter that runs over an image, or over one row of it.
struct Over<'a> {
    filter: &'a Filter,
    image: &'a [f32],
    /// Samples between the starts of channels, in the image and in the result.
    channel: usize,
    size: Size,
    lines: Lines,
    room: Room,
    result: &'a mut [f32],
}

/// Lines that are read or written at a time: of inputs, or of results and their gates.
const LINES: usize = 2 * RESULTS;
const _: () = assert!(LINES >= INPUTS, "there is a line for each input");

/// The layout of the working memory.
#[derive(Debug, Clone, Copy)]
struct Room {
    /// Lanes of a panel's results.
    panel: usize,
    /// Lanes of a panel's inputs: taps reach beyond it on both sides.
    row: usize,
    /// Lanes on one side.
    reach: usize,
    /// Panels in a group.
    panels: usize,
    /// Floats of a panel's transformed inputs: product by input by lane.
    inputs: usize,
    /// Floats of a panel's products: product by output by lane.
    products: usize,
    /// Lanes of a line that is read or written.
    line: usize,
}

impl Room {
    fn new(filter: &Filter, lanes: usize) -> Self {
        let floats = filter.instructions.floats();
        let panel = VECTORS * floats;
        let reach = match filter.axis {
            Axis::Rows => filter.dilation,
            Axis::Line => 0,
        };
        let row = (panel + 2 * reach).next_multiple_of(floats);
        let inputs = INPUTS * filter.inputs * row;
        let products = INPUTS * filter.blocks() * filter.instructions.outputs() * panel;
        let fitting = GROUP_BYTES / (size_of::<f32>() * (inputs + products));
        let panels = fitting
            .clamp(MIN_PANELS, MAX_PANELS)
            .min(lanes.div_ceil(panel));
        Self {
            panel,
            row,
            reach,
            panels,
            inputs,
            products,
            line: (panels - 1) * panel + row,
        }
    }

    fn floats(&self) -> usize {
        self.panels * (self.inputs + self.products) + LINES * self.line
    }
}

impl Task for Over<'_> {
    /// Runs the filter group by group of panels.
    #[inline(always)]
    fn run<V: Vector, const BLOCK: usize>(mut self, working: &mut [f32]) {
        let lanes = self.lines.count();
        let room = self.room;
        let (inputs, rest) = working.split_at_mut(room.panels * room.inputs);
        let (products, lines) = rest.split_at_mut(room.panels * room.products);
        for first in (0..lanes).step_by(room.panels * room.panel) {
            let panels = room.panels.min((lanes - first).div_ceil(room.panel));
            self.transform::<V>(&room, first, panels, lines, inputs);
            let last = (lanes - first - (panels - 1) * room.panel).div_ceil(V::FLOATS);
            self.multiply::<V, BLOCK>(&room, panels, last, inputs, products);
            self.write::<V>(&room, first, panels, products, lines);
        }
    }
}

impl Over<'_> {
    /// `B^T d` of Lavin and Gray for F(4, 3), of every input's lanes.
    #[inline(always)]
    fn transform<V: Vector>(
        &self,
        room: &Room,
        first: usize,
        panels: usize,
        lines: &mut [f32],
        inputs: &mut [f32],
    ) {
        let from = first as isize - room.reach as isize;
        let length = (panels - 1) * room.panel + room.row;
        let product = self.filter.inputs * room.row;
        for input in 0..self.filter.inputs {
            let channel = &self.image[input * self.channel..][..self.size.samples()];
            self.lines.read(channel, from, length, room.line, lines);
            for panel in 0..panels {
                for lane in (0..room.row).step_by(V::FLOATS) {
                    let from = panel * room.panel + lane;
                    let to = panel * room.inputs + input * room.row + lane;
                    assert!(from + (INPUTS - 1) * room.line + V::FLOATS <= lines.len());
                    assert!(to + (INPUTS - 1) * product + V::FLOATS <= inputs.len());
                    // SAFETY: the last register that is read and the last that is written lie inside, as was just seen.
                    #[allow(unsafe_code, reason = "vector instructions have no safe access")]
                    unsafe {
                        let from = lines.as_ptr().add(from);
                        let to = inputs.as_mut_ptr().add(to);
                        let (two, four, five) = (V::splat(2.0), V::splat(4.0), V::splat(5.0));
                        let a = V::load(from);
                        let b = V::load(from.add(room.line));
                        let c = V::load(from.add(2 * room.line));
                        let d = V::load(from.add(3 * room.line));
                        let e = V::load(from.add(4 * room.line));
                        let f = V::load(from.add(5 * room.line));
                        let (even, odd) = (e.minus_product(four, c), d.minus_product(four, b));
                        let (inner, outer) = (e.minus(c), d.minus(b));
                        let low = e.minus_product(five, c).plus_product(four, a);
                        let high = f.minus_product(five, d).plus_product(four, b);
                        low.store(to);
                        even.plus(odd).store(to.add(product));
                        even.minus(odd).store(to.add(2 * product));
                        inner.plus_product(two, outer).store(to.add(3 * product));
                        inner.minus_product(two, outer).store(to.add(4 * product));
                        high.store(to.add(5 * product));
                    }
                }
            }
        }
    }

    /// Multiplies the transformed inputs of every panel by the transformed filter, and sums over inputs and taps. In the last panel only
    /// `last` registers are needed; those after them are left unchanged.
    #[inline(always)]
    fn multiply<V: Vector, const BLOCK: usize>(
        &self,
        room: &Room,
        panels: usize,
        last: usize,
        inputs: &[f32],
        products: &mut [f32],
    ) {
        let (blocks, taps) = (self.filter.blocks(), self.filter.axis.taps());
        let length = self.filter.inputs * taps * BLOCK;
        for product in 0..INPUTS {
            for block in 0..blocks {
                let at = product * blocks + block;
                let filter = &self.filter.values[at * length..][..length];
                for panel in 0..panels {
                    let rows = self.filter.inputs * room.row;
                    let inputs = &inputs[panel * room.inputs + product * rows..][..rows];
                    let to = panel * room.products + at * BLOCK * room.panel;
                    let to = &mut products[to..][..BLOCK * room.panel];
                    match last {
                        1 if panel + 1 == panels => {
                            self.sum::<V, BLOCK, 1>(room, filter, inputs, to);
                        }
                        2 if panel + 1 == panels => {
                            self.sum::<V, BLOCK, 2>(room, filter, inputs, to);
                        }
                        _ => self.sum::<V, BLOCK, VECTORS>(room, filter, inputs, to),
                    }
                }
            }
        }
    }

    /// The sums of a panel's first `WIDTH` registers for a block of outputs, all in registers.
    #[allow(
        clippy::needless_range_loop,
        reason = "sums that are iterated over are written to memory after each product, which takes twice as long"
    )]
    #[inline(always)]
    fn sum<V: Vector, const BLOCK: usize, const WIDTH: usize>(
        &self,
        room: &Room,
        filter: &[f32],
        inputs: &[f32],
        to: &mut [f32],
    ) {
        let (count, taps, dilation) = (
            self.filter.inputs,
            self.filter.axis.taps(),
            self.filter.dilation,
        );
        assert_eq!(filter.len(), count * taps * BLOCK);
        assert_eq!(inputs.len(), count * room.row);
        assert_eq!(to.len(), BLOCK * VECTORS * V::FLOATS);
        assert!(WIDTH <= VECTORS && (taps - 1) * dilation + WIDTH * V::FLOATS <= room.row);
        // SAFETY: there are `count` rows of inputs, in each of which the last tap's registers lie, and for each of those and each tap
        // a block of the filter; the sums lie in `to`. All of that was just seen.
        #[allow(unsafe_code, reason = "vector instructions have no safe access")]
        unsafe {
            let mut sums = [[V::splat(0.0); WIDTH]; BLOCK];
            let mut filter = filter.as_ptr();
            let mut row = inputs.as_ptr();
            for _ in 0..count {
                for tap in 0..taps {
                    let from = row.add(tap * dilation);
                    let mut values = [V::splat(0.0); WIDTH];
                    for vector in 0..WIDTH {
                        values[vector] = V::load(from.add(vector * V::FLOATS));
                    }
                    for output in 0..BLOCK {
                        let weight = V::splat(*filter.add(output));
                        for vector in 0..WIDTH {
                            sums[output][vector] =
                                sums[output][vector].plus_product(weight, values[vector]);
                        }
                    }
                    filter = filter.add(BLOCK);
                }
                row = row.add(room.row);
            }
            let to = to.as_mut_ptr();
            for output in 0..BLOCK {
                for vector in 0..WIDTH {
                    sums[output][vector].store(to.add((output * VECTORS + vector) * V::FLOATS));
                }
            }
        }
    }

    /// Writes the results of a group of panels.
    #[inline(always)]
    fn write<V: Vector>(
        &mut self,
        room: &Room,
        first: usize,
        panels: usize,
        products: &[f32],
        lines: &mut [f32],
    ) {
        let length = (panels * room.panel).min(self.lines.count() - first);
        let results = self.filter.results();
        let (values, gates) = lines.split_at_mut(RESULTS * room.line);
        for result in 0..results {
            self.add_up::<V>(room, result, panels, products, values);
            if self.filter.after == After::Gate {
                self.add_up::<V>(room, results + result, panels, products, gates);
                for (value, gate) in values.iter_mut().zip(&*gates) {
                    *value *= sigmoid(*gate);
                }
            }
            let channel = &mut self.result[result * self.channel..][..self.size.samples()];
            self.lines.write(channel, first, length, room.line, values);
        }
    }

    /// `A^T m` of Lavin and Gray for F(4, 3), of an output's lanes, with the bias.
    #[inline(always)]
    fn add_up<V: Vector>(
        &self,
        room: &Room,
        output: usize,
        panels: usize,
        products: &[f32],
        lines: &mut [f32],
    ) {
        let product = room.products / INPUTS;
        let least = match self.filter.after {
            After::Rectifier => 0.0,
            After::Nothing | After::Gate => f32::NEG_INFINITY,
        };
        let bias = self.filter.bias[output];
        for panel in 0..panels {
            for lane in (0..room.panel).step_by(V::FLOATS) {
                let from = panel * room.products + output * room.panel + lane;
                let to = panel * room.panel + lane;
                assert!(from + (INPUTS - 1) * product + V::FLOATS <= products.len());
                assert!(to + (RESULTS - 1) * room.line + V::FLOATS <= lines.len());
                // SAFETY: the last register that is read and the last that is written lie inside, as was just seen.
                #[allow(unsafe_code, reason = "vector instructions have no safe access")]
                unsafe {
                    let from = products.as_ptr().add(from);
                    let to = lines.as_mut_ptr().add(to);
                    let (two, four, eight) = (V::splat(2.0), V::splat(4.0), V::splat(8.0));
                    let (bias, least) = (V::splat(bias), V::splat(least));
                    let a = V::load(from);
                    let b = V::load(from.add(product));
                    let c = V::load(from.add(2 * product));
                    let d = V::load(from.add(3 * product));
                    let e = V::load(from.add(4 * product));
                    let f = V::load(from.add(5 * product));
                    let (even, odd) = (b.plus(c).plus(bias), b.minus(c).plus(bias));
                    let (inner, outer) = (d.plus(e), d.minus(e));
                    let first = a.plus(even).plus(inner);
                    let last = f.plus(odd.plus_product(eight, outer));
                    first.at_least(least).store(to);
                    let second = odd.plus_product(two, outer);
                    second.at_least(least).store(to.add(room.line));
                    let third = even.plus_product(four, inner);
                    third.at_least(least).store(to.add(2 * room.line));
                    last.at_least(least).store(to.add(3 * room.line));
                }
            }
        }
    }
}
