//! The decoder: HiFi-GAN ("Generative Adversarial Networks for Efficient and High Fidelity Speech Synthesis", Kong and others
//! 2020), led by a sine at the pitch where a voice is told the pitch ("Neural source-filter waveform models", Wang and others
//! 2019).

use super::layers::{Conv, Layers};
use crate::drawing::{Attribute, DataType, DrawFault, Edge};

/// Slope of the rectifiers inside the decoder, and of the last one.
pub(super) const SLOPE: f32 = 0.1;
pub(super) const LAST_SLOPE: f32 = 0.01;
/// Amplitude of the sine, standard deviation of the noise beside it; unvoiced frames have noise of a third of the sine.
pub(super) const SINE: f32 = 0.1;
pub(super) const NOISE: f32 = 0.003;
/// Kernel of the first and of the last convolution.
pub(super) const OUTER_KERNEL: u64 = 7;

/// The sine source's inputs, of a voice that is told the pitch.
pub(super) struct Pitched<'e> {
    /// Pitch in hertz, `[1, T]`, 0 where unvoiced.
    pub(super) pitch: &'e Edge,
    /// Normal values, `[1, T upp, 1]`.
    pub(super) noise: &'e Edge,
}

/// Adds the decoder; `x` is `[1, inter, T]`, `speaker` is `[1, speaker, 1]`. Gives `[1, 1, T upp]`.
pub(super) fn decode(
    net: &mut Layers<'_>,
    x: &Edge,
    speaker: &Edge,
    pitched: Option<&Pitched<'_>>,
) -> Result<Edge, DrawFault> {
    let architecture = net.architecture;
    let initial = architecture.initial;
    let source = match pitched {
        Some(pitched) => Some(source(net, pitched)?),
        None => None,
    };
    let first = Conv::same(architecture.inter, initial, OUTER_KERNEL);
    let mut x = net.conv("dec.conv_pre", x, first)?;
    let told = Conv::same(architecture.speaker, initial, 1);
    let told = net.conv("dec.cond", speaker, told)?;
    x = net.network.apply("Add", &[&x, &told]);
    for stage in 0..architecture.rates.len() {
        x = upsampled(net, stage, &x)?;
        if let Some(source) = &source {
            let heard = source_branch(net, stage, source)?;
            x = net.network.apply("Add", &[&x, &heard]);
        }
        x = blocks(net, stage, &x)?;
    }
    let x = net.leaky(&x, LAST_SLOPE);
    let channels = architecture.channels_behind(architecture.rates.len() - 1);
    let last = Conv {
        bias: false,
        ..Conv::same(channels, 1, OUTER_KERNEL)
    };
    let x = net.conv("dec.conv_post", &x, last)?;
    Ok(net.network.apply("Tanh", &[&x]))
}

fn upsampled(net: &mut Layers<'_>, stage: usize, x: &Edge) -> Result<Edge, DrawFault> {
    let architecture = net.architecture;
    let x = net.leaky(x, SLOPE);
    let channels = (
        architecture.initial >> stage,
        architecture.channels_behind(stage),
    );
    let lengths = (architecture.rates[stage], architecture.kernels[stage]);
    net.upsample(&format!("dec.ups.{stage}"), &x, channels, lengths)
}

/// The sine source at the rate of a stage.
pub(super) fn source_branch(
    net: &mut Layers<'_>,
    stage: usize,
    source: &Edge,
) -> Result<Edge, DrawFault> {
    let architecture = net.architecture;
    let prefix = format!("dec.noise_convs.{stage}");
    let stride = architecture.rate_behind(stage);
    let [_, _, kernel] = net.weights.conv_dims(&prefix)?;
    let padding = kernel.saturating_sub(stride) / 2;
    let conv = Conv {
        inputs: 1,
        outputs: architecture.channels_behind(stage),
        kernel,
        stride,
        dilation: 1,
        padding: (padding, padding),
        bias: true,
    };
    net.conv(&prefix, source, conv)
}

/// The mean of the residual blocks behind a stage.
fn blocks(net: &mut Layers<'_>, stage: usize, x: &Edge) -> Result<Edge, DrawFault> {
    let architecture = net.architecture;
    let channels = architecture.channels_behind(stage);
    let count = architecture.blocks.len();
    let mut sum: Option<Edge> = None;
    for (number, (kernel, dilations)) in architecture.blocks.iter().enumerate() {
        let prefix = format!("dec.resblocks.{}", stage * count + number);
        let given = block(net, &prefix, x, (channels, *kernel, dilations))?;
        sum = Some(match sum {
            Some(sum) => net.network.apply("Add", &[&sum, &given]),
            None => given,
        });
    }
    let sum = sum.ok_or_else(|| DrawFault::refused("has no residual blocks".to_owned()))?;
    let count = net.network.number(count as f32);
    Ok(net.network.apply("Div", &[&sum, &count]))
}

