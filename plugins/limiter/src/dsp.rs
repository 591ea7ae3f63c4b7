//! A look-ahead limiter whose ceiling holds for the true peak.
//!
//! Peaks are measured at four times the sample rate with the interpolation filter of
//! ITU-R BS.1770-4, Annex 2, over all channels together, so that the stereo image stays.
//! Where they are above the ceiling, the gain is the ratio of both, brought down smoothly
//! before the peak arrives (see `gain_curve`).
//!
//! A gain that moves within the twelve frames of a peak changes the waveform between
//! them, and so the true peak, by a little. A second stage, equal to the first, measures
//! what comes out and takes that little away; what it changes is too small to make new
//! peaks that matter.

use crate::gain_curve::{GainCurve, delay_frames};
use crate::true_peak::TruePeak;
use vocalhost_effect::dsp::STRETCH_FRAMES;
use vocalhost_effect::{Planar, Settings};

/// The shortest smoothing, in frames: at 8 kHz shorter ones would move the gain within
/// the filter of the meter.
const MIN_SMOOTH_FRAMES: usize = 16;

/// A limiter over any number of channels.
#[derive(Clone, Debug)]
pub struct Limiter {
    input_factor: f32,
    stages: [Stage; 2],
}

#[derive(Clone, Debug)]
struct Stage {
    ceiling: f32,
    delay_frames: usize,
    meters: Vec<TruePeak>,
    curve: GainCurve,
    /// The last frames of every channel, which wait for their gain.
    lines: Vec<Box<[f32]>>,
    /// Where the oldest frame of every line is.
    at: usize,
}

impl Limiter {
    /// A limiter with the descriptor's settings.
    #[must_use]
    pub fn for_channels(rate_hz: f64, settings: &Settings, channels: usize) -> Self {
        let factor = |id: &str| 10_f64.powf(settings.number(id) / 20.0);
        let frames = |id: &str| settings.number(id) / 1000.0 * rate_hz;
        // Each of the two stages takes half of the look-ahead.
        let smooth_frames = (frames("lookahead_ms") / 2.0).round() as usize;
        let smooth_frames = smooth_frames.max(MIN_SMOOTH_FRAMES);
        let delay_frames = delay_frames(smooth_frames);
        let stage = Stage {
            ceiling: factor("ceiling_dbtp") as f32,
            delay_frames,
            meters: vec![TruePeak::default(); channels],
            curve: GainCurve::new(smooth_frames, frames("release_ms")),
            lines: vec![vec![0.0; delay_frames].into(); channels],
            at: 0,
        };
        Self {
            input_factor: factor("input_gain_db") as f32,
            stages: [stage.clone(), stage],
        }
    }

    /// Limits the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        let mut at = 0;
        while at < sound.frames() {
            let end = (at + STRETCH_FRAMES).min(sound.frames());
            for channel in sound.channels() {
                for sample in &mut channel[at..end] {
                    *sample *= self.input_factor;
                }
            }
            for stage in &mut self.stages {
                stage.process(sound, (at, end));
            }
            at = end;
        }
    }

    /// By how many frames the output lags.
    #[must_use]
    pub fn latency_frames(&self) -> usize {
        self.stages.iter().map(|stage| stage.delay_frames).sum()
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        for stage in &mut self.stages {
            stage.meters.iter_mut().for_each(TruePeak::forget);
            stage.curve.forget();
            for line in &mut stage.lines {
                line.fill(0.0);
            }
            stage.at = 0;
        }
    }
}

impl Stage {
    /// Limits the frames from `start` to `end`, at most a stretch.
    fn process(&mut self, sound: &mut Planar<'_>, (start, end): (usize, usize)) {
        let frames = end - start;
        let mut peaks = [0.0; STRETCH_FRAMES];
        for (meter, channel) in self.meters.iter_mut().zip(sound.channels()) {
            meter.raise(&mut peaks[..frames], &channel[start..end]);
        }
        let mut gains = [1.0; STRETCH_FRAMES];
        for (gain, &peak) in gains[..frames].iter_mut().zip(&peaks) {
            let asked = if peak > self.ceiling {
                f64::from(self.ceiling) / f64::from(peak)
            } else {
                1.0
            };
            *gain = self.curve.next(asked) as f32;
        }
        for (line, channel) in self.lines.iter_mut().zip(sound.channels()) {
            let mut at = self.at;
            for (sample, gain) in channel[start..end].iter_mut().zip(&gains) {
                *sample = std::mem::replace(&mut line[at], *sample) * gain;
                at += 1;
                if at == line.len() {
                    at = 0;
                }
            }
        }
        self.at = (self.at + frames) % self.delay_frames;
    }
}
