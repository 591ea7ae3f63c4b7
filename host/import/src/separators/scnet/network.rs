//! `SCNet` ("`SCNet`: Sparse Compression Network for Music Source Separation", Tong and others 2024): bands of a spectrum are compressed,
//! the higher the more; the result is read along bins and frames; and the bands are expanded again.

use crate::drawing::{
    Attribute, DataType, DrawFault, Edge, Layers, Length, Network, Plane, Weights, Window,
};
use crate::separators::drawn::finished;
use crate::torch::{TorchFile, Values};

use super::bands::{Band, Level, bins_behind};
use super::recurrent;
use super::sizes::{EACH_BIN, Sizes};

/// All there is to draw.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) sizes: Sizes,
    pub(super) levels: Vec<Level>,
    pub(super) bins: u64,
    pub(super) frames: u64,
}

pub(super) type Scnet<'a> = Layers<'a, Plan>;

/// Axes of bins and of frames.
const BINS: i64 = 2;
/// A kernel of 3×3 that keeps the size.
const AROUND: Window<'static> = Window {
    strides: &[1, 1],
    pads: &[1, 1, 1, 1],
    groups: 1,
};
const AROUND_LENGTH: u64 = 3;

/// Draws the network: `spectrum` `[1, 4, bins, frames]`, `stems` `[1, 4 stems, bins, frames]`, which are spectra, or masks of such.
pub(super) fn draw(
    file: &mut TorchFile,
    weights: Weights,
    plan: &Plan,
) -> Result<Network, DrawFault> {
    let mut net = Scnet::new(file, weights, plan).in_singles();
    let (bins, frames) = (plan.bins, plan.frames);
    let shape = |channels: u64| [1, channels, bins, frames].map(Length::Fixed);
    let edge = net
        .network
        .input("spectrum", DataType::F32, &shape(EACH_BIN));
    let mut x = Plane {
        edge,
        channels: EACH_BIN,
        bins,
        frames,
    };
    if plan.sizes.masked_bins.is_some() {
        let places = net.weight("pos_embed_f", &[1, EACH_BIN, bins, 1])?;
        x.edge = net.network.apply("Add", &[&x.edge, &places]);
    }
    let mut passed = Vec::new();
    for (number, level) in plan.levels.iter().enumerate() {
        let shorter = down(&mut net, &format!("encoder.{number}"), &x, level)?;
        passed.push(shorter.clone());
        let conv = format!("encoder.{number}.globalconv");
        let dims = [
            shorter.channels,
            shorter.channels,
            AROUND_LENGTH,
            AROUND_LENGTH,
        ];
        let edge = net.convolved(&conv, &shorter.edge, &dims, AROUND)?;
        x = shorter.with(edge);
    }
    x = recurrent::layers(&mut net, x)?;
    let stems = plan.sizes.stems;
    for (number, level) in plan.levels.iter().enumerate().rev() {
        let prefix = format!("decoder.{}", plan.levels.len() - 1 - number);
        let before = if number == 0 {
            EACH_BIN * stems
        } else {
            plan.sizes.channels[number]
        };
        x = fused(&mut net, &format!("{prefix}.0.conv"), (&x, &passed[number]))?;
        x = up(&mut net, &format!("{prefix}.1"), (&x, before), level)?;
    }
    if plan.sizes.masked_bins.is_some() {
        x = mask(&mut net, &x)?;
    }
    net.network
        .output(&x.edge, "stems", &shape(EACH_BIN * stems));
    finished(net, "SCNet")
}

/// A level of the encoder: every band is compressed, and each of its bins read along the frames.
fn down(net: &mut Scnet<'_>, prefix: &str, x: &Plane, level: &Level) -> Result<Plane, DrawFault> {
    let [channels, ..] = net
        .weights
        .dims::<4>(&format!("{prefix}.SDlayer.convs.0.weight"))?;
    let lengths = level.map(|band| band.before);
    let parts = net.network.split(&x.edge, BINS, &lengths);
    let mut bands = Vec::new();
    for (number, (part, band)) in parts.iter().zip(level).enumerate() {
        let [below, above] = band.pads.map(|bins| bins as i64);
        let window = Window {
            strides: &[band.stride as i64, 1],
            pads: &[below, 0, above, 0],
            groups: 1,
        };
        let dims = [channels, x.channels, band.kernel, 1];
        let conv = format!("{prefix}.SDlayer.convs.{number}");
        let shorter = net.convolved(&conv, part, &dims, window)?;
        let plane = Plane {
            edge: shorter,
            channels,
            bins: band.behind,
            frames: x.frames,
        };
        let heard = heard(net, &format!("{prefix}.conv_modules.{number}"), &plane)?;
        bands.push(net.network.gelu(&heard));
    }
    Ok(Plane {
        edge: joined(net, &bands),
        channels,
        bins: bins_behind(level),
        frames: x.frames,
    })
}

/// Residual branches that hear each bin along the frames.
fn heard(net: &mut Scnet<'_>, prefix: &str, x: &Plane) -> Result<Edge, DrawFault> {
    let depth = net
        .weights
        .count(&format!("{prefix}.layers."), 1, |weights, layer| {
            weights.find(&format!("{layer}.1.weight")).is_some()
        });
    let rows = [x.bins, x.channels, x.frames];
    let y = net.transposed(&x.edge, &[0, 2, 1, 3]);
    let mut y = net.reshaped(&y, &rows.map(|length| length as i64));
    for layer in 0..depth {
        let branch = branch(net, &format!("{prefix}.layers.{layer}"), &y, rows)?;
        y = net.network.apply("Add", &[&y, &branch]);
    }
    let [bins, channels, frames] = rows.map(|length| length as i64);
    let y = net.reshaped(&y, &[1, bins, channels, frames]);
    Ok(net.transposed(&y, &[0, 2, 1, 3]))
}

