//! Networks of UVR's VR models: they take the lower and the upper half of a spectrum by themselves, then all of it with the results of
//! these, twice; the output is a mask.

use crate::drawing::{
    Attribute, DataType, DrawFault, EPSILON, Edge, Layers, Length, Network, Plane, Weights,
};
use crate::separators::drawn::finished;
use crate::torch::TorchFile;

use super::recurrent;
use super::version::Version;

/// Channels of the sound.
const CHANNELS: u64 = 2;
/// Dilations of the last layers of an encoder ("Atrous Spatial Pyramid Pooling", Chen and others 2017), along the bins and along the
/// frames.
const OLDER_DILATIONS: [[i64; 2]; 3] = [[4, 4], [8, 8], [16, 16]];
const NEWER_DILATIONS: [[i64; 2]; 3] = [[4, 2], [8, 4], [12, 6]];
/// The slope of torch's `LeakyReLU`.
const SLOPE: f32 = 0.01;

/// All there is to draw.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) version: Version,
    pub(super) bins: u64,
    pub(super) frames: u64,
    /// What the mask is raised to below a bin and from there on, and this bin; nothing where it stays what it is.
    pub(super) bent: Option<([f32; 2], u64)>,
    /// Whether the wanted stem is what the mask takes away.
    pub(super) is_turned: bool,
}

pub(super) type Vr<'a> = Layers<'a, Plan>;

/// What follows a convolution.
#[derive(Debug, Clone, Copy)]
pub(super) enum Activation {
    Relu,
    Leaky,
}

/// Draws the network: `magnitudes` `[1, 2, bins, frames]`, `masks` of the same shape.
pub(super) fn draw(
    file: &mut TorchFile,
    weights: Weights,
    plan: &Plan,
) -> Result<Network, DrawFault> {
    let mut net = Vr::new(file, weights, plan).in_singles();
    let shape = [1, CHANNELS, plan.bins, plan.frames].map(Length::Fixed);
    let mix = Plane {
        edge: net.network.input("magnitudes", DataType::F32, &shape),
        channels: CHANNELS,
        bins: plan.bins,
        frames: plan.frames,
    };
    let found = match plan.version {
        Version::Older => older(&mut net, &mix)?,
        Version::Newer => newer(&mut net, &mix)?,
    };
    let dims = [CHANNELS, found.channels, 1, 1];
    let weight = net.weight("out.weight", &dims)?;
    let out = net.network.apply("Conv", &[&found.edge, &weight]);
    let mut mask = net.network.apply("Sigmoid", &[&out]);
    if let Some(([below, above], split)) = plan.bent {
        let of_bin = |bin| if bin < split { below } else { above };
        let exponents: Vec<f32> = (0..plan.bins).map(of_bin).collect();
        let exponents = net.network.numbers(&exponents);
        let exponents = net.reshaped(&exponents, &[1, 1, -1, 1]);
        mask = net.network.apply("Pow", &[&mask, &exponents]);
    }
    if plan.is_turned {
        let one = net.network.number(1.0);
        mask = net.network.apply("Sub", &[&one, &mask]);
    }
    net.network.output(&mask, "masks", &shape);
    finished(net, "VR network")
}

/// Before version 5.1 (`CascadedASPPNet`).
fn older(net: &mut Vr<'_>, mix: &Plane) -> Result<Plane, DrawFault> {
    let (low, high) = halves(net, mix);
    let low = base(net, "stg1_low_band_net", &low)?;
    let high = base(net, "stg1_high_band_net", &high)?;
    let first = joined(net, &[&low, &high], 2);
    let heard = joined(net, &[mix, &first], 1);
    let heard = point(net, "stg2_bridge", &heard)?;
    let second = base(net, "stg2_full_band_net", &heard)?;
    let heard = joined(net, &[mix, &first, &second], 1);
    let heard = point(net, "stg3_bridge", &heard)?;
    base(net, "stg3_full_band_net", &heard)
}

/// Version 5.1 (`CascadedNet`).
fn newer(net: &mut Vr<'_>, mix: &Plane) -> Result<Plane, DrawFault> {
    let (low_mix, high_mix) = halves(net, mix);
    let low = base(net, "stg1_low_band_net.0", &low_mix)?;
    let low = point(net, "stg1_low_band_net.1", &low)?;
    let high = base(net, "stg1_high_band_net", &high_mix)?;
    let first = joined(net, &[&low, &high], 2);
    let heard = joined(net, &[&low_mix, &low], 1);
    let low = base(net, "stg2_low_band_net.0", &heard)?;
    let low = point(net, "stg2_low_band_net.1", &low)?;
    let heard = joined(net, &[&high_mix, &high], 1);
    let high = base(net, "stg2_high_band_net", &heard)?;
    let second = joined(net, &[&low, &high], 2);
    let heard = joined(net, &[mix, &first, &second], 1);
    base(net, "stg3_full_band_net", &heard)
}

