#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod artifact;
mod challenge;
mod client;
mod credentials;
mod digest;
mod error;
mod publish;
mod reference;
mod signature;
mod take;

pub use client::{Access, Options, Registry};
pub use credentials::Credentials;
pub use digest::digest;
pub use error::RegistryError;
pub use publish::{Contents, Published};
pub use reference::Reference;
pub use signature::{KeyError, PublicKey, SigningKey};
pub use take::Taken;
