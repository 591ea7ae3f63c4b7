#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod edit;
pub mod form;
mod message;
mod network;
mod nodes;
pub mod number;
mod order;
mod places;
mod read;
pub mod testing;
mod ties;
mod values;
pub mod wire;

pub use edit::{Edit, External};
pub use message::{
    Dim, Element, float_attribute, node_message, node_message_of, port_message, tensor_attribute,
    tensor_message, whole_attribute, wholes_attribute,
};
pub use network::{Attribute, DataType, Edge, Length, Network};
pub use nodes::{Constants, Nodes};
pub use order::{ordered, taken};
pub use read::{Graph, Initializer, Node, OnnxFile, Port};
pub use ties::Ties;

/// What is wrong with a graph, for whoever imports it. It names the node or the tensor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Fault(String);

impl Fault {
    /// What is wrong, as the rest of a sentence about the graph.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl From<wire::WireError> for Fault {
    fn from(error: wire::WireError) -> Self {
        Self(format!("is damaged: {error}"))
    }
}
