//! `HuBERT` ("`HuBERT`: Self-Supervised Speech Representation Learning by Masked Prediction of Hidden Units", Hsu and others 2021) in
//! its base size: convolutions that hear the wave, a convolution for positions, and a transformer that normalises after each part.

use crate::drawing::{
    Attribute, DataType, DrawFault, Edge, Layers, Length, Network, Weights, Window,
};
use crate::graphs::Vectors;
use crate::torch::{TorchFile, Values};

use super::settings::STRIDES;
use super::sizes::{PROJECTED_LAYER, Sizes};

/// What is added to the variance of a channel of the first layer.
const CHANNEL_EPSILON: f32 = 1e-5;

type Encoder<'a> = Layers<'a, Sizes>;

/// Draws the encoder, and says what it gives.
pub(super) fn draw(
    file: &mut TorchFile,
    weights: Weights,
    sizes: &Sizes,
) -> Result<(Network, Vec<Vectors>), DrawFault> {
    let mut net = Encoder::new(file, weights, sizes);
    let (one, samples) = (Length::Fixed(1), Length::Any("N"));
    let wave = net
        .network
        .input("source", DataType::F32, &[one, one, samples]);
    let x = features(&mut net, &wave)?;
    let x = net.transposed(&x, &[0, 2, 1]);
    let channels = sizes.features.last().map_or(0, |[_, outputs, _]| *outputs);
    let norm = (channels, sizes.epsilon);
    let x = net.layer_norm("feature_projection.layer_norm", &x, norm)?;
    let widths = (channels, sizes.hidden);
    let x = net.linear("feature_projection.projection", &x, widths)?;
    let told = positions(&mut net, &x)?;
    let x = net.network.apply("Add", &[&x, &told]);
    let norm = (sizes.hidden, sizes.epsilon);
    let mut x = net.layer_norm("encoder.layer_norm", &x, norm)?;
    let projection = match sizes.projected {
        Some(dim) => Some((projection(&mut net, dim)?, dim)),
        None => None,
    };
    let mut given = Vec::new();
    for layer in 1..=sizes.layers {
        x = self::layer(&mut net, layer - 1, &x)?;
        if let Some(((weight, bias), dim)) = &projection
            && (layer == PROJECTED_LAYER || layer == sizes.layers)
        {
            let shorter = net.network.apply("MatMul", &[&x, weight]);
            let shorter = net.network.apply("Add", &[&shorter, bias]);
            given.push(output(&mut net, &shorter, (layer, *dim, true)));
        }
    }
    given.push(output(&mut net, &x, (sizes.layers, sizes.hidden, false)));
    // Where RVC would not use it, nobody does.
    match net.weights.left_over() {
        Some(left) if !left.starts_with("final_proj.") => Err(DrawFault::refused(format!(
            "has the weight {left:?}, which HuBERT's base size has not; it comes from another architecture"
        ))),
        _ => Ok((net.network, given)),
    }
}

/// The convolutions that hear the wave, `[1, C, T]`.
fn features(net: &mut Encoder<'_>, wave: &Edge) -> Result<Edge, DrawFault> {
    let sizes = net.architecture;
    let mut x = wave.clone();
    let mut channels = 1;
    for (layer, ([_, outputs, kernel], stride)) in sizes.features.iter().zip(STRIDES).enumerate() {
        let prefix = format!("feature_extractor.conv_layers.{layer}");
        let window = Window {
            strides: &[stride],
            pads: &[0, 0],
            groups: 1,
        };
        let dims = [*outputs, channels, *kernel];
        x = net.convolved(&format!("{prefix}.conv"), &x, &dims, window)?;
        if layer == 0 {
            // As many groups as channels.
            let weight = net.weight(&format!("{prefix}.layer_norm.weight"), &[*outputs])?;
            let bias = net.weight(&format!("{prefix}.layer_norm.bias"), &[*outputs])?;
            let epsilon = [("epsilon", Attribute::Float(CHANNEL_EPSILON))];
            let inputs = [&x, &weight, &bias];
            x = net
                .network
                .apply_with("InstanceNormalization", &inputs, &epsilon);
        }
        x = net.network.gelu(&x);
        channels = *outputs;
    }
    Ok(x)
}

/// The positional encoding of the transformer, a convolution over many frames: `[1, T, H]`.
fn positions(net: &mut Encoder<'_>, x: &Edge) -> Result<Edge, DrawFault> {
    const PREFIX: &str = "encoder.pos_conv_embed.conv";
    let sizes = net.architecture;
    let (kernel, groups) = sizes.positions;
    let dims = [sizes.hidden, sizes.hidden / groups, kernel];
    let whole = format!("{PREFIX}.weight");
    let weight = if net.weights.find(&whole).is_some() {
        net.weight(&whole, &dims)?
    } else {
        let lengths = net.values(&format!("{PREFIX}.weight_g"), &[1, 1, kernel])?;
        let directions = net.values(&format!("{PREFIX}.weight_v"), &dims)?;
        let folded = folded(&lengths.singles(), &directions.singles());
        net.stored(&whole, (Values::of_singles(&folded), &dims))
    };
    let x = net.transposed(x, &[0, 2, 1]);
    // As many frames in front as behind; of an even kernel's result the last frame is left out.
    let pads = [kernel as i64 / 2, (kernel as i64 - 1) / 2];
    let window = Window {
        strides: &[1],
        pads: &pads,
        groups,
    };
    let x = net.convolved_with(PREFIX, (&x, &weight), &dims, window)?;
    let x = net.network.gelu(&x);
    Ok(net.transposed(&x, &[0, 2, 1]))
}

