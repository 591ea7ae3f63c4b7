//! Live conversion: block by block, each with the sound before it and a little of what follows.

mod encoder;
mod level;
mod loudness;
mod window;

use std::panic::resume_unwind;
use std::thread;

use super::articulation::{LiveArticulation, Spoken};
use super::content::CONTENT_HOP;
use super::decoder::Speech;
use super::listeners::MAX_LIVE_VECTORS;
use super::pitch::{PhaseClock, shift_factor};
use super::segment::fade_over;
use super::source::SOURCE_RATE_HZ;
use super::source_filter::SourceFilterVoice;
use super::{ConversionParameters, ModelError};
pub(super) use encoder::{LiveListeners, LiveParts};
use level::{FRAME, FrameGate, RunningLevel};
use loudness::CausalMix;
use window::Window;

/// Frames before a block that the content encoder of recordings gets with it: one second. More makes no measurable difference.
const CONTENT_FRAMES: usize = 100;
/// Frames before a block that are kept: the longest window of an encoder for live conversions.
const HEARD_FRAMES: usize = 2 * MAX_LIVE_VECTORS as usize;
/// Frames before a block that the pitch estimator gets with it.
const PITCH_FRAMES: usize = 30;
/// Frames before a block that the decoder is given again: as far back as it looks.
const DECODER_FRAMES: usize = 20;
/// The cross-fade between blocks: 5 ms. It uses what the earlier block decoded beyond its end, so it adds no latency.
const FADE_S: f64 = 0.005;

/// The block and the look-ahead of a live conversion. Its latency is the sum of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveTimes {
    block: usize,
    look_ahead: usize,
}

impl LiveTimes {
    /// The shortest and the longest block, in milliseconds.
    pub const BLOCK_MS: std::ops::RangeInclusive<u32> = 20..=1_000;
    /// The shortest and the longest look-ahead, in milliseconds.
    pub const LOOK_AHEAD_MS: std::ops::RangeInclusive<u32> = 20..=2_000;

    /// Blocks of `block_ms` with a look-ahead of `look_ahead_ms`, each rounded up to whole content frames of 20 ms. `None` outside of
    /// [`LiveTimes::BLOCK_MS`] and [`LiveTimes::LOOK_AHEAD_MS`].
    #[must_use]
    pub fn new(block_ms: u32, look_ahead_ms: u32) -> Option<Self> {
        let fits =
            Self::BLOCK_MS.contains(&block_ms) && Self::LOOK_AHEAD_MS.contains(&look_ahead_ms);
        let frames = |ms: u32| 2 * ms.div_ceil(20) as usize;
        fits.then(|| Self {
            block: frames(block_ms),
            look_ahead: frames(look_ahead_ms),
        })
    }

    /// The least time between a sound's input and its output, in milliseconds.
    #[must_use]
    pub fn latency_ms(self) -> u32 {
        10 * self.frames() as u32
    }

    /// Frames of a block with its look-ahead.
    fn frames(self) -> usize {
        self.block + self.look_ahead
    }
}

/// A conversion that goes on as long as sound comes. The output is aligned to the input and has the same length.
///
/// Content and pitch of a block are computed with [`LiveTimes`]'s look-ahead and never changed later. The phase of the fundamental and the
/// noise continue from block to block as they do between the segments of a recording, so that blocks join without a search for the best
/// offset.
pub struct Live<'v> {
    voice: &'v SourceFilterVoice,
    parameters: ConversionParameters,
    times: LiveTimes,
    level: RunningLevel,
    /// Input at the models' level, from the frame `heard_from` on.
    heard: Vec<f32>,
    heard_from: usize,
    received: u64,
    /// Pitch and content as they were decoded, from the frame `spoken_from` to `next`; content has one vector per two frames.
    f0_hz: Vec<f32>,
    content: Vec<f32>,
    spoken_from: usize,
    /// Phase of the fundamental at `spoken_from`, as a fraction of a period.
    phase: f64,
    /// The first frame of the next block.
    next: usize,
    /// What the last block decoded beyond its end.
    tail: Vec<f32>,
    articulation: Option<LiveArticulation>,
    mix: CausalMix,
    given: u64,
}