/// A U-Net: down to few bins and frames, and up again with skip connections (`BaseASPPNet`, `BaseNet`).
fn base(net: &mut Vr<'_>, prefix: &str, heard: &Plane) -> Result<Plane, DrawFault> {
    let version = net.architecture.version;
    let mut before = Vec::new();
    let mut x = heard.clone();
    if version == Version::Newer {
        x = around(net, &format!("{prefix}.enc1"), &x, 1, Activation::Relu)?;
        before.push(x.clone());
    }
    let mut level = before.len() + 1;
    while net
        .weights
        .find(&format!("{prefix}.enc{level}.conv1.conv.0.weight"))
        .is_some()
    {
        let name = format!("{prefix}.enc{level}");
        let [first, second] = match version {
            Version::Older => [1, 2],
            Version::Newer => [2, 1],
        };
        let between = around(net, &format!("{name}.conv1"), &x, first, Activation::Leaky)?;
        x = around(
            net,
            &format!("{name}.conv2"),
            &between,
            second,
            Activation::Leaky,
        )?;
        before.push(match version {
            Version::Older => between,
            Version::Newer => x.clone(),
        });
        level += 1;
    }
    if version == Version::Newer {
        // What is heard last is what goes up.
        before.pop();
    }
    x = spread(net, &format!("{prefix}.aspp"), &x)?;
    while let Some(passed) = before.pop() {
        let number = before.len() + 1;
        if version == Version::Newer && number == 1 {
            let recurrent = recurrent::heard(net, &format!("{prefix}.lstm_dec2"), &x)?;
            x = joined(net, &[&x, &recurrent], 1);
        }
        let larger = net.network.interpolated(&x.edge, &[1.0, 1.0, 2.0, 2.0]);
        let larger = Plane {
            edge: larger,
            channels: x.channels,
            bins: 2 * x.bins,
            frames: 2 * x.frames,
        };
        let both = joined(net, &[&larger, &passed], 1);
        let conv = match version {
            Version::Older => "conv",
            Version::Newer => "conv1",
        };
        let name = format!("{prefix}.dec{number}.{conv}");
        x = around(net, &name, &both, 1, Activation::Relu)?;
    }
    Ok(x)
}

/// Pyramid pooling: convolutions with several dilations, and the mean of all bins.
fn spread(net: &mut Vr<'_>, prefix: &str, x: &Plane) -> Result<Plane, DrawFault> {
    let axes = [("axes", Attribute::Ints(&[2]))];
    let mean = Plane {
        edge: net.network.apply_with("ReduceMean", &[&x.edge], &axes),
        bins: 1,
        ..x.clone()
    };
    let mean = point(net, &format!("{prefix}.conv1.1"), &mean)?;
    let shape = [1, mean.channels, x.bins, x.frames].map(|length| length as i64);
    let shape = net.network.integers(&shape);
    let mean = Plane {
        edge: net.network.apply("Expand", &[&mean.edge, &shape]),
        bins: x.bins,
        ..mean
    };
    let here = point(net, &format!("{prefix}.conv2"), x)?;
    let mut all = vec![mean, here];
    let (dilations, bottleneck) = match net.architecture.version {
        Version::Older => (OLDER_DILATIONS, "bottleneck.0"),
        Version::Newer => (NEWER_DILATIONS, "bottleneck"),
    };
    for (number, dilation) in (3..).zip(dilations) {
        all.push(far(net, &format!("{prefix}.conv{number}"), x, dilation)?);
    }
    if net.architecture.version == Version::Older {
        // Some have the farthest ones two or three times. The second and the third are one layer under two names, whose weights are those
        // that are read last.
        let has = |net: &Vr<'_>, number| {
            let name = format!("{prefix}.conv{number}.conv.0.weight");
            net.weights.find(&name).is_some()
        };
        let [sixth, seventh] = [6, 7].map(|number| has(net, number));
        if sixth {
            let read = if seventh { 7 } else { 6 };
            let more = far(net, &format!("{prefix}.conv{read}"), x, dilations[2])?;
            net.weights.pass_over(&format!("{prefix}.conv6."));
            all.extend(vec![more; if seventh { 2 } else { 1 }]);
        }
    }
    let all: Vec<&Plane> = all.iter().collect();
    let all = joined(net, &all, 1);
    point(net, &format!("{prefix}.{bottleneck}"), &all)
}

