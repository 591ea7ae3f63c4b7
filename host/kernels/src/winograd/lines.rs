//! How an image is arranged in lanes: tile by tile, each tile's columns side by side.

/// Results of a tile.
pub(super) const RESULTS: usize = 4;

/// Inputs of a tile; they begin one before its first result.
pub(super) const INPUTS: usize = 6;

/// The axis along which four neighbouring results form a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    /// Over rows: a tile is four rows, a lane one of their columns. The filter's columns are three taps.
    Rows,
    /// Along a line: a tile is four samples at the filter's distance, a lane where the first of them lies.
    Line,
}

impl Axis {
    /// Taps that are left to multiply one by one.
    pub(super) const fn taps(self) -> usize {
        match self {
            Self::Rows => 3,
            Self::Line => 1,
        }
    }
}

/// The lanes of one image.
///
/// Over rows, tiles follow one another with as many lanes of zeros between them as a tap reaches to the side, so that everything left and
/// right of an image is zero. Along a line, the lanes of a tile are its first `dilation` samples.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lines {
    axis: Axis,
    height: usize,
    width: usize,
    dilation: usize,
}

impl Lines {
    /// The lanes of an image of `height` by `width`; a line has the height 1.
    pub(super) fn new(axis: Axis, height: usize, width: usize, dilation: usize) -> Self {
        Self {
            axis,
            height,
            width,
            dilation,
        }
    }

    /// Lanes from the beginning of a tile to that of the next.
    fn tile(&self) -> usize {
        match self.axis {
            Axis::Rows => self.width + self.dilation,
            Axis::Line => self.dilation,
        }
    }

    /// Lanes in all.
    pub(super) fn count(&self) -> usize {
        let tiles = match self.axis {
            Axis::Rows => self.height.div_ceil(RESULTS),
            Axis::Line => self.width.div_ceil(RESULTS * self.dilation),
        };
        tiles * self.tile()
    }

    /// Reads the inputs of every lane's tile, from the lane `first` on, each input into a line of `length` lanes; lines are `apart` from
    /// each other. Lanes may precede the first, and all beyond the image is zero. `channel` holds the image's rows.
    pub(super) fn read(
        &self,
        channel: &[f32],
        first: isize,
        length: usize,
        apart: usize,
        lines: &mut [f32],
    ) {
        match (self.axis, self.dilation) {
            (Axis::Line, 1) => read_lanes(channel, 1, first, length, apart, lines),
            (Axis::Line, step) if step < SHORT_RUN => {
                read_lanes(channel, step, first, length, apart, lines);
            }
            _ => {
                for input in 0..INPUTS {
                    let line = &mut lines[input * apart..][..length];
                    self.read_runs(channel, input as isize - 1, first, line);
                }
            }
        }
    }

    /// Reads one input of each lane, in runs of adjacent samples of the image.
    fn read_runs(&self, channel: &[f32], input: isize, first: isize, line: &mut [f32]) {
        let (tile, results) = (self.tile() as isize, RESULTS as isize);
        let mut done = 0;
        while done < line.len() {
            let lane = first + done as isize;
            let (number, column) = (lane.div_euclid(tile), lane.rem_euclid(tile));
            let run = (tile - column).min((line.len() - done) as isize) as usize;
            let to = &mut line[done..done + run];
            done += run;
            let at = results * number + input;
            let rest = match self.axis {
                Axis::Rows => usize::try_from(at)
                    .ok()
                    .filter(|row| *row < self.height)
                    .and_then(|row| {
                        channel[row * self.width..][..self.width].get(column as usize..)
                    }),
                Axis::Line => usize::try_from(at * tile + column)
                    .ok()
                    .and_then(|from| channel.get(from..)),
            };
            let rest = rest.unwrap_or_default();
            let inside = rest.len().min(run);
            to[..inside].copy_from_slice(&rest[..inside]);
            to[inside..].fill(0.0);
        }
    }

    /// Writes the results of every lane's tile, from the lane `first` on, out of lines that are `apart` from each other, skipping lanes
    /// without a counterpart in the image.
    pub(super) fn write(
        &self,
        channel: &mut [f32],
        first: usize,
        length: usize,
        apart: usize,
        lines: &[f32],
    ) {
        match (self.axis, self.dilation) {
            (Axis::Line, 1) => write_lanes(channel, 1, first, length, apart, lines),
            (Axis::Line, step) if step < SHORT_RUN => {
                write_lanes(channel, step, first, length, apart, lines);
            }
            _ => {
                for result in 0..RESULTS {
                    let line = &lines[result * apart..][..length];
                    self.write_runs(channel, result, first, line);
                }
            }
        }
    }

    fn write_runs(&self, channel: &mut [f32], result: usize, first: usize, line: &[f32]) {
        let tile = self.tile();
        let mut done = 0;
        while done < line.len() {
            let (number, column) = ((first + done) / tile, (first + done) % tile);
            let run = (tile - column).min(line.len() - done);
            let values = &line[done..done + run];
            done += run;
            let at = RESULTS * number + result;
            let places = match self.axis {
                Axis::Rows if at < self.height => {
                    channel[at * self.width..][..self.width].get_mut(column..)
                }
                Axis::Rows => None,
                Axis::Line => channel.get_mut(at * tile + column..),
            };
            let places = places.unwrap_or_default();
            let inside = places.len().min(run);
            places[..inside].copy_from_slice(&values[..inside]);
        }
    }
}

