use std::ops::{Range, RangeInclusive};

use wasmtime::component::ResourceAny;

use vocalhost_audio::{Block, Stage, StageError};

use super::bindings::interface;
use super::finite::{all_finite, check_answer};
use super::instance::{Instance, bounded};
use super::routing::{Route, routes};
use super::{Effect, MAX_FRAMES, PluginError, StreamConfig};

/// Seconds of latency that the host compensates for at most. A whole linear-phase filter fits; an effect with more latency does not suit
/// streams, and its frames would have to be held in memory.
const MAX_LATENCY_S: u32 = 2;

/// What the interface promises its effects.
const SAMPLE_RATES_HZ: RangeInclusive<u32> = 8_000..=192_000;

/// A running stream of an effect, as a link of the chain.
///
/// Like every stage it is aligned: it drops the effect's latency from the front, and gets the missing end by feeding silence in `flush`.
/// Blocks may have any length; the effect never gets more than [`MAX_FRAMES`] frames at once. A sample that is not finite is replaced by
/// silence before the effect gets it. After an error every further call fails.
pub struct EffectStage {
    instance: Instance,
    name: String,
    lanes: Vec<Lane>,
    channels: usize,
    sample_rate_hz: u32,
    process_limits: super::EffectLimits,
    latency: usize,
    frames_to_drop: usize,
    position: u64,
}

/// One processor and the channels that it handles.
struct Lane {
    processor: ResourceAny,
    route: Route,
}

impl EffectStage {
    /// Starts an instance of `effect` with as many processors as the channels need.
    pub(super) fn start(effect: &Effect, stream: &StreamConfig) -> Result<Self, PluginError> {
        let descriptor = effect.descriptor();
        let name = descriptor.id.clone();
        if !SAMPLE_RATES_HZ.contains(&stream.sample_rate_hz) {
            return Err(PluginError::SampleRate {
                effect: name,
                sample_rate_hz: stream.sample_rate_hz,
            });
        }
        let Some(routes) = routes(&descriptor.layouts, stream.channels) else {
            return Err(PluginError::Channels {
                effect: name,
                channels: stream.channels,
            });
        };
        let limits = *effect.limits();
        let mut instance = Instance::start(effect.component(), &name, &limits)?;
        let mut lanes = Vec::with_capacity(routes.len());
        let mut latency = None;
        for route in routes {
            let config = processor_config(stream, &route);
            let processor = construct(&mut instance, &name, &config, limits.setup_fuel())?;
            let frames = instance.call("latency", limits.setup_fuel(), |effect, store| {
                effect.processor().call_latency(store, processor)
            })?;
            let limit = MAX_LATENCY_S * stream.sample_rate_hz;
            // Processors with the same settings must have the same latency, or their channels would drift apart.
            if frames > limit || latency.is_some_and(|first| first != frames) {
                return Err(PluginError::Latency {
                    effect: name,
                    frames,
                    limit: latency.unwrap_or(limit),
                });
            }
            latency = Some(frames);
            lanes.push(Lane { processor, route });
        }
        let latency = latency.unwrap_or_default() as usize;
        Ok(Self {
            instance,
            name,
            lanes,
            channels: stream.channels,
            sample_rate_hz: stream.sample_rate_hz,
            process_limits: limits,
            latency,
            frames_to_drop: latency,
            position: 0,
        })
    }

    /// The effect's own latency in frames; the stage's answers are aligned.
    #[must_use]
    pub fn latency(&self) -> usize {
        self.latency
    }

