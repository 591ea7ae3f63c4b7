//! Effects: WebAssembly components that change sound, and the host they run in.
//!
//! An [`EffectHost`] compiles a component, asks it once what it is and gives an [`Effect`]; an effect starts streams, each
//! an [`EffectStage`] in the chain of `audio`. A [`Catalog`] holds the effects that come with the server. A component is
//! never trusted: it sees no file, no network, no clock and no randomness, it works within fixed memory and fuel,
//! and whatever it does wrong ends its own instance with an error that names it. This is the only area that knows
//! wasmtime.

mod bindings;
mod cache;
mod catalog;
mod denormals;
mod descriptor;
mod effect;
mod engine;
mod error;
mod finite;
mod instance;
mod limits;
mod naming;
mod parameter;
mod processor;
mod routing;
mod stage;
mod streams;
mod validate;
mod wasi;

pub use catalog::{Catalog, CatalogEntry};
pub use descriptor::{Descriptor, Layout, Preset};
pub use effect::{Effect, StreamConfig};
pub use engine::EffectHost;
pub use error::PluginError;
pub use instance::time_spent;
pub use limits::{EffectLimits, MAX_FRAMES};
pub use naming::{alias, is_reserved, named};
pub use parameter::{ChoiceOption, Kind, Parameter, ParameterError, Scale, SettingValue};
pub use processor::{Processor, ProcessorConfig, Tail};
pub use stage::EffectStage;
pub use validate::is_effect_id;