fn block(
    net: &mut Layers<'_>,
    prefix: &str,
    input: &Edge,
    (channels, kernel, dilations): (u64, u64, &[u64]),
) -> Result<Edge, DrawFault> {
    let paired = net.architecture.paired;
    let first = if paired { "convs1" } else { "convs" };
    let mut x = input.clone();
    for (layer, dilation) in dilations.iter().enumerate() {
        let mut y = net.leaky(&x, SLOPE);
        let dilated = Conv::dilated(channels, channels, kernel, *dilation);
        y = net.conv(&format!("{prefix}.{first}.{layer}"), &y, dilated)?;
        if paired {
            y = net.leaky(&y, SLOPE);
            let plain = Conv::same(channels, channels, kernel);
            y = net.conv(&format!("{prefix}.convs2.{layer}"), &y, plain)?;
        }
        x = net.network.apply("Add", &[&y, &x]);
    }
    Ok(x)
}

/// A sine at the pitch and noise beside it, `[1, 1, T upp]`.
///
/// The phase is summed in single precision and in the order of the releases since 2024-06, whose sines it repeats.
fn source(net: &mut Layers<'_>, pitched: &Pitched<'_>) -> Result<Edge, DrawFault> {
    let upp = net.architecture.upp();
    let network = &mut net.network;
    let last_axis = network.integers(&[2]);
    let pitch = network.apply("Unsqueeze", &[pitched.pitch, &last_axis]);
    let phase = phase(net, &pitch);
    let angle = net.scaled(&phase, std::f32::consts::TAU);
    let sine = net.network.apply("Sin", &[&angle]);
    let sine = net.scaled(&sine, SINE);

    let network = &mut net.network;
    let zero = network.number(0.0);
    let voiced = network.apply("Greater", &[&pitch, &zero]);
    let voiced = net.cast(&voiced, DataType::F32);
    let whole = net.network.number(1.0);
    let unvoiced = net.network.apply("Sub", &[&whole, &voiced]);
    let beside = net.scaled(&voiced, NOISE);
    let instead = net.scaled(&unvoiced, SINE / 3.0);
    let level = net.network.apply("Add", &[&beside, &instead]);
    let noise = net.reshaped(pitched.noise, &[1, -1, upp as i64]);

    let network = &mut net.network;
    let sine = network.apply("Mul", &[&sine, &voiced]);
    let noise = network.apply("Mul", &[&level, &noise]);
    let wave = network.apply("Add", &[&sine, &noise]);
    let weight = net.weight("dec.m_source.l_linear.weight", &[1, 1])?;
    let bias = net.weight("dec.m_source.l_linear.bias", &[1])?;
    let network = &mut net.network;
    let wave = network.apply("Mul", &[&wave, &weight]);
    let wave = network.apply("Add", &[&wave, &bias]);
    let wave = network.apply("Tanh", &[&wave]);
    Ok(net.reshaped(&wave, &[1, 1, -1]))
}

/// The phase of the fundamental in periods at each sample, `[1, T, upp]`, of a pitch `[1, T, 1]` that is constant over a
/// frame. Whole periods are dropped frame by frame, so that the sum stays exact.
pub(super) fn phase(net: &mut Layers<'_>, pitch: &Edge) -> Edge {
    let upp = net.architecture.upp();
    let rate = net.architecture.sample_rate_hz();
    let fraction = [("fmod", Attribute::Int(1))];
    let network = &mut net.network;
    let rate = network.number(rate as f32);
    let step = network.apply("Div", &[pitch, &rate]);
    let counts: Vec<f32> = (1..=upp).map(|sample| sample as f32).collect();
    let counts = network.numbers(&counts);
    let within = network.apply("Mul", &[&step, &counts]);
    let (half, whole) = (network.number(0.5), network.number(1.0));
    let frame = network.number(upp as f32);
    let advance = network.apply("Mul", &[&step, &frame]);
    let advance = network.apply("Add", &[&advance, &half]);
    let advance = network.apply_with("Mod", &[&advance, &whole], &fraction);
    let advance = network.apply("Sub", &[&advance, &half]);
    let advance = net.cast(&advance, DataType::F64);
    let network = &mut net.network;
    let axis = network.integer(1);
    let before = [("exclusive", Attribute::Int(1))];
    let before = network.apply_with("CumSum", &[&advance, &axis], &before);
    let before = net.cast(&before, DataType::F32);
    let network = &mut net.network;
    let before = network.apply_with("Mod", &[&before, &whole], &fraction);
    network.apply("Add", &[&within, &before])
}
