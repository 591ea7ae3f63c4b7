//! Applio's MRF HiFi-GAN (`rvc/lib/algorithm/generators/hifigan_mrf.py`): HiFi-GAN led by nine harmonics of the pitch.

use super::decoder::{LAST_SLOPE, NOISE, OUTER_KERNEL, Pitched, SINE, SLOPE, phase, source_branch};
use super::layers::{Conv, Layers};
use crate::drawing::{Attribute, DataType, DrawFault, Edge};

/// Sines at the pitch and at its multiples.
const HARMONICS: u64 = 9;
/// Where each harmonic begins, in periods, as a multiple of its number. The original draws these at random for every run, but for the
/// fundamental; here they are spread by the golden ratio, so that results repeat and no two begin alike.
const APART: f64 = 0.618_033_988_749_895;

/// Adds the decoder; takes and gives what [`super::decoder::decode`] does.
pub(super) fn decode(
    net: &mut Layers<'_>,
    x: &Edge,
    speaker: &Edge,
    pitched: &Pitched<'_>,
) -> Result<Edge, DrawFault> {
    let architecture = net.architecture;
    let initial = architecture.initial;
    let source = source(net, pitched)?;
    let first = Conv::same(architecture.inter, initial, OUTER_KERNEL);
    let x = net.conv("dec.conv_pre", x, first)?;
    let told = Conv::same(architecture.speaker, initial, 1);
    let told = net.conv("dec.cond", speaker, told)?;
    let mut x = net.network.apply("Add", &[&x, &told]);
    for stage in 0..architecture.rates.len() {
        x = net.leaky(&x, SLOPE);
        let channels = (initial >> stage, architecture.channels_behind(stage));
        let lengths = (architecture.rates[stage], architecture.kernels[stage]);
        x = net.upsample(&format!("dec.upsamples.{stage}"), &x, channels, lengths)?;
        let heard = source_branch(net, stage, &source)?;
        x = net.network.apply("Add", &[&x, &heard]);
        x = blocks(net, stage, &x)?;
    }
    let x = net.leaky(&x, LAST_SLOPE);
    let channels = architecture.channels_behind(architecture.rates.len() - 1);
    let x = net.conv("dec.conv_post", &x, Conv::same(channels, 1, OUTER_KERNEL))?;
    Ok(net.network.apply("Tanh", &[&x]))
}

/// The mean of the blocks behind a stage.
fn blocks(net: &mut Layers<'_>, stage: usize, x: &Edge) -> Result<Edge, DrawFault> {
    let architecture = net.architecture;
    let channels = architecture.channels_behind(stage);
    let mut sum: Option<Edge> = None;
    for (number, (kernel, dilations)) in architecture.blocks.iter().enumerate() {
        let mut y = x.clone();
        for (layer, dilation) in dilations.iter().enumerate() {
            let prefix = format!("dec.mrfs.{stage}.{number}.layers.{layer}");
            let dilated = Conv::dilated(channels, channels, *kernel, *dilation);
            let plain = Conv::same(channels, channels, *kernel);
            let z = net.leaky(&y, SLOPE);
            let z = net.conv(&format!("{prefix}.conv1"), &z, dilated)?;
            let z = net.leaky(&z, SLOPE);
            let z = net.conv(&format!("{prefix}.conv2"), &z, plain)?;
            y = net.network.apply("Add", &[&y, &z]);
        }
        sum = Some(match sum {
            Some(sum) => net.network.apply("Add", &[&sum, &y]),
            None => y,
        });
    }
    let sum = sum.ok_or_else(|| DrawFault::refused("has no residual blocks".to_owned()))?;
    let count = net.network.number(architecture.blocks.len() as f32);
    Ok(net.network.apply("Div", &[&sum, &count]))
}

/// Nine sines at multiples of the pitch and noise beside them, mixed to one wave `[1, 1, T upp]`.
///
/// The original has noise of its own beside each harmonic. Mixed with the weights `w`, that is normal noise of the deviation `|w|`, which
/// one row of noise gives as well.
fn source(net: &mut Layers<'_>, pitched: &Pitched<'_>) -> Result<Edge, DrawFault> {
    let upp = net.architecture.upp();
    let last_axis = net.network.integers(&[2]);
    let pitch = net.network.apply("Unsqueeze", &[pitched.pitch, &last_axis]);
    let phase = phase(net, &pitch);
    let network = &mut net.network;
    let whole = network.number(1.0);
    let fraction = [("fmod", Attribute::Int(1))];
    let phase = network.apply_with("Mod", &[&phase, &whole], &fraction);
    let axis = network.integers(&[3]);
    let phase = network.apply("Unsqueeze", &[&phase, &axis]);
    let multiples: Vec<f32> = (1..=HARMONICS).map(|number| number as f32).collect();
    let multiples = network.numbers(&multiples);
    let phase = network.apply("Mul", &[&phase, &multiples]);
    let begins = (0..HARMONICS).map(|number| (number as f64 * APART).fract() as f32);
    let begins = network.numbers(&begins.collect::<Vec<_>>());
    let phase = network.apply("Add", &[&phase, &begins]);
    let angle = net.scaled(&phase, std::f32::consts::TAU);
    let sines = net.network.apply("Sin", &[&angle]);
    let sines = net.scaled(&sines, SINE);
    let weight = net.weight("dec.m_source.l_linear.weight", &[1, HARMONICS])?;
    let bias = net.weight("dec.m_source.l_linear.bias", &[1])?;
    let mix = net.transposed(&weight, &[1, 0]);
    let sine = net.network.apply("MatMul", &[&sines, &mix]);
    let sine = net.reshaped(&sine, &[1, -1, upp as i64]);

    let network = &mut net.network;
    let zero = network.number(0.0);
    let voiced = network.apply("Greater", &[&pitch, &zero]);
    let voiced = net.cast(&voiced, DataType::F32);
    let network = &mut net.network;
    let unvoiced = network.apply("Sub", &[&whole, &voiced]);
    let sine = network.apply("Mul", &[&sine, &voiced]);
    let beside = net.scaled(&voiced, NOISE);
    let instead = net.scaled(&unvoiced, SINE / 3.0);
    let network = &mut net.network;
    let level = network.apply("Add", &[&beside, &instead]);
    let all = [("keepdims", Attribute::Int(0))];
    let deviation = network.apply_with("ReduceL2", &[&weight], &all);
    let level = network.apply("Mul", &[&level, &deviation]);
    let noise = net.reshaped(pitched.noise, &[1, -1, upp as i64]);
    let network = &mut net.network;
    let noise = network.apply("Mul", &[&level, &noise]);
    let wave = network.apply("Add", &[&sine, &noise]);
    let wave = network.apply("Add", &[&wave, &bias]);
    let wave = network.apply("Tanh", &[&wave]);
    Ok(net.reshaped(&wave, &[1, 1, -1]))
}
