//! CREPE ("CREPE: A Convolutional Representation for Pitch Estimation", Kim and others 2018), as torchcrepe has it: six convolutions over
//! a frame of sound, and a layer that weighs the bins.

use crate::drawing::{
    Attribute, DataType, DrawFault, Edge, Layers, Length, Network, Weights, Window,
};
use crate::torch::TorchFile;

use super::whole::finished;

/// Samples of a frame, and bins of the pitch.
const FRAME: u64 = 1_024;
const BINS: u64 = 360;
/// What is added to variances.
const EPSILON: f32 = 0.001;
/// Convolutions, and what is left of a frame behind them.
const CONVOLUTIONS: usize = 6;
const LEFT: u64 = 4;

/// What messages call a file with the weights of CREPE.
pub(super) const WHAT: &str = "estimator of pitch of CREPE's architecture";

/// Whether weights of these names are CREPE's.
pub(super) fn is_one<'n>(mut names: impl Iterator<Item = &'n str>) -> bool {
    names.any(|name| name.starts_with("conv1_BN."))
}

/// Draws the network: `frames` `[T, 1024]`, `salience` `[T, 360]`.
pub(super) fn draw(file: &mut TorchFile, weights: Weights) -> Result<Network, DrawFault> {
    let mut net = Layers::new(file, weights, &());
    let frames = Length::Any("T");
    let shape = [frames, Length::Fixed(FRAME)];
    let heard = net.network.input("frames", DataType::F32, &shape);
    let mut x = net.reshaped(&heard, &[-1, 1, FRAME as i64, 1]);
    let mut channels = 1;
    for number in 1..=CONVOLUTIONS {
        (x, channels) = layer(&mut net, number, &x, channels)?;
    }
    // What is left of a frame, with all its channels, is one row.
    let width = channels * LEFT;
    let x = net.transposed(&x, &[0, 2, 1, 3]);
    let x = net.reshaped(&x, &[-1, width as i64]);
    let x = net.linear("classifier", &x, (width, BINS))?;
    let x = net.network.apply("Sigmoid", &[&x]);
    let shape = [frames, Length::Fixed(BINS)];
    net.network.output(&x, "salience", &shape);
    finished(net, "CREPE")
}

/// A convolution that hears half a frame, or the neighbourhood of a place, and half as many places behind it.
fn layer(
    net: &mut Layers<'_, ()>,
    number: usize,
    x: &Edge,
    inputs: u64,
) -> Result<(Edge, u64), DrawFault> {
    let prefix = format!("conv{number}");
    let [outputs, ..] = net.weights.dims::<4>(&format!("{prefix}.weight"))?;
    let (kernel, window) = if number == 1 {
        let window = Window {
            strides: &[4, 1],
            pads: &[254, 0, 254, 0],
            groups: 1,
        };
        (512, window)
    } else {
        let window = Window {
            strides: &[1, 1],
            pads: &[31, 0, 32, 0],
            groups: 1,
        };
        (64, window)
    };
    let x = net.convolved(&prefix, x, &[outputs, inputs, kernel, 1], window)?;
    let x = net.network.apply("Relu", &[&x]);
    let x = net.batch_norm(&format!("{prefix}_BN"), &x, (outputs, EPSILON))?;
    let halves = [
        ("kernel_shape", Attribute::Ints(&[2, 1])),
        ("strides", Attribute::Ints(&[2, 1])),
    ];
    Ok((net.network.apply_with("MaxPool", &[&x], &halves), outputs))
}
