use std::convert::Infallible;
use std::ops::Range;
use std::sync::Arc;

use vocalhost_fourier::num_complex::Complex32;
use vocalhost_fourier::{ComplexToReal, RealToComplex, forward, inverse};

use super::sections::{Padding, StftFormat};
use super::spectrum::{Spectrum, TILE};
use super::window;
use crate::source::reflect;

/// The least sum of windows that can be divided by.
const LEAST_ENVELOPE: f32 = 1e-8;

/// The short-time Fourier transform of a piece and its inverse.
///
/// The forward transform is that of `torch.stft` with the settings of the same names. The inverse multiplies by the window once more, adds
/// the frames up and divides by the sum of the squared windows (`torch.istft`), which makes it exact wherever frames overlap enough; or it
/// multiplies by a constant if the manifest gives one.
pub(super) struct Stft {
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
    window: Vec<f32>,
    pad: Padding,
    hop: usize,
    first_sample: i64,
    /// Samples of silence after a piece.
    silence: i64,
    frames: usize,
    bins: usize,
    forward_scale: f32,
    /// For each sample of the piece.
    inverse_scale: Vec<f32>,
}

/// Reusable buffers of one transform.
pub(super) struct Workspace {
    samples: Vec<f32>,
    bins: Vec<Complex32>,
    scratch: Vec<Complex32>,
    /// Frames that were read together.
    tile: Spectrum,
    /// The sound of a whole piece.
    sum: Vec<f32>,
}

impl Stft {
    /// A transform for pieces of `samples` samples.
    pub(super) fn new(format: &StftFormat, samples: usize) -> Self {
        let length = format.n_fft as usize;
        let window = window::analysis(
            format.window,
            format.win.map_or(length, |win| win as usize),
            length,
        );
        let root = if format.normalized {
            (length as f32).sqrt()
        } else {
            1.0
        };
        let mut stft = Self {
            forward: forward(length),
            inverse: inverse(length),
            window,
            pad: format.pad,
            hop: format.hop as usize,
            first_sample: format.first_sample(),
            silence: i64::from(format.silence_behind),
            frames: format.frames_of(samples),
            bins: format.bins(),
            forward_scale: 1.0 / root,
            inverse_scale: Vec::new(),
        };
        // The FFT library's inverse does not divide by the length.
        let scale = root / length as f32;
        stft.inverse_scale = match format.inverse_scale {
            Some(factor) => vec![scale * factor as f32; samples],
            None => stft.inverse_envelope(samples, format.frame_offset as usize, scale),
        };
        stft
    }

    /// Buffers for this transform.
    pub(super) fn workspace(&self) -> Workspace {
        let scratch = self
            .forward
            .get_scratch_len()
            .max(self.inverse.get_scratch_len());
        Workspace {
            samples: self.forward.make_input_vec(),
            bins: self.forward.make_output_vec(),
            scratch: vec![Complex32::ZERO; scratch],
            tile: Spectrum::zero(TILE.min(self.frames), self.bins),
            sum: Vec::new(),
        }
    }

    /// The spectrogram of a piece.
    pub(super) fn analyse(&self, piece: &[f32], work: &mut Workspace) -> Spectrum {
        let mut values = Vec::with_capacity(self.frames * self.bins);
        for frame in 0..self.frames {
            self.frame_of(piece, frame, &mut work.samples);
            for (sample, weight) in work.samples.iter_mut().zip(&self.window) {
                *sample *= weight;
            }
            self.forward
                .process_with_scratch(&mut work.samples, &mut work.bins, &mut work.scratch)
                .expect("the buffers were made by the same plan");
            let counting = work.bins[..self.bins].iter();
            values.extend(counting.map(|bin| bin * self.forward_scale));
        }
        Spectrum {
            frames: self.frames,
            bins: self.bins,
            values,
        }
    }

    /// Adds the sound of a spectrogram to `piece`. Bins beyond those that count are silent.
    ///
    /// `read` fills a spectrogram with the given range of a few frames, which are thus still in the cache when they become sound, and no
    /// whole spectrogram is stored. It finds what it left there the last time.
    pub(super) fn synthesise<E>(
        &self,
        mut read: impl FnMut(Range<usize>, &mut Spectrum) -> Result<(), E>,
        work: &mut Workspace,
        piece: &mut [f32],
    ) -> Result<(), E> {
        let Workspace {
            samples,
            bins,
            scratch,
            tile,
            sum,
        } = work;
        sum.clear();
        sum.resize(piece.len(), 0.0);
        for first in (0..self.frames).step_by(TILE) {
            let frames = first..(first + TILE).min(self.frames);
            tile.cut(frames.len());
            read(frames.clone(), tile)?;
            for (frame, row) in frames.zip(tile.values.chunks_exact(self.bins)) {
                bins[self.bins..].fill(Complex32::ZERO);
                bins[..self.bins].copy_from_slice(row);
                // For a real signal both ends of the spectrum are real; a model need not respect that.
                for end in [0, bins.len() - 1] {
                    bins[end].im = 0.0;
                }
                self.inverse
                    .process_with_scratch(bins, samples, scratch)
                    .expect("the buffers were made by the same plan and the ends are real");
                let (inside, skipped) = self.inside(frame, piece.len());
                let weighted = samples[skipped..].iter().zip(&self.window[skipped..]);
                for (sum, (sample, weight)) in sum[inside].iter_mut().zip(weighted) {
                    *sum += sample * weight;
                }
            }
        }
        for ((sample, sum), scale) in piece.iter_mut().zip(&*sum).zip(&self.inverse_scale) {
            *sample += sum * scale;
        }
        Ok(())
    }

