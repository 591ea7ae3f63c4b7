//! ONNX files of strangers: checked, and made lighter to run.

mod attention;
mod check;
mod cuts;
mod external;
mod gates;
mod heads;
#[cfg(test)]
mod hostile;
mod means;
mod normalised;
mod operators;
mod random;
mod shapes;
mod types;

pub(crate) use attention::fuse_attentions;
pub(crate) use check::check;
pub(crate) use cuts::{is_cut, without_cuts};
pub(crate) use external::{Other, resolve};
pub(crate) use gates::split_gates;
pub(crate) use heads::{give_salience, salience_in};
pub(crate) use means::widen_means;
pub(crate) use random::{Noise, NoiseKind, refuse_random_nodes, without_random_nodes};
pub(crate) use shapes::loosen_shapes;
