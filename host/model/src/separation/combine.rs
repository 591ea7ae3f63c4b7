use std::collections::VecDeque;
use std::sync::Arc;

use vocalhost_fourier::num_complex::Complex32;
use vocalhost_fourier::{ComplexToReal, RealToComplex, forward, inverse};

use super::bag::{Domain, Method};
use super::sections::AnalysisWindow;
use super::window;

/// Length of the transform in which spectra are combined, and the samples between its frames: those of
/// python-audio-separator's ensembles.
const LENGTH: usize = 2_048;
const HOP: usize = LENGTH / 2;

/// The least sum of windows that can be divided by (`librosa.util.tiny` of 32-bit floats).
const LEAST_ENVELOPE: f32 = f32::MIN_POSITIVE;

/// Combines several sounds into one, some samples at a time.
pub(super) struct Combiner {
    method: Method,
    /// Shares of the mean; they add up to one.
    shares: Vec<f32>,
    spectral: Option<Spectral>,
}

impl Combiner {
    /// For as many sounds as there are `weights`, each of `samples` samples.
    pub(super) fn new(method: Method, domain: Domain, weights: &[f64], samples: u64) -> Self {
        let total: f64 = weights.iter().sum();
        // The mean of spectra is the spectrum of the mean.
        let is_spectral = domain == Domain::Spectrum && method != Method::Average;
        Self {
            method,
            shares: weights
                .iter()
                .map(|weight| (weight / total) as f32)
                .collect(),
            spectral: is_spectral.then(|| Spectral::new(weights.len(), samples)),
        }
    }

    /// Takes the next samples of every sound, the same number of each, and returns what is finished.
    pub(super) fn push(&mut self, sounds: &[&[f32]]) -> Vec<f32> {
        if let Some(spectral) = &mut self.spectral {
            return spectral.push(sounds, self.method);
        }
        let length = sounds.first().map_or(0, |sound| sound.len());
        let mut values = vec![0.0; sounds.len()];
        let combined = (0..length).map(|place| {
            for (value, sound) in values.iter_mut().zip(sounds) {
                *value = sound[place];
            }
            match self.method {
                Method::Average => {
                    let shared = values.iter().zip(&self.shares);
                    shared.map(|(value, share)| value * share).sum()
                }
                Method::Median => median(&mut values),
                Method::Min | Method::Max => extreme(&values, self.method, f32::abs),
            }
        });
        combined.collect()
    }
}

/// The median, or the mean of the two middle values. Changes the order.
fn median(values: &mut [f32]) -> f32 {
    values.sort_by(f32::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        0.5 * (values[middle - 1] + values[middle])
    }
}

/// The first value of the least or the greatest size.
fn extreme<T: Copy + Default>(values: &[T], method: Method, size: impl Fn(T) -> f32) -> T {
    let mut found = values.first().copied().unwrap_or_default();
    for value in values.iter().skip(1) {
        let is_better = if method == Method::Max {
            size(*value) > size(found)
        } else {
            size(*value) < size(found)
        };
        if is_better {
            found = *value;
        }
    }
    found
}

/// Combines spectra of overlapping frames, which are those of `librosa.stft` and `librosa.istft`: periodic Hann windows for analysis and
/// synthesis, frames centred on multiples of the hop, silence beyond the ends. Where the length is no multiple of the hop, one frame more
/// than librosa has covers the end: after the middle of the last frame there is next to nothing to divide by, and a combination of several
/// spectra does not fade as a window does.
struct Spectral {
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
    window: Vec<f32>,
    /// Samples of each sound from the start of the next frame on; silence precedes the beginning.
    heard: Vec<VecDeque<f32>>,
    samples: u64,
    received: u64,
    given: u64,
    /// Frames that are done.
    frames: u64,
    /// Contributions of past frames to the samples that the next one covers, too.
    sum: Vec<f32>,
    envelope: Vec<f32>,
}

impl Spectral {
    fn new(sounds: usize, samples: u64) -> Self {
        Self {
            forward: forward(LENGTH),
            inverse: inverse(LENGTH),
            window: window::analysis(AnalysisWindow::HannPeriodic, LENGTH, LENGTH),
            heard: vec![VecDeque::from(vec![0.0; LENGTH / 2]); sounds],
            samples,
            received: 0,
            given: 0,
            frames: 0,
            sum: vec![0.0; HOP],
            envelope: vec![0.0; HOP],
        }
    }

    fn push(&mut self, sounds: &[&[f32]], method: Method) -> Vec<f32> {
        for (heard, sound) in self.heard.iter_mut().zip(sounds) {
            heard.extend(*sound);
        }
        self.received += sounds.first().map_or(0, |sound| sound.len() as u64);
        let is_end = self.received >= self.samples;
        let mut ready = Vec::new();
        while self.frames <= self.samples.div_ceil(HOP as u64) {
            let there = self.heard.first().map_or(0, VecDeque::len);
            if there < LENGTH && !is_end {
                break;
            }
            for heard in &mut self.heard {
                heard.resize(there.max(LENGTH), 0.0);
            }
            self.frame(method, &mut ready);
        }
        ready
    }

