//! The layers of both branches: convolutions that shorten their input, and those that lengthen it again.

use crate::drawing::{Attribute, DrawFault, Edge, Layers, Window};

use super::plan::Plan;
use super::settings::WHAT;

pub(super) type Demucs<'a> = Layers<'a, Plan>;

/// Kernel of the convolutions in residual branches.
const RESIDUAL_KERNEL: u64 = 3;

/// A tensor of one of the branches, `[1, C, ...]`: of frequencies `[1, C, bins, frames]`, of the wave `[1, C, samples]`.
#[derive(Debug, Clone)]
pub(super) struct Sound {
    pub(super) edge: Edge,
    pub(super) channels: u64,
    /// The axes behind the channels. Kernels move along the first.
    pub(super) axes: Vec<u64>,
}

impl Sound {
    fn with(&self, edge: Edge) -> Self {
        Self {
            edge,
            ..self.clone()
        }
    }

    fn is_plane(&self) -> bool {
        self.axes.len() == 2
    }

    /// `first` for the first axis, and `second` for a second one where there is one.
    fn along<T: Copy>(&self, first: T, second: T) -> Vec<T> {
        match self.axes.len() {
            2 => vec![first, second],
            _ => vec![first],
        }
    }

    /// All axes.
    pub(super) fn shape(&self) -> Vec<u64> {
        [&[1, self.channels], &self.axes[..]].concat()
    }
}

/// A layer of the encoder.
pub(super) fn down(net: &mut Demucs<'_>, prefix: &str, x: &Sound) -> Result<Sound, DrawFault> {
    let (stride, key) = (net.architecture.stride(), format!("{prefix}.conv"));
    let channels = first_length(net, &format!("{key}.weight"))?;
    let kernel = x.along(2 * stride, 1);
    // What is left of the last step is filled up with silence.
    let length = x.axes[0].next_multiple_of(stride);
    let before = (stride / 2) as i64;
    let behind = before + (length - x.axes[0]) as i64;
    let pads = [x.along(before, 0), x.along(behind, 0)].concat();
    let window = Window {
        strides: &x.along(stride as i64, 1),
        pads: &pads,
        groups: 1,
    };
    let dims = [&[channels, x.channels], &kernel[..]].concat();
    let edge = net.convolved(&key, &x.edge, &dims, window)?;
    let mut axes = x.axes.clone();
    axes[0] = length / stride;
    let y = Sound {
        edge,
        channels,
        axes,
    };
    let y = normed(net, &format!("{prefix}.norm1"), y)?;
    let y = y.with(net.network.gelu(&y.edge));
    let y = residual(net, &format!("{prefix}.dconv"), y)?;
    rewritten(net, prefix, &y, "norm2")
}

/// A layer of the decoder: `beside` is the output of the matching encoder layer, `length` the length of its input.
pub(super) fn up(
    net: &mut Demucs<'_>,
    prefix: &str,
    (x, beside): (&Sound, &Sound),
    (length, is_last): (u64, bool),
) -> Result<Sound, DrawFault> {
    let stride = net.architecture.stride();
    let joined = x.with(net.network.apply("Add", &[&x.edge, &beside.edge]));
    let y = rewritten(net, prefix, &joined, "norm1")?;
    let y = residual(net, &format!("{prefix}.dconv"), y)?;
    let key = format!("{prefix}.conv_tr");
    let channels = second_length(net, &format!("{key}.weight"))?;
    let kernel = y.along(2 * stride, 1);
    let dims = [&[y.channels, channels], &kernel[..]].concat();
    let weight = net.weight(&format!("{key}.weight"), &dims)?;
    let bias = net.weight(&format!("{key}.bias"), &[channels])?;
    let wholes = |lengths: &[u64]| -> Vec<i64> {
        let lengths = lengths.iter();
        lengths.map(|length| *length as i64).collect()
    };
    let attributes = [
        ("kernel_shape", Attribute::Ints(&wholes(&kernel))),
        ("strides", Attribute::Ints(&y.along(stride as i64, 1))),
    ];
    let inputs = [&y.edge, &weight, &bias];
    let edge = net
        .network
        .apply_with("ConvTranspose", &inputs, &attributes);
    let mut axes = y.axes.clone();
    axes[0] = (axes[0] + 1) * stride;
    let z = Sound {
        edge,
        channels,
        axes,
    };
    let mut z = normed(net, &format!("{prefix}.norm2"), z)?;
    let ends = [stride / 2, stride / 2 + length];
    let [from, to] = ends.map(|end| net.network.integers(&[end as i64]));
    let axis = net.network.integers(&[2]);
    z.edge = net.network.apply("Slice", &[&z.edge, &from, &to, &axis]);
    z.axes[0] = length;
    if !is_last {
        z.edge = net.network.gelu(&z.edge);
    }
    Ok(z)
}

