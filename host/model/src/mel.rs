use std::sync::Arc;

use vocalhost_fourier::{RealToComplex, forward};

use super::sections::{F0, MelScale};

/// The log-mel spectrogram that an F0 graph takes: periodic Hann window, magnitude (not power), triangles with Slaney's area norm, natural
/// logarithm above a floor. The definitions are RMVPE's (`librosa.filters.mel(htk=True)`) and FCPE's (Slaney's scale); tests compare it
/// with numbers from other implementations.
pub(super) struct LogMel {
    fft: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    bands: Vec<Band>,
    hop: usize,
    lead: usize,
    power_floor: f32,
    log_floor: f32,
}

/// A triangle of the filter bank: its first bin and its weights.
struct Band {
    first_bin: usize,
    weights: Vec<f32>,
}

impl LogMel {
    pub(super) fn new(format: &F0, sample_rate_hz: u32) -> Self {
        let length = format.n_fft as usize;
        let step = std::f64::consts::TAU / length as f64;
        let window = (0..length)
            .map(|index| (0.5 - 0.5 * (step * index as f64).cos()) as f32)
            .collect();
        Self {
            fft: forward(length),
            window,
            bands: bands(format, f64::from(sample_rate_hz)),
            hop: format.hop as usize,
            lead: format.lead.map_or(length / 2, |lead| lead as usize),
            power_floor: format.power_floor as f32,
            log_floor: format.log_floor as f32,
        }
    }

    /// How many samples before the frame its window begins: half a window when frames are centred.
    pub(super) fn lead(&self) -> usize {
        self.lead
    }

    /// The spectrogram of `frames` frames, band after band (`[bands, frames]`). The window of frame `t` begins
    /// at sample `t * hop` of `samples`.
    pub(super) fn compute(&self, samples: &[f32], frames: usize) -> Vec<f32> {
        let mut mel = vec![0.0; self.bands.len() * frames];
        let mut input = self.fft.make_input_vec();
        let mut spectrum = self.fft.make_output_vec();
        let mut scratch = self.fft.make_scratch_vec();
        let mut magnitudes = vec![0.0_f32; spectrum.len()];
        for frame in 0..frames {
            let piece = &samples[frame * self.hop..][..self.window.len()];
            for ((value, sample), weight) in input.iter_mut().zip(piece).zip(&self.window) {
                *value = sample * weight;
            }
            self.fft
                .process_with_scratch(&mut input, &mut spectrum, &mut scratch)
                .expect("the buffers were made by the same plan");
            for (magnitude, bin) in magnitudes.iter_mut().zip(&spectrum) {
                *magnitude = if self.power_floor > 0.0 {
                    (bin.norm_sqr() + self.power_floor).sqrt()
                } else {
                    bin.norm()
                };
            }
            for (row, band) in self.bands.iter().enumerate() {
                let bins = &magnitudes[band.first_bin..];
                let sum: f32 = bins.iter().zip(&band.weights).map(|(a, b)| a * b).sum();
                mel[row * frames + frame] = sum.max(self.log_floor).ln();
            }
        }
        mel
    }
}

fn bands(format: &F0, sample_rate_hz: f64) -> Vec<Band> {
    let scale = format.mel_scale;
    let (low, high) = (mel(scale, format.fmin_hz), mel(scale, format.fmax_hz));
    let count = format.mels as usize;
    let edge = |index: usize| {
        hz(
            scale,
            low + (high - low) * index as f64 / (count + 1) as f64,
        )
    };
    let bins = format.n_fft as usize / 2 + 1;
    let bin_hz = sample_rate_hz / f64::from(format.n_fft);
    (0..count)
        .map(|band| {
            let (left, centre, right) = (edge(band), edge(band + 1), edge(band + 2));
            let weight = |bin: usize| {
                let at = bin as f64 * bin_hz;
                let slope = ((at - left) / (centre - left)).min((right - at) / (right - centre));
                (slope.max(0.0) * 2.0 / (right - left)) as f32
            };
            let first_bin = ((left / bin_hz).ceil() as usize).min(bins);
            let last_bin = ((right / bin_hz).floor() as usize + 1).min(bins);
            Band {
                first_bin,
                weights: (first_bin..last_bin).map(weight).collect(),
            }
        })
        .collect()
}

