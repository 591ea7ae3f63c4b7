//! The transformer between encoder and decoder, whose layers attend in turn to their own branch and to the other one.

use crate::drawing::{DrawFault, Edge};
use crate::torch::Values;

use super::parts::{Demucs, Sound};
use super::positions;

/// What is added to variances.
const EPSILON: f32 = 1e-5;
/// The prefix of its weights.
const PREFIX: &str = "crosstransformer";
/// The most layers.
const MAX_LAYERS: usize = 48;

/// Rows of numbers, `[1, length, width]`.
#[derive(Debug, Clone)]
struct Rows {
    edge: Edge,
    length: u64,
    width: u64,
}

/// The output of both branches, that of frequencies first.
pub(super) fn crossed(
    net: &mut Demucs<'_>,
    plane: &Sound,
    wave: &Sound,
) -> Result<(Sound, Sound), DrawFault> {
    let layers = net
        .weights
        .count(&format!("{PREFIX}.layers."), 1, |weights, layer| {
            weights.find(&format!("{layer}.linear1.weight")).is_some()
        });
    if layers == 0 {
        return Ok((plane.clone(), wave.clone()));
    }
    let width = plane.channels;
    let heads = net.architecture.heads();
    if width != wave.channels || !width.is_multiple_of(heads) || !width.is_multiple_of(4) {
        return Err(DrawFault::refused(format!(
            "has {width} and {} channels for {heads} heads, which do not go together",
            wave.channels
        )));
    }
    if layers > MAX_LAYERS {
        return Err(DrawFault::refused(format!(
            "has {layers} layers of transformer, {MAX_LAYERS} are the most"
        )));
    }
    let (bands, frames) = (plane.axes[0], plane.axes[1]);
    let x = net.transposed(&plane.edge, &[0, 3, 2, 1]);
    let x = net.reshaped(&x, &[1, (frames * bands) as i64, width as i64]);
    let places = positions::of_plane((bands, frames), width, net.architecture.period());
    let x = rows(net, "norm_in", &x, (places, frames * bands, width))?;
    let samples = wave.axes[0];
    let y = net.transposed(&wave.edge, &[0, 2, 1]);
    let places = positions::of_row(samples, width, net.architecture.period());
    let y = rows(net, "norm_in_t", &y, (places, samples, width))?;
    let (x, y) = listened(net, layers, (x, y))?;
    let x = net.reshaped(&x.edge, &[1, frames as i64, bands as i64, width as i64]);
    let x = net.transposed(&x, &[0, 3, 2, 1]);
    let y = net.transposed(&y.edge, &[0, 2, 1]);
    let like = |sound: &Sound, edge| Sound {
        edge,
        ..sound.clone()
    };
    Ok((like(plane, x), like(wave, y)))
}

/// Rows, normalised, with the positional encoding.
fn rows(
    net: &mut Demucs<'_>,
    name: &str,
    x: &Edge,
    (mut places, length, width): (Vec<f32>, u64, u64),
) -> Result<Rows, DrawFault> {
    let x = net.layer_norm(&format!("{PREFIX}.{name}"), x, (width, EPSILON))?;
    let weight = net.architecture.position_weight();
    for number in &mut places {
        *number *= weight;
    }
    let places = Values::of_singles(&places);
    let places = net.stored(&format!("{name}.places"), (places, &[1, length, width]));
    Ok(Rows {
        edge: net.network.apply("Add", &[&x, &places]),
        length,
        width,
    })
}

fn listened(
    net: &mut Demucs<'_>,
    layers: usize,
    (mut x, mut y): (Rows, Rows),
) -> Result<(Rows, Rows), DrawFault> {
    for layer in 0..layers {
        let names = [format!("layers.{layer}"), format!("layers_t.{layer}")];
        let [first, second] = names.map(|name| format!("{PREFIX}.{name}"));
        let crosses = (layer % 2 == 0) == net.architecture.crosses_first();
        if crosses {
            let before = x.clone();
            x = self::layer(net, &first, &x, Some(&y))?;
            y = self::layer(net, &second, &y, Some(&before))?;
        } else {
            x = self::layer(net, &first, &x, None)?;
            y = self::layer(net, &second, &y, None)?;
        }
    }
    Ok((x, y))
}

