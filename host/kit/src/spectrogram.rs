use std::sync::Arc;

use vocalhost_fourier::num_complex::Complex;
use vocalhost_fourier::{RealToComplex, forward};

use super::levels::{FLOOR_DB, decibels};
use vocalhost_audio::Block;

/// Approximate length of a window in seconds: long enough to separate the harmonics of a low voice, short enough to
/// separate its syllables.
const WINDOW_S: f64 = 0.042;
/// How many windows a column averages, if the recording is long enough.
const WINDOWS_PER_COLUMN: u64 = 4;

/// How loud a recording is at each moment and frequency: `columns` moments by `rows` frequencies, evenly spaced in mel.
///
/// Values are in dB relative to a sine of full scale, the mean power of all channels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spectrogram {
    columns: usize,
    rows: usize,
    decibels: Vec<f32>,
}

impl Spectrogram {
    /// The value at a column, counted from the beginning, and a row, counted from 0 Hz upwards; none after the end.
    #[must_use]
    pub(crate) fn at(&self, column: usize, row: usize) -> Option<f32> {
        let value = self.decibels[column * self.rows + row];
        value.is_finite().then_some(value)
    }

    /// Moments.
    #[must_use]
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Frequencies.
    #[must_use]
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The loudest value.
    #[must_use]
    pub(crate) fn loudest_db(&self) -> f64 {
        let finite = self.decibels.iter().filter(|value| value.is_finite());
        finite.fold(FLOOR_DB, |loudest, value| loudest.max(f64::from(*value)))
    }
}

/// Makes a spectrogram from blocks, in memory that does not grow with the recording.
pub(crate) struct SpectrogramMaker {
    fft: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    /// For each row the bins that it covers, as positions between bins.
    bands: Vec<(f64, f64)>,
    /// Sound from `next_start` on, channel by channel.
    pending: Vec<Vec<f32>>,
    hop: usize,
    axis_frames: u64,
    windows: u64,
    frames: u64,
    columns: usize,
    powers: Vec<f64>,
    counts: Vec<u32>,
}

impl SpectrogramMaker {
    /// A picture of `columns` by `rows` over `axis_frames` frames.
    #[must_use]
    pub(crate) fn new(
        channels: usize,
        sample_rate_hz: u32,
        axis_frames: u64,
        (columns, rows): (usize, usize),
    ) -> Self {
        let length = ((WINDOW_S * f64::from(sample_rate_hz)) as usize).next_power_of_two();
        let wanted = axis_frames / (columns as u64 * WINDOWS_PER_COLUMN);
        Self {
            fft: forward(length),
            window: hann(length),
            bands: mel_bands(rows, f64::from(sample_rate_hz), length),
            // Windows are centred: the first one begins half its length before the recording.
            pending: vec![vec![0.0; length / 2]; channels],
            hop: wanted.clamp(1, length as u64 / 2) as usize,
            axis_frames: axis_frames.max(1),
            windows: 0,
            frames: 0,
            columns,
            powers: vec![0.0; columns * rows],
            counts: vec![0; columns],
        }
    }

    /// Takes the next piece of the recording in.
    pub(crate) fn add(&mut self, block: &Block) {
        for (channel, pending) in self.pending.iter_mut().enumerate() {
            pending.extend_from_slice(block.channel(channel));
        }
        self.frames += block.frames() as u64;
        self.transform_pending();
    }

    /// The picture of all that was added.
    #[must_use]
    pub(crate) fn finish(mut self) -> Spectrogram {
        let half = self.window.len() / 2;
        for pending in &mut self.pending {
            pending.extend(std::iter::repeat_n(0.0, half));
        }
        self.transform_pending();
        let rows = self.bands.len();
        let mut values = vec![f32::NAN; self.columns * rows];
        let end = self.frames * self.columns as u64 / self.axis_frames;
        let mut last = None;
        for column in 0..self.columns.min(end as usize + 1) {
            // A recording shorter than the picture is wide has columns without a window of their own.
            if self.counts[column] > 0 {
                last = Some(column);
            }
            let Some(source) = last else { continue };
            let count = f64::from(self.counts[source]);
            for row in 0..rows {
                let power = self.powers[source * rows + row] / count;
                values[column * rows + row] = decibels(power.sqrt()) as f32;
            }
        }
        Spectrogram {
            columns: self.columns,
            rows,
            decibels: values,
        }
    }

