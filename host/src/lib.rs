//! vocalhost: a self-hosted voice-processing server.
//!
//! Sound goes through effects (WebAssembly components) and voice models (ONNX Runtime) in jobs that a `v1` REST
//! API accepts. `ARCHITECTURE.md` holds the bird's eye view and says which area may know which.

pub mod api;
pub mod app;
pub mod audio;
pub mod backup;
pub mod cli;
pub mod clock;
pub mod config;
pub mod disk;
pub mod files;
pub mod hooks;
pub mod import;
pub mod job;
pub mod kit;
mod letters;
pub mod library;
pub mod memory;
pub mod metrics;
pub mod model;
pub mod pipeline;
pub mod plugin;
pub mod scheduler;
pub mod shelf;
pub mod store;
pub mod telemetry;
pub mod token;
pub mod traces;
pub mod worker;
