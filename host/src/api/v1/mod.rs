//! The resources of the v1 API, one file each.

mod chain;
mod chain_form;
mod conversion_form;
pub mod conversions;
pub mod effects;
pub mod models;
mod records;
mod timestamp;

pub use timestamp::timestamp;
