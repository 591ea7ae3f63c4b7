use std::f64::consts::TAU;

use vocalhost_fourier::num_complex::Complex64;

use super::spectrum::{Transform, mirror_below_fundamental, smooth};
use super::window::{Sound, Stretch, Window};

/// The lowest pitch that is analysed.
const LOWEST_HZ: f64 = 47.0;
/// The lowest pitch assumed when deciding whether there is a voice.
const LOWEST_VOICE_HZ: f64 = 40.0;
/// Distance and width of the bands.
const BAND_HZ: f64 = 3_000.0;
/// The middle of the highest band.
const HIGHEST_BAND_HZ: f64 = 15_000.0;
/// The least share of the power up to 7.9 kHz that a voice has below 4 kHz.
const VOICE_SHARE: f64 = 0.85;
/// Periods of the windows.
const PERIODS: f64 = 4.0;
const VOICE_PERIODS: f64 = 3.0;

/// Estimates how much of a voice is noise, by bands ("D4C, a band-aperiodicity estimator for high-quality speech synthesis", Morise 2016):
/// the group delay of a periodic sound, without the effect of a single period, varies like a sine, and the rest is noise.
pub(crate) struct Roughness {
    rate_hz: f64,
    transform: Transform,
    voice: Transform,
    /// Nuttall's window over a band.
    window: Vec<f64>,
    bands: usize,
    stretch: Stretch,
    work: Work,
}

/// Working memory.
#[derive(Default)]
struct Work {
    centroid: Vec<f64>,
    power: Vec<f64>,
    delay: Vec<f64>,
    smooth_delay: Vec<f64>,
    integral: Vec<f64>,
}

impl Roughness {
    /// For sound at a rate of 16 kHz or more.
    #[must_use]
    pub(crate) fn new(rate_hz: u32) -> Self {
        let rate = f64::from(rate_hz);
        let length = length_over(4.0 * rate / LOWEST_HZ);
        let band = (BAND_HZ * length as f64 / rate) as usize * 2 + 1;
        let highest = HIGHEST_BAND_HZ.min(rate / 2.0 - BAND_HZ);
        Self {
            rate_hz: rate,
            transform: Transform::of(length),
            voice: Transform::of(length_over(3.0 * rate / LOWEST_VOICE_HZ)),
            window: nuttall(band),
            bands: (highest / BAND_HZ) as usize,
            stretch: Stretch::default(),
            work: Work::default(),
        }
    }

    /// Number of bands: around 3 kHz, 6 kHz and so on.
    #[must_use]
    pub(crate) fn bands(&self) -> usize {
        self.bands
    }

    /// Noise relative to the whole of each band, in decibels, at most 0; `None` where there is no pitch, or nothing that sounds like a
    /// voice.
    pub(crate) fn at(&mut self, samples: &[f32], moment_s: f64, f0_hz: f64) -> Option<Vec<f64>> {
        let sound = Sound {
            samples,
            rate_hz: self.rate_hz,
        };
        if f0_hz <= 0.0 || self.voice_share(sound, moment_s, f0_hz) <= VOICE_SHARE {
            return None;
        }
        let f0_hz = f0_hz.max(LOWEST_HZ);
        self.delay(sound, moment_s, f0_hz);
        let bands = (1..=self.bands).map(|band| band as f64 * BAND_HZ);
        let bands: Vec<f64> = bands.collect();
        // Higher pitches seem rougher than they are.
        let correction = (f0_hz - 100.0) / 50.0;
        let of = |middle: f64| (self.of_band(middle) + correction).min(0.0);
        Some(bands.into_iter().map(of).collect())
    }

    /// The share of the power from 100 Hz to 7.9 kHz that lies below 4 kHz.
    fn voice_share(&mut self, sound: Sound<'_>, moment_s: f64, f0_hz: f64) -> f64 {
        let f0_hz = f0_hz.max(LOWEST_VOICE_HZ);
        let window = (Window::Blackman(VOICE_PERIODS), false);
        self.stretch.take(sound, window, moment_s, f0_hz);
        self.voice.run(self.stretch.samples.iter().copied());
        let per_bin = self.voice.length() as f64 / self.rate_hz;
        let bin = |hz: f64| (hz * per_bin).ceil() as usize;
        let (low, middle, high) = (bin(100.0), bin(4_000.0), bin(7_900.0));
        let sum = |to: usize| -> f64 {
            let bins = self.voice.bins.iter().take(to + 1).skip(low + 1);
            bins.map(Complex64::norm_sqr).sum()
        };
        let all = sum(high);
        if all > 0.0 { sum(middle) / all } else { 0.0 }
    }

