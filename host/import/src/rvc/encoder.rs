//! The text encoder of VITS ("Conditional Variational Autoencoder with Adversarial Learning for End-to-End Text-to-Speech",
//! Kim and others 2021), which RVC feeds with content vectors and pitch: a transformer that knows the relative positions of
//! near neighbours ("Self-Attention with Relative Position Representations", Shaw and others 2018).

use super::layers::{Conv, Layers};
use crate::drawing::{Attribute, DataType, DrawFault, Edge};

/// Added to scores of frames behind the end, so that nothing of them is left behind the softmax.
const FAR_BELOW: f32 = 1e4;
/// Values of the coarse pitch.
const PITCHES: u64 = 256;

/// The inputs that the encoder takes.
pub(super) struct Heard<'e> {
    /// Content vectors, `[1, T, C]`.
    pub(super) content: &'e Edge,
    /// Number of frames, `[1]`.
    pub(super) length: &'e Edge,
    /// Coarse pitch, `[1, T]`, of a voice that is told it.
    pub(super) pitch: Option<&'e Edge>,
}

/// What the encoder gives.
pub(super) struct Encoded {
    /// Means of the prior, `[1, inter, T]`.
    pub(super) mean: Edge,
    /// Logarithms of its standard deviations, `[1, inter, T]`.
    pub(super) log_deviation: Edge,
    /// 1 for each frame before the end, 0 behind, `[1, 1, T]`.
    pub(super) mask: Edge,
}

/// Shapes that change from run to run; each is computed once for all layers.
struct Lengths {
    /// `[0, 0, 0, 0, 0, 0, 0, T]`: pads a row of `[1, heads, T, …]` by T behind.
    row_by_frames: Edge,
    /// `[0, 0, 0, 0, 0, T]`: pads `[1, heads, …]` by T behind.
    whole_by_frames: Edge,
    /// `[T (T + 2 window)]`.
    band: Edge,
    /// `[1, heads, T, T + 2 window]`.
    narrow: Edge,
    /// `[1, heads, T, T + 2 window + 1]`.
    wide: Edge,
    /// `[window + T]`.
    last: Edge,
    /// What is added to the scores of frames behind the end, as keys: `[1, 1, T]`.
    bias: Edge,
}

/// Adds the encoder.
pub(super) fn encode(net: &mut Layers<'_>, heard: &Heard<'_>) -> Result<Encoded, DrawFault> {
    let (hidden, inter) = (net.architecture.hidden, net.architecture.inter);
    let embedded = embed(net, heard)?;
    let (mask, lengths) = lengths(net, heard);
    let mut x = net.network.apply("Mul", &[&embedded, &mask]);
    for layer in 0..net.architecture.layers {
        let attended = attend(net, layer, &x, &lengths)?;
        x = net.network.apply("Add", &[&x, &attended]);
        x = normed(net, &format!("enc_p.encoder.norm_layers_1.{layer}"), &x)?;
        let fed = feed_forward(net, layer, &x, &mask)?;
        x = net.network.apply("Add", &[&x, &fed]);
        x = normed(net, &format!("enc_p.encoder.norm_layers_2.{layer}"), &x)?;
    }
    x = net.network.apply("Mul", &[&x, &mask]);
    x = net.conv("enc_p.proj", &x, Conv::same(hidden, 2 * inter, 1))?;
    x = net.network.apply("Mul", &[&x, &mask]);
    let (mean, log_deviation) = net.network.halves(&x, 1, inter);
    Ok(Encoded {
        mean,
        log_deviation,
        mask,
    })
}

/// Content and pitch in one, `[1, hidden, T]`.
fn embed(net: &mut Layers<'_>, heard: &Heard<'_>) -> Result<Edge, DrawFault> {
    let (hidden, content) = (net.architecture.hidden, net.architecture.content);
    let weight = net.weight("enc_p.emb_phone.weight", &[hidden, content])?;
    let weight = net.transposed(&weight, &[1, 0]);
    let bias = net.weight("enc_p.emb_phone.bias", &[hidden])?;
    let mut x = net.network.apply("MatMul", &[heard.content, &weight]);
    x = net.network.apply("Add", &[&x, &bias]);
    if let Some(pitch) = heard.pitch {
        let table = net.weight("enc_p.emb_pitch.weight", &[PITCHES, hidden])?;
        let known = net.network.apply("Gather", &[&table, pitch]);
        x = net.network.apply("Add", &[&x, &known]);
    }
    x = net.scaled(&x, (hidden as f64).sqrt() as f32);
    x = net.leaky(&x, 0.1);
    Ok(net.transposed(&x, &[0, 2, 1]))
}

