#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod live;
pub mod lossy;
pub mod scheduler;
pub mod worker;
