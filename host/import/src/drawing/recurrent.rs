//! Weights of recurrent layers, which torch and ONNX order in different ways.

use super::Edge;
use super::fault::DrawFault;
use super::layers::Layers;
use crate::torch::Values;

/// Gates of an LSTM unit.
pub(crate) const LSTM_GATES: u64 = 4;

/// Torch has the gates of such a unit in the order input, forget, cell, output; ONNX input, output, forget, cell.
pub(crate) fn in_lstm_order(gates: &[f32]) -> Vec<f32> {
    let gate = gates.len() / LSTM_GATES as usize;
    let (first, rest) = gates.split_at(gate);
    let (between, last) = rest.split_at(2 * gate);
    [first, last, between].concat()
}

impl<A> Layers<'_, A> {
    /// The weights of a recurrent layer that runs in both directions, as ONNX takes them after the input: input weights, recurrent
    /// weights, and biases. `gates` is how many gates a unit has, and `ordered` brings those of a direction into ONNX's order.
    pub(crate) fn both_directions(
        &mut self,
        prefix: &str,
        (inputs, hidden): (u64, u64),
        gates: u64,
        ordered: fn(&[f32]) -> Vec<f32>,
    ) -> Result<[Edge; 3], DrawFault> {
        let rows = gates.saturating_mul(hidden);
        let inward = self.stacked((prefix, "weight_ih"), &[rows, inputs], ordered)?;
        let inward = self.worked_out((prefix, "weight_ih"), &inward, &[2, rows, inputs]);
        let onward = self.stacked((prefix, "weight_hh"), &[rows, hidden], ordered)?;
        let onward = self.worked_out((prefix, "weight_hh"), &onward, &[2, rows, hidden]);
        // ONNX has both biases of a direction one behind the other.
        let before = self.stacked((prefix, "bias_ih"), &[rows], ordered)?;
        let behind = self.stacked((prefix, "bias_hh"), &[rows], ordered)?;
        let length = rows as usize;
        let pairs = before.chunks(length).zip(behind.chunks(length));
        let biases: Vec<f32> = pairs
            .flat_map(|(before, behind)| [before, behind].concat())
            .collect();
        let biases = self.worked_out((prefix, "bias"), &biases, &[2, 2 * rows]);
        Ok([inward, onward, biases])
    }

    /// A weight of both directions, forwards first, each with its gates brought into ONNX's order by `ordered`.
    fn stacked(
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
    fn worked_out(&mut self, (prefix, name): (&str, &str), numbers: &[f32], dims: &[u64]) -> Edge {
        let values = Values::of_singles(numbers);
        self.stored(&format!("{prefix}.{name}"), (values, dims))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_change_places_and_keep_their_rows() {
        let gates = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        assert_eq!(
            in_lstm_order(&gates),
            [1.0, 2.0, 7.0, 8.0, 3.0, 4.0, 5.0, 6.0]
        );
    }
}
