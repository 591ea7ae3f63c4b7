//! A U-Net over a spectrogram whose blocks have convolutions, and fully connected layers over all bins.

use crate::drawing::{
    Attribute, DataType, DrawFault, Edge, Layers, Length, Network, Weights, Window,
};
use crate::separators::drawn::finished;
use crate::torch::TorchFile;

use super::sizes::{Activation, EACH_BIN, Norm, Sizes};

/// What is added to variances.
const EPSILON: f32 = 1e-5;

/// All there is to draw.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) sizes: Sizes,
    pub(super) frames: u64,
    pub(super) norm: Norm,
    pub(super) activation: Activation,
}

type Mdx23c<'a> = Layers<'a, Plan>;

/// A kernel of one place.
const HERE: Window<'static> = Window {
    strides: &[1, 1],
    pads: &[0, 0, 0, 0],
    groups: 1,
};
/// A kernel of 3×3 that keeps the size.
const AROUND: Window<'static> = Window {
    pads: &[1, 1, 1, 1],
    ..HERE
};

/// Draws the network: `spectrum` `[1, 4, bins, frames]`, `stems` `[1, 4 stems, bins, frames]`.
pub(super) fn draw(
    file: &mut TorchFile,
    weights: Weights,
    plan: &Plan,
) -> Result<Network, DrawFault> {
    let mut net = Mdx23c::new(file, weights, plan);
    let sizes = &plan.sizes;
    let (frames, channels) = (plan.frames, sizes.channels);
    let shape = |count: u64| [1, count, sizes.bins, frames].map(Length::Fixed);
    let spectrum = net
        .network
        .input("spectrum", DataType::F32, &shape(EACH_BIN));
    // Parts of the spectrum become channels, below their own.
    let stacked = EACH_BIN * sizes.subbands;
    let part = sizes.bins / sizes.subbands;
    let over = [1, stacked, part, frames].map(|length| length as i64);
    let mix = net.reshaped(&spectrum, &over);
    let dims = [channels, stacked, 1, 1];
    let first = net.convolved("first_conv", &mix, &dims, HERE)?;
    let mut x = net.transposed(&first, &[0, 1, 3, 2]);
    let (mut width, mut bins) = (channels, part);
    let mut passed = Vec::new();
    for level in 0..sizes.levels {
        let prefix = format!("encoder_blocks.{level}");
        x = blocks(
            &mut net,
            &format!("{prefix}.tfc_tdf"),
            &x,
            (width, width),
            bins,
        )?;
        passed.push((x.clone(), width));
        (x, width) = scaled(
            &mut net,
            &format!("{prefix}.downscale.conv"),
            &x,
            width,
            false,
        )?;
        bins /= sizes.scale[1];
    }
    x = blocks(&mut net, "bottleneck_block", &x, (width, width), bins)?;
    for (level, (before, wider)) in passed.iter().rev().enumerate() {
        let prefix = format!("decoder_blocks.{level}");
        (x, width) = scaled(&mut net, &format!("{prefix}.upscale.conv"), &x, width, true)?;
        bins *= sizes.scale[1];
        x = joined(&mut net, &x, before);
        let inputs = width.saturating_add(*wider);
        x = blocks(
            &mut net,
            &format!("{prefix}.tfc_tdf"),
            &x,
            (inputs, width),
            bins,
        )?;
    }
    let x = net.transposed(&x, &[0, 1, 3, 2]);
    let x = net.network.apply("Mul", &[&x, &first]);
    let x = joined(&mut net, &mix, &x);
    let dims = [channels, channels + stacked, 1, 1];
    let x = net.convolved("final_conv.0", &x, &dims, HERE)?;
    let x = activated(&mut net, &x);
    let dims = [sizes.stems * stacked, channels, 1, 1];
    let x = net.convolved("final_conv.2", &x, &dims, HERE)?;
    let outputs = EACH_BIN * sizes.stems;
    let whole = [1, outputs, sizes.bins, frames].map(|length| length as i64);
    let x = net.reshaped(&x, &whole);
    net.network.output(&x, "stems", &shape(outputs));
    finished(net, "MDX23C")
}

fn joined(net: &mut Mdx23c<'_>, first: &Edge, second: &Edge) -> Edge {
    let axis = [("axis", Attribute::Int(1))];
    net.network.apply_with("Concat", &[first, second], &axis)
}

