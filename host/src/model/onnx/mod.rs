//! ONNX files: read within bounds, and written again with changes.
//!
//! Nothing here runs a graph. What is read borrows from the file's bytes, so that weights are never copied; what is written
//! goes out piece by piece.

mod edit;
mod message;
mod nodes;
mod order;
mod places;
mod read;
#[cfg(test)]
pub(crate) mod testing;
mod ties;
mod values;

pub(crate) use edit::{Edit, External};
pub(crate) use message::{
    Dim, Element, float_attribute, node_message, node_message_of, port_message, tensor_attribute,
    tensor_message, whole_attribute, wholes_attribute,
};
pub(crate) use nodes::{Constants, Nodes};
pub(crate) use order::{ordered, taken};
pub(crate) use read::{Graph, Initializer, Node, OnnxFile, Port, number};
pub(crate) use ties::Ties;

/// What is wrong with a graph, for whoever imports it. It names the node or the tensor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Fault(String);

impl Fault {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl From<super::wire::WireError> for Fault {
    fn from(error: super::wire::WireError) -> Self {
        Self(format!("is damaged: {error}"))
    }
}
