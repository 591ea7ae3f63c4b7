//! The words in which an operation says what it takes and gives.

pub mod common;
mod description;
pub mod schema;

pub use description::{Description, Good};

/// A schema and its name.
pub type Named = (&'static str, fn() -> serde_json::Value);
