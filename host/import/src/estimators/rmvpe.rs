//! RMVPE ("RMVPE: A Robust Model for Vocal Pitch Estimation in Polyphonic Music", Wei and others 2023): a U-Net over a spectrogram with
//! residual blocks, and recurrent units after it.

use crate::drawing::{
    Attribute, DataType, DrawFault, Edge, Layers, Length, Network, Weights, Window,
};
use crate::torch::TorchFile;

use super::recurrent::both_ways;
use super::whole::finished;

/// Mel bands of a spectrogram, and bins of the pitch.
const MELS: u64 = 128;
const BINS: u64 = 360;
/// What is added to variances.
const EPSILON: f32 = 1e-5;
/// How often the spectrogram is halved: the host fills its length up to a multiple of 32 frames.
const LEVELS: usize = 5;
/// Where the recurrent units lie.
const UNITS: &str = "fc.0.gru";

/// What messages call a file with the weights of RMVPE.
pub(super) const WHAT: &str = "estimator of pitch of RMVPE's architecture";

/// Whether weights of these names are RMVPE's.
pub(super) fn is_one<'n>(mut names: impl Iterator<Item = &'n str>) -> bool {
    names.any(|name| name.starts_with("unet.encoder.") || name.starts_with("unet.intermediate."))
}

/// How many blocks there are.
struct Sizes {
    /// Layers in the middle.
    middle: usize,
}

type Estimator<'a> = Layers<'a, Sizes>;

/// Draws the network: `mel` `[1, 128, T]`, `salience` `[1, T, 360]`.
pub(super) fn draw(file: &mut TorchFile, weights: Weights) -> Result<Network, DrawFault> {
    let sizes = Sizes {
        middle: weights.count("unet.intermediate.layers.", 1, |weights, layer| {
            weights
                .find(&format!("{layer}.conv.0.conv.0.weight"))
                .is_some()
        }),
    };
    let mut net = Estimator::new(file, weights, &sizes);
    let (one, frames) = (Length::Fixed(1), Length::Any("T"));
    let shape = [one, Length::Fixed(MELS), frames];
    let mel = net.network.input("mel", DataType::F32, &shape);
    let x = net.transposed(&mel, &[0, 2, 1]);
    let x = net.reshaped(&x, &[1, 1, -1, MELS as i64]);
    let x = unet(&mut net, &x)?;
    let [channels, inputs, ..] = net.weights.dims::<4>("cnn.weight")?;
    let x = net.convolved("cnn", &x, &[channels, inputs, 3, 3], AROUND)?;
    let x = net.transposed(&x, &[0, 2, 1, 3]);
    let width = channels * MELS;
    let x = net.reshaped(&x, &[1, -1, width as i64]);
    let [_, hidden] = net.weights.dims(&format!("{UNITS}.weight_hh_l0"))?;
    let x = both_ways(&mut net, UNITS, &x, (width, hidden))?;
    let x = net.linear("fc.1", &x, (2 * hidden, BINS))?;
    let x = net.network.apply("Sigmoid", &[&x]);
    let shape = [one, frames, Length::Fixed(BINS)];
    net.network.output(&x, "salience", &shape);
    finished(net, "RMVPE")
}

/// A window of 3×3 that keeps the size.
const AROUND: Window<'static> = Window {
    strides: &[1, 1],
    pads: &[1, 1, 1, 1],
    groups: 1,
};

/// Down to a thirty-second of the size and up again, each level joined with what it was on the way down.
fn unet(net: &mut Estimator<'_>, x: &Edge) -> Result<Edge, DrawFault> {
    let mut x = net.batch_norm("unet.encoder.bn", x, (1, EPSILON))?;
    let mut channels = 1;
    let mut passed = Vec::new();
    for level in 0..LEVELS {
        let prefix = format!("unet.encoder.layers.{level}.conv");
        (x, channels) = blocks(net, &prefix, &x, channels)?;
        passed.push((x.clone(), channels));
        let halves = [
            ("kernel_shape", Attribute::Ints(&[2, 2])),
            ("strides", Attribute::Ints(&[2, 2])),
        ];
        x = net.network.apply_with("AveragePool", &[&x], &halves);
    }
    for layer in 0..net.architecture.middle {
        let prefix = format!("unet.intermediate.layers.{layer}.conv");
        (x, channels) = blocks(net, &prefix, &x, channels)?;
    }
    for (level, (before, width)) in passed.iter().rev().enumerate() {
        let prefix = format!("unet.decoder.layers.{level}");
        x = doubled(net, &format!("{prefix}.conv1"), &x, (channels, *width))?;
        let axis = [("axis", Attribute::Int(1))];
        x = net.network.apply_with("Concat", &[&x, before], &axis);
        (x, channels) = blocks(net, &format!("{prefix}.conv2"), &x, 2 * width)?;
    }
    Ok(x)
}

/// Twice as large along both axes.
fn doubled(
    net: &mut Estimator<'_>,
    prefix: &str,
    x: &Edge,
    (inputs, outputs): (u64, u64),
) -> Result<Edge, DrawFault> {
    let weight = net.weight(&format!("{prefix}.0.weight"), &[inputs, outputs, 3, 3])?;
    let attributes = [
        ("kernel_shape", Attribute::Ints(&[3, 3])),
        ("strides", Attribute::Ints(&[2, 2])),
        ("pads", Attribute::Ints(&[1, 1, 1, 1])),
        ("output_padding", Attribute::Ints(&[1, 1])),
    ];
    let x = net
        .network
        .apply_with("ConvTranspose", &[x, &weight], &attributes);
    let x = net.batch_norm(&format!("{prefix}.1"), &x, (outputs, EPSILON))?;
    Ok(net.network.apply("Relu", &[&x]))
}

/// All blocks of a layer, and how many channels come out.
fn blocks(
    net: &mut Estimator<'_>,
    prefix: &str,
    x: &Edge,
    inputs: u64,
) -> Result<(Edge, u64), DrawFault> {
    let count = net
        .weights
        .count(&format!("{prefix}."), 1, |weights, block| {
            weights.find(&format!("{block}.conv.0.weight")).is_some()
        });
    let (mut x, mut channels) = (x.clone(), inputs);
    for block in 0..count.max(1) {
        (x, channels) = self::block(net, &format!("{prefix}.{block}"), &x, channels)?;
    }
    Ok((x, channels))
}

/// Two convolutions with a residual connection, which has a weight where the channels change.
fn block(
    net: &mut Estimator<'_>,
    prefix: &str,
    input: &Edge,
    inputs: u64,
) -> Result<(Edge, u64), DrawFault> {
    let [outputs, ..] = net.weights.dims::<4>(&format!("{prefix}.conv.0.weight"))?;
    let mut x = input.clone();
    for (conv, from) in [(0, inputs), (3, outputs)] {
        let dims = [outputs, from, 3, 3];
        x = net.convolved(&format!("{prefix}.conv.{conv}"), &x, &dims, AROUND)?;
        let norm = format!("{prefix}.conv.{}", conv + 1);
        x = net.batch_norm(&norm, &x, (outputs, EPSILON))?;
        x = net.network.apply("Relu", &[&x]);
    }
    let shortcut = format!("{prefix}.shortcut");
    let besides = if net.weights.has_conv(&shortcut) {
        let window = Window {
            pads: &[0, 0, 0, 0],
            ..AROUND
        };
        net.convolved(&shortcut, input, &[outputs, inputs, 1, 1], window)?
    } else {
        input.clone()
    };
    Ok((net.network.apply("Add", &[&x, &besides]), outputs))
}
