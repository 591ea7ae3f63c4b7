#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod app;
mod backup;
pub mod cli;
mod moving;
