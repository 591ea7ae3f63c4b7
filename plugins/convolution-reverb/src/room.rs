//! The answer of a room to a click, made from a few numbers.

use vocalhost_effect::Settings;
use vocalhost_effect::dsp::{RealFft, Spectrum};

/// Metres per second in air of 20 °C.
const SPEED_OF_SOUND: f64 = 343.0;

/// Distances between walls at size 0 and 1, in metres.
const SMALLEST_M: f64 = 2.0;
const LARGEST_M: f64 = 30.0;

/// Single echoes before the late sound.
const EARLY_ECHOES: usize = 12;

/// Length of the answer against the longest decay time: until 66 dB under the start.
const LENGTH_SHARE: f64 = 1.1;

/// This last share of the answer fades out, so that the end is not heard.
const FADE_SHARE: f64 = 0.08;

/// Share of the decay time that the treble loses at full damping.
const TREBLE_LOSS: f64 = 0.75;

/// Tilt at full brightness, in decibels per octave around 1 kHz, and where it ends.
const TILT_DB: f64 = 6.0;
const TILTED_HZ: (f64, f64) = (125.0, 8_000.0);

/// Length of the spectra with which the noise decays, in seconds.
const FRAME_S: f64 = 0.016;

/// What the answer is made from.
///
/// The late sound is noise that decays exponentially, with a time of its own at every
/// frequency (J. A. Moorer, "About This Reverberation Business", Computer Music Journal 3
/// (2), 1979; J.-M. Jot, L. Cerveau and O. Warusfel, "Analysis and Synthesis of Room
/// Reverberation Based on a Statistical Time-Frequency Model", AES Convention 103, 1997).
/// Before it come single echoes whose times follow from the distance between walls.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    decay_s: f64,
    bass_ratio: f64,
    treble_ratio: f64,
    tilt_db: f64,
    /// Time in which sound crosses the room.
    crossing_s: f64,
    early_level: f64,
    pre_delay_s: f64,
}

impl Room {
    /// The room of the descriptor's settings.
    pub fn new(settings: &Settings) -> Self {
        let across_m = SMALLEST_M * (LARGEST_M / SMALLEST_M).powf(settings.number("size"));
        Self {
            decay_s: settings.number("decay_s"),
            bass_ratio: settings.number("bass_ratio"),
            treble_ratio: 1.0 - TREBLE_LOSS * settings.number("damping"),
            tilt_db: TILT_DB * settings.number("brightness"),
            crossing_s: across_m / SPEED_OF_SOUND,
            early_level: settings.number("early_level"),
            pre_delay_s: settings.number("pre_delay_ms") / 1000.0,
        }
    }

    /// The answer on one side, with an energy of 1. Every side has noise of its own.
    pub fn answer(&self, rate_hz: f64, side: u64) -> Vec<f32> {
        let longest_s = self.decay_s * self.bass_ratio.max(1.0);
        let frames = (longest_s * LENGTH_SHARE * rate_hz) as usize;
        let mut noise = Noise::new(side);
        let mut answer = self.late_sound(rate_hz, frames, &mut noise);
        self.add_echoes(rate_hz, &mut answer, &mut noise);
        self.colour(rate_hz, &mut answer);
        let fade = (frames as f64 * FADE_SHARE) as usize + 1;
        for (index, sample) in answer.iter_mut().rev().take(fade).enumerate() {
            *sample *= index as f32 / fade as f32;
        }
        let energy: f64 = answer.iter().map(|&s| f64::from(s) * f64::from(s)).sum();
        let scale = (1.0 / energy.max(1e-30).sqrt()) as f32;
        let mut delayed = vec![0.0; (self.pre_delay_s * rate_hz).round() as usize];
        delayed.extend(answer.iter().map(|sample| sample * scale));
        delayed
    }

    /// How long a frequency takes to fall by 60 dB: even between 500 Hz and 1 kHz, moving
    /// with the logarithm of the frequency to other values at 125 Hz and 8 kHz.
    pub fn decay_s(&self, frequency_hz: f64) -> f64 {
        let bass = ((500.0 / frequency_hz.max(1.0)).log2() / 2.0).clamp(0.0, 1.0);
        let treble = ((frequency_hz.max(1.0) / 1_000.0).log2() / 3.0).clamp(0.0, 1.0);
        let ratio = 1.0 + bass * (self.bass_ratio - 1.0) + treble * (self.treble_ratio - 1.0);
        self.decay_s * ratio
    }

