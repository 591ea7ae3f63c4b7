//! What lies between encoder and decoder: recurrent layers along the bins and along the frames. Between the layers, frames become their
//! frequencies and frequencies become frames again.

use std::f64::consts::TAU;

use crate::drawing::{
    Attribute, DataType, DrawFault, EPSILON, Edge, LSTM_GATES, Plane, in_lstm_order,
};

use super::network::Scnet;

impl Plane {
    pub(super) fn shape(&self) -> [u64; 4] {
        [1, self.channels, self.bins, self.frames]
    }

    fn whole(&self) -> [i64; 4] {
        self.shape().map(|length| length as i64)
    }

    pub(super) fn with(&self, edge: Edge) -> Self {
        Self {
            edge,
            ..self.clone()
        }
    }
}

/// All layers; of each pair the second one reads frequencies of frames.
pub(super) fn layers(net: &mut Scnet<'_>, x: Plane) -> Result<Plane, DrawFault> {
    let frames = x.frames;
    let there = Part::BOTH.map(|part| to_frequencies(net, frames, part));
    let back = Part::BOTH.map(|part| to_frames(net, frames, part));
    let mut x = x;
    for layer in 0..net.architecture.sizes.layers {
        let prefix = format!("separation_net.dp_modules.{layer}");
        // Along the bins each frame is a row, along the frames each bin.
        x = read_along(net, (&prefix, 0), &x, ([2, 3, 1], [2, 0, 1]))?;
        x = read_along(net, (&prefix, 1), &x, ([3, 2, 1], [2, 1, 0]))?;
        x = if layer % 2 == 0 {
            as_frequencies(net, &x, &there)
        } else {
            as_frames(net, (&x, frames), &back)
        };
    }
    Ok(x)
}

/// An LSTM in both directions along an axis, with a residual connection. `there` brings the axes into the order length, rows, channels;
/// `back` brings them back.
fn read_along(
    net: &mut Scnet<'_>,
    (prefix, way): (&str, usize),
    x: &Plane,
    (there, back): ([usize; 3], [i64; 3]),
) -> Result<Plane, DrawFault> {
    let y = evened(net, &format!("{prefix}.norm_layers.{way}"), x)?;
    let shape = x.shape();
    let [length, rows, channels] = there.map(|axis| shape[axis]);
    let y = net.reshaped(
        &y,
        &shape[1..].iter().map(|one| *one as i64).collect::<Vec<_>>(),
    );
    let order = there.map(|axis| axis as i64 - 1);
    let y = net.transposed(&y, &order);
    let units = format!("{prefix}.lstm_layers.{way}");
    let [_, hidden] = net.weights.dims(&format!("{units}.weight_hh_l0"))?;
    let y = both_ways(net, &units, &y, (channels, hidden))?;
    let y = net.reshaped(&y, &[length as i64, rows as i64, 2 * hidden as i64]);
    let connected = format!("{prefix}.linear_layers.{way}");
    let y = net.connected(&connected, &y, (2 * hidden, channels))?;
    let y = net.transposed(&y, &back);
    let y = net.reshaped(&y, &x.whole());
    Ok(x.with(net.network.apply("Add", &[&y, &x.edge])))
}

/// All values, normalised to a mean of 0 and a deviation of 1 (`torch.nn.GroupNorm` with one group). They are millions, so their mean is
/// taken of the means of rows.
fn evened(net: &mut Scnet<'_>, prefix: &str, x: &Plane) -> Result<Edge, DrawFault> {
    let mean = mean_of_all(net, &x.edge);
    let around = net.network.apply("Sub", &[&x.edge, &mean]);
    let squares = net.network.apply("Mul", &[&around, &around]);
    let variance = mean_of_all(net, &squares);
    let least = net.network.number(EPSILON);
    let variance = net.network.apply("Add", &[&variance, &least]);
    let deviation = net.network.apply("Sqrt", &[&variance]);
    let even = net.network.apply("Div", &[&around, &deviation]);
    net.weighed(prefix, &even, &x.shape())
}

fn mean_of_all(net: &mut Scnet<'_>, x: &Edge) -> Edge {
    let rows = [("axes", Attribute::Ints(&[3]))];
    let rows = net.network.apply_with("ReduceMean", &[x], &rows);
    let rest = [("axes", Attribute::Ints(&[1, 2]))];
    net.network.apply_with("ReduceMean", &[&rows], &rest)
}

