//! News for receivers outside: the deliverer takes what the store has in its outbox and posts it, signed as Standard
//! Webhooks 1.0 has it. Where to is a stranger's choice, so every address is looked up once, checked, and that very
//! address connected to.

mod addresses;
mod client;
mod deliverer;
mod message;
mod schedule;
mod target;
mod tls;

pub use addresses::AddressRules;
pub use client::{Client, SendError, Sent};
pub use deliverer::{Deliverer, DelivererSettings, Render};
pub use message::{Message, signature};
pub use target::{Target, TargetError};
pub use tls::{TlsError, trusting};
