#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod document;
mod routes;
mod rules;
mod serve;
pub mod v1;

pub use routes::{AT_ROOT, UNDER_ROOT};
pub use rules::limits::Limits;
pub use rules::route::{Class, Handler, Operation, Route};
pub use rules::state::Api;
pub use rules::surface::Surface;
pub use serve::serve;
pub use v1::target::collection_of;