    /// Even noise that sets in while the sound crosses the room twice.
    fn late_sound(&self, rate_hz: f64, frames: usize, noise: &mut Noise) -> Vec<f32> {
        let onset = 2.0 * self.crossing_s * rate_hz;
        let sample = |frame| noise.next() * (frame as f64 / onset).min(1.0).powi(2) as f32;
        (0..frames).map(sample).collect()
    }

    /// Single echoes between half a crossing and three, the later the denser and softer.
    fn add_echoes(&self, rate_hz: f64, answer: &mut [f32], noise: &mut Noise) {
        // The energy of noise with a variance of 1/3 that falls by 60 dB in `decay_s`.
        let late_energy = rate_hz * self.decay_s / (6.0 * std::f64::consts::LN_10) / 3.0;
        let echoes: Vec<(f64, f64)> = (0..EARLY_ECHOES)
            .map(|index| {
                let place =
                    (index as f64 + 0.5 + 0.4 * f64::from(noise.next())) / EARLY_ECHOES as f64;
                let crossings = 0.5 + 2.5 * place.sqrt();
                (crossings, f64::from(noise.next().signum()) / crossings)
            })
            .collect();
        let energy: f64 = echoes.iter().map(|(_, gain)| gain * gain).sum();
        let scale = (self.early_level * late_energy / energy).sqrt();
        for (crossings, gain) in echoes {
            let frame = (crossings * self.crossing_s * rate_hz) as usize;
            if let Some(sample) = answer.get_mut(frame) {
                *sample += (gain * scale) as f32;
            }
        }
    }

    /// Lets every frequency decay in its own time and tilts the whole, spectrum by
    /// spectrum with half of each overlapping.
    fn colour(&self, rate_hz: f64, answer: &mut [f32]) {
        let size = ((FRAME_S * rate_hz) as usize).next_power_of_two().max(64);
        let mut fft = RealFft::new(size);
        let mut spectrum = Spectrum::silent(fft.bins());
        let bin_hz = rate_hz / size as f64;
        let window: Vec<f32> = (0..size)
            .map(|index| (std::f64::consts::PI * (index as f64 + 0.5) / size as f64).sin() as f32)
            .collect();
        let step = size / 2;
        let step_s = step as f64 / rate_hz;
        // The first spectrum begins half a window before the answer.
        let mut gains: Vec<f32> = (0..fft.bins())
            .map(|bin| self.tilt(bin as f64 * bin_hz) as f32)
            .collect();
        let losses: Vec<f32> = (0..fft.bins())
            .map(|bin| 10_f64.powf(-3.0 * step_s / self.decay_s(bin as f64 * bin_hz)) as f32)
            .collect();
        let mut plain = vec![0.0; step];
        plain.extend_from_slice(answer);
        plain.resize(answer.len() + 3 * size, 0.0);
        let mut coloured = vec![0.0; plain.len()];
        let mut samples = vec![0.0; size];
        for at in (0..answer.len() + step).step_by(step) {
            let places = samples.iter_mut().zip(&plain[at..at + size]);
            for ((sample, plain), gain) in places.zip(&window) {
                *sample = plain * gain;
            }
            fft.forward(&samples, &mut spectrum);
            let parts = spectrum.re.iter_mut().zip(&mut spectrum.im);
            for ((re, im), (gain, loss)) in parts.zip(gains.iter_mut().zip(&losses)) {
                *re *= *gain;
                *im *= *gain;
                *gain *= loss;
            }
            fft.inverse(&spectrum, &mut samples);
            let places = coloured[at..at + size].iter_mut().zip(&samples);
            for ((place, sample), gain) in places.zip(&window) {
                *place += sample * gain;
            }
        }
        answer.copy_from_slice(&coloured[step..step + answer.len()]);
    }

    fn tilt(&self, frequency_hz: f64) -> f64 {
        let octaves = (frequency_hz.clamp(TILTED_HZ.0, TILTED_HZ.1) / 1_000.0).log2();
        10_f64.powf(self.tilt_db * octaves / 20.0)
    }
}

/// Even noise within ±1: xorshift (G. Marsaglia, "Xorshift RNGs", J. Stat. Softw. 8, 2003).
struct Noise(u64);

impl Noise {
    fn new(side: u64) -> Self {
        // Any odd number will do; its bits are those of the golden ratio.
        Self(0x9e37_79b9_7f4a_7c15 ^ (side << 32))
    }

    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / 8_388_608.0 - 1.0
    }
}