    fn transform_pending(&mut self) {
        let length = self.window.len();
        let mut start = 0;
        let mut windowed = self.fft.make_input_vec();
        let mut spectrum = self.fft.make_output_vec();
        while self.pending[0].len() >= start + length {
            let centre = self.windows * self.hop as u64;
            let column = (centre * self.columns as u64 / self.axis_frames) as usize;
            if column < self.columns {
                for channel in 0..self.pending.len() {
                    let sound = &self.pending[channel][start..start + length];
                    for ((value, sample), weight) in
                        windowed.iter_mut().zip(sound).zip(&self.window)
                    {
                        *value = sample * weight;
                    }
                    self.fft
                        .process(&mut windowed, &mut spectrum)
                        .expect("the buffers have the lengths of the plan");
                    self.gather(column, &spectrum);
                }
                self.counts[column] += self.pending.len() as u32;
            }
            self.windows += 1;
            start += self.hop;
        }
        for pending in &mut self.pending {
            pending.drain(..start.min(pending.len()));
        }
    }

    fn gather(&mut self, column: usize, spectrum: &[Complex<f32>]) {
        // A sine of full scale comes out at half the sum of the window.
        let scale = 2.0 / self.window.iter().sum::<f32>();
        let power = |bin: usize| f64::from((spectrum[bin] * scale).norm_sqr());
        let rows = self.bands.len();
        for (row, (low, high)) in self.bands.iter().enumerate() {
            let value = if high - low < 1.0 {
                let position = 0.5 * (low + high);
                let bin = (position as usize).min(spectrum.len() - 2);
                let share = position - bin as f64;
                (1.0 - share) * power(bin) + share * power(bin + 1)
            } else {
                let bins = low.ceil() as usize..=(high.floor() as usize).min(spectrum.len() - 1);
                let count = bins.clone().count().max(1);
                bins.map(power).sum::<f64>() / count as f64
            };
            self.powers[column * rows + row] += value;
        }
    }
}

/// Mel of a frequency: 2595 log10(1 + f/700) (D. O'Shaughnessy, *Speech Communication*, 1987).
#[must_use]
pub(crate) fn mel(frequency_hz: f64) -> f64 {
    2_595.0 * (1.0 + frequency_hz / 700.0).log10()
}

fn hertz(mel: f64) -> f64 {
    700.0 * (10.0_f64.powf(mel / 2_595.0) - 1.0)
}

/// The bins between which each row lies.
fn mel_bands(rows: usize, sample_rate_hz: f64, length: usize) -> Vec<(f64, f64)> {
    let top = mel(sample_rate_hz / 2.0);
    let bin = |row: usize| hertz(top * row as f64 / rows as f64) * length as f64 / sample_rate_hz;
    (0..rows).map(|row| (bin(row), bin(row + 1))).collect()
}

/// The periodic Hann window.
fn hann(length: usize) -> Vec<f32> {
    let turn = std::f64::consts::TAU / length as f64;
    (0..length)
        .map(|frame| (0.5 - 0.5 * (turn * frame as f64).cos()) as f32)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE_HZ: u32 = 48_000;

    fn picture_of(frequency_hz: f32, frames: usize, axis_frames: u64) -> Spectrogram {
        let turn = std::f32::consts::TAU * frequency_hz / RATE_HZ as f32;
        let mut maker = SpectrogramMaker::new(2, RATE_HZ, axis_frames, (50, 100));
        for first in (0..frames).step_by(1_000) {
            let one: Vec<f32> = (first..frames.min(first + 1_000))
                .map(|frame| 0.1 * (turn * frame as f32).sin())
                .collect();
            maker.add(&Block::from_planar(2, [one.clone(), one].concat()));
        }
        maker.finish()
    }

    #[test]
    fn a_sine_is_a_line_at_its_frequency_and_level() {
        let picture = picture_of(3_000.0, 48_000, 48_000);
        let row = (100.0 * mel(3_000.0) / mel(24_000.0)) as usize;
        let value = picture.at(25, row).expect("inside");
        // A row holds the mean of the bins that it covers, so a line that is narrower is fainter.
        assert!((-30.0..-19.0).contains(&value), "{value}");
        for other in (0..100_usize).filter(|other| other.abs_diff(row) > 4) {
            assert!(
                picture.at(25, other).expect("inside") < -80.0,
                "row {other}"
            );
        }
        assert!((picture.loudest_db() + 24.5).abs() < 5.5);
    }

    #[test]
    fn behind_the_end_there_is_nothing() {
        let picture = picture_of(440.0, 24_000, 48_000);
        assert!(picture.at(20, 5).is_some());
        assert!(picture.at(30, 5).is_none());
    }

    #[test]
    fn a_recording_shorter_than_the_picture_fills_it() {
        let picture = picture_of(440.0, 20, 20);
        assert!((0..50).all(|column| picture.at(column, 5).is_some()));
    }
}
