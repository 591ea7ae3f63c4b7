use crate::drawing::{Attribute, DrawFault, Edge, Layers};

/// Gates of a recurrent unit.
const GATES: usize = 3;

/// A layer of gated recurrent units that runs in both directions ("Learning Phrase Representations using RNN Encoder-Decoder for
/// Statistical Machine Translation", Cho and others 2014), as torch has it. Takes `[1, T, C]` and gives `[1, T, 2 H]`.
pub(super) fn both_ways<A>(
    net: &mut Layers<'_, A>,
    prefix: &str,
    x: &Edge,
    sizes: (u64, u64),
) -> Result<Edge, DrawFault> {
    let hidden = sizes.1;
    let learned = net.both_directions(prefix, sizes, GATES as u64, ordered)?;
    let x = net.transposed(x, &[1, 0, 2]);
    let attributes = [
        ("direction", Attribute::Text("bidirectional")),
        ("hidden_size", Attribute::Int(hidden as i64)),
        ("linear_before_reset", Attribute::Int(1)),
    ];
    let [inward, onward, biases] = &learned;
    let inputs = [&x, inward, onward, biases];
    let y = net.network.apply_with("GRU", &inputs, &attributes);
    let y = net.transposed(&y, &[2, 0, 1, 3]);
    Ok(net.reshaped(&y, &[1, -1, 2 * hidden as i64]))
}

/// Torch has the gates in the order reset, update, new; ONNX update, reset, new.
fn ordered(gates: &[f32]) -> Vec<f32> {
    let gate = gates.len() / GATES;
    let (reset, rest) = gates.split_at(gate);
    let (update, new) = rest.split_at(gate);
    [update, reset, new].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_change_places_and_keep_their_rows() {
        assert_eq!(
            ordered(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
            [3.0, 4.0, 1.0, 2.0, 5.0, 6.0]
        );
    }
}