/// A weight whose length and direction are kept apart for each place of the kernel, `g v / |v|` ("Weight Normalization", Salimans and
/// Kingma 2016).
fn folded(lengths: &[f32], directions: &[f32]) -> Vec<f32> {
    let kernel = lengths.len();
    let mut squares = vec![0.0_f64; kernel];
    for row in directions.chunks(kernel) {
        for (square, one) in squares.iter_mut().zip(row) {
            *square += f64::from(*one).powi(2);
        }
    }
    let factors = lengths.iter().zip(&squares);
    let factors: Vec<f64> = factors
        .map(|(length, square)| {
            if *square > 0.0 {
                f64::from(*length) / square.sqrt()
            } else {
                0.0
            }
        })
        .collect();
    let rows = directions.chunks(kernel);
    rows.flat_map(|row| row.iter().zip(&factors))
        .map(|(one, factor)| (f64::from(*one) * factor) as f32)
        .collect()
}

/// A layer of the transformer.
fn layer(net: &mut Encoder<'_>, layer: usize, x: &Edge) -> Result<Edge, DrawFault> {
    let sizes = net.architecture;
    let (hidden, inner) = (sizes.hidden, sizes.inner);
    let norm = (hidden, sizes.epsilon);
    let prefix = format!("encoder.layers.{layer}");
    let attended = attention(net, &format!("{prefix}.attention"), x)?;
    let x = net.network.apply("Add", &[x, &attended]);
    let x = net.layer_norm(&format!("{prefix}.layer_norm"), &x, norm)?;
    let first = format!("{prefix}.feed_forward.intermediate_dense");
    let fed = net.linear(&first, &x, (hidden, inner))?;
    let fed = net.network.gelu(&fed);
    let second = format!("{prefix}.feed_forward.output_dense");
    let fed = net.linear(&second, &fed, (inner, hidden))?;
    let x = net.network.apply("Add", &[&x, &fed]);
    net.layer_norm(&format!("{prefix}.final_layer_norm"), &x, norm)
}

/// Attention of all frames to all ("Attention Is All You Need", Vaswani and others 2017).
fn attention(net: &mut Encoder<'_>, prefix: &str, x: &Edge) -> Result<Edge, DrawFault> {
    let (hidden, heads) = (net.architecture.hidden, net.architecture.heads);
    let head = hidden / heads;
    let square = (hidden, hidden);
    let apart = [1, -1, heads as i64, head as i64];
    let mut split = |name: &str, order: &[i64]| -> Result<Edge, DrawFault> {
        let whole = net.linear(&format!("{prefix}.{name}"), x, square)?;
        let heads = net.reshaped(&whole, &apart);
        Ok(net.transposed(&heads, order))
    };
    let query = split("q_proj", &[0, 2, 1, 3])?;
    let key = split("k_proj", &[0, 2, 3, 1])?;
    let value = split("v_proj", &[0, 2, 1, 3])?;
    let query = net.scaled(&query, (1.0 / (head as f64).sqrt()) as f32);
    let scores = net.network.apply("MatMul", &[&query, &key]);
    let shares = net.network.softmax(&scores);
    let heard = net.network.apply("MatMul", &[&shares, &value]);
    let heard = net.transposed(&heard, &[0, 2, 1, 3]);
    let heard = net.reshaped(&heard, &[1, -1, hidden as i64]);
    net.linear(&format!("{prefix}.out_proj"), &heard, square)
}

/// The weight and the bias of the last projection, which makes vectors shorter, as RVC's first generation takes them.
fn projection(net: &mut Encoder<'_>, dim: u64) -> Result<(Edge, Edge), DrawFault> {
    let weight = net.weight("final_proj.weight", &[dim, net.architecture.hidden])?;
    let weight = net.transposed(&weight, &[1, 0]);
    Ok((weight, net.weight("final_proj.bias", &[dim])?))
}

fn output(net: &mut Encoder<'_>, x: &Edge, (layer, dim, projected): (usize, u64, bool)) -> Vectors {
    let name = format!("unit{}{layer}", if projected { "s" } else { "" });
    let shape = [Length::Fixed(1), Length::Any("T"), Length::Fixed(dim)];
    net.network.output(x, &name, &shape);
    Vectors {
        name,
        dim,
        channels_last: true,
        layer: Some(layer as u64),
        projected,
    }
}
