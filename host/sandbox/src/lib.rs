#![doc = include_str!("../README.md")]

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
mod layer;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(target_os = "linux")]
mod refused;
#[cfg(target_os = "linux")]
mod rights;
#[cfg(target_os = "linux")]
mod system;
mod walls;

pub use layer::{Layer, LayerState, Report, Sandbox, UnknownSandbox};
pub use walls::{SandboxError, Walls};
