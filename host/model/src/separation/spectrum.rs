use std::ops::Range;

use vocalhost_fourier::num_complex::Complex32;

/// Frames and bins of a tile that is turned over at once when a spectrogram goes into a tensor or comes out of one, so that
/// both sides stay in the cache whichever of their axes is the fast one.
const TILE: usize = 16;

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

impl Spectrum {
    pub(super) fn zero(frames: usize, bins: usize) -> Self {
        Self {
            frames,
            bins,
            values: vec![Complex32::ZERO; frames * bins],
        }
    }

    /// Writes `part` of every value into a plane of a tensor.
    pub(super) fn write(&self, tensor: &mut [f32], plane: Plane, part: impl Fn(Complex32) -> f32) {
        each_row((self.frames, self.bins), plane, |row, first| {
            let places = tensor[first..].iter_mut().step_by(plane.bin_stride.max(1));
            for (place, value) in places.zip(&self.values[row]) {
                *place = part(*value);
            }
        });
    }

    /// Changes every value by what lies at its place in a plane of a tensor.
    pub(super) fn read(
        &mut self,
        tensor: &[f32],
        plane: Plane,
        change: impl Fn(&mut Complex32, f32),
    ) {
        each_row((self.frames, self.bins), plane, |row, first| {
            let places = tensor[first..].iter().step_by(plane.bin_stride.max(1));
            for (value, place) in self.values[row].iter_mut().zip(places) {
                change(value, *place);
            }
        });
    }
}

/// Visits the rows of all tiles: the values of some bins of a frame, and the place of the first of them in the tensor.
fn each_row(
    (frames, bins): (usize, usize),
    plane: Plane,
    mut visit: impl FnMut(Range<usize>, usize),
) {
    for first_frame in (0..frames).step_by(TILE) {
        for bin in (0..bins).step_by(TILE) {
            let end = (bin + TILE).min(bins);
            for frame in first_frame..(first_frame + TILE).min(frames) {
                let place = plane.first + frame * plane.frame_stride + bin * plane.bin_stride;
                visit(frame * bins + bin..frame * bins + end, place);
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
        }
    }
}
