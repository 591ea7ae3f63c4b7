//! ONNX files of strangers: read within bounds, checked, and written again with changes.
//!
//! Nothing here runs a graph. What is read borrows from the file's bytes, so that weights are never copied; what is written
//! goes out piece by piece.

mod attention;
mod check;
mod cuts;
mod edit;
mod external;
mod gates;
#[cfg(test)]
mod hostile;
mod means;
mod message;
mod nodes;
mod normalised;
mod operators;
mod order;
mod places;
mod random;
mod read;
mod shapes;
#[cfg(test)]
pub(in crate::import) mod testing;
mod ties;
mod types;

pub(in crate::import) use attention::fuse_attentions;
pub(in crate::import) use check::check;
pub(in crate::import) use cuts::{is_cut, without_cuts};
pub(in crate::import) use edit::Edit;
pub(in crate::import) use external::{External, resolve};
pub(in crate::import) use gates::split_gates;
pub(in crate::import) use means::widen_means;
pub(in crate::import) use message::{Dim, Element, port_message};
pub(in crate::import) use random::{Noise, NoiseKind, refuse_random_nodes, without_random_nodes};
pub(in crate::import) use read::{Node, OnnxFile, Port};
pub(in crate::import) use shapes::loosen_shapes;

/// What is wrong with a graph, for whoever imports it. It names the node or the tensor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(in crate::import) struct Fault(String);

impl Fault {
    pub(in crate::import) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl From<crate::model::wire::WireError> for Fault {
    fn from(error: crate::model::wire::WireError) -> Self {
        Self(format!("is damaged: {error}"))
    }
}
