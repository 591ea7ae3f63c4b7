use std::ops::Range;

use vocalhost_fourier::num_complex::Complex32;

/// Frames and bins of a tile that is transposed at once when a spectrogram is copied to or from a tensor, so that both sides stay in the
/// cache, whichever of their axes varies fastest.
pub(super) const TILE: usize = 16;

/// Frames and bins of a piece of a tile that is transposed in registers, where the tensor's frames are adjacent: as many bins as fit into a
/// cache line.
const PIECE_FRAMES: usize = 4;
const PIECE_BINS: usize = 8;

/// The spectrogram of one channel, frame after frame (`[frames, bins]`).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spectrum {
    pub(super) frames: usize,
    pub(super) bins: usize,
    pub(super) values: Vec<Complex32>,
}

/// Where a channel's plane of bins and frames lies in a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Plane {
    pub(super) first: usize,
    pub(super) bin_stride: usize,
    pub(super) frame_stride: usize,
}

impl Plane {
    /// The plane after its first `frames` frames.
    pub(super) fn behind(self, frames: usize) -> Self {
        Self {
            first: self.place(frames, 0),
            ..self
        }
    }

    fn place(self, frame: usize, bin: usize) -> usize {
        self.first + frame * self.frame_stride + bin * self.bin_stride
    }
}

impl Spectrum {
    pub(super) fn zero(frames: usize, bins: usize) -> Self {
        Self {
            frames,
            bins,
            values: vec![Complex32::ZERO; frames * bins],
        }
    }

    /// The values of some frames.
    pub(super) fn of_frames(&self, frames: Range<usize>) -> &[Complex32] {
        &self.values[frames.start * self.bins..frames.end * self.bins]
    }

    /// Shortens it to so many frames; at its creation it had no fewer.
    pub(super) fn cut(&mut self, frames: usize) {
        self.frames = frames;
        self.values.resize(frames * self.bins, Complex32::ZERO);
    }

    /// Writes `part` of every value into a plane of a tensor.
    pub(super) fn write(&self, tensor: &mut [f32], plane: Plane, part: impl Fn(Complex32) -> f32) {
        let shape = (self.frames, self.bins);
        let turn_over = |frame: usize, bin: usize| {
            let mut rows = [[Complex32::ZERO; PIECE_BINS]; PIECE_FRAMES];
            for (at, row) in rows.iter_mut().enumerate() {
                *row = *piece(&self.values, (frame + at) * self.bins + bin);
            }
            for at in 0..PIECE_BINS {
                let mut column = [0.0; PIECE_FRAMES];
                for (value, row) in column.iter_mut().zip(&rows) {
                    *value = part(row[at]);
                }
                let place = plane.place(frame, bin + at);
                tensor[place..][..PIECE_FRAMES].copy_from_slice(&column);
            }
        };
        let rest = match plane.frame_stride {
            1 => each_piece(shape, turn_over),
            _ => [(0..self.frames, 0..self.bins), (0..0, 0..0)],
        };
        for rest in rest {
            each_row(self.bins, rest, plane, |row, first| {
                let places = tensor[first..].iter_mut().step_by(plane.bin_stride.max(1));
                for (place, value) in places.zip(&self.values[row]) {
                    *place = part(*value);
                }
            });
        }
    }

    /// Updates every value from the one at its position in a plane of a tensor.
    pub(super) fn read(
        &mut self,
        tensor: &[f32],
        plane: Plane,
        change: impl Fn(&mut Complex32, f32),
    ) {
        self.read_rows((0..self.frames, 0..self.bins), tensor, plane, change);
    }

    fn read_rows(
        &mut self,
        ranges: (Range<usize>, Range<usize>),
        tensor: &[f32],
        plane: Plane,
        change: impl Fn(&mut Complex32, f32),
    ) {
        each_row(self.bins, ranges, plane, |row, first| {
            let places = tensor[first..].iter().step_by(plane.bin_stride.max(1));
            for (value, place) in self.values[row].iter_mut().zip(places) {
                change(value, *place);
            }
        });
    }

