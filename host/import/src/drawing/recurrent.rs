//! Weights of recurrent layers, which torch and ONNX order in different ways.

use super::{DrawFault, Edge, Layers};
use crate::torch::Values;

impl<A> Layers<'_, A> {
    /// A weight of both directions, forwards first, each with its gates brought into ONNX's order by `ordered`.
    pub(crate) fn both_directions(
        &mut self,
        (prefix, name): (&str, &str),
        dims: &[u64],
        ordered: fn(&[f32]) -> Vec<f32>,
    ) -> Result<Vec<f32>, DrawFault> {
        let mut both = Vec::new();
        for direction in ["", "_reverse"] {
            let values = self.values(&format!("{prefix}.{name}_l0{direction}"), dims)?;
            both.extend(ordered(&values.singles()));
        }
        Ok(both)
    }

    /// Numbers that were worked out from a checkpoint's, as a weight.
    pub(crate) fn worked_out(
        &mut self,
        (prefix, name): (&str, &str),
        numbers: &[f32],
        dims: &[u64],
    ) -> Edge {
        let values = Values::of_singles(numbers);
        self.stored(&format!("{prefix}.{name}"), (values, dims))
    }
}
