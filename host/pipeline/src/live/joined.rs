use std::collections::VecDeque;

use crate::PipelineError;
use vocalhost_audio::{Block, Stage};
use vocalhost_effects::EffectStage;

/// Length of the crossfade from the old effects to the new ones, in seconds.
const FADE_S: f64 = 0.02;
/// How long old effects ring after their input has ended, in seconds: as long as any reverb of ours.
const RING_S: f64 = 6.0;
/// How many chains may ring beside the current one; beyond that the oldest is cut off.
const MAX_RINGING: usize = 2;

/// A chain of effects that can be exchanged while sound runs through it. The input is crossfaded from the old chain to
/// the new one and their outputs are added, so that the old chain's echoes ring out and nothing clicks.
pub(super) struct JoinedEffects {
    sample_rate_hz: u32,
    heard: Lane,
    ringing: Vec<Ringing>,
    /// Frames that came in and went out.
    received: u64,
    given: u64,
}

/// A chain that is on its way out.
struct Ringing {
    lane: Lane,
    /// Where its fade has begun, and where it is over.
    from: u64,
    until: u64,
}

/// Effects, and their output from the frame `given` of the stream on.
#[derive(Default)]
struct Lane {
    stages: Vec<EffectStage>,
    ready: VecDeque<f32>,
    /// Where its own fade has begun.
    from: Option<u64>,
}

impl Lane {
    fn latency(&self) -> usize {
        self.stages.iter().map(EffectStage::latency).sum()
    }

    fn process(&mut self, samples: Vec<f32>) -> Result<(), PipelineError> {
        let mut block = Block::from_planar(1, samples);
        for stage in &mut self.stages {
            if block.is_empty() {
                return Ok(());
            }
            block = stage.process(block)?;
        }
        self.ready.extend(block.as_planar());
        Ok(())
    }

    fn flush(&mut self) -> Result<(), PipelineError> {
        for first in 0..self.stages.len() {
            let mut block = self.stages[first].flush()?;
            for stage in &mut self.stages[first + 1..] {
                if block.is_empty() {
                    break;
                }
                block = stage.process(block)?;
            }
            self.ready.extend(block.as_planar());
        }
        Ok(())
    }
}

impl JoinedEffects {
    /// No effects: sound goes through as it is.
    pub(super) fn none(sample_rate_hz: u32) -> Self {
        Self {
            sample_rate_hz,
            heard: Lane::default(),
            ringing: Vec::new(),
            received: 0,
            given: 0,
        }
    }

    /// Frames that it holds back.
    pub(super) fn latency(&self) -> usize {
        self.heard.latency()
    }

    fn frames(&self, seconds: f64) -> u64 {
        (seconds * f64::from(self.sample_rate_hz)) as u64
    }

    /// Exchanges the effects for others. The first ones need no fade: nothing has been heard yet.
    pub(super) fn go_over_to(&mut self, stages: Vec<EffectStage>) {
        let lane = Lane {
            stages,
            ready: VecDeque::new(),
            from: (self.received > 0).then_some(self.received),
        };
        let old = std::mem::replace(&mut self.heard, lane);
        if self.received == 0 {
            return;
        }
        // What the old chain has not delivered yet is added where it belongs; the new one is silent until then.
        let behind = self.received - self.given;
        self.heard
            .ready
            .extend(std::iter::repeat_n(0.0, behind as usize));
        if self.ringing.len() == MAX_RINGING {
            self.ringing.remove(0);
        }
        self.ringing.push(Ringing {
            lane: old,
            from: self.received,
            until: self.received + self.frames(RING_S),
        });
    }

    /// Sends sound through, and returns what all chains have delivered.
    pub(super) fn process(&mut self, samples: Vec<f32>) -> Result<Vec<f32>, PipelineError> {
        let (start, count) = (self.received, samples.len());
        self.received += count as u64;
        let fade = self.frames(FADE_S).max(1) as f32;
        let gain = |from: u64, at: usize| {
            let along = (start + at as u64 - from) as f32 / fade;
            along.min(1.0)
        };
        for old in &mut self.ringing {
            let rises = old.lane.from;
            let faded = samples.iter().enumerate().map(|(at, sample)| {
                let risen = rises.map_or(1.0, |from| gain(from, at));
                sample * risen * (1.0 - gain(old.from, at))
            });
            let faded = faded.collect();
            old.lane.process(faded)?;
        }
        let rising = self.heard.from.filter(|from| start < from + fade as u64);
        let heard = match rising {
            Some(from) => {
                let samples = samples.iter().enumerate();
                samples.map(|(at, x)| x * gain(from, at)).collect()
            }
            None => samples,
        };
        self.heard.process(heard)?;
        let now = self.received;
        let ready = self.take();
        self.ringing.retain(|old| old.until > now);
        Ok(ready)
    }

    /// Ends the sound, and gives the rest.
    pub(super) fn finish(&mut self) -> Result<Vec<f32>, PipelineError> {
        for old in &mut self.ringing {
            old.lane.flush()?;
        }
        self.heard.flush()?;
        Ok(self.take())
    }

    /// What is ready everywhere, added up.
    fn take(&mut self) -> Vec<f32> {
        let old = self.ringing.iter().map(|old| old.lane.ready.len());
        let count = old.chain([self.heard.ready.len()]).min().unwrap_or(0);
        let mut ready: Vec<f32> = self.heard.ready.drain(..count).collect();
        for old in &mut self.ringing {
            let rest = old.lane.ready.drain(..count);
            for (sample, more) in ready.iter_mut().zip(rest) {
                *sample += more;
            }
        }
        self.given += count as u64;
        ready
    }
}
