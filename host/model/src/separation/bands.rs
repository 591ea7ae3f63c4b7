//! Spectra composed of several bands, each transformed at its own sample rate, as UVR's VR models take them.

use std::ops::Range;

use serde::Deserialize;

use super::polyphase::Polyphase;
use super::sections::{AnalysisWindow, Padding, SpectralOutput, StftFormat};
use super::spectrum::Spectrum;
use super::stft::Stft;

/// Number of channels.
const CHANNELS: usize = 2;

/// The bands of a spectrum, from the lowest on.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BandsFormat {
    /// Bins that the graph takes; those above the bands are silent. As many as the bands have when left out.
    #[serde(default)]
    pub bins: Option<u32>,
    /// Where the whole spectrum is faded out before it goes into the graph: the bin after the last of full gain, and the bin after the
    /// first of gain 0.
    #[serde(default)]
    pub fade: Option<[u32; 2]>,
    /// How it is faded out.
    #[serde(default)]
    pub fade_slope: Slope,
    /// The bands. The last one has the rate of the recording, and no band has a higher rate than the next.
    pub band: Vec<Band>,
}

/// One band.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// Samples per second. The sound of a band is that of the next one, resampled to this rate.
    pub sample_rate_hz: u32,
    /// Length of the transform.
    pub n_fft: u32,
    /// Samples between frames. The hop has the same duration in all bands.
    pub hop: u32,
    /// Bins that the graph takes: the first, and the one after the last.
    pub crop: [u32; 2],
    /// Where the result fades in: the bin before the first of full gain, and the last bin of gain 0.
    #[serde(default)]
    pub high_pass: Option<[u32; 2]>,
    /// Where the result fades out: the bin after the last of full gain, and the bin after the first of gain 0.
    #[serde(default)]
    pub low_pass: Option<[u32; 2]>,
    /// What its two channels are.
    #[serde(default)]
    pub stereo: Stereo,
}

/// How a spectrum is faded out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Slope {
    /// By the same amount at each bin.
    #[default]
    Linear,
    /// As in models of several bands before version 5.1 of UVR's VR (`combine_spectrograms` in `spec_utils.py`): steeper from bin to bin;
    /// after the fade the gain is 1 again.
    Decibels,
}

/// What two channels are, of left (L) and right (R).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stereo {
    /// L and R.
    #[default]
    LeftRight,
    /// `(L + R) / 2` and `L - R`; UVR's `mid_side`.
    MidSide,
    /// `R + L / 2` and `L - R / 2`; UVR's `mid_side_b2`.
    HalfSides,
    /// `(L + R / 4) / 0.9375` and `(R + L / 4) / 0.9375`; UVR's `stereo_n`.
    Crossfeed,
}

impl Stereo {
    /// The shares of left and right in each channel, and of each channel in left and right.
    fn matrices(self) -> [[[f32; CHANNELS]; CHANNELS]; 2] {
        match self {
            Self::LeftRight => [[[1.0, 0.0], [0.0, 1.0]]; 2],
            Self::MidSide => [[[0.5, 0.5], [1.0, -1.0]], [[1.0, 0.5], [1.0, -0.5]]],
            Self::HalfSides => [[[0.5, 1.0], [1.0, -0.5]], [[0.4, 0.8], [0.8, -0.4]]],
            Self::Crossfeed => [
                [[1.0 / 0.9375, 0.25 / 0.9375], [0.25 / 0.9375, 1.0 / 0.9375]],
                [[1.0, -0.25], [-0.25, 1.0]],
            ],
        }
    }
}

impl Band {
    /// Number of its bins that the graph takes.
    #[must_use]
    pub fn bins(&self) -> usize {
        (self.crop[1].saturating_sub(self.crop[0])) as usize
    }

    /// Its transform, for pieces of so many frames.
    pub(super) fn stft(&self, frames: usize) -> StftFormat {
        StftFormat {
            n_fft: self.n_fft,
            hop: self.hop,
            win: None,
            window: AnalysisWindow::HannPeriodic,
            center: true,
            pad: Padding::Zeros,
            extra_pad_left: 0,
            silence_behind: 0,
            normalized: false,
            keep_bins: None,
            zero_low_bins: 0,
            frames: u32::try_from(frames).ok(),
            frame_offset: 0,
            inverse_scale: None,
            output: SpectralOutput::Mask,
        }
    }
}

impl BandsFormat {
    /// Number of bins that the graph takes.
    #[must_use]
    pub fn bins(&self) -> usize {
        self.bins.map_or(self.bins_of_bands(), |bins| bins as usize)
    }

    /// Bins of all bands together.
    pub(super) fn bins_of_bands(&self) -> usize {
        self.band.iter().map(Band::bins).sum()
    }

    /// Frames of a piece of so many samples.
    #[must_use]
    pub(super) fn frames_of(&self, samples: usize) -> usize {
        let hop = self.band.last().map_or(1, |band| band.hop.max(1));
        samples / hop as usize
    }

