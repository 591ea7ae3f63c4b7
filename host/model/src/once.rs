//! Runs a package's graph once on given tensors; tests of other areas compare graphs that they write with reference numbers.

use super::manifest::TensorRole;
use super::session::{Input, Session, Values};
use super::{ModelError, Package, Runtime};

/// An input's values, row-major.
pub enum Given {
    /// Floats.
    Singles(Vec<f32>),
    /// Integers.
    Integers(Vec<i64>),
}

/// Loads the graph, which compares it with the manifest, and runs it. Returns the values of its output.
pub fn run_once(
    package: &Package,
    inputs: Vec<(TensorRole, Vec<usize>, Given)>,
) -> Result<Vec<f32>, ModelError> {
    let mut outputs = run_all(package, inputs)?;
    outputs.truncate(1);
    Ok(outputs.pop().unwrap_or_default())
}

/// The same for a graph with several outputs: the values of each, in the manifest's order.
pub fn run_all(
    package: &Package,
    inputs: Vec<(TensorRole, Vec<usize>, Given)>,
) -> Result<Vec<Vec<f32>>, ModelError> {
    let session = Session::load(&Runtime::load(None)?, package, 1)?;
    let inputs = inputs.into_iter().map(|(role, shape, given)| Input {
        role,
        shape,
        values: match given {
            Given::Singles(values) => Values::F32(values),
            Given::Integers(values) => Values::I64(values),
        },
    });
    session.run_with(inputs.collect(), |outputs| {
        let values = outputs.iter().map(|output| output.values.to_vec());
        Ok(values.collect())
    })
}
