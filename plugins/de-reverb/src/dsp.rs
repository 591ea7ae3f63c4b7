//! Spectral subtraction of the late reverberation (see [`Late`]).
//!
//! All channels get the gains that follow from the sum of their powers, so that the
//! stereo image stands still.

use crate::frames::{Frames, OVERLAP, window};
use crate::late::Late;
use vocalhost_effect::dsp::{RealFft, Spectrum};
use vocalhost_effect::{Planar, Settings};

/// Length of the windows, in seconds, before it is rounded up to a power of two: short
/// against a syllable, long against the period of a voice.
const WINDOW_S: f64 = 0.02;

/// A de-reverb over any number of channels.
#[derive(Clone, Debug)]
pub struct DeReverb {
    /// `None` where nothing is to change but the delay.
    late: Option<Late>,
    fft: RealFft,
    window: Vec<f32>,
    channels: Vec<Frames>,
    spectra: Vec<Spectrum>,
    gains: Vec<f32>,
    samples: Vec<f32>,
    /// Frames that have come in since the last window.
    place: usize,
}

impl DeReverb {
    /// A de-reverb with the descriptor's settings.
    #[must_use]
    pub fn for_channels(rate_hz: f64, settings: &Settings, channels: usize) -> Self {
        let size = ((WINDOW_S * rate_hz) as usize).next_power_of_two();
        let fft = RealFft::new(size);
        let works = settings.number("amount") > 0.0 && settings.number("floor_db") < 0.0;
        Self {
            late: works.then(|| Late::new(rate_hz, settings, size)),
            window: window(size),
            channels: vec![Frames::new(size); channels],
            spectra: vec![Spectrum::silent(fft.bins()); channels],
            gains: vec![0.0; fft.bins()],
            samples: vec![0.0; size],
            place: 0,
            fft,
        }
    }

    /// The latency: one window.
    #[must_use]
    pub fn window_frames(&self) -> u32 {
        self.window.len() as u32
    }

    /// Takes the room out of the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        let hop = self.window.len() / OVERLAP;
        let mut at = 0;
        while at < sound.frames() {
            let count = (hop - self.place).min(sound.frames() - at);
            for (frames, channel) in self.channels.iter_mut().zip(sound.channels()) {
                frames.exchange(&mut channel[at..at + count], self.place);
            }
            at += count;
            self.place += count;
            if self.place == hop {
                self.place = 0;
                self.change_window();
            }
        }
    }

    fn change_window(&mut self) {
        self.gains.fill(0.0);
        for (frames, spectrum) in self.channels.iter_mut().zip(&mut self.spectra) {
            frames.take(&self.window, &mut self.samples);
            self.fft.forward(&self.samples, spectrum);
            let parts = spectrum.re.iter().zip(&spectrum.im);
            for (power, (re, im)) in self.gains.iter_mut().zip(parts) {
                *power += re * re + im * im;
            }
        }
        if let Some(late) = &mut self.late {
            late.gains(&mut self.gains);
        } else {
            self.gains.fill(1.0);
        }
        for (frames, spectrum) in self.channels.iter_mut().zip(&mut self.spectra) {
            let parts = spectrum.re.iter_mut().zip(&mut spectrum.im);
            for ((re, im), gain) in parts.zip(&self.gains) {
                *re *= gain;
                *im *= gain;
            }
            self.fft.inverse(spectrum, &mut self.samples);
            frames.put(&self.window, &self.samples);
        }
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        if let Some(late) = &mut self.late {
            late.forget();
        }
        self.channels.iter_mut().for_each(Frames::forget);
        self.place = 0;
    }
}