/// Where Slaney's scale changes from linear to logarithmic, in hertz and in mels.
const SLANEY_BREAK: (f64, f64) = (1_000.0, 15.0);

/// Mels of a frequency.
fn mel(scale: MelScale, hz: f64) -> f64 {
    match scale {
        MelScale::Htk => 2595.0 * (1.0 + hz / 700.0).log10(),
        MelScale::Slaney if hz < SLANEY_BREAK.0 => hz * 3.0 / 200.0,
        MelScale::Slaney => SLANEY_BREAK.1 + 27.0 * (hz / SLANEY_BREAK.0).ln() / 6.4_f64.ln(),
    }
}

/// The frequency of a number of mels.
fn hz(scale: MelScale, mel: f64) -> f64 {
    match scale {
        MelScale::Htk => 700.0 * (10.0_f64.powf(mel / 2595.0) - 1.0),
        MelScale::Slaney if mel < SLANEY_BREAK.1 => mel * 200.0 / 3.0,
        MelScale::Slaney => SLANEY_BREAK.0 * (6.4_f64.ln() / 27.0 * (mel - SLANEY_BREAK.1)).exp(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;
    use crate::sections::Decode;

    #[test]
    fn the_spectrogram_equals_the_reference_numbers() {
        let format = F0 {
            fmin_hz: 30.0,
            context_s: 0.5,
            decode: Decode::LocalAverage,
            live: None,
            repair: true,
            ..golden::estimator()
        };
        let signal = golden::signal(1_700);
        let reflected: Vec<f32> = (-512_i64..1_696 + 512)
            .map(|place| {
                let place = place.abs();
                signal[place.min(2 * 1_699 - place) as usize]
            })
            .collect();
        let mel = LogMel::new(&format, 16_000);
        assert_eq!(mel.lead(), 512);
        let found = mel.compute(&reflected, 10);
        let bands = golden::numbers("/mel/bands");
        let frames = golden::numbers("/mel/frames");
        for (row, band) in bands.iter().enumerate() {
            let expected = golden::numbers(&format!("/mel/values/{row}"));
            for (frame, expected) in frames.iter().zip(expected) {
                let found = f64::from(found[*band as usize * 10 + *frame as usize]);
                assert!(
                    (found - expected).abs() < 2e-3,
                    "band {band}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn slaneys_scale_equals_librosas() {
        let format = F0 {
            mel_scale: MelScale::Slaney,
            threshold: 0.006,
            context_s: 0.5,
            power_floor: 1e-9,
            lead: Some(432),
            ..golden::estimator()
        };
        let expected = &golden::of_libraries()["fcpe_mel"];
        let frames = expected["frames"].as_u64().expect("a number") as usize;
        let signal = golden::rumbling(8_000);
        let needed = (frames - 1) * 160 + 1_024;
        let reflected: Vec<f32> = (-432..needed as i64 - 432)
            .map(|place| signal[crate::source::reflect(place, 8_000) as usize])
            .collect();
        let mel = LogMel::new(&format, 16_000);
        assert_eq!(mel.lead(), 432);
        let found = mel.compute(&reflected, frames);
        let rows = golden::listed(&expected["rows"]);
        for (row, values) in rows
            .iter()
            .zip(expected["values"].as_array().expect("rows"))
        {
            for (frame, expected) in golden::listed(values).into_iter().enumerate() {
                let found = f64::from(found[*row as usize * frames + 7 * frame]);
                // Next to the floor, the rounding of single precision shows.
                let tolerance = if expected < -8.0 { 1e-2 } else { 1e-3 };
                assert!(
                    (found - expected).abs() < tolerance,
                    "band {row}: {found} {expected}"
                );
            }
        }
    }
}
