//! FCPE ("FCPE: A Fast Context-based Pitch Estimation Model", Luo and others 2025), as torchfcpe has it: layers of a Conformer over a
//! spectrogram, which convolve and may attend by random features ("Rethinking Attention with Performers", Choromanski and others 2021).

use crate::drawing::{
    Attribute, DataType, DrawFault, Edge, Layers, Length, Network, Weights, Window,
};
use crate::torch::{TorchFile, Values};

use super::whole::finished;

/// Mel bands of a spectrogram, and bins of the pitch.
const MELS: u64 = 128;
const BINS: u64 = 360;
/// What is added to variances.
const EPSILON: f32 = 1e-5;
/// Groups of channels that are normalised together behind the first convolution.
const GROUPS: i64 = 4;
/// Slope of the rectifier behind them where they are negative.
const SLOPE: f32 = 0.01;
/// What keeps features of the attention, and sums and lengths that are divided by, from being 0.
const FEATURE_FLOOR: f32 = 1e-4;
const SUM_FLOOR: f32 = 1e-8;

/// What messages call a file with the weights of FCPE.
pub(super) const WHAT: &str = "estimator of pitch of FCPE's architecture";

/// Beginnings of names in the first releases, which Applio and so-vits-svc have, and what they are in torchfcpe.
const BEGINNINGS: [(&str, &str); 3] = [
    ("stack.", "input_stack."),
    ("decoder._layers.", "net.encoder_layers."),
    ("dense_out.", "output_proj."),
];
/// Tables that the program keeps among its weights, and computes anew.
const TABLES: [&str; 2] = ["cent_table", "gaussian_blurred_cent_mask"];

/// Whether weights of these names are FCPE's.
pub(super) fn is_one<'n>(mut names: impl Iterator<Item = &'n str>) -> bool {
    names.any(|name| name.starts_with("input_stack.") || name.starts_with("decoder._layers."))
}

/// The name of a weight, or nothing for one that nobody needs.
pub(super) fn name(key: &str) -> Option<String> {
    let mut beginnings = BEGINNINGS.into_iter();
    let renamed = beginnings.find_map(|(old, new)| Some((new, key.strip_prefix(old)?)));
    let name = renamed.map_or_else(|| key.to_owned(), |(new, rest)| format!("{new}{rest}"));
    (!TABLES.contains(&key)).then_some(name)
}

/// The dimensions.
struct Sizes {
    hidden: u64,
    /// Whether attentions compare queries and keys by their direction alone.
    normed: bool,
}

type Estimator<'a> = Layers<'a, Sizes>;

/// Draws the network: `mel` `[1, T, 128]`, `salience` `[1, T, 360]`.
pub(super) fn draw(
    file: &mut TorchFile,
    weights: Weights,
    normed: bool,
) -> Result<Network, DrawFault> {
    let [hidden, _, _] = weights.dims("input_stack.0.weight")?;
    let layers = weights.count("net.encoder_layers.", 1, |weights, layer| {
        weights.find(&format!("{layer}.norm.weight")).is_some()
    });
    if !hidden.is_multiple_of(GROUPS as u64) {
        let reason = "has layers whose shapes do not go together".to_owned();
        return Err(DrawFault::refused(reason));
    }
    let sizes = Sizes { hidden, normed };
    let mut net = Estimator::new(file, weights, &sizes);
    let (one, frames) = (Length::Fixed(1), Length::Any("T"));
    let shape = [one, frames, Length::Fixed(MELS)];
    let mel = net.network.input("mel", DataType::F32, &shape);
    let mut x = first(&mut net, &mel)?;
    for layer in 0..layers {
        x = self::layer(&mut net, &format!("net.encoder_layers.{layer}"), &x)?;
    }
    let x = net.layer_norm("norm", &x, (hidden, EPSILON))?;
    let x = last(&mut net, &x)?;
    let shape = [one, frames, Length::Fixed(BINS)];
    net.network.output(&x, "salience", &shape);
    finished(net, "FCPE")
}

