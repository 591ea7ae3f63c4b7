//! `BS-RoFormer` ("Music Source Separation with Band-Split `RoPE` Transformer", Lu and others 2023) and Mel-Band `RoFormer`: bands of a
//! spectrum become vectors, which transformers process along the frames and along the bands in turn; each band's vector becomes a mask.

use crate::drawing::{Attribute, DataType, DrawFault, Edge, Layers, Length, Network, Weights};
use crate::separators::drawn::finished;
use crate::torch::TorchFile;

use super::attention::{Rotations, attention};
use super::bands::Bands;
use super::sizes::{EACH_BIN, Sizes};

/// The least length that a vector is divided by (`torch.nn.functional.normalize`), squared.
const LEAST_SQUARE: f64 = 1e-24;

/// All there is to draw.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) sizes: Sizes,
    pub(super) bands: Bands,
    pub(super) frames: u64,
    /// Whether a block hears the answers of all blocks before it (`skip_connection`).
    pub(super) skips: bool,
    /// Whether the lowest bin comes out as silence (`zero_dc`).
    pub(super) silences_lowest: bool,
}

pub(super) type Roformer<'a> = Layers<'a, Plan>;

/// Draws the network: `spectrum` `[1, 2 bins, frames, 2]`, `mask` the same, with an axis for the stems where there are several.
pub(super) fn draw(
    file: &mut TorchFile,
    weights: Weights,
    plan: &Plan,
) -> Result<Network, DrawFault> {
    let mut net = Roformer::new(file, weights, plan);
    let shape = [1, 2 * plan.bands.bins, plan.frames, 2];
    let spectrum = net
        .network
        .input("spectrum", DataType::F32, &shape.map(Length::Fixed));
    let mut x = split(&mut net, &spectrum)?;
    let mut rotations = Rotations::default();
    let mut before: Vec<Edge> = Vec::new();
    for (block, depths) in plan.sizes.blocks.iter().enumerate() {
        for earlier in &before {
            x = net.network.apply("Add", &[&x, earlier]);
        }
        // Frames and bands take turns as the axis that is compared along.
        for (axis, depth) in depths.iter().enumerate() {
            let length = [plan.frames, plan.bands.widths.len() as u64][axis];
            x = net.transposed(&x, &[1, 0, 2]);
            let prefix = format!("layers.{block}.{axis}");
            let order = (*depth, length);
            x = transformer(&mut net, &prefix, &x, order, &mut rotations)?;
        }
        if plan.skips {
            before.push(x.clone());
        }
    }
    if net.weights.find("final_norm.gamma").is_some() {
        x = normalised(&mut net, "final_norm", &x, plan.sizes.dim)?;
    }
    let mask = masks(&mut net, &x)?;
    let stems = plan.sizes.stems as u64;
    let several = [1, stems, shape[1], shape[2], shape[3]].map(Length::Fixed);
    let one = shape.map(Length::Fixed);
    let shape: &[Length<'_>] = if stems > 1 { &several } else { &one };
    net.network.output(&mask, "mask", shape);
    finished(net, "RoFormer")
}

/// A vector of each band of each frame, `[frames, bands, dim]`.
fn split(net: &mut Roformer<'_>, spectrum: &Edge) -> Result<Edge, DrawFault> {
    let plan = net.architecture;
    let (dim, bands) = (plan.sizes.dim, &plan.bands);
    // No shape says how many frames there are: where ONNX Runtime does not know the shapes beforehand it gives memory back at once, and
    // a Mel-Band RoFormer takes half of it.
    let rows = net.reshaped(spectrum, &[2 * bands.bins as i64, -1, 2]);
    let rows = match &bands.heard {
        Some(heard) => {
            let places: Vec<i64> = heard
                .iter()
                .flat_map(|bin| [2 * bin, 2 * bin + 1])
                .map(|row| row as i64)
                .collect();
            let places = net.network.integers(&places);
            let axis = [("axis", Attribute::Int(0))];
            net.network.apply_with("Gather", &[&rows, &places], &axis)
        }
        None => rows,
    };
    let rows = net.transposed(&rows, &[1, 0, 2]);
    let rows = net.reshaped(&rows, &[0, -1]);
    let widths: Vec<u64> = bands.widths.iter().map(|width| EACH_BIN * width).collect();
    let parts = net.network.split(&rows, 1, &widths);
    let mut vectors = Vec::new();
    for (band, (part, width)) in parts.iter().zip(&widths).enumerate() {
        let prefix = format!("band_split.to_features.{band}");
        let part = normalised(net, &format!("{prefix}.0"), part, *width)?;
        vectors.push(net.connected(&format!("{prefix}.1"), &part, (*width, dim))?);
    }
    let vectors: Vec<&Edge> = vectors.iter().collect();
    let axis = [("axis", Attribute::Int(1))];
    let together = net.network.apply_with("Concat", &vectors, &axis);
    Ok(net.reshaped(&together, &[-1, bands.widths.len() as i64, dim as i64]))
}

/// Layers of attention along the axis before the last, which is `length` long.
fn transformer(
    net: &mut Roformer<'_>,
    prefix: &str,
    x: &Edge,
    (depth, length): (usize, u64),
    rotations: &mut Rotations,
) -> Result<Edge, DrawFault> {
    let dim = net.architecture.sizes.dim;
    let mut x = x.clone();
    for layer in 0..depth {
        let prefix = format!("{prefix}.layers.{layer}");
        let attended = attention(net, &format!("{prefix}.0"), &x, length, rotations)?;
        x = net.network.apply("Add", &[&attended, &x]);
        let inner = format!("{prefix}.1.net");
        let fed = normalised(net, &format!("{inner}.0"), &x, dim)?;
        let [width, _] = net.weights.dims(&format!("{inner}.1.weight"))?;
        let fed = net.connected(&format!("{inner}.1"), &fed, (dim, width))?;
        let fed = net.network.gelu(&fed);
        let fed = net.connected(&format!("{inner}.4"), &fed, (width, dim))?;
        x = net.network.apply("Add", &[&fed, &x]);
    }
    let norm = format!("{prefix}.norm");
    if net.weights.find(&format!("{norm}.gamma")).is_some() {
        x = normalised(net, &norm, &x, dim)?;
    }
    Ok(x)
}

/// Vectors of the last axis, made equally long and weighed channel by channel ("Root Mean Square Layer Normalization", Zhang and
/// Sennrich 2019). ONNX Runtime takes these operations together.
pub(super) fn normalised(
    net: &mut Roformer<'_>,
    prefix: &str,
    x: &Edge,
    width: u64,
) -> Result<Edge, DrawFault> {
    let key = format!("{prefix}.gamma");
    let weights = net.values(&key, &[width])?.singles();
    let bytes: Vec<u8> = weights.iter().flat_map(|one| one.to_le_bytes()).collect();
    let weights = net
        .network
        .initializer(&key, DataType::F32, &[width], &bytes);
    let two = net.network.number(2.0);
    let least = net.network.number((LEAST_SQUARE / width as f64) as f32);
    let squares = net.network.apply("Pow", &[x, &two]);
    let last = [
        ("axes", Attribute::Ints(&[-1])),
        ("keepdims", Attribute::Int(1)),
    ];
    let mean = net.network.apply_with("ReduceMean", &[&squares], &last);
    let mean = net.network.apply("Add", &[&mean, &least]);
    let root = net.network.apply("Sqrt", &[&mean]);
    let even = net.network.apply("Div", &[x, &root]);
    Ok(net.network.apply("Mul", &[&even, &weights]))
}

/// The masks of all stems, from `[frames, bands, dim]`.
fn masks(net: &mut Roformer<'_>, x: &Edge) -> Result<Edge, DrawFault> {
    let plan = net.architecture;
    let x = net.transposed(x, &[1, 0, 2]);
    let bands = net.network.split(&x, 0, &vec![1; plan.bands.widths.len()]);
    let mut masks = Vec::new();
    for stem in 0..plan.sizes.stems {
        let mut parts = Vec::new();
        for (band, part) in bands.iter().enumerate() {
            let prefix = format!("mask_estimators.{stem}.to_freqs.{band}.0");
            parts.push(mask_of_band(net, &prefix, part, plan.bands.widths[band])?);
        }
        let parts: Vec<&Edge> = parts.iter().collect();
        let axis = [("axis", Attribute::Int(2))];
        let together = net.network.apply_with("Concat", &parts, &axis);
        let mask = in_bins(net, &together);
        let (bins, frames) = (2 * plan.bands.bins as i64, plan.frames as i64);
        let shape: &[i64] = if plan.sizes.stems > 1 {
            &[1, 1, bins, frames, 2]
        } else {
            &[1, bins, frames, 2]
        };
        masks.push(net.reshaped(&mask, shape));
    }
    let masks: Vec<&Edge> = masks.iter().collect();
    if let [one] = masks[..] {
        return Ok(one.clone());
    }
    let axis = [("axis", Attribute::Int(1))];
    Ok(net.network.apply_with("Concat", &masks, &axis))
}

/// The mask of a band: fully connected layers, where one half of the last one's output gates the other half.
fn mask_of_band(
    net: &mut Roformer<'_>,
    prefix: &str,
    x: &Edge,
    bins: u64,
) -> Result<Edge, DrawFault> {
    let (mut width, depth) = (net.architecture.sizes.dim, net.architecture.sizes.depth);
    let numbers = EACH_BIN * bins;
    let mut x = x.clone();
    for layer in 0..depth {
        let prefix = format!("{prefix}.{}", 2 * layer);
        let is_last = layer + 1 == depth;
        let [outputs, _] = net.weights.dims(&format!("{prefix}.weight"))?;
        let outputs = if is_last { 2 * numbers } else { outputs };
        x = net.connected(&prefix, &x, (width, outputs))?;
        if !is_last {
            x = net.network.apply("Tanh", &[&x]);
        }
        width = outputs;
    }
    let (values, shares) = net.network.halves(&x, 2, numbers);
    let shares = net.network.apply("Sigmoid", &[&shares]);
    Ok(net.network.apply("Mul", &[&values, &shares]))
}

/// Masks of bands as masks of bins, `[2 bins, frames, 2]`: where bands lie over each other, their mean.
fn in_bins(net: &mut Roformer<'_>, bands: &Edge) -> Edge {
    let plan = net.architecture;
    let numbers: u64 = plan.bands.widths.iter().map(|width| EACH_BIN * width).sum();
    let rows = net.reshaped(bands, &[-1, numbers as i64 / 2, 2]);
    let mut mask = net.transposed(&rows, &[1, 0, 2]);
    let mut share = 1.0;
    if let Some(heard) = &plan.bands.heard {
        // A bin is in two bands at most; one that is in one only is counted twice.
        let places = |bin: u64| {
            let mut places = (0_i64..)
                .zip(heard)
                .filter(|(_, heard)| **heard == bin)
                .map(|(place, _)| place);
            let first = places.next().unwrap_or_default();
            [first, places.next().unwrap_or(first)]
        };
        let pairs: Vec<[i64; 2]> = (0..plan.bands.bins).map(places).collect();
        let axis = [("axis", Attribute::Int(0))];
        let [first, second] = [0, 1].map(|which| {
            let rows = pairs.iter().map(|pair| pair[which]);
            let rows: Vec<i64> = rows.flat_map(|row| [2 * row, 2 * row + 1]).collect();
            let rows = net.network.integers(&rows);
            net.network.apply_with("Gather", &[&mask, &rows], &axis)
        });
        mask = net.network.apply("Add", &[&first, &second]);
        share = 0.5;
    }
    if plan.bands.heard.is_none() && !plan.silences_lowest {
        return mask;
    }
    let rows = 2 * plan.bands.bins;
    let mut shares = vec![share; rows as usize];
    if plan.silences_lowest {
        shares[..2].fill(0.0);
    }
    let shares = net.network.numbers(&shares);
    let shares = net.reshaped(&shares, &[rows as i64, 1, 1]);
    net.network.apply("Mul", &[&mask, &shares])
}