    /// Adds the sound of a stored spectrogram.
    pub(super) fn synthesise_all(
        &self,
        spectrum: &Spectrum,
        work: &mut Workspace,
        piece: &mut [f32],
    ) {
        let read = |frames: Range<usize>, tile: &mut Spectrum| -> Result<(), Infallible> {
            tile.values.copy_from_slice(spectrum.of_frames(frames));
            Ok(())
        };
        let Ok(()) = self.synthesise(read, work, piece);
    }

    /// The samples of the piece that a frame covers, and how many samples of the frame precede them.
    fn inside(&self, frame: usize, samples: usize) -> (Range<usize>, usize) {
        let start = self.first_sample + (frame * self.hop) as i64;
        let end = (start + self.window.len() as i64).clamp(0, samples as i64);
        let from = start.clamp(0, end);
        (
            from as usize..end as usize,
            ((from - start) as usize).min(self.window.len()),
        )
    }

    fn frame_of(&self, piece: &[f32], frame: usize, samples: &mut [f32]) {
        let start = self.first_sample + (frame * self.hop) as i64;
        let end = start + samples.len() as i64;
        if start >= 0 && end <= piece.len() as i64 {
            samples.copy_from_slice(&piece[start as usize..end as usize]);
            return;
        }
        let heard = piece.len() as i64 + self.silence;
        for (sample, place) in samples.iter_mut().zip(start..end) {
            let place = match self.pad {
                Padding::Reflect => reflect(place, heard),
                Padding::Zeros | Padding::None => place,
            };
            let place = usize::try_from(place).ok();
            let inside = place.and_then(|place| piece.get(place));
            *sample = inside.copied().unwrap_or_default();
        }
    }