/// Three frames, whatever channels.
const NEAR: Window<'static> = Window {
    strides: &[1],
    pads: &[1, 1],
    groups: 1,
};

/// Two convolutions over the spectrogram, `[1, T, H]`.
fn first(net: &mut Estimator<'_>, mel: &Edge) -> Result<Edge, DrawFault> {
    let hidden = net.architecture.hidden;
    let x = net.transposed(mel, &[0, 2, 1]);
    let x = net.convolved("input_stack.0", &x, &[hidden, MELS, 3], NEAR)?;
    let x = by_groups(net, "input_stack.1", &x)?;
    let x = net.leaky(&x, SLOPE);
    let x = net.convolved("input_stack.3", &x, &[hidden, hidden, 3], NEAR)?;
    let x = net.transposed(&x, &[0, 2, 1]);
    // Which harmonic is heard is a matter of training; it is the first.
    let harmonics = "harmonic_emb.weight";
    let Some([count, _]) = net.weights.find(harmonics) else {
        return Ok(x);
    };
    let count = *count;
    let table = net.weight(harmonics, &[count, hidden])?;
    let none = net.network.integers(&[0]);
    let first = net.network.apply("Gather", &[&table, &none]);
    Ok(net.network.apply("Add", &[&x, &first]))
}

/// Normalises groups of channels over all frames. Means are taken frame by frame first, so that little is lost of long recordings.
fn by_groups(net: &mut Estimator<'_>, prefix: &str, x: &Edge) -> Result<Edge, DrawFault> {
    let hidden = net.architecture.hidden;
    let weight = net.weight(&format!("{prefix}.weight"), &[hidden])?;
    let bias = net.weight(&format!("{prefix}.bias"), &[hidden])?;
    let [weight, bias] = [weight, bias].map(|one| net.reshaped(&one, &[hidden as i64, 1]));
    let each = hidden as i64 / GROUPS;
    let x = net.reshaped(x, &[1, GROUPS, each, -1]);
    let mean = mean(net, &x);
    let away = net.network.apply("Sub", &[&x, &mean]);
    let square = net.network.apply("Mul", &[&away, &away]);
    let variance = self::mean(net, &square);
    let epsilon = net.network.number(EPSILON);
    let variance = net.network.apply("Add", &[&variance, &epsilon]);
    let deviation = net.network.apply("Sqrt", &[&variance]);
    let x = net.network.apply("Div", &[&away, &deviation]);
    let x = net.reshaped(&x, &[1, hidden as i64, -1]);
    let x = net.network.apply("Mul", &[&x, &weight]);
    Ok(net.network.apply("Add", &[&x, &bias]))
}

/// The mean of each group of `[1, groups, channels, T]`.
fn mean(net: &mut Estimator<'_>, x: &Edge) -> Edge {
    let mut x = x.clone();
    for axis in [2, 3] {
        let over = [
            ("axes", Attribute::Ints(&[axis])),
            ("keepdims", Attribute::Int(1)),
        ];
        x = net.network.apply_with("ReduceMean", &[&x], &over);
    }
    x
}

/// A layer: attention where there is one, and convolutions, each with a residual connection.
fn layer(net: &mut Estimator<'_>, prefix: &str, x: &Edge) -> Result<Edge, DrawFault> {
    let norm = (net.architecture.hidden, EPSILON);
    let attention = format!("{prefix}.attn");
    let mut x = x.clone();
    if net
        .weights
        .find(&format!("{attention}.to_q.weight"))
        .is_some()
    {
        let heard = net.layer_norm(&format!("{prefix}.norm"), &x, norm)?;
        let heard = attend(net, &attention, &heard)?;
        x = net.network.apply("Add", &[&x, &heard]);
    } else {
        // It is in the checkpoint, but the network does not use it.
        net.weights.pass_over(&format!("{prefix}.norm."));
    }
    let convolved = convolve(net, &format!("{prefix}.conformer.net"), &x)?;
    Ok(net.network.apply("Add", &[&x, &convolved]))
}