/// A dilated convolution of 3×3; in older networks each channel by itself, and then all of them.
fn far(net: &mut Vr<'_>, prefix: &str, x: &Plane, dilation: [i64; 2]) -> Result<Plane, DrawFault> {
    match net.architecture.version {
        Version::Newer => {
            let moved = Moved {
                stride: 1,
                dilation,
            };
            convolved(net, prefix, x, moved, Activation::Relu)
        }
        Version::Older => {
            let weight = format!("{prefix}.conv.0.weight");
            let weight = net.weight(&weight, &[x.channels, 1, 3, 3])?;
            let [down, along] = dilation;
            let attributes = [
                ("kernel_shape", Attribute::Ints(&[3, 3])),
                ("pads", Attribute::Ints(&[down, along, down, along])),
                ("dilations", Attribute::Ints(&dilation)),
                ("group", Attribute::Int(x.channels as i64)),
            ];
            let each = net
                .network
                .apply_with("Conv", &[&x.edge, &weight], &attributes);
            let key = format!("{prefix}.conv.1.weight");
            let [outputs, ..] = net.weights.dims::<4>(&key)?;
            let weight = net.weight(&key, &[outputs, x.channels, 1, 1])?;
            let all = net.network.apply("Conv", &[&each, &weight]);
            let name = format!("{prefix}.conv.2");
            let all = net.batch_norm(&name, &all, (outputs, EPSILON))?;
            Ok(Plane {
                edge: net.network.apply("Relu", &[&all]),
                channels: outputs,
                ..x.clone()
            })
        }
    }
}

/// A convolution over neighbouring places.
fn around(
    net: &mut Vr<'_>,
    prefix: &str,
    x: &Plane,
    stride: u64,
    activation: Activation,
) -> Result<Plane, DrawFault> {
    let moved = Moved {
        stride,
        dilation: [1, 1],
    };
    convolved(net, prefix, x, moved, activation)
}

/// A convolution of one place.
pub(super) fn point(net: &mut Vr<'_>, prefix: &str, x: &Plane) -> Result<Plane, DrawFault> {
    around(net, prefix, x, 1, Activation::Relu)
}

/// The strides and the dilations of a kernel.
#[derive(Clone, Copy)]
struct Moved {
    stride: u64,
    dilation: [i64; 2],
}

/// A convolution over as many places as its weight has, batch normalisation, and an activation (`Conv2DBNActiv`).
fn convolved(
    net: &mut Vr<'_>,
    prefix: &str,
    x: &Plane,
    moved: Moved,
    activation: Activation,
) -> Result<Plane, DrawFault> {
    let key = format!("{prefix}.conv.0.weight");
    let [outputs, _, kernel, _] = net.weights.dims::<4>(&key)?;
    if !matches!(kernel, 1 | 3) {
        return Err(DrawFault::refused(format!(
            "weight {key:?} is of a kernel of {kernel} places, where this architecture has 1 or 3"
        )));
    }
    let weight = net.weight(&key, &[outputs, x.channels, kernel, kernel])?;
    let reach = (kernel / 2) as i64;
    let [down, along] = moved.dilation.map(|apart| apart * reach);
    let attributes = [
        ("kernel_shape", Attribute::Ints(&[kernel as i64; 2])),
        ("strides", Attribute::Ints(&[moved.stride as i64; 2])),
        ("pads", Attribute::Ints(&[down, along, down, along])),
        ("dilations", Attribute::Ints(&moved.dilation)),
    ];
    let y = net
        .network
        .apply_with("Conv", &[&x.edge, &weight], &attributes);
    let name = format!("{prefix}.conv.1");
    let y = net.batch_norm(&name, &y, (outputs, EPSILON))?;
    Ok(Plane {
        edge: match activation {
            Activation::Relu => net.network.apply("Relu", &[&y]),
            Activation::Leaky => net.leaky(&y, SLOPE),
        },
        channels: outputs,
        bins: x.bins / moved.stride,
        frames: x.frames / moved.stride,
    })
}

/// The lower half of the bins and the upper one.
fn halves(net: &mut Vr<'_>, x: &Plane) -> (Plane, Plane) {
    let (low, high) = net.network.even_halves(&x.edge, 2);
    let half = |edge| Plane {
        edge,
        bins: x.bins / 2,
        ..x.clone()
    };
    (half(low), half(high))
}

/// Concatenated along the channels (1) or the bins (2).
pub(super) fn joined(net: &mut Vr<'_>, planes: &[&Plane], axis: i64) -> Plane {
    let edges: Vec<&Edge> = planes.iter().map(|plane| &plane.edge).collect();
    let attributes = [("axis", Attribute::Int(axis))];
    let edge = net.network.apply_with("Concat", &edges, &attributes);
    let sum = |length: fn(&Plane) -> u64| planes.iter().map(|plane| length(plane)).sum();
    let first = planes[0];
    Plane {
        edge,
        channels: if axis == 1 {
            sum(|plane| plane.channels)
        } else {
            first.channels
        },
        bins: if axis == 2 {
            sum(|plane| plane.bins)
        } else {
            first.bins
        },
        frames: first.frames,
    }
}