/// A residual branch of rows `[bins, C, frames]`.
fn branch(
    net: &mut Scnet<'_>,
    prefix: &str,
    x: &Edge,
    [bins, channels, frames]: [u64; 3],
) -> Result<Edge, DrawFault> {
    let shape = [bins, channels, frames];
    let y = net.group_norm(&format!("{prefix}.0"), x, (&shape, 1))?;
    let [narrow, _, kernel] = net.weights.dims(&format!("{prefix}.3.weight"))?;
    if kernel.is_multiple_of(2) {
        return Err(DrawFault::refused(format!(
            "hears {kernel} frames at once ({prefix:?}), where there is no middle one"
        )));
    }
    let side = (kernel / 2) as i64;
    let window = Window {
        strides: &[1],
        pads: &[side, side],
        groups: 1,
    };
    let wide = narrow.saturating_mul(2);
    let y = net.convolved(
        &format!("{prefix}.1"),
        &y,
        &[wide, channels, kernel],
        window,
    )?;
    let y = net.gated(&y);
    let apart = Window {
        groups: narrow,
        ..window
    };
    let y = net.convolved(&format!("{prefix}.3"), &y, &[narrow, 1, kernel], apart)?;
    let shape = [bins, narrow, frames];
    let y = net.group_norm(&format!("{prefix}.4"), &y, (&shape, 1))?;
    let open = net.network.apply("Sigmoid", &[&y]);
    let y = net.network.apply("Mul", &[&y, &open]);
    let here = Window {
        strides: &[1],
        pads: &[0, 0],
        groups: 1,
    };
    net.convolved(&format!("{prefix}.6"), &y, &[channels, narrow, 1], here)
}

/// Joins what comes up with the encoder's output of the same level. The network takes the sum of the two twice, one after the other, so
/// both halves of its weights are added up.
fn fused(
    net: &mut Scnet<'_>,
    prefix: &str,
    (x, beside): (&Plane, &Plane),
) -> Result<Plane, DrawFault> {
    if x.channels != beside.channels || x.bins != beside.bins {
        return Err(DrawFault::refused(
            "has layers on the way up whose shapes are not those of the way down".to_owned(),
        ));
    }
    let sum = net.network.apply("Add", &[&x.edge, &beside.edge]);
    let (once, twice) = (x.channels, 2 * x.channels);
    let key = format!("{prefix}.weight");
    let values = net.values(&key, &[twice, twice, AROUND_LENGTH, AROUND_LENGTH])?;
    let half = (once * AROUND_LENGTH * AROUND_LENGTH) as usize;
    let singles = values.singles();
    let halves = singles.chunks_exact(2 * half).map(|row| row.split_at(half));
    let added: Vec<f32> = halves
        .flat_map(|(first, second)| first.iter().zip(second).map(|(one, other)| one + other))
        .collect();
    let dims = [twice, once, AROUND_LENGTH, AROUND_LENGTH];
    let weight = net.stored(&key, (Values::of_singles(&added), &dims));
    let both = net.convolved_with(prefix, (&sum, &weight), &dims, AROUND)?;
    Ok(x.with(net.gated(&both)))
}

/// A level of the decoder: every band is expanded to its length again.
fn up(
    net: &mut Scnet<'_>,
    prefix: &str,
    (x, channels): (&Plane, u64),
    level: &Level,
) -> Result<Plane, DrawFault> {
    let lengths = level.map(|band| band.behind);
    let parts = net.network.split(&x.edge, BINS, &lengths);
    let mut bands = Vec::new();
    for (number, (part, band)) in parts.iter().zip(level).enumerate() {
        let Band { kernel, stride, .. } = *band;
        let conv = format!("{prefix}.convtrs.{number}");
        let dims = [x.channels, channels, kernel, 1];
        let weight = net.weight(&format!("{conv}.weight"), &dims)?;
        let bias = net.weight(&format!("{conv}.bias"), &[channels])?;
        let attributes = [
            ("kernel_shape", Attribute::Ints(&[kernel as i64, 1])),
            ("strides", Attribute::Ints(&[stride as i64, 1])),
        ];
        let inputs = [part, &weight, &bias];
        let longer = net
            .network
            .apply_with("ConvTranspose", &inputs, &attributes);
        let ends = [band.cut, band.cut + band.before];
        let [from, to] = ends.map(|end| net.network.integers(&[end as i64]));
        let axis = net.network.integers(&[BINS]);
        bands.push(net.network.apply("Slice", &[&longer, &from, &to, &axis]));
    }
    Ok(Plane {
        edge: joined(net, &bands),
        channels,
        bins: level.iter().map(|band| band.before).sum(),
        frames: x.frames,
    })
}

fn joined(net: &mut Scnet<'_>, bands: &[Edge]) -> Edge {
    let bands: Vec<&Edge> = bands.iter().collect();
    let axis = [("axis", Attribute::Int(BINS))];
    net.network.apply_with("Concat", &bands, &axis)
}

/// What the spectrum of the mix is multiplied by, in networks that give masks.
fn mask(net: &mut Scnet<'_>, x: &Plane) -> Result<Plane, DrawFault> {
    let [wide, ..] = net.weights.dims::<4>("mask_layer.0.weight")?;
    let dims = [wide, x.channels, AROUND_LENGTH, AROUND_LENGTH];
    let y = net.convolved("mask_layer.0", &x.edge, &dims, AROUND)?;
    let y = net.network.gelu(&y);
    let here = Window {
        pads: &[0, 0, 0, 0],
        ..AROUND
    };
    let y = net.convolved("mask_layer.2", &y, &[x.channels, wide, 1, 1], here)?;
    Ok(x.with(net.network.apply("Tanh", &[&y])))
}
