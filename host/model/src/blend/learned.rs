//! The weights of a decoder, taken out of its graph and put back after training.

use super::BlendError;
use super::graph::{Graph, GraphError};
use super::tensor::{Tensor, TensorError};
use crate::Package;
use crate::manifest::FileRole;

/// The prefix of the weights that training changes.
const NETWORK: &str = "network.";
/// The suffix of weights stored in half precision.
const HALF: &str = "_h";

/// The weights of a voice's decoder, in the order of `wanted`: names and dimensions as a training has them.
///
/// # Errors
/// When the package is damaged, and when its graph has no such weights.
pub fn decoder_weights(
    voice: &Package,
    wanted: &[(String, Vec<u64>)],
) -> Result<Vec<f32>, BlendError> {
    let (_, file) = voice.read(FileRole::Graph)?;
    let fault = |error: GraphError| of(voice, &error);
    let graph = Graph::parse(&file).map_err(fault)?;
    let mut row = Vec::new();
    for wanted in wanted {
        let (_, tensor) = find(voice, &graph, wanted)?;
        let unreadable = |error: TensorError| fault(error.into());
        let values = tensor.values().map_err(unreadable)?;
        let Some(float) = tensor.float() else {
            return Err(lacks(voice, &wanted.0));
        };
        let values = values.chunks_exact(float.width());
        row.extend(values.map(|value| float.read(value) as f32));
    }
    Ok(row)
}

/// The graph of a voice's decoder with the given weights, in the order of [`decoder_weights`]. Their precision stays.
///
/// # Errors
/// As [`decoder_weights`], and when the number of weights is wrong or one is not finite.
pub fn decoder_with(
    voice: &Package,
    wanted: &[(String, Vec<u64>)],
    row: &[f32],
) -> Result<Vec<u8>, BlendError> {
    let (_, file) = voice.read(FileRole::Graph)?;
    let graph = Graph::parse(&file).map_err(|error| of(voice, &error))?;
    let mut tensors = vec![None; graph.tensors.len()];
    let mut rest = row;
    for wanted in wanted {
        let (place, tensor) = find(voice, &graph, wanted)?;
        let count = wanted.1.iter().product::<u64>() as usize;
        let (values, behind) = rest
            .split_at_checked(count)
            .ok_or_else(|| lacks(voice, &wanted.0))?;
        rest = behind;
        let Some(float) = tensor
            .float()
            .filter(|_| values.iter().all(|value| value.is_finite()))
        else {
            return Err(lacks(voice, &wanted.0));
        };
        let mut stored = Vec::with_capacity(count * float.width());
        for value in values {
            float.write(f64::from(*value), &mut stored);
        }
        tensors[place] = Some(tensor.with_values(&tensor.dims, &stored));
    }
    let written = graph.with_tensors(&tensors);
    let again = Graph::parse(&written).map_err(|error| of(voice, &error))?;
    if again.is_finite() {
        return Ok(written);
    }
    Err(lacks(voice, "weights that fit into half precision"))
}

/// A weight of the graph and its index among the tensors.
fn find<'g, 'f>(
    voice: &Package,
    graph: &'g Graph<'f>,
    (name, dims): &(String, Vec<u64>),
) -> Result<(usize, &'g Tensor<'f>), BlendError> {
    let is_it = |tensor: &Tensor<'_>| {
        let own = tensor.name.strip_prefix(NETWORK).unwrap_or(&tensor.name);
        own.strip_suffix(HALF).unwrap_or(own) == name && tensor.dims == *dims
    };
    let mut tensors = graph.tensors.iter().enumerate();
    let found = tensors.find(|(_, tensor)| is_it(tensor));
    found.ok_or_else(|| lacks(voice, name))
}

fn lacks(voice: &Package, what: &str) -> BlendError {
    BlendError::Graph {
        voice: voice.manifest().name.clone(),
        reason: format!("it has no {what} as voices of this program have it"),
    }
}

fn of(voice: &Package, error: &GraphError) -> BlendError {
    BlendError::Graph {
        voice: voice.manifest().name.clone(),
        reason: error.to_string(),
    }
}