    /// The factor on each bin before it goes into the graph.
    fn faded(&self) -> Vec<f32> {
        let mut gains = vec![1.0; self.bins()];
        let Some([first, none]) = self.fade.map(|ends| ends.map(|bin| bin as usize)) else {
            return gains;
        };
        match self.fade_slope {
            Slope::Linear => low_pass(&mut gains, [first, none]),
            Slope::Decibels => {
                let mut before = 1.0_f32;
                for (bin, gain) in gains.iter_mut().enumerate().take(none).skip(first + 1) {
                    let decibels = -((bin - first) as f32) * (3.5 - before);
                    before = 10_f32.powf(decibels / 20.0);
                    *gain = before;
                }
            }
        }
        gains
    }
}

/// Fades out from the bin before `start` on, which has its full gain, to the one before `stop` (`fft_lp_filter` in UVR's `spec_utils.py`).
fn low_pass(gains: &mut [f32], [start, stop]: [usize; 2]) {
    let length = stop.saturating_sub(start).max(1) as f32;
    for (bin, gain) in gains.iter_mut().enumerate().skip(start) {
        let down = (bin + 1 - start) as f32;
        *gain *= (1.0 - down / length).max(0.0);
    }
}

/// Fades in from bin `stop` on, which has nothing, to the one behind `start` (`fft_hp_filter` in UVR's `spec_utils.py`).
fn high_pass(gains: &mut [f32], [start, stop]: [usize; 2]) {
    let length = (start + 1 - stop) as f32;
    for (bin, gain) in gains.iter_mut().enumerate().take(start + 1) {
        *gain *= bin.saturating_sub(stop) as f32 / length;
    }
}

/// The transforms of all bands for pieces of one length, and their inverse.
pub(super) struct Bands {
    transforms: Vec<Transform>,
    /// The factor on each bin before it goes into the graph.
    faded: Vec<f32>,
    frames: usize,
    bins: usize,
}

struct Transform {
    stft: Stft,
    /// Its bins that the graph takes.
    crop: Range<usize>,
    /// The factor on each of them in the result.
    gains: Vec<f32>,
    /// The matrices to the channels and back.
    stereo: [[[f32; CHANNELS]; CHANNELS]; 2],
    /// From the rate of the next band to its own, and back; none where they are equal.
    rates: Option<[Polyphase; 2]>,
    samples: usize,
}

impl Bands {
    /// The transforms of a manifest that has been checked, for pieces of `samples` samples.
    pub(super) fn new(format: &BandsFormat, samples: usize) -> Self {
        let frames = format.frames_of(samples);
        let above = format.band.iter().skip(1).map(Some).chain([None]);
        let transform = |(band, above): (&Band, Option<&Band>)| {
            let crop = band.crop.map(|bin| bin as usize);
            let mut gains = vec![1.0; band.n_fft as usize / 2 + 1];
            let ends = |ends: [u32; 2]| ends.map(|bin| bin as usize);
            if let Some(pass) = band.high_pass {
                high_pass(&mut gains, ends(pass));
            }
            if let Some(pass) = band.low_pass {
                low_pass(&mut gains, ends(pass));
            }
            let samples = frames * band.hop as usize;
            let rates = above.map(|above| [above.sample_rate_hz, band.sample_rate_hz]);
            let rates = rates.filter(|[from, to]| from != to);
            Transform {
                stft: Stft::new(&band.stft(frames), samples),
                crop: crop[0]..crop[1],
                gains,
                stereo: band.stereo.matrices(),
                rates: rates.map(|[from, to]| [Polyphase::new(from, to), Polyphase::new(to, from)]),
                samples,
            }
        };
        Self {
            transforms: format.band.iter().zip(above).map(transform).collect(),
            faded: format.faded(),
            frames,
            bins: format.bins(),
        }
    }

    /// The spectrum of each channel of a piece, whose channels are stored one after another.
    pub(super) fn analyse(&self, piece: &[f32]) -> Vec<Spectrum> {
        let mut whole = vec![Spectrum::zero(self.frames, self.bins); CHANNELS];
        let length = piece.len() / CHANNELS;
        let mut sound: Vec<Vec<f32>> = piece
            .chunks_exact(length.max(1))
            .map(<[f32]>::to_vec)
            .collect();
        let mut end = self.transforms.iter().map(|band| band.crop.len()).sum();
        for band in self.transforms.iter().rev() {
            if let Some([down, _]) = &band.rates {
                sound = sound.iter().map(|channel| down.convert(channel)).collect();
            }
            let mut work = band.stft.workspace();
            let heard = sound.iter().map(|channel| {
                let channel = &channel[..band.samples.min(channel.len())];
                band.stft.analyse(channel, &mut work)
            });
            let heard: Vec<Spectrum> = heard.collect();
            let first = end - band.crop.len();
            for (whole, shares) in whole.iter_mut().zip(band.stereo[0]) {
                for frame in 0..self.frames {
                    let into = &mut whole.values[frame * self.bins..][first..end];
                    for (heard, share) in heard.iter().zip(shares) {
                        let row = &heard.values[frame * heard.bins..][band.crop.clone()];
                        for (value, heard) in into.iter_mut().zip(row) {
                            *value += heard * share;
                        }
                    }
                    for (value, gain) in into.iter_mut().zip(&self.faded[first..]) {
                        *value *= gain;
                    }
                }
            }
            end = first;
        }
        whole
    }