/// Shorter along both axes, or longer, with other channels.
fn scaled(
    net: &mut Mdx23c<'_>,
    prefix: &str,
    x: &Edge,
    inputs: u64,
    is_up: bool,
) -> Result<(Edge, u64), DrawFault> {
    let scale = net.architecture.sizes.scale;
    let x = prepared(net, &format!("{prefix}.0"), x, inputs)?;
    let conv = format!("{prefix}.2");
    let key = format!("{conv}.weight");
    let [before, behind, ..] = net.weights.dims::<4>(&key)?;
    let strides = scale.map(|scale| scale as i64);
    if is_up {
        let weight = net.weight(&key, &[inputs, behind, scale[0], scale[1]])?;
        let attributes = [
            ("kernel_shape", Attribute::Ints(&strides)),
            ("strides", Attribute::Ints(&strides)),
        ];
        let longer = net
            .network
            .apply_with("ConvTranspose", &[&x, &weight], &attributes);
        return Ok((longer, behind));
    }
    let window = Window {
        strides: &strides,
        ..HERE
    };
    let dims = [before, inputs, scale[0], scale[1]];
    Ok((net.convolved(&conv, &x, &dims, window)?, before))
}

/// All blocks of a level.
fn blocks(
    net: &mut Mdx23c<'_>,
    prefix: &str,
    x: &Edge,
    (inputs, outputs): (u64, u64),
    bins: u64,
) -> Result<Edge, DrawFault> {
    let count = net
        .weights
        .count(&format!("{prefix}.blocks."), 1, |weights, block| {
            weights.find(&format!("{block}.shortcut.weight")).is_some()
        });
    let (mut x, mut inputs) = (x.clone(), inputs);
    for block in 0..count {
        let prefix = format!("{prefix}.blocks.{block}");
        x = self::block(net, &prefix, &x, (inputs, outputs), bins)?;
        inputs = outputs;
    }
    Ok(x)
}

/// Two convolutions with fully connected layers over all bins between them, and a residual connection.
fn block(
    net: &mut Mdx23c<'_>,
    prefix: &str,
    input: &Edge,
    (inputs, outputs): (u64, u64),
    bins: u64,
) -> Result<Edge, DrawFault> {
    let around = [outputs, inputs, 1, 1];
    let besides = net.convolved(&format!("{prefix}.shortcut"), input, &around, HERE)?;
    let x = prepared(net, &format!("{prefix}.tfc1.0"), input, inputs)?;
    let dims = [outputs, inputs, 3, 3];
    let x = net.convolved(&format!("{prefix}.tfc1.2"), &x, &dims, AROUND)?;
    let tdf = format!("{prefix}.tdf");
    let [narrow, _] = net.weights.dims(&format!("{tdf}.2.weight"))?;
    let y = prepared(net, &format!("{tdf}.0"), &x, outputs)?;
    let factor = net.factor(&format!("{tdf}.2.weight"), (bins, narrow))?;
    let y = net.network.apply("MatMul", &[&y, &factor]);
    let y = prepared(net, &format!("{tdf}.3"), &y, outputs)?;
    let factor = net.factor(&format!("{tdf}.5.weight"), (narrow, bins))?;
    let y = net.network.apply("MatMul", &[&y, &factor]);
    let x = net.network.apply("Add", &[&x, &y]);
    let x = prepared(net, &format!("{prefix}.tfc2.0"), &x, outputs)?;
    let dims = [outputs, outputs, 3, 3];
    let x = net.convolved(&format!("{prefix}.tfc2.2"), &x, &dims, AROUND)?;
    Ok(net.network.apply("Add", &[&x, &besides]))
}

/// Normalisation and activation.
fn prepared(
    net: &mut Mdx23c<'_>,
    prefix: &str,
    x: &Edge,
    channels: u64,
) -> Result<Edge, DrawFault> {
    let x = match net.architecture.norm {
        Norm::Batch => net.batch_norm(prefix, x, (channels, EPSILON))?,
        Norm::Instance => {
            let weight = net.weight(&format!("{prefix}.weight"), &[channels])?;
            let bias = net.weight(&format!("{prefix}.bias"), &[channels])?;
            let epsilon = [("epsilon", Attribute::Float(EPSILON))];
            let inputs = [x, &weight, &bias];
            net.network
                .apply_with("InstanceNormalization", &inputs, &epsilon)
        }
    };
    Ok(activated(net, &x))
}

fn activated(net: &mut Mdx23c<'_>, x: &Edge) -> Edge {
    match net.architecture.activation {
        Activation::Gelu => net.network.gelu(x),
        Activation::Relu => net.network.apply("Relu", &[x]),
        Activation::Elu(alpha) => {
            let alpha = [("alpha", Attribute::Float(alpha))];
            net.network.apply_with("Elu", &[x], &alpha)
        }
    }
}
