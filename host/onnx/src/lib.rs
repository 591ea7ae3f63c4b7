#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod edit;
mod fault;
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
pub use fault::Fault;
pub use message::{
    Dim, Element, float_attribute, node_message, node_message_of, port_message, tensor_attribute,
    tensor_message, whole_attribute, wholes_attribute,
};
pub use network::{Attribute, DataType, Edge, Length, Network};
pub use nodes::{Constants, Nodes};
pub use order::{ordered, taken};
pub use read::{Graph, Initializer, Node, OnnxFile, Port};
pub use ties::Ties;
