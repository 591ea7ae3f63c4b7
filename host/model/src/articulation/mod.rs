//! Makes a voice articulate as its source does: what the decoder's spectrum lacks is taken from the recording.
//!
//! A decoder trained on few speakers renders some sounds as others, and all of them flatter than they were said. The recording has every
//! sound, but in the timbre of its speaker. So both spectra are compared as movements: logarithms of power in bands, less their mean over
//! 0.8 s. The part of the difference that can be predicted from the voice's movements is that between the two people, and is taken out
//! ([`constant`]); the rest was articulated differently, and half of it is added. Pitch and long-term spectrum stay the voice's.
//! `models/training/articulation.py` is the same in numpy.

mod bands;
mod compared;
mod constant;
mod filter;
mod line;
mod live;
mod movement;
mod overlap;

use vocalhost_audio::Spool;

use super::ModelError;
use super::source::SOURCE_RATE_HZ;
use bands::Spread;
use compared::{AROUND, Around, Compared, Pair};
use constant::{AHEAD, Constant, REFRESH};
use filter::HOPS;
use line::Line;
pub(super) use live::{LiveArticulation, Spoken};
use movement::Listener;
use overlap::Overlap;

/// Frames of the Fourier transform per second.
const FRAMES_PER_S: f64 = 125.0;
/// Samples of a window of the recording: 32 ms.
const HEARD_SIZE: usize = 512;
/// Samples of the recording in 10 ms.
const HEARD_HOP: usize = SOURCE_RATE_HZ as usize / 100;

/// What is known before the voice is decoded.
pub(super) struct Said<'s> {
    /// The recording, mono at 16 kHz.
    pub(super) source: &'s Spool,
    /// RMS of the recording over its sounding parts.
    pub(super) source_rms: f64,
    /// The level that the voice speaks at.
    pub(super) level_rms: f64,
    /// The voice's pitch in hertz, 100 values a second, 0 where unvoiced.
    pub(super) f0_hz: &'s [f32],
    /// What the recording's pitch was multiplied by.
    pub(super) factor: f32,
    /// Output samples in total, and in 10 ms.
    pub(super) total_samples: u64,
    pub(super) hop_samples: usize,
}

/// Processes sound as it passes, with a delay of about eleven seconds.
pub(super) struct Articulation<'s> {
    said: Said<'s>,
    voice: Listener,
    source: Listener,
    overlap: Overlap,
    spread: Spread,
    places: Places,
    frames: usize,
    around: Around,
    /// Compared frames: as measured, smoothed over time, and less their means.
    heard: Line<Pair>,
    smoothed: Line<Pair>,
    compared: Line<Compared>,
    constant: Constant,
    learned: usize,
    applied: usize,
}

impl<'s> Articulation<'s> {
    pub(super) fn new(said: Said<'s>) -> Self {
        let places = Places::new(said.hop_samples);
        let rate_hz = said.hop_samples as f64 * 100.0;
        let (size, hop) = (places.size(), places.hop);
        let frames = said.total_samples.div_ceil(hop as u64) as usize + 3;
        Self {
            voice: Listener::new(size, rate_hz, said.level_rms),
            source: Listener::new(HEARD_SIZE, f64::from(SOURCE_RATE_HZ), said.source_rms),
            overlap: Overlap::new(hop as usize, said.total_samples),
            spread: Spread::new(size, rate_hz),
            places,
            frames,
            around: Around::new(),
            heard: Line::new(),
            smoothed: Line::new(),
            compared: Line::new(),
            constant: Constant::new(),
            learned: 0,
            applied: 0,
            said,
        }
    }

    /// Takes the next samples and returns those that are finished; after the last, all of them.
    pub(super) fn process(&mut self, samples: &[f32]) -> Result<Vec<f32>, ModelError> {
        self.overlap.receive(samples);
        self.listen()?;
        self.smooth();
        self.compare();
        Ok(self.apply())
    }

