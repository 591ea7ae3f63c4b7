#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

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
pub(crate) use message::Message;
pub use message::signature;
pub use target::{Target, TargetError};
pub use tls::{TlsError, trusting};