/// The mask `[1, 1, T]` and the lengths that all layers share.
fn lengths(net: &mut Layers<'_>, heard: &Heard<'_>) -> (Edge, Lengths) {
    let heads = net.architecture.heads as i64;
    let window = net.architecture.window as i64;
    let network = &mut net.network;
    let shape = network.apply("Shape", &[heard.content]);
    let one = network.integer(1);
    let count = network.apply("Gather", &[&shape, &one]);
    let (from, by) = (network.integer(0), network.integer(1));
    let numbers = network.apply("Range", &[&from, &count, &by]);
    let inside = network.apply("Less", &[&numbers, heard.length]);
    let mask = net.cast(&inside, DataType::F32);
    let mask = net.reshaped(&mask, &[1, 1, -1]);

    let network = &mut net.network;
    let whole = network.number(1.0);
    let bias = network.apply("Sub", &[&mask, &whole]);
    let bias = net.scaled(&bias, FAR_BELOW);
    let frames = net.reshaped(&count, &[1]);
    let network = &mut net.network;
    let mut plus = |more: i64| {
        let more = network.integers(&[more]);
        network.apply("Add", &[&frames, &more])
    };
    let (row, longer_row, last) = (plus(2 * window), plus(2 * window + 1), plus(window));
    let band = network.apply("Mul", &[&frames, &row]);
    let ahead = network.integers(&[1, heads]);
    let mut joined = |parts: &[&Edge]| {
        let axis = [("axis", Attribute::Int(0))];
        network.apply_with("Concat", parts, &axis)
    };
    let narrow = joined(&[&ahead, &frames, &row]);
    let wide = joined(&[&ahead, &frames, &longer_row]);
    let (seven, five) = (network.integers(&[0; 7]), network.integers(&[0; 5]));
    let mut joined = |parts: &[&Edge]| {
        let axis = [("axis", Attribute::Int(0))];
        network.apply_with("Concat", parts, &axis)
    };
    let lengths = Lengths {
        row_by_frames: joined(&[&seven, &frames]),
        whole_by_frames: joined(&[&five, &frames]),
        band,
        narrow,
        wide,
        last,
        bias,
    };
    (mask, lengths)
}

/// Attention of all frames to all, `[1, hidden, T]`.
fn attend(
    net: &mut Layers<'_>,
    layer: usize,
    x: &Edge,
    lengths: &Lengths,
) -> Result<Edge, DrawFault> {
    let prefix = format!("enc_p.encoder.attn_layers.{layer}");
    let hidden = net.architecture.hidden;
    let (heads, head) = (net.architecture.heads, hidden / net.architecture.heads);
    let square = Conv::same(hidden, hidden, 1);
    let mut split = |name: &str| -> Result<Edge, DrawFault> {
        let whole = net.conv(&format!("{prefix}.{name}"), x, square)?;
        Ok(net.reshaped(&whole, &[1, heads as i64, head as i64, -1]))
    };
    let (query, key, value) = (split("conv_q")?, split("conv_k")?, split("conv_v")?);
    let query = net.transposed(&query, &[0, 1, 3, 2]);
    let query = net.scaled(&query, (1.0 / (head as f64).sqrt()) as f32);
    let value = net.transposed(&value, &[0, 1, 3, 2]);

    let positions = 2 * net.architecture.window + 1;
    let near_keys = net.weight(&format!("{prefix}.emb_rel_k"), &[1, positions, head])?;
    let near_keys = net.transposed(&near_keys, &[0, 2, 1]);
    let near = net.network.apply("MatMul", &[&query, &near_keys]);
    let near = spread(net, &near, lengths);
    let mut scores = net.network.apply("MatMul", &[&query, &key]);
    scores = net.network.apply("Add", &[&scores, &near]);
    scores = net.network.apply("Add", &[&scores, &lengths.bias]);
    let over = [("axis", Attribute::Int(-1))];
    let shares = net.network.apply_with("Softmax", &[&scores], &over);

    let near_values = net.weight(&format!("{prefix}.emb_rel_v"), &[1, positions, head])?;
    let near = gathered(net, &shares, lengths);
    let near = net.network.apply("MatMul", &[&near, &near_values]);
    let far = net.network.apply("MatMul", &[&shares, &value]);
    let sum = net.network.apply("Add", &[&far, &near]);
    let sum = net.transposed(&sum, &[0, 1, 3, 2]);
    let sum = net.reshaped(&sum, &[1, hidden as i64, -1]);
    net.conv(&format!("{prefix}.conv_o"), &sum, square)
}

