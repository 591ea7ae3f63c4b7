use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;

use vocalhost_audio::Block;
use vocalhost_effects::{
    Descriptor, Effect, EffectLimits, Layout, MAX_FRAMES, PluginError, Processor, ProcessorConfig,
    SettingValue,
};

use super::signals::slice;

/// The sample rates that sound is sent through at.
pub(super) const RATES_HZ: [u32; 6] = [8_000, 16_000, 44_100, 48_000, 96_000, 192_000];
/// The rate of the checks that need only one.
pub(super) const RATE_HZ: u32 = 48_000;
/// Channels that an effect for any number of them is tried with.
const ANY: [u32; 4] = [2, 1, 5, 8];

/// Fuel that one check may burn, by which the whole test ends in bounded time: a few seconds of work on today's
/// processors, and many times what an effect of ordinary speed needs.
const ALLOWANCE: u64 = 30_000_000_000;

/// The effect that is looked at, and what it has cost so far.
pub(super) struct Subject {
    pub(super) effect: Effect,
    pub(super) limits: EffectLimits,
    fuel_left: Cell<u64>,
    memory_peak: RefCell<(usize, String)>,
}

/// Why a check stops before its end.
pub(super) enum Stop {
    /// A call failed: where, and how.
    Fault(String, PluginError),
    /// The allowance is used up.
    Exhausted,
}

/// A stream to be made, and how a report calls its settings.
#[derive(Clone)]
pub(super) struct Setup {
    pub(super) config: ProcessorConfig,
    pub(super) settings: String,
}

impl fmt::Display for Setup {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Layout { inputs, outputs } = self.config.layout;
        write!(
            out,
            "{} at {} Hz with {inputs} in and {outputs} out",
            self.settings, self.config.sample_rate_hz
        )
    }
}

impl Subject {
    pub(super) fn new(effect: Effect, limits: EffectLimits) -> Self {
        Self {
            effect,
            limits,
            fuel_left: Cell::new(ALLOWANCE),
            memory_peak: RefCell::default(),
        }
    }

    pub(super) fn descriptor(&self) -> &Descriptor {
        self.effect.descriptor()
    }

    /// Begins a check: it gets an allowance of its own.
    pub(super) fn begin_check(&self) {
        self.fuel_left.set(ALLOWANCE);
    }

    /// Every layout that it must run with.
    pub(super) fn layouts(&self) -> Vec<Layout> {
        if self.descriptor().layouts.is_empty() {
            let alike = |channels| Layout {
                inputs: channels,
                outputs: channels,
            };
            return ANY.map(alike).into();
        }
        self.descriptor().layouts.clone()
    }

    /// The layout of the checks that need only one: stereo if it can.
    pub(super) fn layout(&self) -> Layout {
        const STEREO: Layout = Layout {
            inputs: 2,
            outputs: 2,
        };
        let layouts = self.layouts();
        if layouts.contains(&STEREO) {
            STEREO
        } else {
            layouts[0]
        }
    }

    /// Given settings in the usual layout at some rate.
    pub(super) fn setup(
        &self,
        sample_rate_hz: u32,
        said: &str,
        settings: &BTreeMap<String, SettingValue>,
    ) -> Setup {
        let mut setup = defaults(sample_rate_hz, self.layout());
        said.clone_into(&mut setup.settings);
        setup.config.settings.clone_from(settings);
        setup
    }

    /// Makes a processor in an instance of its own.
    pub(super) fn start(&self, setup: &Setup) -> Result<Line<'_>, Stop> {
        let started = Processor::start(&self.effect, &setup.config);
        Line::new(self, setup, started)
    }

    /// The most memory that any instance had so far, and in which setup.
    pub(super) fn memory_peak(&self) -> (usize, String) {
        self.memory_peak.borrow().clone()
    }

    fn pay(&self, fuel: u64, setup: &Setup, memory_bytes: usize) -> Result<(), Stop> {
        let mut peak = self.memory_peak.borrow_mut();
        if memory_bytes > peak.0 {
            *peak = (memory_bytes, setup.to_string());
        }
        let left = self.fuel_left.get().checked_sub(fuel);
        self.fuel_left.set(left.unwrap_or(0));
        left.map(|_| ()).ok_or(Stop::Exhausted)
    }
}

/// The default settings in some layout at some rate.
pub(super) fn defaults(sample_rate_hz: u32, layout: Layout) -> Setup {
    Setup {
        config: ProcessorConfig {
            sample_rate_hz,
            layout,
            max_frames: MAX_FRAMES,
            settings: BTreeMap::new(),
        },
        settings: "default settings".to_owned(),
    }
}

/// A processor of the subject whose calls are paid from the check's allowance.
pub(super) struct Line<'s> {
    subject: &'s Subject,
    pub(super) setup: Setup,
    pub(super) processor: Processor,
    paid: u64,
}

impl<'s> Line<'s> {
    fn new(
        subject: &'s Subject,
        setup: &Setup,
        started: Result<Processor, PluginError>,
    ) -> Result<Self, Stop> {
        let processor = started.map_err(|error| Stop::Fault(setup.to_string(), error))?;
        let mut line = Self {
            subject,
            setup: setup.clone(),
            processor,
            paid: 0,
        };
        line.pay()?;
        Ok(line)
    }

    /// Makes another processor in the same instance.
    pub(super) fn sibling(&self, setup: &Setup) -> Result<Self, Stop> {
        Self::new(self.subject, setup, self.processor.sibling(&setup.config))
    }

    /// One call of the processor.
    pub(super) fn ask<R>(
        &mut self,
        call: impl FnOnce(&mut Processor) -> Result<R, PluginError>,
    ) -> Result<R, Stop> {
        let answer = call(&mut self.processor);
        let answer = answer.map_err(|error| Stop::Fault(self.setup.to_string(), error))?;
        self.pay()?;
        Ok(answer)
    }

    /// Sends a sound through in blocks of these lengths, over and over.
    pub(super) fn play(&mut self, sound: &Block, cuts: &[usize]) -> Result<Block, Stop> {
        let mut answer = Block::silent(self.setup.config.layout.outputs as usize, sound.frames());
        let mut first = 0;
        for cut in cuts.iter().cycle() {
            let end = sound.frames().min(first + cut);
            if first == end {
                break;
            }
            let input = slice(sound, first..end);
            let output = self.ask(|processor| processor.process(&input))?;
            for (channel, samples) in output.chunks_exact(end - first).enumerate() {
                answer.channel_mut(channel)[first..end].copy_from_slice(samples);
            }
            first = end;
        }
        Ok(answer)
    }

    /// Sends a sound through as jobs do.
    pub(super) fn play_whole(&mut self, sound: &Block) -> Result<Block, Stop> {
        self.play(sound, &[self.setup.config.max_frames])
    }

    fn pay(&mut self) -> Result<(), Stop> {
        let used = self.processor.fuel_used();
        let fuel = used - self.paid;
        self.paid = used;
        self.subject
            .pay(fuel, &self.setup, self.processor.memory_bytes())
    }
}