    /// Bytes of memory that the instance holds by now.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.instance.memory_bytes_used()
    }

    /// Runs a whole block, in pieces that the effect takes.
    fn run(&mut self, block: Block) -> Result<Block, PluginError> {
        if block.channels() != self.channels {
            return Err(PluginError::Channels {
                effect: self.name.clone(),
                channels: block.channels(),
            });
        }
        let frames = block.frames();
        let whole = self.lanes.len() == 1 && self.lanes[0].route.channels.len() == self.channels;
        let fits = self.lanes[0].route.layout.inputs as usize == self.channels;
        if whole && fits && frames <= MAX_FRAMES {
            return self.run_piece(block);
        }
        let mut answer = Block::silent(self.channels, frames);
        for first in (0..frames).step_by(MAX_FRAMES) {
            let piece = first..frames.min(first + MAX_FRAMES);
            for lane in 0..self.lanes.len() {
                let mut input = gather(&block, &self.lanes[lane].route, piece.clone());
                if !block.is_known_finite() && !all_finite(&input) {
                    input = silenced(&input);
                }
                let output = self.process(lane, &input, piece.len())?;
                scatter(&output, &self.lanes[lane].route, &mut answer, piece.start);
            }
            self.position += piece.len() as u64;
        }
        Ok(answer)
    }

    /// The common case: one processor takes the block as it lies in memory.
    fn run_piece(&mut self, block: Block) -> Result<Block, PluginError> {
        let frames = block.frames();
        if frames == 0 {
            return Ok(block);
        }
        // The answer of the effect before was looked at when it came.
        let answer = if block.is_known_finite() || all_finite(block.as_planar()) {
            self.process(0, block.as_planar(), frames)?
        } else {
            self.process(0, &silenced(block.as_planar()), frames)?
        };
        self.position += frames as u64;
        Ok(Block::from_planar(self.channels, answer).found_finite())
    }

    /// One call into the guest with finite samples, and its answer checked.
    fn process(
        &mut self,
        lane: usize,
        input: &[f32],
        frames: usize,
    ) -> Result<Vec<f32>, PluginError> {
        let processor = self.lanes[lane].processor;
        let expected = self.lanes[lane].route.layout.outputs as usize * frames;
        let fuel = self
            .process_limits
            .process_fuel(frames, self.sample_rate_hz);
        let answer = self.instance.call("process", fuel, |effect, store| {
            effect.processor().call_process(store, processor, input)
        })?;
        if let Err(error) = check_answer(&self.name, &answer, (expected, frames), self.position) {
            self.instance.poison();
            return Err(error);
        }
        Ok(answer)
    }

    /// Takes what remains of the latency from the front of `block`.
    fn align(&mut self, block: Block) -> Block {
        let drop = self.frames_to_drop.min(block.frames());
        if drop == 0 {
            return block;
        }
        self.frames_to_drop -= drop;
        let mut aligned = Block::silent(self.channels, block.frames() - drop);
        for channel in 0..self.channels {
            aligned
                .channel_mut(channel)
                .copy_from_slice(&block.channel(channel)[drop..]);
        }
        if block.is_known_finite() {
            aligned = aligned.found_finite();
        }
        aligned
    }
}

impl Stage for EffectStage {
    fn process(&mut self, block: Block) -> Result<Block, StageError> {
        let answer = self.run(block)?;
        Ok(self.align(answer))
    }

    fn flush(&mut self) -> Result<Block, StageError> {
        let silence = Block::silent(self.channels, self.latency);
        let answer = self.run(silence)?;
        Ok(self.align(answer))
    }
}

fn processor_config(stream: &StreamConfig, route: &Route) -> interface::Config {
    interface::Config {
        sample_rate: stream.sample_rate_hz,
        layout: route.layout.into(),
        max_frames: MAX_FRAMES as u32,
        settings: stream
            .settings
            .iter()
            .map(|(id, value)| interface::Setting {
                id: id.clone(),
                value: value.into(),
            })
            .collect(),
    }
}

pub(super) fn construct(
    instance: &mut Instance,
    name: &str,
    config: &interface::Config,
    fuel: u64,
) -> Result<ResourceAny, PluginError> {
    let answer = instance.call("constructor", fuel, |effect, store| {
        effect.processor().call_constructor(store, config)
    })?;
    answer.map_err(|reason| PluginError::Refused {
        effect: name.to_owned(),
        reason: bounded(&reason),
    })
}

/// The samples of a route's channels, channel after channel; a single channel at a layout of two comes twice.
fn gather(block: &Block, route: &Route, frames: Range<usize>) -> Vec<f32> {
    let inputs = route.layout.inputs as usize;
    let mut samples = Vec::with_capacity(inputs * frames.len());
    for input in 0..inputs {
        let channel = (route.channels.start + input).min(route.channels.end - 1);
        samples.extend_from_slice(&block.channel(channel)[frames.clone()]);
    }
    samples
}

/// Puts a route's answer back, from the frame `first` on.
fn scatter(samples: &[f32], route: &Route, block: &mut Block, first: usize) {
    let outputs = route.layout.outputs as usize;
    let frames = samples.len() / outputs;
    let from_output = |output: usize| &samples[output * frames..(output + 1) * frames];
    if route.channels.len() < outputs {
        let channel = &mut block.channel_mut(route.channels.start)[first..first + frames];
        for (frame, sample) in channel.iter_mut().enumerate() {
            *sample = 0.5 * (from_output(0)[frame] + from_output(1)[frame]);
        }
        return;
    }
    for (output, channel) in route.channels.clone().enumerate() {
        block.channel_mut(channel)[first..first + frames].copy_from_slice(from_output(output));
    }
}

/// Samples with silence in the place of those that are not finite.
fn silenced(samples: &[f32]) -> Vec<f32> {
    let finite_or_silent = |sample: &f32| if sample.is_finite() { *sample } else { 0.0 };
    samples.iter().map(finite_or_silent).collect()
}
