//! Networks drawn as graphs from our own description of them, with the dimensions and the weights that a checkpoint has. Nothing of the
//! checkpoint is run.

mod fault;
mod groups;
mod layers;
mod matrices;
mod parts;
mod recurrent;
mod weights;

pub(crate) use fault::DrawFault;
pub(crate) use groups::EPSILON;
pub(crate) use layers::Layers;
pub(crate) use parts::Window;
pub(crate) use recurrent::{LSTM_GATES, in_lstm_order};
pub(crate) use vocalhost_onnx::{Attribute, DataType, Edge, Length, Network};
pub(crate) use weights::{Weights, without_wrapping};

/// Channels of so many bins and frames, `[1, channels, bins, frames]`.
#[derive(Debug, Clone)]
pub(crate) struct Plane {
    pub(crate) edge: Edge,
    pub(crate) channels: u64,
    pub(crate) bins: u64,
    pub(crate) frames: u64,
}
