//! Pitch shifting by stretching and resampling.
//!
//! A phase vocoder makes the sound longer by the ratio of the pitches without changing
//! them (see [`Rotation`]), and reading the result faster by the same ratio gives the old
//! length and the new pitch (J. Laroche and M. Dolson, 1999). What would land above half
//! the sample rate is taken out of the spectra. With kept formants the spectra are
//! weighted so that the old envelope lies over the new pitch (see [`Formants`]).

use crate::formants::Formants;
use crate::interpolation::{Interpolation, TAPS};
use crate::rotation::{Rotation, Steps};
use vocalhost_effect::dsp::{RealFft, STRETCH_FRAMES, Spectrum};
use vocalhost_effect::{Planar, Settings};

/// Length of the spectra, in seconds, before it is rounded up to a power of two: four
/// periods of a voice of 100 Hz.
const FRAME_S: f64 = 0.04;

/// Frames that overlap at each place, at least.
const OVERLAP: f64 = 8.0;

/// A pitch shift over any number of channels.
#[derive(Clone, Debug)]
pub struct PitchShift {
    /// `None` when the pitch stays.
    vocoder: Option<Vocoder>,
}

#[derive(Clone, Debug)]
struct Vocoder {
    ratio: f64,
    size: usize,
    /// How far apart frames are put.
    hop: i64,
    latency: i64,
    fft: RealFft,
    window: Vec<f32>,
    /// The window that frames are put together with, scaled so that they sum to 1.
    fade: Vec<f32>,
    rotation: Rotation,
    formants: Option<Formants>,
    interpolation: Interpolation,
    channels: Vec<Channel>,
    powers: Vec<f32>,
    gains: Vec<f32>,
    samples: Vec<f32>,
    /// Frames that have come in.
    taken: i64,
    /// The next spectrum.
    next: i64,
}

#[derive(Clone, Debug)]
struct Channel {
    input: Vec<f32>,
    stretched: Vec<f32>,
    now: Spectrum,
    before: Spectrum,
    changed: Spectrum,
}

impl PitchShift {
    /// A pitch shift with the descriptor's settings.
    #[must_use]
    pub fn for_channels(rate_hz: f64, settings: &Settings, channels: usize) -> Self {
        let semitones = settings.number("semitones");
        let keep = settings.toggle("preserve_formants");
        let moves = semitones.abs() > 1e-9;
        Self {
            vocoder: moves
                .then(|| Vocoder::new(rate_hz, 2_f64.powf(semitones / 12.0), keep, channels)),
        }
    }

    /// The latency, which depends on the shift; 0 when the pitch stays.
    #[must_use]
    pub fn latency_frames(&self) -> u32 {
        self.vocoder
            .as_ref()
            .map_or(0, |vocoder| vocoder.latency as u32)
    }

    /// Shifts the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        if let Some(vocoder) = &mut self.vocoder {
            for at in (0..sound.frames()).step_by(STRETCH_FRAMES) {
                let frames = STRETCH_FRAMES.min(sound.frames() - at);
                vocoder.process_stretch(sound, at, frames);
            }
        }
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        if let Some(vocoder) = &mut self.vocoder {
            vocoder.forget();
        }
    }
}

impl Vocoder {
    fn new(rate_hz: f64, ratio: f64, keep_formants: bool, channels: usize) -> Self {
        let size = ((FRAME_S * rate_hz) as usize).next_power_of_two();
        let half = size as f64 / 2.0;
        let hop = (size as f64 / OVERLAP * ratio.min(1.0)).round().max(1.0);
        let window: Vec<f32> = (0..size)
            .map(|index| {
                let turn = std::f64::consts::TAU * (index as f64 + 0.5) / size as f64;
                (0.5 - 0.5 * turn.cos()) as f32
            })
            .collect();
        let energy: f32 = window.iter().map(|value| value * value).sum();
        let scale = hop as f32 / energy;
        // A spectrum is taken as soon as its part of the stretched sound is read: half of
        // it lies ahead there, and half of what it is taken from lies ahead too.
        let latency = (half + (half + TAPS as f64) / ratio).ceil() as i64 + 2;
        let fft = RealFft::new(size);
        let channel = Channel {
            input: vec![
                0.0;
                (2 * latency as usize + 2 * size + STRETCH_FRAMES).next_power_of_two()
            ],
            stretched: vec![0.0; (2 * size + 2 * TAPS).next_power_of_two()],
            now: Spectrum::silent(fft.bins()),
            before: Spectrum::silent(fft.bins()),
            changed: Spectrum::silent(fft.bins()),
        };
        let mut vocoder = Self {
            ratio,
            size,
            hop: hop as i64,
            latency,
            fade: window.iter().map(|value| value * scale).collect(),
            window,
            rotation: Rotation::new(size),
            formants: keep_formants.then(|| Formants::new(rate_hz, size)),
            interpolation: Interpolation::new(),
            powers: vec![0.0; fft.bins()],
            gains: vec![1.0; fft.bins()],
            samples: vec![0.0; size],
            channels: vec![channel; channels],
            taken: 0,
            next: 0,
            fft,
        };
        vocoder.forget();
        vocoder
    }