impl<'v> Live<'v> {
    /// A conversion without any input yet. `input_rms` is the level of the speaker over the sounding parts, if it is known from earlier;
    /// otherwise it is estimated while listening. The register in `parameters` is ignored: it is not known before somebody has spoken.
    pub(super) fn new(
        voice: &'v SourceFilterVoice,
        times: LiveTimes,
        parameters: ConversionParameters,
        input_rms: Option<f64>,
    ) -> Self {
        Self {
            level: RunningLevel::new(voice.level_rms, input_rms),
            articulation: voice.articulates_at_rms.map(|rms| {
                LiveArticulation::new(voice.decoder.hop_samples(), rms, voice.level_rms)
            }),
            mix: CausalMix::new(parameters.model_volume_mix, voice.decoder.hop_samples()),
            voice,
            parameters,
            times,
            heard: Vec::new(),
            heard_from: 0,
            received: 0,
            f0_hz: Vec::new(),
            content: Vec::new(),
            spoken_from: 0,
            phase: 0.0,
            next: 0,
            tail: Vec::new(),
            given: 0,
        }
    }

    /// Takes more mono sound at 16 kHz, and returns what has become ready at the voice's rate, in whole blocks.
    pub fn push(&mut self, samples: &[f32]) -> Result<Vec<f32>, ModelError> {
        self.received += samples.len() as u64;
        let mut samples = samples;
        let mut ready = Vec::new();
        loop {
            // No block may use more than its look-ahead, however much came at once.
            let end = self.next + self.times.block;
            let heard_end = end + self.times.look_ahead;
            let missing = (heard_end - self.heard_from) * FRAME - self.heard.len();
            let Some((needed, rest)) = samples.split_at_checked(missing) else {
                self.level.bring(samples, &mut self.heard);
                break;
            };
            self.level.bring(needed, &mut self.heard);
            samples = rest;
            ready.extend(self.speak(end, heard_end)?);
        }
        self.given += ready.len() as u64;
        Ok(ready)
    }

    /// Ends the conversion and returns the rest, so that the output is as long as the input.
    pub fn finish(mut self) -> Result<Vec<f32>, ModelError> {
        let frames = 2 * self.received.div_ceil(CONTENT_HOP) as usize;
        let missing = (frames - self.heard_from) * FRAME - self.heard.len();
        self.level.bring(&vec![0.0; missing], &mut self.heard);
        let mut ready = Vec::new();
        while self.next < frames {
            let end = (self.next + self.times.block).min(frames);
            ready.extend(self.speak(end, (end + self.times.look_ahead).min(frames))?);
        }
        let rate = self.voice.output_rate_hz();
        let total = self.received * u64::from(rate) / u64::from(SOURCE_RATE_HZ);
        ready.truncate(total.saturating_sub(self.given) as usize);
        Ok(ready)
    }

    /// Changes the parameters from the next block on. The seed and the level of the speaker stay.
    pub fn change(&mut self, parameters: ConversionParameters) {
        let seed = self.parameters.seed;
        self.parameters = ConversionParameters { seed, ..parameters };
        self.mix.follow(parameters.model_volume_mix);
    }

    /// The level of the speaker over the sounding parts so far, for the next time; none while nothing has sounded.
    #[must_use]
    pub fn input_rms(&self) -> Option<f64> {
        self.level.input_rms()
    }

    /// The sound of some frames.
    fn window(&self, from: usize, end: usize) -> &[f32] {
        let place = |frame: usize| (frame - self.heard_from) * FRAME;
        &self.heard[place(from)..place(end)]
    }

    /// Decodes the frames from `next` to `end`, with input up to `heard_end`.
    fn speak(&mut self, end: usize, heard_end: usize) -> Result<Vec<f32>, ModelError> {
        let start = self.next;
        // Pitch and content do not depend on each other, and the decoder waits for both.
        let (f0_hz, content) = thread::scope(|scope| {
            let pitch = || self.pitch(start, heard_end);
            let beside = thread::Builder::new().spawn_scoped(scope, pitch);
            let content = self.listen(start, heard_end);
            let f0_hz = match beside {
                Ok(beside) => beside.join().unwrap_or_else(|panic| resume_unwind(panic)),
                // Without another thread it only takes longer.
                Err(_) => pitch(),
            };
            (f0_hz, content)
        });
        let f0_hz = f0_hz?;
        let content = self.drawn(content?, &f0_hz);
        let width = self.voice.content.width();
        let kept = start - self.spoken_from;
        let all = [&self.f0_hz[..], &f0_hz].concat();
        let vectors = [&self.content[..], &content].concat();
        let twice = vectors.chunks_exact(width);
        let twice = twice.flat_map(|vector| [vector, vector]).flatten();
        let mut sound = self.voice.decoder.speak(Speech {
            content: twice.copied().collect(),
            f0_hz: &all,
            frames: all.len(),
            first_frame: self.spoken_from,
            phase: self.phase,
            seed: self.parameters.seed,
        })?;
        let beyond = self.fade_samples();
        if let Some(articulation) = &mut self.articulation {
            let block = Spoken {
                sound: &sound,
                f0_hz: &all,
                factor: shift_factor(self.parameters.pitch_shift),
                from: self.spoken_from,
                heard: &self.heard,
                heard_from: self.heard_from,
                start,
                end,
            };
            sound = articulation.articulate(&block, beyond);
        }
        let mut spoken = self.joined(&sound, kept, end - start);
        if self.voice.is_gated {
            FrameGate::at(&self.level, start).apply(&mut spoken, self.voice.decoder.hop_samples());
        }
        self.mix.apply(&mut spoken, &self.level, start);
        self.f0_hz.extend(&f0_hz[..end - start]);
        self.content.extend(&content[..(end - start) / 2 * width]);
        self.next = end;
        self.forget();
        Ok(spoken)
    }

