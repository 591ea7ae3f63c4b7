//! Applio's `RefineGAN` (`rvc/lib/algorithm/generators/refinegan.py` since August 2025): the sine source is shortened stage by stage, the
//! latent is lengthened stage by stage, and each stage of the latter takes the matching stage of the former.

mod resampled;

use self::resampled::{lengthened, shortened};
use super::decoder::{NOISE, OUTER_KERNEL, Pitched, SINE};
use super::decoders::REFINE_SOURCE;
use super::layers::{Conv, Layers};
use crate::drawing::{Attribute, DataType, DrawFault, Edge};

/// Slope of its rectifiers.
const SLOPE: f32 = 0.2;
/// Kernels and dilations of the three blocks of a stage.
const KERNELS: [u64; 3] = [3, 7, 11];
const DILATIONS: [u64; 3] = [1, 3, 5];
/// The offset of a channel's noise from that of the channel before, in samples: farther than a block reaches.
const APART: i64 = 127;
/// The offset of a layer's noise from that of the layer before.
const LAYERS_APART: i64 = 7_919;

/// Adds the decoder; takes and gives what [`super::decoder::decode`] does.
pub(super) fn decode(
    net: &mut Layers<'_>,
    x: &Edge,
    speaker: &Edge,
    pitched: &Pitched<'_>,
) -> Result<Edge, DrawFault> {
    let architecture = net.architecture;
    let stages = architecture.rates.len();
    let mut channels = architecture.initial >> (stages + 1);
    let source = source(net, pitched)?;
    let mut down = net.conv(
        "dec.pre_conv",
        &source,
        Conv::same(1, channels, OUTER_KERNEL),
    )?;
    let mut heard = Vec::with_capacity(stages);
    for (stage, rate) in architecture.rates.iter().rev().enumerate() {
        down = net.leaky(&down, SLOPE);
        heard.push(down.clone());
        down = shortened(net, &down, (channels, *rate));
        let conv = Conv::same(channels, 2 * channels, OUTER_KERNEL);
        down = net.conv(&format!("dec.downsample_blocks.{stage}"), &down, conv)?;
        channels *= 2;
    }
    let latent = Conv::same(architecture.inter, channels, OUTER_KERNEL);
    let latent = net.conv("dec.mel_conv", x, latent)?;
    let told = Conv::same(architecture.speaker, channels, 1);
    let told = net.conv("dec.cond", speaker, told)?;
    let latent = net.network.apply("Add", &[&latent, &told]);
    let mut x = joined(net, &latent, &down);
    channels = architecture.initial;
    let flat = net.reshaped(pitched.noise, &[-1]);
    for (stage, rate) in architecture.rates.iter().enumerate() {
        x = net.leaky(&x, SLOPE);
        x = lengthened(net, &x, (channels, *rate));
        let Some(source) = heard.pop() else {
            break;
        };
        x = joined(net, &x, &source);
        x = blocks(net, stage, (&x, &flat), channels)?;
        channels /= 2;
    }
    let x = net.leaky(&x, SLOPE);
    let last = Conv {
        bias: false,
        ..Conv::same(channels, 1, OUTER_KERNEL)
    };
    let x = net.conv("dec.conv_post", &x, last)?;
    Ok(net.network.apply("Tanh", &[&x]))
}

fn joined(net: &mut Layers<'_>, a: &Edge, b: &Edge) -> Edge {
    let channels = [("axis", Attribute::Int(1))];
    net.network.apply_with("Concat", &[a, b], &channels)
}

/// The mean of the three blocks of a stage, which takes `channels` and a quarter of them from the sine, and gives half of them.
fn blocks(
    net: &mut Layers<'_>,
    stage: usize,
    (x, noise): (&Edge, &Edge),
    channels: u64,
) -> Result<Edge, DrawFault> {
    let prefix = format!("dec.upsample_conv_blocks.{stage}");
    let half = channels / 2;
    let first = Conv::same(channels + channels / 4, half, OUTER_KERNEL);
    let x = net.conv(&format!("{prefix}.input_conv"), x, first)?;
    let mut sum: Option<Edge> = None;
    for (number, kernel) in KERNELS.iter().enumerate() {
        let block = format!("{prefix}.blocks.{number}");
        let layer = 2 * (stage * KERNELS.len() + number) as i64;
        let mut y = roughened(net, &format!("{block}.0"), (&x, noise), (half, layer))?;
        for (place, dilation) in DILATIONS.iter().enumerate() {
            let dilated = Conv::dilated(half, half, *kernel, *dilation);
            let plain = Conv::same(half, half, *kernel);
            let z = net.leaky(&y, SLOPE);
            let z = net.conv(&format!("{block}.1.convs1.{place}"), &z, dilated)?;
            let z = net.leaky(&z, SLOPE);
            let z = net.conv(&format!("{block}.1.convs2.{place}"), &z, plain)?;
            y = net.network.apply("Add", &[&z, &y]);
        }
        let y = roughened(net, &format!("{block}.2"), (&y, noise), (half, layer + 1))?;
        sum = Some(match sum {
            Some(sum) => net.network.apply("Add", &[&sum, &y]),
            None => y,
        });
    }
    let sum = sum.ok_or_else(|| DrawFault::refused("has no residual blocks".to_owned()))?;
    let count = net.network.number(KERNELS.len() as f32);
    Ok(net.network.apply("Div", &[&sum, &count]))
}