    /// Processes one frame and returns the samples before its middle, which no later frame covers.
    fn frame(&mut self, method: Method, ready: &mut Vec<f32>) {
        let mut samples = self.forward.make_input_vec();
        let spectra: Vec<Vec<Complex32>> = self
            .heard
            .iter_mut()
            .map(|heard| {
                let windowed = samples.iter_mut().zip(heard.iter()).zip(&self.window);
                for ((sample, heard), weight) in windowed {
                    *sample = heard * weight;
                }
                heard.drain(..HOP);
                let mut bins = self.forward.make_output_vec();
                self.forward
                    .process(&mut samples, &mut bins)
                    .expect("the buffers were made by the same plan");
                bins
            })
            .collect();
        let mut combined = combine(&spectra, method);
        for end in [0, LENGTH / 2] {
            combined[end].im = 0.0;
        }
        self.inverse
            .process(&mut combined, &mut samples)
            .expect("the buffers were made by the same plan and the ends are real");
        self.sum.resize(LENGTH, 0.0);
        self.envelope.resize(LENGTH, 0.0);
        for (place, (sample, weight)) in samples.iter().zip(&self.window).enumerate() {
            self.sum[place] += sample / LENGTH as f32 * weight;
            self.envelope[place] += weight * weight;
        }
        let is_first = self.frames == 0;
        self.frames += 1;
        if is_first {
            self.sum.drain(..HOP);
            self.envelope.drain(..HOP);
        } else {
            self.give(ready);
        }
    }

    fn give(&mut self, ready: &mut Vec<f32>) {
        let count = HOP.min((self.samples - self.given) as usize);
        self.given += count as u64;
        let sums = self.sum.drain(..count).zip(self.envelope.drain(..count));
        ready.extend(sums.map(|(sum, envelope)| {
            if envelope > LEAST_ENVELOPE {
                sum / envelope
            } else {
                sum
            }
        }));
    }
}

fn combine(spectra: &[Vec<Complex32>], method: Method) -> Vec<Complex32> {
    let bins = spectra.first().map_or(0, Vec::len);
    let mut values = vec![Complex32::ZERO; spectra.len()];
    let mut parts = vec![0.0; spectra.len()];
    let of_bin = |bin: usize| {
        for (value, spectrum) in values.iter_mut().zip(spectra) {
            *value = spectrum[bin];
        }
        if method == Method::Median {
            let mut of = |part: fn(&Complex32) -> f32| {
                for (found, value) in parts.iter_mut().zip(&values) {
                    *found = part(value);
                }
                median(&mut parts)
            };
            return Complex32::new(of(|value| value.re), of(|value| value.im));
        }
        extreme(&values, method, Complex32::norm)
    };
    (0..bins).map(of_bin).collect()
}

#[cfg(test)]
mod tests {
    use vocalhost_testing::sound::noise;

    use super::*;

    fn combined(method: Method, domain: Domain, sounds: &[Vec<f32>], portion: usize) -> Vec<f32> {
        let samples = sounds[0].len();
        let mut combiner = Combiner::new(method, domain, &vec![1.0; sounds.len()], samples as u64);
        let mut all = Vec::new();
        for start in (0..samples).step_by(portion) {
            let end = (start + portion).min(samples);
            let parts: Vec<&[f32]> = sounds.iter().map(|sound| &sound[start..end]).collect();
            all.extend(combiner.push(&parts));
        }
        all
    }

    #[test]
    fn samples_are_averaged_sorted_and_compared_by_size() {
        let sounds = [
            vec![1.0, -3.0, 0.5],
            vec![-2.0, 1.0, 0.0],
            vec![4.0, 2.0, -4.5],
        ];
        let of = |method| combined(method, Domain::Wave, &sounds, 2);
        for (found, expected) in [
            (of(Method::Average), [1.0, 0.0, -4.0 / 3.0]),
            (of(Method::Median), [1.0, 1.0, 0.0]),
            (of(Method::Min), [1.0, 1.0, 0.0]),
            (of(Method::Max), [4.0, -3.0, -4.5]),
        ] {
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-6, "{found} {expected}");
            }
        }
    }

    #[test]
    fn spectra_of_equal_sounds_give_that_sound_whatever_its_length() {
        for samples in [1, 1_000, 1_023, 1_024, 1_025, 2_047, 2_048, 5_000, 10_240] {
            let sound = noise(samples as u32, samples);
            let sounds = [sound.clone(), sound.clone(), sound.clone()];
            for method in [Method::Median, Method::Min, Method::Max] {
                for portion in [samples, 700] {
                    let found = combined(method, Domain::Spectrum, &sounds, portion);
                    assert_eq!(found.len(), samples, "{method:?} {portion}");
                    for (found, sample) in found.iter().zip(&sound) {
                        assert!((found - sample).abs() < 1e-4, "{found} {sample}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_end_is_no_louder_than_what_goes_in() {
        for samples in [5_000, 5_119, 5_121, 6_143] {
            let sounds = [noise(1, samples), noise(2, samples)];
            for method in [Method::Median, Method::Min, Method::Max] {
                let found = combined(method, Domain::Spectrum, &sounds, 700);
                let largest = found
                    .iter()
                    .fold(0.0, |most: f32, sample| most.max(sample.abs()));
                assert!(largest < 1.5, "{method:?} {samples}: {largest}");
            }
        }
    }

    #[test]
    fn of_two_spectra_the_stronger_bins_are_kept() {
        let tone = |period: f32| -> Vec<f32> {
            (0..20_480)
                .map(|n| (n as f32 / period * std::f32::consts::TAU).sin())
                .collect()
        };
        let (low, high) = (tone(64.0), tone(8.0));
        let found = combined(
            Method::Max,
            Domain::Spectrum,
            &[low.clone(), high.clone()],
            999,
        );
        let both = low[4_096..].iter().zip(&high[4_096..]);
        for (found, (low, high)) in found[4_096..16_384].iter().zip(both) {
            assert!((found - low - high).abs() < 1e-3, "{found} {low} {high}");
        }
        let silent = combined(Method::Min, Domain::Spectrum, &[low, high], 999);
        assert!(
            silent[4_096..16_384]
                .iter()
                .all(|sample| sample.abs() < 1e-3)
        );
    }
}