    /// Takes in and gives out a short stretch of frames.
    fn process_stretch(&mut self, sound: &mut Planar<'_>, at: usize, frames: usize) {
        for (own, channel) in self.channels.iter_mut().zip(sound.channels()) {
            let mask = own.input.len() - 1;
            for (index, sample) in channel[at..at + frames].iter().enumerate() {
                own.input[(self.taken + index as i64) as usize & mask] = *sample;
            }
        }
        for index in 0..frames {
            let frame = self.taken + index as i64 - self.latency;
            if frame < 0 {
                for channel in sound.channels() {
                    channel[at + index] = 0.0;
                }
                continue;
            }
            let place = frame as f64 * self.ratio;
            let whole = place.floor();
            let last = whole as i64 + (TAPS / 2) as i64;
            while self.next * self.hop - (self.size / 2) as i64 <= last {
                self.put_next_frame();
            }
            let first = last + 1 - TAPS as i64;
            for (own, channel) in self.channels.iter().zip(sound.channels()) {
                let mask = own.stretched.len() - 1;
                let around =
                    std::array::from_fn(|tap| own.stretched[(first + tap as i64) as usize & mask]);
                channel[at + index] = self.interpolation.read(&around, place - whole);
            }
        }
        self.taken += frames as i64;
    }

    /// Where the spectrum of this number is taken from: the middle of its samples.
    fn middle(&self, number: i64) -> i64 {
        ((number * self.hop) as f64 / self.ratio).round() as i64
    }

    fn put_next_frame(&mut self) {
        let half = (self.size / 2) as i64;
        let middle = self.middle(self.next);
        self.powers.fill(0.0);
        for channel in &mut self.channels {
            let mask = channel.input.len() - 1;
            for (index, sample) in self.samples.iter_mut().enumerate() {
                let place = (middle - half + index as i64) as usize & mask;
                *sample = channel.input[place] * self.window[index];
            }
            std::mem::swap(&mut channel.now, &mut channel.before);
            self.fft.forward(&self.samples, &mut channel.now);
            let parts = channel.now.re.iter().zip(&channel.now.im);
            for (power, (re, im)) in self.powers.iter_mut().zip(parts) {
                *power += re * re + im * im;
            }
        }
        let steps = Steps {
            taken: (middle - self.middle(self.next - 1)) as f64,
            put: self.hop as f64,
        };
        let spectra: Vec<(&Spectrum, &Spectrum)> = self
            .channels
            .iter()
            .map(|own| (&own.now, &own.before))
            .collect();
        self.rotation.advance(&self.powers, &spectra, steps);
        self.find_gains();
        self.put_together(self.next * self.hop - half);
        self.next += 1;
    }

    /// The weight of every bin: the formants', and nothing beyond half the sample rate.
    fn find_gains(&mut self) {
        match &mut self.formants {
            Some(formants) if self.powers.iter().any(|&power| power > 0.0) => {
                formants.gains(&self.powers, self.ratio, &mut self.gains);
            }
            _ => self.gains.fill(1.0),
        }
        let kept = ((self.size / 2) as f64 / self.ratio) as usize + 1;
        if let Some(beyond) = self.gains.get_mut(kept..) {
            beyond.fill(0.0);
        }
    }

    /// Adds the changed frame of every channel to the stretched sound from `start` on.
    fn put_together(&mut self, start: i64) {
        for channel in &mut self.channels {
            let changed = &mut channel.changed;
            changed.re.copy_from_slice(&channel.now.re);
            changed.im.copy_from_slice(&channel.now.im);
            self.rotation.apply(changed);
            for (bin, gain) in self.gains.iter().enumerate() {
                changed.re[bin] *= gain;
                changed.im[bin] *= gain;
            }
            self.fft.inverse(changed, &mut self.samples);
            let mask = channel.stretched.len() - 1;
            let fresh = self.size - self.hop as usize;
            for (index, sample) in self.samples.iter().enumerate() {
                let place = &mut channel.stretched[(start + index as i64) as usize & mask];
                let old = if index < fresh { *place } else { 0.0 };
                *place = old + sample * self.fade[index];
            }
        }
    }

    fn forget(&mut self) {
        for channel in &mut self.channels {
            channel.input.fill(0.0);
            channel.stretched.fill(0.0);
            for spectrum in [&mut channel.now, &mut channel.before] {
                spectrum.re.fill(0.0);
                spectrum.im.fill(0.0);
            }
        }
        self.rotation.forget();
        self.taken = 0;
        // The first spectrum whose part of the stretched sound is ever read.
        let first = -((self.size / 2 + TAPS) as i64);
        self.next = first.div_euclid(self.hop);
    }
}