/// A gated convolution over the frames around each, channel by channel.
fn convolve(net: &mut Estimator<'_>, prefix: &str, x: &Edge) -> Result<Edge, DrawFault> {
    let hidden = net.architecture.hidden;
    let [inner, _, kernel] = net.weights.dims(&format!("{prefix}.4.conv.weight"))?;
    let alone = Window {
        pads: &[0, 0],
        ..NEAR
    };
    let x = net.layer_norm(&format!("{prefix}.0"), x, (hidden, EPSILON))?;
    let x = net.transposed(&x, &[0, 2, 1]);
    let x = net.convolved(&format!("{prefix}.2"), &x, &[2 * inner, hidden, 1], alone)?;
    let (value, gate) = net.network.halves(&x, 1, inner);
    let gate = net.network.apply("Sigmoid", &[&gate]);
    let x = net.network.apply("Mul", &[&value, &gate]);
    let half = kernel as i64 / 2;
    let pads = [half, half - (kernel as i64 + 1) % 2];
    let around = Window {
        strides: &[1],
        pads: &pads,
        groups: inner,
    };
    let x = net.convolved(&format!("{prefix}.4.conv"), &x, &[inner, 1, kernel], around)?;
    let share = net.network.apply("Sigmoid", &[&x]);
    let x = net.network.apply("Mul", &[&x, &share]);
    let x = net.convolved(&format!("{prefix}.6"), &x, &[hidden, inner, 1], alone)?;
    Ok(net.transposed(&x, &[0, 2, 1]))
}

/// Attention whose cost grows with the number of frames and not with its square: scores are products of features.
fn attend(net: &mut Estimator<'_>, prefix: &str, x: &Edge) -> Result<Edge, DrawFault> {
    let hidden = net.architecture.hidden;
    let table = format!("{prefix}.fast_attention.projection_matrix");
    let [features, head] = net.weights.dims(&table)?;
    let [inner, _] = net.weights.dims(&format!("{prefix}.to_q.weight"))?;
    if head == 0 || !inner.is_multiple_of(head) {
        let reason = "has layers whose shapes do not go together".to_owned();
        return Err(DrawFault::refused(reason));
    }
    let table = net.weight(&table, &[features, head])?;
    let table = net.transposed(&table, &[1, 0]);
    let apart = [1, -1, (inner / head) as i64, head as i64];
    let mut split = |name: &str| -> Result<Edge, DrawFault> {
        let whole = net.linear(&format!("{prefix}.{name}"), x, (hidden, inner))?;
        let heads = net.reshaped(&whole, &apart);
        Ok(net.transposed(&heads, &[0, 2, 1, 3]))
    };
    let (mut query, mut key, value) = (split("to_q")?, split("to_k")?, split("to_v")?);
    if net.architecture.normed {
        query = direction(net, &query);
        key = direction(net, &key);
    }
    let ratio = (features as f64).powf(-0.5) as f32;
    let scale = (head as f64).powf(-0.25);
    let query = exponents(net, (&query, &table), scale, true);
    let floor = net.network.number(FEATURE_FLOOR);
    let query = net.network.apply("Exp", &[&query]);
    let query = net.network.apply("Add", &[&query, &floor]);
    let query = net.scaled(&query, ratio);
    let key = exponents(net, (&key, &table), scale, false);
    let key = net.network.apply("Add", &[&key, &floor]);
    let key = net.network.apply("Exp", &[&key]);
    let key = net.scaled(&key, ratio);
    let key = net.transposed(&key, &[0, 1, 3, 2]);
    let sums = sum(net, &key);
    let weight = net.network.apply("MatMul", &[&query, &sums]);
    let least = net.network.number(SUM_FLOOR);
    let weight = net.network.apply("Add", &[&weight, &least]);
    let context = net.network.apply("MatMul", &[&key, &value]);
    let heard = net.network.apply("MatMul", &[&query, &context]);
    let heard = net.network.apply("Div", &[&heard, &weight]);
    let heard = net.transposed(&heard, &[0, 2, 1, 3]);
    let heard = net.reshaped(&heard, &[1, -1, inner as i64]);
    net.linear(&format!("{prefix}.to_out"), &heard, (inner, hidden))
}

