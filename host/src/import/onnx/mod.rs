//! ONNX files of strangers: checked, and made lighter to run.

mod attention;
mod check;
mod cuts;
mod external;
mod gates;
#[cfg(test)]
mod hostile;
mod means;
mod normalised;
mod operators;
mod random;
mod shapes;
mod types;

pub(in crate::import) use attention::fuse_attentions;
pub(in crate::import) use check::check;
pub(in crate::import) use cuts::{is_cut, without_cuts};
pub(in crate::import) use external::resolve;
pub(in crate::import) use gates::split_gates;
pub(in crate::import) use means::widen_means;
pub(in crate::import) use random::{Noise, NoiseKind, refuse_random_nodes, without_random_nodes};
pub(in crate::import) use shapes::loosen_shapes;