/// Takes scores by relative position, `[1, heads, T, 2 window + 1]`, to the band around the diagonal of `[1, heads, T, T]`.
///
/// Rows that are filled up to T + 2 window + 1 numbers and then read as rows of one less shift each row by one against the one
/// before: position r of row i arrives at column i + r. The first `window` columns stand for frames before the first. The
/// original fills up to 2T columns instead, which takes twice the memory.
fn spread(net: &mut Layers<'_>, near: &Edge, lengths: &Lengths) -> Edge {
    let heads = net.architecture.heads as i64;
    let window = net.architecture.window as i64;
    let rows = net.network.apply("Pad", &[near, &lengths.row_by_frames]);
    let line = net.reshaped(&rows, &[1, heads, -1]);
    let network = &mut net.network;
    let (start, axis) = (network.integers(&[0]), network.integers(&[2]));
    let line = network.apply("Slice", &[&line, &start, &lengths.band, &axis]);
    let rows = network.apply("Reshape", &[&line, &lengths.narrow]);
    let (start, axis) = (network.integers(&[window]), network.integers(&[3]));
    network.apply("Slice", &[&rows, &start, &lengths.last, &axis])
}

/// The way back: what of `[1, heads, T, T]` lies in the band around the diagonal, by relative position,
/// `[1, heads, T, 2 window + 1]`.
fn gathered(net: &mut Layers<'_>, shares: &Edge, lengths: &Lengths) -> Edge {
    let heads = net.architecture.heads as i64;
    let window = net.architecture.window as i64;
    let around = net.network.integers(&[0, 0, 0, window, 0, 0, 0, window]);
    let rows = net.network.apply("Pad", &[shares, &around]);
    let line = net.reshaped(&rows, &[1, heads, -1]);
    let network = &mut net.network;
    let line = network.apply("Pad", &[&line, &lengths.whole_by_frames]);
    let rows = network.apply("Reshape", &[&line, &lengths.wide]);
    let (start, end) = (network.integers(&[0]), network.integers(&[2 * window + 1]));
    let axis = network.integers(&[3]);
    network.apply("Slice", &[&rows, &start, &end, &axis])
}

/// Normalisation over the channels.
fn normed(net: &mut Layers<'_>, prefix: &str, x: &Edge) -> Result<Edge, DrawFault> {
    let hidden = net.architecture.hidden;
    let gamma = net.weight(&format!("{prefix}.gamma"), &[hidden])?;
    let beta = net.weight(&format!("{prefix}.beta"), &[hidden])?;
    let x = net.transposed(x, &[0, 2, 1]);
    let attributes = [
        ("axis", Attribute::Int(-1)),
        ("epsilon", Attribute::Float(1e-5)),
    ];
    let inputs = [&x, &gamma, &beta];
    let x = net
        .network
        .apply_with("LayerNormalization", &inputs, &attributes);
    Ok(net.transposed(&x, &[0, 2, 1]))
}

fn feed_forward(
    net: &mut Layers<'_>,
    layer: usize,
    x: &Edge,
    mask: &Edge,
) -> Result<Edge, DrawFault> {
    let prefix = format!("enc_p.encoder.ffn_layers.{layer}");
    let (hidden, filter) = (net.architecture.hidden, net.architecture.filter);
    let kernel = net.architecture.filter_kernel;
    let x = net.network.apply("Mul", &[x, mask]);
    let x = net.conv(
        &format!("{prefix}.conv_1"),
        &x,
        Conv::same(hidden, filter, kernel),
    )?;
    let x = net.network.apply("Relu", &[&x]);
    let x = net.network.apply("Mul", &[&x, mask]);
    let x = net.conv(
        &format!("{prefix}.conv_2"),
        &x,
        Conv::same(filter, hidden, kernel),
    )?;
    Ok(net.network.apply("Mul", &[&x, mask]))
}