/// LSTM units that run in both directions ("Long Short-Term Memory", Hochreiter and Schmidhuber 1997), as torch has them:
/// `[length, rows, C]` in, `[length, rows, 2, hidden]` out.
fn both_ways(
    net: &mut Scnet<'_>,
    prefix: &str,
    x: &Edge,
    sizes: (u64, u64),
) -> Result<Edge, DrawFault> {
    let hidden = sizes.1;
    let learned = net.both_directions(prefix, sizes, LSTM_GATES, in_lstm_order)?;
    let attributes = [
        ("direction", Attribute::Text("bidirectional")),
        ("hidden_size", Attribute::Int(hidden as i64)),
    ];
    let [inward, onward, biases] = &learned;
    let inputs = [x, inward, onward, biases];
    let y = net.network.apply_with("LSTM", &inputs, &attributes);
    Ok(net.transposed(&y, &[0, 2, 1, 3]))
}

/// Frames as their frequencies, real parts in front of imaginary ones: twice the channels, and half the frames and one
/// (`torch.fft.rfft`, normalised both ways).
fn as_frequencies(net: &mut Scnet<'_>, x: &Plane, matrices: &[Edge; 2]) -> Plane {
    let parts = matrices
        .each_ref()
        .map(|matrix| net.network.apply("MatMul", &[&x.edge, matrix]));
    let axis = [("axis", Attribute::Int(1))];
    let both: Vec<&Edge> = parts.iter().collect();
    Plane {
        edge: net.network.apply_with("Concat", &both, &axis),
        channels: 2 * x.channels,
        bins: x.bins,
        frames: kept_of(x.frames),
    }
}

/// Frequencies as so many frames again (`torch.fft.irfft`).
fn as_frames(net: &mut Scnet<'_>, (x, frames): (&Plane, u64), matrices: &[Edge; 2]) -> Plane {
    let [real, imaginary] = matrices;
    let (first, second) = net.network.even_halves(&x.edge, 1);
    let first = net.network.apply("MatMul", &[&first, real]);
    let second = net.network.apply("MatMul", &[&second, imaginary]);
    Plane {
        edge: net.network.apply("Add", &[&first, &second]),
        channels: x.channels / 2,
        bins: x.bins,
        frames,
    }
}

/// Frequencies that so many frames have.
fn kept_of(frames: u64) -> u64 {
    frames / 2 + 1
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Real,
    Imaginary,
}

impl Part {
    const BOTH: [Self; 2] = [Self::Real, Self::Imaginary];

    /// The cosine, or the sine with its sign turned, of `turns` of a circle of `whole`.
    fn of(self, turns: u64, whole: u64) -> f64 {
        let angle = TAU * (turns % whole) as f64 / whole as f64;
        match self {
            Self::Real => angle.cos(),
            Self::Imaginary => -angle.sin(),
        }
    }
}

/// What frames are multiplied by to become their frequencies, `[frames, kept]`.
fn to_frequencies(net: &mut Scnet<'_>, frames: u64, part: Part) -> Edge {
    let (kept, root) = (kept_of(frames), (frames as f64).sqrt());
    let row = |frame| (0..kept).map(move |bin| part.of(frame * bin, frames) / root);
    let numbers = (0..frames).flat_map(row);
    matrix(net, ("frequencies", part), numbers, [frames, kept])
}

/// What frequencies are multiplied by to become frames, `[kept, frames]`. All but the ends stand for their mirror images, too.
fn to_frames(net: &mut Scnet<'_>, frames: u64, part: Part) -> Edge {
    let (kept, root) = (kept_of(frames), (frames as f64).sqrt());
    let row = |bin| {
        let is_end = bin == 0 || bin + 1 == kept;
        // At the ends there is no imaginary part.
        let weight = match (is_end, part) {
            (false, _) => 2.0,
            (true, Part::Real) => 1.0,
            (true, Part::Imaginary) => 0.0,
        };
        (0..frames).map(move |frame| weight * part.of(frame * bin, frames) / root)
    };
    let numbers = (0..kept).flat_map(row);
    matrix(net, ("frames", part), numbers, [kept, frames])
}

fn matrix(
    net: &mut Scnet<'_>,
    (to, part): (&str, Part),
    numbers: impl Iterator<Item = f64>,
    dims: [u64; 2],
) -> Edge {
    let bytes: Vec<u8> = numbers
        .flat_map(|number| (number as f32).to_le_bytes())
        .collect();
    let name = match part {
        Part::Real => format!("to_{to}.real"),
        Part::Imaginary => format!("to_{to}.imaginary"),
    };
    net.network.initializer(&name, DataType::F32, &dims, &bytes)
}
