#![doc = include_str!("../README.md")]

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
pub use limits::{EffectLimits, MAX_FRAMES};
pub use naming::{alias, is_reserved, named};
pub use parameter::{ChoiceOption, Kind, Parameter, ParameterError, Scale, SettingValue};
pub use processor::{Processor, ProcessorConfig, Tail};
pub use stage::EffectStage;
pub use validate::is_effect_id;
