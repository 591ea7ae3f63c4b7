//! The normalising flow of VITS, run backwards: coupling layers that each shift one half of the channels by what a small
//! `WaveNet` makes of the other half and of the speaker.

use super::layers::{Conv, Layers};
use crate::drawing::{Attribute, DrawFault, Edge};

/// Maps a sample of the prior, `[1, inter, T]`, to the input of the decoder. `speaker` is `[1, speaker, 1]`.
pub(super) fn reverse(
    net: &mut Layers<'_>,
    sample: &Edge,
    speaker: &Edge,
    mask: &Edge,
) -> Result<Edge, DrawFault> {
    let (inter, hidden) = (net.architecture.inter, net.architecture.hidden);
    let half = inter / 2;
    let mut x = sample.clone();
    for flow in (0..net.architecture.flows).rev() {
        // Between the layers of the original lie others that turn the order of the channels around.
        let prefix = format!("flow.flows.{}", 2 * flow);
        x = turned(net, &x);
        let (kept, shifted) = net.network.halves(&x, 1, half);
        let h = net.conv(&format!("{prefix}.pre"), &kept, Conv::same(half, hidden, 1))?;
        let h = net.network.apply("Mul", &[&h, mask]);
        let h = wave_net(net, &format!("{prefix}.enc"), &h, speaker, mask)?;
        let shift = net.conv(&format!("{prefix}.post"), &h, Conv::same(hidden, half, 1))?;
        let shift = net.network.apply("Mul", &[&shift, mask]);
        let shifted = net.network.apply("Sub", &[&shifted, &shift]);
        let shifted = net.network.apply("Mul", &[&shifted, mask]);
        let axis = [("axis", Attribute::Int(1))];
        x = net.network.apply_with("Concat", &[&kept, &shifted], &axis);
    }
    Ok(x)
}

/// The channels in the opposite order.
fn turned(net: &mut Layers<'_>, x: &Edge) -> Edge {
    let network = &mut net.network;
    let [from, to, axis, step] = [-1, i64::MIN, 1, -1].map(|number| network.integers(&[number]));
    network.apply("Slice", &[x, &from, &to, &axis, &step])
}

/// Gated convolutions with what each contributes summed up ("`WaveNet`: A Generative Model for Raw Audio", van den Oord and
/// others 2016).
fn wave_net(
    net: &mut Layers<'_>,
    prefix: &str,
    input: &Edge,
    speaker: &Edge,
    mask: &Edge,
) -> Result<Edge, DrawFault> {
    let hidden = net.architecture.hidden;
    let (layers, kernel) = (net.architecture.flow_layers, net.architecture.flow_kernel);
    let gates = 2 * hidden * layers as u64;
    let gate = Conv::same(net.architecture.speaker, gates, 1);
    let speaker = net.conv(&format!("{prefix}.cond_layer"), speaker, gate)?;
    let mut x = input.clone();
    let mut sum: Option<Edge> = None;
    for layer in 0..layers {
        let gate = Conv::same(hidden, 2 * hidden, kernel);
        let heard = net.conv(&format!("{prefix}.in_layers.{layer}"), &x, gate)?;
        let told = part(net, &speaker, layer as i64, 2 * hidden as i64);
        let gated = net.network.apply("Add", &[&heard, &told]);
        let (value, gate) = net.network.halves(&gated, 1, hidden);
        let value = net.network.apply("Tanh", &[&value]);
        let gate = net.network.apply("Sigmoid", &[&gate]);
        let acts = net.network.apply("Mul", &[&value, &gate]);
        let last = layer + 1 == layers;
        let outputs = if last { hidden } else { 2 * hidden };
        let name = format!("{prefix}.res_skip_layers.{layer}");
        let given = net.conv(&name, &acts, Conv::same(hidden, outputs, 1))?;
        let given = if last {
            given
        } else {
            let (onward, given) = net.network.halves(&given, 1, hidden);
            x = net.network.apply("Add", &[&x, &onward]);
            x = net.network.apply("Mul", &[&x, mask]);
            given
        };
        sum = Some(match sum {
            Some(sum) => net.network.apply("Add", &[&sum, &given]),
            None => given,
        });
    }
    let sum = sum.ok_or_else(|| DrawFault::refused("has a flow without layers".to_owned()))?;
    Ok(net.network.apply("Mul", &[&sum, mask]))
}

/// Part `number` of the channels, in parts of `width`.
fn part(net: &mut Layers<'_>, x: &Edge, number: i64, width: i64) -> Edge {
    let network = &mut net.network;
    let [from, to, axis] =
        [number * width, (number + 1) * width, 1].map(|place| network.integers(&[place]));
    network.apply("Slice", &[x, &from, &to, &axis])
}
