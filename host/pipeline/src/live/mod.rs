//! A conversion while somebody speaks, from their microphone's rate and back to it, with effects before and after the voice.

mod joined;

use serde::{Deserialize, Serialize};

use self::joined::JoinedEffects;
use super::PipelineError;
use super::chain::settings_of;
use vocalhost_audio::{Block, Resampler, Stage as _};
use vocalhost_effects::{Catalog, EffectStage, StreamConfig};
use vocalhost_job::Chain;
use vocalhost_model::{ConversionParameters, Live};

/// The delay of the sound besides the block and the look-ahead, in milliseconds; the time of computing comes on top.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveLatency {
    /// The effects, before and after.
    pub effects_ms: u32,
    /// The way to the model's rates and back.
    pub resampling_ms: u32,
}

/// A live conversion with everything around it. Sound is mono, at one rate on both sides.
pub struct LiveLine<'v> {
    sample_rate_hz: u32,
    pre: JoinedEffects,
    down: Resampler,
    live: Live<'v>,
    up: Resampler,
    post: JoinedEffects,
    /// Samples that came in and went out.
    heard: u64,
    given: u64,
    resampling_ms: u32,
}

impl<'v> LiveLine<'v> {
    /// Puts `live`, which hears at `source_rate_hz` and speaks at `output_rate_hz`, between two ends at `sample_rate_hz`.
    pub fn new(
        live: Live<'v>,
        (source_rate_hz, output_rate_hz): (u32, u32),
        sample_rate_hz: u32,
    ) -> Result<Self, PipelineError> {
        let down = Resampler::prompt(1, sample_rate_hz, source_rate_hz)?;
        let up = Resampler::prompt(1, output_rate_hz, sample_rate_hz)?;
        Ok(Self {
            resampling_ms: down.lag_ms() + up.lag_ms(),
            sample_rate_hz,
            pre: JoinedEffects::none(sample_rate_hz),
            down,
            live,
            up,
            post: JoinedEffects::none(sample_rate_hz),
            heard: 0,
            given: 0,
        })
    }

    /// Uses other effects from now on; a chain that is left out stays. The old ones fade out and ring to their end.
    ///
    /// # Errors
    /// When an effect cannot be started; then everything stays as it is.
    pub fn set_effects(
        &mut self,
        (pre, post): (Option<&Chain>, Option<&Chain>),
        effects: &Catalog,
    ) -> Result<(), PipelineError> {
        let start = |chain: Option<&Chain>| {
            let stages = chain.map(|chain| started(chain, effects, self.sample_rate_hz));
            stages.transpose()
        };
        let (pre, post) = (start(pre)?, start(post)?);
        if let Some(stages) = pre {
            self.pre.go_over_to(stages);
        }
        if let Some(stages) = post {
            self.post.go_over_to(stages);
        }
        Ok(())
    }

    /// Converts by other parameters from the next block on.
    pub fn set_parameters(&mut self, parameters: ConversionParameters) {
        self.live.change(parameters);
    }

    /// How late sound comes out beside the block and the look-ahead.
    #[must_use]
    pub fn latency(&self) -> LiveLatency {
        let frames = self.pre.latency() + self.post.latency();
        let ms = (frames as u64 * 1_000).div_ceil(u64::from(self.sample_rate_hz));
        LiveLatency {
            effects_ms: ms as u32,
            resampling_ms: self.resampling_ms,
        }
    }

    /// Takes more sound and returns what is ready, which is empty until a block is complete.
    pub fn push(&mut self, samples: Vec<f32>) -> Result<Vec<f32>, PipelineError> {
        self.heard += samples.len() as u64;
        let heard = self.pre.process(samples)?;
        let heard = self.down.process(Block::from_planar(1, heard))?;
        let spoken = self.live.push(heard.channel(0))?;
        if spoken.is_empty() {
            return Ok(spoken);
        }
        let spoken = self.up.process(Block::from_planar(1, spoken))?;
        let ready = self.post.process(spoken.into_planar())?;
        self.given += ready.len() as u64;
        Ok(ready)
    }

    /// The level of the speaker over the parts that have sounded so far; none while nothing has.
    #[must_use]
    pub fn input_rms(&self) -> Option<f64> {
        self.live.input_rms()
    }

    /// Ends it, and returns the rest: in total, as much comes out as went in.
    pub fn finish(mut self) -> Result<Vec<f32>, PipelineError> {
        let rest = Block::from_planar(1, self.pre.finish()?);
        let mut heard = self.down.process(rest)?.into_planar();
        heard.extend_from_slice(self.down.flush()?.as_planar());
        let mut spoken = self.live.push(&heard)?;
        spoken.extend(self.live.finish()?);
        let spoken = self.up.process(Block::from_planar(1, spoken))?;
        let mut ready = spoken.into_planar();
        ready.extend_from_slice(self.up.flush()?.as_planar());
        let mut ready = self.post.process(ready)?;
        ready.extend(self.post.finish()?);
        // Rates and back: a sample more or less.
        ready.resize((self.heard - self.given) as usize, 0.0);
        Ok(ready)
    }
}

/// The effects of a chain, each ready for mono sound.
fn started(
    chain: &Chain,
    effects: &Catalog,
    sample_rate_hz: u32,
) -> Result<Vec<EffectStage>, PipelineError> {
    let start = |item: &vocalhost_job::ChainItem| {
        let entry = effects.pinned(&item.id, &item.version, &item.digest);
        let entry = entry.ok_or_else(|| PipelineError::EffectMissing {
            id: item.id.clone(),
            version: item.version.clone(),
        })?;
        let settings = settings_of(item);
        Ok(entry.effect.start(&StreamConfig {
            sample_rate_hz,
            channels: 1,
            settings,
        })?)
    };
    chain.iter().map(start).collect()
}

#[cfg(test)]
mod tests;