    /// The pitch of the frames from `start` on, shifted for the decoder.
    fn pitch(&self, start: usize, end: usize) -> Result<Vec<f32>, ModelError> {
        let from = start.saturating_sub(PITCH_FRAMES).max(self.heard_from);
        let live = self.voice.live.estimator(self.times.frames());
        let estimator = live.unwrap_or(&self.voice.f0);
        let level_rms = estimator.level_rms().unwrap_or(self.voice.level_rms);
        let gain = (level_rms / self.voice.level_rms) as f32;
        let sound = Window::new(self.window(from, end), gain);
        let track = estimator.track(&sound, end - from, level_rms, &mut |_| {})?;
        let factor = shift_factor(self.parameters.pitch_shift);
        Ok(track[start - from..].iter().map(|f0| f0 * factor).collect())
    }

    /// The content of the frames from `start` on.
    fn listen(&self, start: usize, end: usize) -> Result<Vec<f32>, ModelError> {
        if let Some(live) = self.voice.live.encoder(self.times.frames() / 2) {
            let from = end.saturating_sub(2 * live.vectors()).max(self.heard_from);
            return live.hear(self.window(from, end), (end - start) / 2);
        }
        let encoder = &self.voice.content;
        let from = start.saturating_sub(CONTENT_FRAMES).max(self.heard_from);
        let all = encoder.encode_whole(self.window(from, end).to_vec())?;
        Ok(all[(start - from) / 2 * encoder.width()..].to_vec())
    }

    /// The same, drawn towards the voice's own vectors where it is voiced.
    fn drawn(&self, mut content: Vec<f32>, f0_hz: &[f32]) -> Vec<f32> {
        let (width, strength) = (
            self.voice.content.width(),
            self.parameters.conversion_strength,
        );
        if let Some(index) = &self.voice.index {
            let voiced = |vector: usize| f0_hz[2 * vector..][..2].iter().all(|f0| *f0 > 0.0);
            let rate = |vector| if voiced(vector) { strength } else { 0.0 };
            index.blend_each(&mut content, width, &rate);
        }
        content
    }

    /// Cuts the block out of the decoder's output and joins it to the one before it.
    fn joined(&mut self, sound: &[f32], kept: usize, frames: usize) -> Vec<f32> {
        let hop = self.voice.decoder.hop_samples();
        let (from, end) = (kept * hop, (kept + frames) * hop);
        let mut spoken = sound[from..end].to_vec();
        fade_over(&mut spoken, &self.tail);
        let fade = self.fade_samples();
        self.tail = sound[end..].iter().take(fade).copied().collect();
        spoken
    }

    fn fade_samples(&self) -> usize {
        (FADE_S * f64::from(self.voice.output_rate_hz())) as usize
    }

    /// Drops what no later block needs. Frames go in pairs, since content has one vector for two.
    fn forget(&mut self) {
        let spoken = self.next.saturating_sub(DECODER_FRAMES);
        let gone = spoken.saturating_sub(self.spoken_from);
        for frame in 0..gone {
            let next = self.f0_hz.get(frame + 1).copied();
            self.phase = PhaseClock::after(self.phase, self.f0_hz[frame], next);
        }
        self.f0_hz.drain(..gone);
        self.content.drain(..gone / 2 * self.voice.content.width());
        self.spoken_from += gone;
        let heard = self.next.saturating_sub(HEARD_FRAMES);
        let gone = heard.saturating_sub(self.heard_from);
        self.heard.drain(..gone * FRAME);
        self.heard_from += gone;
        self.level.forget_before(spoken);
    }
}

#[cfg(test)]
mod tests;