    /// Measures the frames whose samples are complete.
    fn listen(&mut self) -> Result<(), ModelError> {
        let first = self.heard.end();
        let end = self.overlap.whole_frames().min(self.frames);
        if first >= end {
            return Ok(());
        }
        let (places, size) = (self.places, self.source.size());
        let start = places.heard(first) - (size / 2) as i64;
        let count = (places.heard(end - 1) - places.heard(first)) as usize + size;
        let recording = self.said.source.read(start, count)?.into_planar();
        for frame in first..end {
            let f0_hz = places.pitch(self.said.f0_hz, 0, frame);
            let from = (places.heard(frame) - places.heard(first)) as usize;
            let voice = self
                .voice
                .hear(self.overlap.window(frame), f64::from(f0_hz));
            let source_hz = f64::from(f0_hz / self.said.factor);
            let source = self.source.hear(&recording[from..][..size], source_hz);
            self.heard.push(Pair::new(&voice, &source, f0_hz > 0.0));
        }
        Ok(())
    }

    fn smooth(&mut self) {
        while let Some(now) = self.heard.get(self.smoothed.end()) {
            let frame = self.smoothed.end();
            let next = self.heard.get(frame + 1);
            if next.is_none() && frame + 1 < self.frames {
                break;
            }
            let before = self.heard.before(frame);
            let (before, next) = (before.unwrap_or(now), next.unwrap_or(now));
            let smoothed = now.smoothed(before, next);
            self.smoothed.push(smoothed);
        }
        self.heard
            .forget_before(self.smoothed.end().saturating_sub(1));
    }

    fn compare(&mut self) {
        while self.compared.end() < self.smoothed.end() {
            let frame = self.compared.end();
            if self.smoothed.end() <= frame + AROUND && self.smoothed.end() < self.frames {
                break;
            }
            let compared = self.around.less_means(&self.smoothed, frame);
            self.compared.push(compared);
        }
        self.smoothed
            .forget_before(self.compared.end().saturating_sub(AROUND));
    }

    /// Changes the frames whose future is known far enough.
    fn apply(&mut self) -> Vec<f32> {
        loop {
            let first = self.applied;
            let learn_to = (first + REFRESH + AHEAD).min(self.frames);
            if first >= self.frames || self.compared.end() < learn_to {
                break;
            }
            for frame in self.learned..learn_to {
                let compared = &self.compared[frame];
                self.constant
                    .learn(&compared.voice, &compared.difference, compared.weight);
            }
            self.learned = self.learned.max(learn_to);
            let map = self.constant.map();
            for frame in first..(first + REFRESH).min(self.frames) {
                let now = &self.compared[frame];
                let before = self.compared.before(frame);
                let gains = now.gains(&map, (before, self.compared.get(frame + 1)));
                self.overlap.change(&self.spread.to_bins(&gains));
            }
            self.applied = (first + REFRESH).min(self.frames);
            self.compared.forget_before(self.applied.saturating_sub(1));
        }
        self.overlap.take()
    }
}

/// Positions of frames. The first is centred a hop before the beginning.
#[derive(Clone, Copy)]
struct Places {
    /// Samples of the voice between frames, and in 10 ms.
    hop: i64,
    hop_samples: i64,
}

impl Places {
    fn new(hop_samples: usize) -> Self {
        let hop = (hop_samples as f64 * 100.0 / FRAMES_PER_S).round() as i64;
        Self {
            hop: hop.max(1),
            hop_samples: hop_samples as i64,
        }
    }

    /// Samples in a window of the voice.
    fn size(self) -> usize {
        HOPS * self.hop as usize
    }

    /// The middle of a frame in the voice's samples.
    fn spoken(self, frame: usize) -> i64 {
        (frame as i64 - 1) * self.hop
    }

    /// The same in the recording's samples.
    fn heard(self, frame: usize) -> i64 {
        (self.spoken(frame) * HEARD_HOP as i64).div_euclid(self.hop_samples)
    }

    /// The pitch of a frame, from a track that begins at `from`.
    fn pitch(self, f0_hz: &[f32], from: usize, frame: usize) -> f32 {
        let place = self.spoken(frame).max(0) / self.hop_samples - from as i64;
        let place = usize::try_from(place).unwrap_or(0);
        f0_hz.get(place).or(f0_hz.last()).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests;