/// Vectors along the last of four axes, each as long as one.
fn direction(net: &mut Estimator<'_>, x: &Edge) -> Edge {
    let over = [
        ("axes", Attribute::Ints(&[3])),
        ("keepdims", Attribute::Int(1)),
    ];
    let length = net.network.apply_with("ReduceL2", &[x], &over);
    let least = net.network.number(SUM_FLOOR);
    let length = net.network.apply("Add", &[&length, &least]);
    net.network.apply("Div", &[x, &length])
}

/// The sum over the last of four axes. Of the operators that reduce, this one alone has had its axes as an input since version 13.
fn sum(net: &mut Estimator<'_>, x: &Edge) -> Edge {
    let axis = net.network.integers(&[3]);
    let keep = [("keepdims", Attribute::Int(1))];
    net.network.apply_with("ReduceSum", &[x, &axis], &keep)
}

/// The logarithms of features: the projections less half the squared length, of queries less the largest projection, too.
fn exponents(
    net: &mut Estimator<'_>,
    (x, table): (&Edge, &Edge),
    scale: f64,
    is_query: bool,
) -> Edge {
    let scaled = net.scaled(x, scale as f32);
    let projected = net.network.apply("MatMul", &[&scaled, table]);
    let square = net.network.apply("Mul", &[x, x]);
    let length = sum(net, &square);
    let length = net.scaled(&length, (scale * scale / 2.0) as f32);
    let x = net.network.apply("Sub", &[&projected, &length]);
    if !is_query {
        return x;
    }
    let over = [
        ("axes", Attribute::Ints(&[3])),
        ("keepdims", Attribute::Int(1)),
    ];
    let largest = net.network.apply_with("ReduceMax", &[&projected], &over);
    net.network.apply("Sub", &[&x, &largest])
}

/// The salience of the bins, by a layer whose rows have length and direction apart.
fn last(net: &mut Estimator<'_>, x: &Edge) -> Result<Edge, DrawFault> {
    const PREFIX: &str = "output_proj";
    let hidden = net.architecture.hidden;
    let whole = format!("{PREFIX}.weight");
    let dims = [BINS, hidden];
    let weight = if net.weights.find(&whole).is_some() {
        net.weight(&whole, &dims)?
    } else {
        let lengths = net.values(&format!("{PREFIX}.weight_g"), &[BINS, 1])?;
        let directions = net.values(&format!("{PREFIX}.weight_v"), &dims)?;
        let (norms, _) = directions.clone().apart(BINS as usize);
        let rows = directions.singles();
        let rows = rows.chunks(hidden as usize).zip(lengths.singles());
        let folded = rows.zip(norms).flat_map(|((row, length), norm)| {
            let factor = if norm > 0.0 { length / norm } else { 0.0 };
            row.iter()
                .map(move |one| one * factor)
                .collect::<Vec<f32>>()
        });
        let folded: Vec<f32> = folded.collect();
        net.stored(&whole, (Values::of_singles(&folded), &dims))
    };
    let weight = net.transposed(&weight, &[1, 0]);
    let bias = net.weight(&format!("{PREFIX}.bias"), &[BINS])?;
    let x = net.network.apply("MatMul", &[x, &weight]);
    let x = net.network.apply("Add", &[&x, &bias]);
    Ok(net.network.apply("Sigmoid", &[&x]))
}
