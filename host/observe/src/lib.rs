#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod log;
pub mod metrics;
pub mod traces;