    /// Computes the group delay without its slow part, in the working memory.
    fn delay(&mut self, sound: Sound<'_>, moment_s: f64, f0_hz: f64) {
        let step_hz = self.rate_hz / self.transform.length() as f64;
        self.work.centroid.clear();
        self.work.centroid.resize(self.transform.bins.len(), 0.0);
        // Two moments half a period apart: the effects of a period at the two cancel out.
        for moment in [-0.25, 0.25] {
            self.add_centroid(sound, moment_s + moment / f0_hz, f0_hz);
        }
        let work = &mut self.work;
        mirror_below_fundamental(&mut work.centroid, f0_hz, step_hz);
        let window = (Window::Hann(PERIODS), false);
        self.stretch.take(sound, window, moment_s, f0_hz);
        self.transform.run(self.stretch.samples.iter().copied());
        self.transform.power(&mut work.power);
        mirror_below_fundamental(&mut work.power, f0_hz, step_hz);
        smooth(&mut work.power, f0_hz, step_hz, &mut work.integral);
        work.delay.clear();
        let pairs = work.centroid.iter().zip(&work.power);
        // Digital silence has none.
        let delays = pairs.map(|(centroid, power)| centroid / (power + f64::MIN_POSITIVE));
        work.delay.extend(delays);
        smooth(&mut work.delay, f0_hz / 2.0, step_hz, &mut work.integral);
        work.smooth_delay.clone_from(&work.delay);
        smooth(&mut work.smooth_delay, f0_hz, step_hz, &mut work.integral);
        for (delay, slow) in work.delay.iter_mut().zip(&work.smooth_delay) {
            *delay -= slow;
        }
    }

    /// Adds the energy centroid of each frequency around a moment, times its energy.
    fn add_centroid(&mut self, sound: Sound<'_>, moment_s: f64, f0_hz: f64) {
        let window = (Window::Blackman(PERIODS), false);
        self.stretch.take(sound, window, moment_s, f0_hz);
        let samples = &mut self.stretch.samples;
        let power: f64 = samples.iter().map(|sample| sample * sample).sum();
        let root = power.sqrt().max(f64::MIN_POSITIVE);
        for sample in samples.iter_mut() {
            *sample /= root;
        }
        self.transform.run(samples.iter().copied());
        let bins = self.transform.bins.clone();
        let places = samples.iter().zip(1_u32..);
        let placed = places.map(|(sample, place)| sample * f64::from(place));
        self.transform.run(placed);
        let pairs = bins.iter().zip(&self.transform.bins);
        for (centroid, (bin, placed)) in self.work.centroid.iter_mut().zip(pairs) {
            *centroid += bin.re * placed.re + bin.im * placed.im;
        }
    }

    /// The share of noise around a frequency, in decibels: a sine occupies few bins of the delay's own spectrum, noise all of them.
    fn of_band(&mut self, middle_hz: f64) -> f64 {
        let length = self.transform.length() as f64;
        let half = self.window.len() / 2;
        let first = (middle_hz * length / self.rate_hz) as usize - half;
        let band = self.work.delay[first..].iter().zip(&self.window);
        let band: Vec<f64> = band.map(|(delay, window)| delay * window).collect();
        self.transform.run(band);
        self.transform.power(&mut self.work.power);
        let power = &mut self.work.power;
        power.sort_by(f64::total_cmp);
        let few = (length * 8.0 / self.window.len() as f64).round() as usize;
        let noise: f64 = power[..power.len().saturating_sub(few + 1)].iter().sum();
        let all: f64 = power.iter().sum();
        if all > 0.0 {
            10.0 * (noise / all).log10()
        } else {
            0.0
        }
    }
}

/// The power of two behind the next one above `samples`.
fn length_over(samples: f64) -> usize {
    1 << (1 + (samples + 1.0).log2() as u32)
}

/// Nuttall's window ("Some windows with very good sidelobe behavior", 1981): four terms, continuous first derivative.
fn nuttall(length: usize) -> Vec<f64> {
    let last = (length - 1) as f64;
    let at = |place: usize| {
        let angle = TAU * place as f64 / last;
        0.355_768 - 0.487_396 * angle.cos() + 0.144_232 * (2.0 * angle).cos()
            - 0.012_604 * (3.0 * angle).cos()
    };
    (0..length).map(at).collect()
}
