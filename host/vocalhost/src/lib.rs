#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod app;
pub mod backup;
pub mod cli;
pub mod moving;