    /// The sound of the spectra of all channels, one channel after another.
    pub(super) fn synthesise(&self, spectra: &[Spectrum]) -> Vec<f32> {
        let mut sound: Vec<Vec<f32>> = vec![Vec::new(); CHANNELS];
        let mut first = 0;
        for band in &self.transforms {
            let mut work = band.stft.workspace();
            for (channel, shares) in sound.iter_mut().zip(band.stereo[1]) {
                let spectrum = self.of_band(band, first, spectra, shares);
                channel.resize(band.samples, 0.0);
                band.stft.synthesise_all(&spectrum, &mut work, channel);
                if let Some([_, up]) = &band.rates {
                    *channel = up.convert(channel);
                }
            }
            first += band.crop.len();
        }
        sound.concat()
    }

    /// A band's own spectrum of left or right, as a sum of these shares of the graph's channels.
    fn of_band(
        &self,
        band: &Transform,
        first: usize,
        spectra: &[Spectrum],
        shares: [f32; CHANNELS],
    ) -> Spectrum {
        let bins = band.gains.len();
        let mut own = Spectrum::zero(self.frames, bins);
        for frame in 0..self.frames {
            let into = &mut own.values[frame * bins..][band.crop.clone()];
            for (spectrum, share) in spectra.iter().zip(shares) {
                let row = &spectrum.values[frame * self.bins + first..];
                for (value, heard) in into.iter_mut().zip(row) {
                    *value += heard * share;
                }
            }
            for (value, gain) in into.iter_mut().zip(&band.gains[band.crop.clone()]) {
                *value *= gain;
            }
        }
        own
    }

    /// The greatest magnitude of a piece.
    pub(super) fn peak(&self, piece: &[f32]) -> f32 {
        let spectra = self.analyse(piece);
        let values = spectra.iter().flat_map(|spectrum| &spectrum.values);
        values.fold(0.0, |most, value| most.max(value.norm()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_come_back_as_they_were() {
        for stereo in [
            Stereo::LeftRight,
            Stereo::MidSide,
            Stereo::HalfSides,
            Stereo::Crossfeed,
        ] {
            let [there, back] = stereo.matrices();
            for sound in [[1.0, 0.0], [0.0, 1.0], [0.3, -0.7]] {
                let applied = |matrix: [[f32; CHANNELS]; CHANNELS], sides: [f32; CHANNELS]| {
                    matrix.map(|[left, right]| left * sides[0] + right * sides[1])
                };
                let again = applied(back, applied(there, sound));
                for (again, side) in again.iter().zip(sound) {
                    assert!((again - side).abs() < 1e-6, "{stereo:?}: {again} {side}");
                }
            }
        }
    }

    #[test]
    fn gains_fade_in_and_out_between_their_bins() {
        let mut gains = vec![1.0; 8];
        low_pass(&mut gains, [3, 5]);
        let quarters = |gains: &[f32]| -> Vec<u32> {
            gains
                .iter()
                .map(|gain| (4.0 * gain).round() as u32)
                .collect()
        };
        assert_eq!(quarters(&gains), [4, 4, 4, 2, 0, 0, 0, 0]);
        let mut gains = vec![1.0; 8];
        high_pass(&mut gains, [4, 1]);
        assert_eq!(quarters(&gains), [0, 0, 1, 2, 3, 4, 4, 4]);
        let band = Band {
            sample_rate_hz: 8_000,
            n_fft: 16,
            hop: 8,
            crop: [0, 8],
            high_pass: None,
            low_pass: None,
            stereo: Stereo::LeftRight,
        };
        let format = BandsFormat {
            bins: Some(9),
            fade: Some([4, 7]),
            fade_slope: Slope::Decibels,
            band: vec![band],
        };
        let gains = format.faded();
        // 2.5 dB, and for the next bin twice 3.5 dB less the previous gain.
        let second = 10_f32.powf(-2.0 * (3.5 - 0.749_894_2) / 20.0);
        assert!((gains[5] - 0.749_894_2).abs() < 1e-6, "{gains:?}");
        assert!((gains[6] - second).abs() < 1e-6, "{gains:?}");
        for bin in [4, 7, 8] {
            assert!((gains[bin] - 1.0).abs() < 1e-6, "{gains:?}");
        }
    }
}
