//! What the newer networks hear along the frames, before their last step up (`LSTMModule`).

use crate::drawing::{Attribute, DrawFault, EPSILON, LSTM_GATES, Plane, in_lstm_order};

use super::network::{Vr, point};

/// All channels as one, read along the frames in both directions.
pub(super) fn heard(net: &mut Vr<'_>, prefix: &str, x: &Plane) -> Result<Plane, DrawFault> {
    let (bins, frames) = (x.bins, x.frames);
    let one = point(net, &format!("{prefix}.conv"), x)?;
    if one.channels != 1 {
        return Err(DrawFault::refused(format!(
            "reads {} channels along the frames ({prefix:?}), where this architecture has one",
            one.channels
        )));
    }
    let rows = net.reshaped(&one.edge, &[bins as i64, frames as i64]);
    let rows = net.transposed(&rows, &[1, 0]);
    let rows = net.reshaped(&rows, &[frames as i64, 1, bins as i64]);
    let units = format!("{prefix}.lstm");
    let [_, hidden] = net.weights.dims(&format!("{units}.weight_hh_l0"))?;
    let learned = net.both_directions(&units, (bins, hidden), LSTM_GATES, in_lstm_order)?;
    let attributes = [
        ("direction", Attribute::Text("bidirectional")),
        ("hidden_size", Attribute::Int(hidden as i64)),
    ];
    let [inward, onward, biases] = &learned;
    let inputs = [&rows, inward, onward, biases];
    let y = net.network.apply_with("LSTM", &inputs, &attributes);
    let both = hidden.saturating_mul(2);
    // [frames, 2, 1, hidden]: a frame's units of both directions lie one behind the other.
    let y = net.reshaped(&y, &[frames as i64, both as i64]);
    let y = net.linear(&format!("{prefix}.dense.0"), &y, (both, bins))?;
    let y = net.batch_norm(&format!("{prefix}.dense.1"), &y, (bins, EPSILON))?;
    let y = net.network.apply("Relu", &[&y]);
    let y = net.transposed(&y, &[1, 0]);
    Ok(Plane {
        edge: net.reshaped(&y, &[1, 1, bins as i64, frames as i64]),
        channels: 1,
        bins,
        frames,
    })
}