/// Adds noise of a trained level to each channel, and rectifies (`AdaIN`).
///
/// The original draws that noise anew for every channel and run. Here it is the noise of the source, read cyclically from another place
/// for every channel, so that results repeat.
fn roughened(
    net: &mut Layers<'_>,
    prefix: &str,
    (x, flat): (&Edge, &Edge),
    (channels, layer): (u64, i64),
) -> Result<Edge, DrawFault> {
    let level = net.weight(&format!("{prefix}.weight"), &[channels])?;
    let level = net.reshaped(&level, &[-1, 1]);
    let start = (layer + 1) * LAYERS_APART;
    let network = &mut net.network;
    let all = network.apply("Shape", &[flat]);
    let shape = network.apply("Shape", &[x]);
    let (first, time) = (network.integers(&[0]), network.integers(&[2]));
    let length = network.apply("Gather", &[&shape, &time]);
    let apart = network.integers(&[APART]);
    let row = network.apply("Add", &[&length, &apart]);
    let rows = network.integers(&[channels as i64]);
    let end = network.apply("Mul", &[&row, &rows]);
    let start = network.integers(&[start]);
    let end = network.apply("Add", &[&end, &start]);
    let rounds = network.apply("Div", &[&end, &all]);
    let one = network.integers(&[1]);
    let rounds = network.apply("Add", &[&rounds, &one]);
    let circle = network.apply("Tile", &[flat, &rounds]);
    let cut = network.apply("Slice", &[&circle, &start, &end, &first]);
    let noise = net.reshaped(&cut, &[channels as i64, -1]);
    let network = &mut net.network;
    let noise = network.apply("Slice", &[&noise, &first, &length, &one]);
    let noise = network.apply("Mul", &[&noise, &level]);
    let rough = network.apply("Add", &[x, &noise]);
    Ok(net.leaky(&rough, SLOPE))
}

/// A sine at the pitch and noise beside it, `[1, 1, T upp]`. Between frames the pitch glides; it is voiced where it is over 0.
fn source(net: &mut Layers<'_>, pitched: &Pitched<'_>) -> Result<Edge, DrawFault> {
    let (upp, rate) = (net.architecture.upp(), net.architecture.sample_rate_hz());
    let channel = net.network.integers(&[1]);
    let pitch = net.network.apply("Unsqueeze", &[pitched.pitch, &channel]);
    let pitch = lengthened(net, &pitch, (1, upp));
    let exact = net.cast(&pitch, DataType::F64);
    let network = &mut net.network;
    let rate = network.number(rate as f32);
    let rate = net.cast(&rate, DataType::F64);
    let network = &mut net.network;
    let step = network.apply("Div", &[&exact, &rate]);
    let axis = network.integer(2);
    let phase = network.apply("CumSum", &[&step, &axis]);
    let whole = network.number(1.0);
    let exactly = net.cast(&whole, DataType::F64);
    let fraction = [("fmod", Attribute::Int(1))];
    let network = &mut net.network;
    let phase = network.apply_with("Mod", &[&phase, &exactly], &fraction);
    let phase = net.cast(&phase, DataType::F32);
    let angle = net.scaled(&phase, std::f32::consts::TAU);
    let sine = net.network.apply("Sin", &[&angle]);
    let sine = net.scaled(&sine, SINE);

    let network = &mut net.network;
    let zero = network.number(0.0);
    let voiced = network.apply("Greater", &[&pitch, &zero]);
    let voiced = net.cast(&voiced, DataType::F32);
    let unvoiced = net.network.apply("Sub", &[&whole, &voiced]);
    let sine = net.network.apply("Mul", &[&sine, &voiced]);
    let beside = net.scaled(&voiced, NOISE);
    let instead = net.scaled(&unvoiced, SINE / 3.0);
    let noise = net.reshaped(pitched.noise, &[1, 1, -1]);
    let weight = net.weight(REFINE_SOURCE, &[1, 1])?;
    let network = &mut net.network;
    let level = network.apply("Add", &[&beside, &instead]);
    let noise = network.apply("Mul", &[&level, &noise]);
    let wave = network.apply("Add", &[&sine, &noise]);
    let wave = network.apply("Mul", &[&wave, &weight]);
    Ok(network.apply("Tanh", &[&wave]))
}
