use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use wasmtime::Store;
use wasmtime::component::ResourceAny;

use super::bindings::interface;
use super::finite::check_answer;
use super::instance::Instance;
use super::stage::construct;
use super::wasi::Guest;
use super::{Descriptor, Effect, EffectLimits, Layout, PluginError, SettingValue};

/// One processor of an effect exactly as the interface has it, to see what an effect really answers: nothing is cut,
/// aligned or routed. Calls have the same limits and checks as in a job.
///
/// It runs in an instance of its own, which it shares with its siblings only.
pub struct Processor {
    instance: Rc<RefCell<Instance>>,
    handle: ResourceAny,
    name: String,
    layout: Layout,
    sample_rate_hz: u32,
    limits: EffectLimits,
    position: u64,
    fuel_used: u64,
}

/// The stream that a processor is made for; the interface's `config`.
#[derive(Debug, Clone, PartialEq)]
pub struct ProcessorConfig {
    /// Frames per second.
    pub sample_rate_hz: u32,
    /// Channels in and out.
    pub layout: Layout,
    /// The most frames that one call carries.
    pub max_frames: usize,
    /// Parameters that differ from their default, by id.
    pub settings: BTreeMap<String, SettingValue>,
}

/// How long sound goes on after the input has fallen silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// At most this many frames on top of the latency.
    Frames(u64),
    /// Longer than can be said.
    Unbounded,
}

impl Processor {
    /// Checks the settings and makes a processor in a new instance of `effect`.
    pub fn start(effect: &Effect, config: &ProcessorConfig) -> Result<Self, PluginError> {
        effect.check(&config.settings)?;
        let name = &effect.descriptor().id;
        let instance = Instance::start(effect.component(), name, effect.limits())?;
        let instance = Rc::new(RefCell::new(instance));
        Self::construct(instance, name, *effect.limits(), config)
    }

    /// Makes another processor in the same instance; the settings must be legal ones.
    pub fn sibling(&self, config: &ProcessorConfig) -> Result<Self, PluginError> {
        Self::construct(Rc::clone(&self.instance), &self.name, self.limits, config)
    }

    fn construct(
        instance: Rc<RefCell<Instance>>,
        name: &str,
        limits: EffectLimits,
        config: &ProcessorConfig,
    ) -> Result<Self, PluginError> {
        let asked = interface::Config {
            sample_rate: config.sample_rate_hz,
            layout: config.layout.into(),
            max_frames: config.max_frames as u32,
            settings: config
                .settings
                .iter()
                .map(|(id, value)| interface::Setting {
                    id: id.clone(),
                    value: value.into(),
                })
                .collect(),
        };
        let fuel = limits.setup_fuel();
        let handle = construct(&mut instance.borrow_mut(), name, &asked, fuel)?;
        let fuel_used = fuel - instance.borrow().fuel_left();
        Ok(Self {
            instance,
            handle,
            name: name.to_owned(),
            layout: config.layout,
            sample_rate_hz: config.sample_rate_hz,
            limits,
            position: 0,
            fuel_used,
        })
    }

    /// The frames by which it says that it lags.
    pub fn latency(&mut self) -> Result<u32, PluginError> {
        let handle = self.handle;
        self.call("latency", self.limits.setup_fuel(), |effect, store| {
            effect.processor().call_latency(store, handle)
        })
    }

    /// How long it says that it rings.
    pub fn tail(&mut self) -> Result<Tail, PluginError> {
        let handle = self.handle;
        let tail = self.call("tail", self.limits.setup_fuel(), |effect, store| {
            effect.processor().call_tail(store, handle)
        })?;
        Ok(match tail {
            interface::Tail::Frames(frames) => Tail::Frames(frames),
            interface::Tail::Unbounded => Tail::Unbounded,
        })
    }

    /// One call with planar samples, channel after channel, which must be finite. The answer is as long as the
    /// interface demands, and finite.
    pub fn process(&mut self, input: &[f32]) -> Result<Vec<f32>, PluginError> {
        let handle = self.handle;
        let frames = input.len() / self.layout.inputs as usize;
        let fuel = self.limits.process_fuel(frames, self.sample_rate_hz);
        let answer = self.call("process", fuel, |effect, store| {
            effect.processor().call_process(store, handle, input)
        })?;
        let expected = self.layout.outputs as usize * frames;
        if let Err(error) = check_answer(&self.name, &answer, (expected, frames), self.position) {
            self.instance.borrow_mut().poison();
            return Err(error);
        }
        self.position += frames as u64;
        Ok(answer)
    }

    /// Makes it forget all sound.
    pub fn reset(&mut self) -> Result<(), PluginError> {
        let handle = self.handle;
        self.call("reset", self.limits.setup_fuel(), |effect, store| {
            effect.processor().call_reset(store, handle)
        })
    }

    /// Asks the instance what it is, once more.
    pub fn describe(&mut self) -> Result<Descriptor, PluginError> {
        let answer = self.call("describe", self.limits.setup_fuel(), |effect, store| {
            effect.call_describe(store)
        })?;
        Descriptor::from_guest(answer).map_err(|reason| PluginError::Descriptor {
            effect: self.name.clone(),
            reason,
        })
    }

    /// Ends it; its siblings go on.
    pub fn end(mut self) -> Result<(), PluginError> {
        let handle = self.handle;
        self.call("drop", self.limits.setup_fuel(), |_, store| {
            handle.resource_drop(store)
        })
    }

    /// Fuel of all its calls, the constructor included: about one unit per WebAssembly instruction.
    #[must_use]
    pub fn fuel_used(&self) -> u64 {
        self.fuel_used
    }

    /// Bytes of the linear memories of its instance; memories never shrink, so it is the most that they ever were.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.instance.borrow().memory_bytes_used()
    }

    fn call<R>(
        &mut self,
        call: &'static str,
        fuel: u64,
        work: impl FnOnce(&interface::Guest, &mut Store<Guest>) -> wasmtime::Result<R>,
    ) -> Result<R, PluginError> {
        let mut instance = self.instance.borrow_mut();
        let outcome = instance.call(call, fuel, work);
        self.fuel_used += fuel - instance.fuel_left().min(fuel);
        outcome
    }
}