/// The least number of adjacent samples that are copied as a run: below it, copying a run takes longer than copying single samples.
const SHORT_RUN: usize = 8;

/// Reads all inputs of a line, lane by lane.
#[inline]
fn read_lanes(
    channel: &[f32],
    step: usize,
    first: isize,
    length: usize,
    apart: usize,
    lines: &mut [f32],
) {
    let mut lines = lines.chunks_mut(apart).map(|line| &mut line[..length]);
    let mut lines: [&mut [f32]; INPUTS] =
        std::array::from_fn(|_| lines.next().expect("there is a line for each input"));
    let mut column = first.rem_euclid(step as isize) as usize;
    // Where the tile's first input lies.
    let mut from = (first - column as isize) * RESULTS as isize + column as isize - step as isize;
    for lane in 0..length {
        let inside = usize::try_from(from)
            .ok()
            .and_then(|from| channel.get(from..=from + (INPUTS - 1) * step));
        if let Some(inside) = inside {
            for (input, line) in lines.iter_mut().enumerate() {
                line[lane] = inside[input * step];
            }
        } else {
            for (input, line) in lines.iter_mut().enumerate() {
                let at = usize::try_from(from + (input * step) as isize).ok();
                line[lane] = at.and_then(|at| channel.get(at)).copied().unwrap_or(0.0);
            }
        }
        (column, from) = (column + 1, from + 1);
        if column == step {
            column = 0;
            from += ((RESULTS - 1) * step) as isize;
        }
    }
}

/// Writes all results of a line, lane by lane.
#[inline]
fn write_lanes(
    channel: &mut [f32],
    step: usize,
    first: usize,
    length: usize,
    apart: usize,
    lines: &[f32],
) {
    let lines: [&[f32]; RESULTS] = std::array::from_fn(|at| &lines[at * apart..][..length]);
    let mut column = first % step;
    let mut from = (first - column) * RESULTS + column;
    for lane in 0..length {
        if let Some(inside) = channel.get_mut(from..=from + (RESULTS - 1) * step) {
            for (result, line) in lines.iter().enumerate() {
                inside[result * step] = line[lane];
            }
        } else {
            for (result, line) in lines.iter().enumerate() {
                if let Some(place) = channel.get_mut(from + result * step) {
                    *place = line[lane];
                }
            }
        }
        (column, from) = (column + 1, from + 1);
        if column == step {
            column = 0;
            from += (RESULTS - 1) * step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value in a lane, by definition.
    fn expected(lines: &Lines, image: &[f32], input: isize, lane: isize) -> f32 {
        let (height, width, step) = (
            lines.height as isize,
            lines.width as isize,
            lines.dilation as isize,
        );
        let (row, column) = match lines.axis {
            Axis::Rows => {
                let tile = width + step;
                (4 * lane.div_euclid(tile) + input, lane.rem_euclid(tile))
            }
            Axis::Line => (
                0,
                (4 * lane.div_euclid(step) + input) * step + lane.rem_euclid(step),
            ),
        };
        if (0..height).contains(&row) && (0..width).contains(&column) {
            image[(row * width + column) as usize]
        } else {
            0.0
        }
    }

    fn shapes() -> Vec<Lines> {
        let mut shapes = Vec::new();
        for (height, width) in [(1, 1), (4, 5), (7, 3), (9, 40)] {
            for dilation in [1, 2, 5, 9] {
                shapes.push(Lines::new(Axis::Rows, height, width, dilation));
                shapes.push(Lines::new(Axis::Line, 1, height * width, dilation));
            }
        }
        shapes
    }

    #[test]
    fn lanes_hold_what_their_tiles_begin_with_and_zeros_beyond() {
        for lines in shapes() {
            let image: Vec<f32> = (1..=lines.height * lines.width).map(|v| v as f32).collect();
            for first in [-7, -1, 0, 3] {
                let length = lines.count() + 20;
                let mut found = vec![f32::NAN; INPUTS * length];
                lines.read(&image, first, length, length, &mut found);
                for (at, value) in found.iter().enumerate() {
                    let (input, lane) = ((at / length) as isize - 1, (at % length) as isize);
                    let wanted = expected(&lines, &image, input, first + lane);
                    assert_eq!(
                        value.to_bits(),
                        wanted.to_bits(),
                        "{lines:?} {input} {first} {lane}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_is_written_to_all_lanes_is_the_image() {
        for lines in shapes() {
            let image: Vec<f32> = (1..=lines.height * lines.width).map(|v| v as f32).collect();
            let mut written = vec![0.0; image.len()];
            let (apart, half) = (lines.count() + 9, lines.count() / 2);
            let mut read = vec![0.0; INPUTS * apart];
            lines.read(&image, 0, apart, apart, &mut read);
            // The first result lies where the second input does.
            let results = &read[apart..];
            lines.write(&mut written, 0, half, apart, results);
            lines.write(&mut written, half, apart - half, apart, &results[half..]);
            assert_eq!(written, image, "{lines:?}");
        }
    }
}