/// A convolution to twice the channels, and a gate that halves them again.
fn rewritten(
    net: &mut Demucs<'_>,
    prefix: &str,
    y: &Sound,
    norm: &str,
) -> Result<Sound, DrawFault> {
    let key = format!("{prefix}.rewrite");
    let dims = net.weights.find(&format!("{key}.weight"));
    let kernel = dims.and_then(|dims| dims.get(2).copied()).unwrap_or(1);
    let kernel = y.along(kernel, kernel);
    let sides: Vec<i64> = kernel.iter().map(|length| *length as i64 / 2).collect();
    let window = Window {
        strides: &y.along(1, 1),
        pads: &[&sides[..], &sides[..]].concat(),
        groups: 1,
    };
    let channels = 2 * y.channels;
    let dims = [&[channels, y.channels], &kernel[..]].concat();
    let edge = net.convolved(&key, &y.edge, &dims, window)?;
    let z = Sound {
        edge,
        channels,
        axes: y.axes.clone(),
    };
    let z = normed(net, &format!("{prefix}.{norm}"), z)?;
    Ok(y.with(net.gated(&z.edge)))
}

/// Normalisation by groups of channels, in layers that have it.
fn normed(net: &mut Demucs<'_>, prefix: &str, x: Sound) -> Result<Sound, DrawFault> {
    if net.weights.find(&format!("{prefix}.weight")).is_none() {
        return Ok(x);
    }
    let groups = net.architecture.groups();
    let edge = net.group_norm(prefix, &x.edge, (&x.shape(), groups))?;
    Ok(x.with(edge))
}

/// The residual branches of a layer, where it has them: convolutions along time that look farther and farther.
fn residual(net: &mut Demucs<'_>, prefix: &str, x: Sound) -> Result<Sound, DrawFault> {
    let depth = net
        .weights
        .count(&format!("{prefix}.layers."), 1, |weights, layer| {
            weights.find(&format!("{layer}.0.weight")).is_some()
        });
    if depth == 0 {
        return Ok(x);
    }
    // Each band is a row of its own.
    let bands = if x.is_plane() { x.axes[0] } else { 1 };
    let frames = x.axes[x.axes.len() - 1];
    let wholes = |lengths: &[u64]| -> Vec<i64> {
        let lengths = lengths.iter();
        lengths.map(|length| *length as i64).collect()
    };
    let mut y = x.edge.clone();
    if x.is_plane() {
        let rows = net.transposed(&y, &[0, 2, 1, 3]);
        y = net.reshaped(&rows, &wholes(&[bands, x.channels, frames]));
    }
    for layer in 0..depth {
        let prefix = format!("{prefix}.layers.{layer}");
        let branch = branch(net, (&prefix, layer), &y, [bands, x.channels, frames])?;
        y = net.network.apply("Add", &[&y, &branch]);
    }
    if x.is_plane() {
        let rows = net.reshaped(&y, &wholes(&[1, bands, x.channels, frames]));
        y = net.transposed(&rows, &[0, 2, 1, 3]);
    }
    Ok(x.with(y))
}

/// A residual branch of rows `[bands, C, T]`.
fn branch(
    net: &mut Demucs<'_>,
    (prefix, layer): (&str, usize),
    x: &Edge,
    [bands, channels, frames]: [u64; 3],
) -> Result<Edge, DrawFault> {
    let narrow = first_length(net, &format!("{prefix}.0.weight"))?;
    let reach = if net.architecture.widens() {
        1_i64.checked_shl(layer as u32).filter(|_| layer < 16)
    } else {
        Some(1)
    };
    let reach = reach.ok_or_else(|| {
        DrawFault::refused("has more residual branches than any Demucs".to_owned())
    })?;
    let key = format!("{prefix}.0.weight");
    let weight = net.weight(&key, &[narrow, channels, RESIDUAL_KERNEL])?;
    let bias = net.weight(&format!("{prefix}.0.bias"), &[narrow])?;
    let attributes = [
        ("kernel_shape", Attribute::Ints(&[RESIDUAL_KERNEL as i64])),
        ("dilations", Attribute::Ints(&[reach])),
        ("pads", Attribute::Ints(&[reach, reach])),
    ];
    let inputs = [x, &weight, &bias];
    let y = net.network.apply_with("Conv", &inputs, &attributes);
    let shape = [bands, narrow, frames];
    let y = net.group_norm(&format!("{prefix}.1"), &y, (&shape, 1))?;
    let y = net.network.gelu(&y);
    let window = Window {
        strides: &[1],
        pads: &[0, 0],
        groups: 1,
    };
    let dims = [2 * channels, narrow, 1];
    let y = net.convolved(&format!("{prefix}.3"), &y, &dims, window)?;
    let shape = [bands, 2 * channels, frames];
    let y = net.group_norm(&format!("{prefix}.4"), &y, (&shape, 1))?;
    let y = net.gated(&y);
    let scale = net.column(&format!("{prefix}.6.scale"), &[channels, 1])?;
    Ok(net.network.apply("Mul", &[&y, &scale]))
}

fn first_length(net: &Demucs<'_>, key: &str) -> Result<u64, DrawFault> {
    nth_length(net, key, 0)
}

fn second_length(net: &Demucs<'_>, key: &str) -> Result<u64, DrawFault> {
    nth_length(net, key, 1)
}

/// A length of a weight that has to be there.
fn nth_length(net: &Demucs<'_>, key: &str, axis: usize) -> Result<u64, DrawFault> {
    let length = net.weights.find(key).and_then(|dims| dims.get(axis));
    length.copied().ok_or_else(|| {
        DrawFault::refused(format!("lacks the weight {key:?}, so that it is no {WHAT}"))
    })
}