    /// Reads the real and the imaginary part of every value from planes of tensors.
    pub(super) fn read_both(&mut self, real: (&[f32], Plane), imaginary: (&[f32], Plane)) {
        let (bins, values) = (self.bins, &mut self.values);
        let turn_over = |frame: usize, bin: usize| {
            let mut columns = [[[0.0; PIECE_FRAMES]; PIECE_BINS]; 2];
            for (columns, (tensor, plane)) in columns.iter_mut().zip([real, imaginary]) {
                for (at, column) in columns.iter_mut().enumerate() {
                    *column = *piece(tensor, plane.place(frame, bin + at));
                }
            }
            let [real, imaginary] = columns;
            for at in 0..PIECE_FRAMES {
                let mut row = [Complex32::ZERO; PIECE_BINS];
                for (value, (real, imaginary)) in row.iter_mut().zip(real.iter().zip(&imaginary)) {
                    *value = Complex32::new(real[at], imaginary[at]);
                }
                values[(frame + at) * bins + bin..][..PIECE_BINS].copy_from_slice(&row);
            }
        };
        let rest = match (real.1.frame_stride, imaginary.1.frame_stride) {
            (1, 1) => each_piece((self.frames, bins), turn_over),
            _ => [(0..self.frames, 0..bins), (0..0, 0..0)],
        };
        for rest in rest {
            self.read_rows(rest.clone(), real.0, real.1, |value, read| value.re = read);
            self.read_rows(rest, imaginary.0, imaginary.1, |value, read| {
                value.im = read;
            });
        }
    }
}

fn piece<T, const LENGTH: usize>(values: &[T], place: usize) -> &[T; LENGTH] {
    let piece = values[place..].first_chunk();
    piece.expect("it is inside")
}

/// Visits the first frame and bin of all pieces, and returns the remaining ranges of frames and bins.
fn each_piece(
    (frames, bins): (usize, usize),
    mut visit: impl FnMut(usize, usize),
) -> [(Range<usize>, Range<usize>); 2] {
    let whole_frames = frames - frames % PIECE_FRAMES;
    let whole_bins = bins - bins % PIECE_BINS;
    for first in (0..whole_frames).step_by(TILE) {
        for bin in (0..whole_bins).step_by(PIECE_BINS) {
            for frame in (first..(first + TILE).min(whole_frames)).step_by(PIECE_FRAMES) {
                visit(frame, bin);
            }
        }
    }
    [
        (0..whole_frames, whole_bins..bins),
        (whole_frames..frames, 0..bins),
    ]
}

/// Visits the rows of all tiles: the values of some bins of a frame, and the position of the first of them in the tensor.
fn each_row(
    row_bins: usize,
    (frames, bins): (Range<usize>, Range<usize>),
    plane: Plane,
    mut visit: impl FnMut(Range<usize>, usize),
) {
    for first_frame in frames.clone().step_by(TILE) {
        for bin in bins.clone().step_by(TILE) {
            let end = (bin + TILE).min(bins.end);
            for frame in first_frame..(first_frame + TILE).min(frames.end) {
                let row = frame * row_bins;
                visit(row + bin..row + end, plane.place(frame, bin));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_comes_out_of_a_tensor_as_it_went_in() {
        let (frames, bins) = (37, 11);
        let mut spectrum = Spectrum::zero(frames, bins);
        for (index, value) in spectrum.values.iter_mut().enumerate() {
            *value = Complex32::new(index as f32, -(index as f32));
        }
        for plane in [
            Plane {
                first: 3,
                bin_stride: 37,
                frame_stride: 1,
            },
            Plane {
                first: 1,
                bin_stride: 2,
                frame_stride: 22,
            },
        ] {
            let mut tensor = vec![f32::NAN; 3 + 2 * frames * bins];
            spectrum.write(&mut tensor, plane, |value| value.re);
            let place = plane.first + 5 * plane.bin_stride + 20 * plane.frame_stride;
            assert!((tensor[place] - spectrum.values[20 * bins + 5].re).abs() < f32::EPSILON);
            let mut back = Spectrum::zero(frames, bins);
            back.read(&tensor, plane, |value, read| {
                *value += Complex32::new(read, -read);
            });
            assert_eq!(back, spectrum);
            let mut imaginary = tensor.clone();
            spectrum.write(&mut imaginary, plane, |value| value.im);
            let mut back = Spectrum::zero(frames, bins);
            back.read_both((&tensor, plane), (&imaginary, plane));
            assert_eq!(back, spectrum);
        }
    }
}