    /// `scale` over the sum of the squared windows. The frames that the manifest leaves out at the beginning count, and as many at the end:
    /// they exist, but are silent.
    fn inverse_envelope(&self, samples: usize, left_out: usize, scale: f32) -> Vec<f32> {
        let mut envelope = vec![0.0_f32; samples];
        let left_out = left_out as i64;
        for frame in -left_out..self.frames as i64 + left_out {
            let start = self.first_sample + frame * self.hop as i64;
            for (offset, weight) in (0_i64..).zip(&self.window) {
                let place = usize::try_from(start + offset).ok();
                if let Some(sum) = place.and_then(|place| envelope.get_mut(place)) {
                    *sum += weight * weight;
                }
            }
        }
        for sum in &mut envelope {
            *sum = if *sum > LEAST_ENVELOPE {
                scale / *sum
            } else {
                0.0
            };
        }
        envelope
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use vocalhost_testing::sound::noise;

    use super::super::sections::AnalysisWindow;
    use super::*;

    fn format(n_fft: u32, hop: u32) -> StftFormat {
        StftFormat {
            n_fft,
            hop,
            win: None,
            window: AnalysisWindow::HannPeriodic,
            center: true,
            pad: Padding::Reflect,
            extra_pad_left: 0,
            silence_behind: 0,
            normalized: false,
            keep_bins: None,
            zero_low_bins: 0,
            frames: None,
            frame_offset: 0,
            inverse_scale: None,
            output: crate::separation::SpectralOutput::Spectrum,
        }
    }

    /// The definition of `torch.stft`, term by term.
    fn by_definition(format: &StftFormat, piece: &[f32], frame: usize, bin: usize) -> [f64; 2] {
        let length = i64::from(format.n_fft);
        let centred = if format.center { length / 2 } else { 0 };
        let start = (frame as i64 + i64::from(format.frame_offset)) * i64::from(format.hop)
            - i64::from(format.extra_pad_left)
            - centred;
        let mut sum = [0.0, 0.0];
        for index in 0..length {
            let mut place = start + index;
            let last = piece.len() as i64 - 1;
            if place < 0 {
                place = -place;
            }
            if place > last {
                place = 2 * last - place;
            }
            let window = 0.5 - 0.5 * (TAU * index as f64 / length as f64).cos();
            let value = f64::from(piece[place as usize]) * window;
            let angle = TAU * bin as f64 * index as f64 / length as f64;
            sum[0] += value * angle.cos();
            sum[1] -= value * angle.sin();
        }
        let scale = if format.normalized {
            (length as f64).sqrt()
        } else {
            1.0
        };
        sum.map(|part| part / scale)
    }

    /// The transform that Demucs works with, on a shorter piece.
    fn demucs(samples: usize) -> StftFormat {
        let hop = 64;
        StftFormat {
            normalized: true,
            keep_bins: Some(128),
            extra_pad_left: 96,
            frame_offset: 2,
            frames: Some((samples as u32).div_ceil(hop)),
            ..format(256, hop)
        }
    }

    #[test]
    fn spectra_are_those_of_the_definition() {
        let piece = noise(1, 1_000);
        for format in [format(256, 64), format(60, 21), demucs(1_000)] {
            let stft = Stft::new(&format, piece.len());
            let spectrum = stft.analyse(&piece, &mut stft.workspace());
            assert_eq!(spectrum.frames, format.frames_of(piece.len()));
            for frame in [0, 1, spectrum.frames / 2, spectrum.frames - 1] {
                for bin in [0, 1, 17, spectrum.bins - 1] {
                    let found = spectrum.values[frame * spectrum.bins + bin];
                    let [re, im] = by_definition(&format, &piece, frame, bin);
                    let error = (f64::from(found.re) - re).hypot(f64::from(found.im) - im);
                    assert!(error < 1e-4, "frame {frame}, bin {bin}: {error}");
                }
            }
        }
    }

    #[test]
    fn what_was_taken_apart_comes_together_again() {
        let piece = noise(1, 5_000);
        let short_window = StftFormat {
            win: Some(400),
            ..format(512, 100)
        };
        // Sizes of MDX-Net's models are not powers of two.
        for format in [
            format(512, 128),
            format(768, 128),
            format(240, 60),
            short_window,
        ] {
            let stft = Stft::new(&format, piece.len());
            let mut work = stft.workspace();
            let spectrum = stft.analyse(&piece, &mut work);
            let mut back = vec![0.0; piece.len()];
            stft.synthesise_all(&spectrum, &mut work, &mut back);
            // After the last frame's centre, a part of a hop is not covered.
            let covered = piece.len() / format.hop as usize * format.hop as usize;
            for (place, (back, sample)) in back.iter().zip(&piece).take(covered).enumerate() {
                assert!((back - sample).abs() < 1e-5, "{place}: {back} {sample}");
            }
        }
    }

    #[test]
    fn the_transform_of_demucs_gives_a_piece_back_but_for_its_highest_bin() {
        let samples = 1_024;
        let piece: Vec<f32> = (0..samples).map(|n| (n as f32 * 0.07).sin()).collect();
        let stft = Stft::new(&demucs(samples), samples);
        let mut work = stft.workspace();
        let spectrum = stft.analyse(&piece, &mut work);
        let mut back = vec![0.0; samples];
        stft.synthesise_all(&spectrum, &mut work, &mut back);
        // Frames are left out at both ends whose windows reach into the piece.
        for (back, sample) in back.iter().zip(&piece).skip(160).take(samples - 320) {
            assert!((back - sample).abs() < 1e-3, "{back} {sample}");
        }
    }

    #[test]
    fn a_constant_in_place_of_the_windows_sum_is_kept_to() {
        let piece = noise(1, 4_096);
        let format = StftFormat {
            center: false,
            pad: Padding::None,
            // Hann squared, with four overlapping frames, adds up to one and a half.
            inverse_scale: Some(2.0 / 3.0),
            ..format(512, 128)
        };
        let stft = Stft::new(&format, piece.len());
        let mut work = stft.workspace();
        let spectrum = stft.analyse(&piece, &mut work);
        assert_eq!(spectrum.frames, 29);
        let mut back = vec![0.0; piece.len()];
        stft.synthesise_all(&spectrum, &mut work, &mut back);
        for (back, sample) in back.iter().zip(&piece).skip(512).take(3_000) {
            assert!((back - sample).abs() < 1e-5, "{back} {sample}");
        }
    }

    #[test]
    fn silence_behind_a_piece_is_heard_and_cut_off_again() {
        let piece = noise(1, 1_000);
        let format = StftFormat {
            window: AnalysisWindow::Rect,
            normalized: true,
            silence_behind: 88,
            ..format(256, 64)
        };
        let stft = Stft::new(&format, piece.len());
        let mut work = stft.workspace();
        let spectrum = stft.analyse(&piece, &mut work);
        assert_eq!(spectrum.frames, 18);
        let filled = [&piece[..], &[0.0; 88]].concat();
        let plain = StftFormat {
            silence_behind: 0,
            ..format
        };
        let whole = Stft::new(&plain, filled.len()).analyse(&filled, &mut work);
        assert_eq!(spectrum.values, whole.values);
        // The lowest bin without a window is the sum, over the root of the length.
        let first: f32 = piece[..129].iter().chain(&piece[1..128]).sum();
        let found = spectrum.values[0].re;
        assert!((found - first / 16.0).abs() < 1e-4, "{found}");
        let mut back = vec![0.0; piece.len()];
        stft.synthesise_all(&spectrum, &mut work, &mut back);
        for (place, (back, sample)) in back.iter().zip(&piece).enumerate() {
            assert!((back - sample).abs() < 1e-5, "{place}: {back} {sample}");
        }
    }
}
