//! Blends: new voices whose weights lie between those of others.
//!
//! Voices that were fine-tuned from one base answer to weights between theirs with a sound between theirs. A blend is a
//! package like any other, made of two to four voices whose graphs are the same but for their weights (`same`): weights
//! interpolated (`weights`), indexes side by side with their shares (`retrieval`), pictures laid over one another
//! (`picture`), and what the voices say of their makers and terms carried over (`provenance`). The same voices, shares, id
//! and title give the same bytes.

mod check;
mod error;
mod family;
mod graph;
mod learned;
mod package;
mod picture;
mod provenance;
mod retrieval;
mod same;
mod speakers;
mod structure;
mod tensor;
#[cfg(test)]
mod tiny;
mod voice;
mod weights;

pub use check::{TooMuch, check_size};
pub(super) use check::{index_parts, sources};
pub use error::BlendError;
pub use family::{FamilyMismatch, check_family};
pub use learned::{decoder_weights, decoder_with};
pub use package::{BlendOrder, BlendVoice, BlendedPackage, DemoSource};
pub(super) use structure::weights_digest;
pub use voice::blended_voice;
