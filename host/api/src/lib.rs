#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod document;
mod routes;
mod rules;
mod serve;
pub mod v1;

pub use routes::UNDER_ROOT;
pub use rules::limits::Limits;
pub use rules::route::{Handler, Operation, Route};
pub use rules::state::Api;
pub use rules::surface::Surface;
pub use serve::serve;
pub use v1::names::collection_of;
