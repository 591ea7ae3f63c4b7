#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod clock;
pub mod disk;
pub mod machine;
pub mod memory;
pub mod token;
pub mod work;
