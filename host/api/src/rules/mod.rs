//! What every request keeps to, whatever it is for: keys and scopes, limits, idempotency, the audit log, problems, mistakes of
//! fields, pages, and how an operation describes itself. Nothing here names a resource.

pub mod audit;
pub mod auth;
pub mod call;
mod class;
pub mod created;
pub mod describe;
mod failures;
pub mod layers;
pub mod limits;
pub mod mistakes;
pub mod noted;
pub mod once;
pub mod page;
pub mod problem;
mod request_id;
pub mod route;
pub mod router;
pub mod session;
pub mod state;
pub mod surface;
mod timed;
mod trace;