/// A layer that attends to its own branch or to `other`; normalised before each part.
fn layer(
    net: &mut Demucs<'_>,
    prefix: &str,
    x: &Rows,
    other: Option<&Rows>,
) -> Result<Rows, DrawFault> {
    let norm = (x.width, EPSILON);
    let asking = net.layer_norm(&format!("{prefix}.norm1"), &x.edge, norm)?;
    let (heard, name, last) = match other {
        None => (asking.clone(), "self_attn", "norm2"),
        Some(other) => {
            let heard = net.layer_norm(&format!("{prefix}.norm2"), &other.edge, norm)?;
            (heard, "cross_attn", "norm3")
        }
    };
    let name = format!("{prefix}.{name}");
    let found = attention(net, &name, (&asking, &heard), x.width)?;
    let found = scaled(net, &format!("{prefix}.gamma_1"), &found, x.width)?;
    let y = net.network.apply("Add", &[&x.edge, &found]);
    let fed = net.layer_norm(&format!("{prefix}.{last}"), &y, norm)?;
    let [inner, _] = net.weights.dims(&format!("{prefix}.linear1.weight"))?;
    let fed = net.linear(&format!("{prefix}.linear1"), &fed, (x.width, inner))?;
    let fed = if net.architecture.has_gelu() {
        net.network.gelu(&fed)
    } else {
        net.network.apply("Relu", &[&fed])
    };
    let fed = net.linear(&format!("{prefix}.linear2"), &fed, (inner, x.width))?;
    let fed = scaled(net, &format!("{prefix}.gamma_2"), &fed, x.width)?;
    let mut edge = net.network.apply("Add", &[&y, &fed]);
    let norm = format!("{prefix}.norm_out");
    if net.weights.find(&format!("{norm}.weight")).is_some() {
        let turned = net.transposed(&edge, &[0, 2, 1]);
        let shape = [1, x.width, x.length];
        let even = net.group_norm(&norm, &turned, (&shape, 1))?;
        edge = net.transposed(&even, &[0, 2, 1]);
    }
    Ok(Rows { edge, ..x.clone() })
}

/// Scales each channel, where the layer has factors for that.
fn scaled(net: &mut Demucs<'_>, prefix: &str, x: &Edge, width: u64) -> Result<Edge, DrawFault> {
    let key = format!("{prefix}.scale");
    if net.weights.find(&key).is_none() {
        return Ok(x.clone());
    }
    let scale = net.weight(&key, &[width])?;
    Ok(net.network.apply("Mul", &[x, &scale]))
}

/// Attention of each row of the first to all rows of the second ("Attention Is All You Need", Vaswani and others 2017).
fn attention(
    net: &mut Demucs<'_>,
    prefix: &str,
    (asking, heard): (&Edge, &Edge),
    width: u64,
) -> Result<Edge, DrawFault> {
    let heads = net.architecture.heads();
    let head = width / heads;
    let inward = format!("{prefix}.in_proj_weight");
    let inward = net.values(&inward, &[3 * width, width])?.singles();
    let offsets = format!("{prefix}.in_proj_bias");
    let offsets = net.values(&offsets, &[3 * width])?.singles();
    let mut projected = |part: usize, x: &Edge, order: &[i64]| {
        let (square, row) = ((width * width) as usize, width as usize);
        let weight = Values::of_singles(&inward[part * square..][..square]);
        let weight = net.stored(
            &format!("{prefix}.in_proj_weight.{part}"),
            (weight, &[width, width]),
        );
        let bias = Values::of_singles(&offsets[part * row..][..row]);
        let bias = net.stored(&format!("{prefix}.in_proj_bias.{part}"), (bias, &[width]));
        let weight = net.transposed(&weight, &[1, 0]);
        let x = net.network.apply("MatMul", &[x, &weight]);
        let x = net.network.apply("Add", &[&x, &bias]);
        let apart = net.reshaped(&x, &[1, -1, heads as i64, head as i64]);
        net.transposed(&apart, order)
    };
    let queries = projected(0, asking, &[0, 2, 1, 3]);
    let keys = projected(1, heard, &[0, 2, 3, 1]);
    let values = projected(2, heard, &[0, 2, 1, 3]);
    let queries = net.scaled(&queries, (1.0 / (head as f64).sqrt()) as f32);
    let scores = net.network.apply("MatMul", &[&queries, &keys]);
    let shares = net.network.softmax(&scores);
    let found = net.network.apply("MatMul", &[&shares, &values]);
    let found = net.transposed(&found, &[0, 2, 1, 3]);
    let found = net.reshaped(&found, &[1, -1, width as i64]);
    net.linear(&format!("{prefix}.out_proj"), &found, (width, width))
}
