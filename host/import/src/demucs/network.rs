//! Demucs of the fourth generation ("Hybrid Transformers for Music Source Separation", Rouard and others 2023): a branch for the
//! spectrogram and one for the wave, with a transformer between encoder and decoder. Drawn without its transforms.

use crate::drawing::{Attribute, DataType, DrawFault, Edge, Length, Network, Weights, Window};
use crate::torch::{TorchFile, Values};

use super::parts::{self, Demucs, Sound};
use super::plan::{BINS, Plan};
use super::settings::Settings;
use super::transformer;

/// Samples between the frames of a spectrogram.
const HOP: u64 = 1_024;
/// The wave's channels, and the real and imaginary parts of them.
const CHANNELS: u64 = 2;
const PARTS: u64 = 2 * CHANNELS;
/// What is added to the deviation of what goes in.
const EPSILON: f32 = 1e-5;

/// The mean and deviation of an input, to be restored at the end.
struct Level {
    mean: Edge,
    deviation: Edge,
}

/// Draws the network: `mix` `[1, 2, N]` and `spec` `[1, 4, 2048, frames]` become `time` `[1, stems, 2, N]` and `spec_out`
/// `[1, stems, 4, 2048, frames]`.
pub(super) fn draw(
    file: &mut TorchFile,
    weights: Weights,
    settings: &Settings,
) -> Result<Network, DrawFault> {
    let plan = Plan::of(&weights, settings)?;
    let (depth, samples) = (plan.depth, settings.samples);
    let frames = samples.div_ceil(HOP);
    let mut net = Demucs::new(file, weights, &plan).in_singles();
    let wave = Sound {
        edge: input(&mut net, "mix", &[1, CHANNELS, samples]),
        channels: CHANNELS,
        axes: vec![samples],
    };
    let plane = Sound {
        edge: input(&mut net, "spec", &[1, PARTS, BINS, frames]),
        channels: PARTS,
        axes: vec![BINS, frames],
    };
    let (wave, wave_level) = evened(&mut net, &wave);
    let (plane, plane_level) = evened(&mut net, &plane);
    let (mut planes, mut waves) = (vec![plane], vec![wave]);
    for layer in 0..depth {
        waves.push(parts::down(
            &mut net,
            &format!("tencoder.{layer}"),
            &waves[layer],
        )?);
        let mut plane = parts::down(&mut net, &format!("encoder.{layer}"), &planes[layer])?;
        if layer == 0 {
            embed(&mut net, &mut plane)?;
        }
        planes.push(plane);
    }
    let (mut plane, mut wave) = middle(&mut net, &planes[depth], &waves[depth])?;
    for layer in 0..depth {
        let level = depth - layer;
        let is_last = level == 1;
        let both = (&plane, &planes[level]);
        let length = (planes[level - 1].axes[0], is_last);
        plane = parts::up(&mut net, &format!("decoder.{layer}"), both, length)?;
        let both = (&wave, &waves[level]);
        let length = (waves[level - 1].axes[0], is_last);
        wave = parts::up(&mut net, &format!("tdecoder.{layer}"), both, length)?;
    }
    let stems = settings.sources.len() as u64;
    give(&mut net, "time", (&wave, &wave_level), (stems, CHANNELS))?;
    give(&mut net, "spec_out", (&plane, &plane_level), (stems, PARTS))?;
    match net.weights.left_over() {
        None => Ok(net.network),
        Some(left) => Err(DrawFault::refused(format!(
            "has the weight {left:?}, which a Demucs of its settings has not; it comes from another build"
        ))),
    }
}

fn input(net: &mut Demucs<'_>, name: &str, shape: &[u64]) -> Edge {
    let shape: Vec<Length<'_>> = shape.iter().map(|length| Length::Fixed(*length)).collect();
    net.network.input(name, DataType::F32, &shape)
}

/// The input, normalised to a mean of 0 and a deviation of 1.
fn evened(net: &mut Demucs<'_>, x: &Sound) -> (Sound, Level) {
    let count: u64 = x.shape().iter().product();
    let axes: Vec<i64> = (1..=x.axes.len() as i64 + 1).collect();
    let axes = [("axes", Attribute::Ints(&axes))];
    let mean = net.network.apply_with("ReduceMean", &[&x.edge], &axes);
    let around = net.network.apply("Sub", &[&x.edge, &mean]);
    let squares = net.network.apply("Mul", &[&around, &around]);
    let variance = net.network.apply_with("ReduceMean", &[&squares], &axes);
    // The mean has used up one degree of freedom.
    let variance = net.scaled(&variance, (count as f64 / (count - 1) as f64) as f32);
    let deviation = net.network.apply("Sqrt", &[&variance]);
    let least = net.network.number(EPSILON);
    let above = net.network.apply("Add", &[&deviation, &least]);
    let edge = net.network.apply("Div", &[&around, &above]);
    let even = Sound { edge, ..x.clone() };
    (even, Level { mean, deviation })
}

/// Adds the embedding of frequencies, where the network has one.
fn embed(net: &mut Demucs<'_>, plane: &mut Sound) -> Result<(), DrawFault> {
    const KEY: &str = "freq_emb.embedding.weight";
    if net.weights.find(KEY).is_none() {
        return Ok(());
    }
    let (bands, channels) = (plane.axes[0], plane.channels);
    let rows = net.values(KEY, &[bands, channels])?.singles();
    let [first, second] = net.architecture.settings.embedding;
    let bands = bands as usize;
    let columns = (0..channels as usize).flat_map(|channel| {
        let rows = &rows;
        (0..bands).map(move |band| rows[band * channels as usize + channel] * first * second)
    });
    let columns = Values::of_singles(&columns.collect::<Vec<_>>());
    let dims = [1, channels, bands as u64, 1];
    let columns = net.stored(KEY, (columns, &dims));
    plane.edge = net.network.apply("Add", &[&plane.edge, &columns]);
    Ok(())
}

/// The transformer, with changes of the number of channels around it where the network has them.
fn middle(net: &mut Demucs<'_>, plane: &Sound, wave: &Sound) -> Result<(Sound, Sound), DrawFault> {
    let x = turned(net, "channel_upsampler", plane)?;
    let y = turned(net, "channel_upsampler_t", wave)?;
    let (x, y) = transformer::crossed(net, &x, &y)?;
    let x = turned(net, "channel_downsampler", &x)?;
    Ok((x, turned(net, "channel_downsampler_t", &y)?))
}

/// Changes the number of channels, where the network does.
fn turned(net: &mut Demucs<'_>, prefix: &str, x: &Sound) -> Result<Sound, DrawFault> {
    let key = format!("{prefix}.weight");
    if net.weights.find(&key).is_none() {
        return Ok(x.clone());
    }
    let [channels, _, _] = net.weights.dims(&key)?;
    let flat = net.reshaped(&x.edge, &[1, x.channels as i64, -1]);
    let window = Window {
        strides: &[1],
        pads: &[0, 0],
        groups: 1,
    };
    let edge = net.convolved(prefix, &flat, &[channels, x.channels, 1], window)?;
    let mut turned = Sound {
        edge,
        channels,
        axes: x.axes.clone(),
    };
    let whole = turned.shape();
    let whole: Vec<i64> = whole.iter().map(|length| *length as i64).collect();
    turned.edge = net.reshaped(&turned.edge, &whole);
    Ok(turned)
}

/// Makes a branch an output, at the level of the input.
fn give(
    net: &mut Demucs<'_>,
    name: &str,
    (x, level): (&Sound, &Level),
    (stems, parts): (u64, u64),
) -> Result<(), DrawFault> {
    if x.channels != stems * parts {
        return Err(DrawFault::refused(format!(
            "gives {} channels, where its {stems} stems have {}",
            x.channels,
            stems * parts
        )));
    }
    let shape = [&[1, stems, parts], &x.axes[..]].concat();
    let whole: Vec<i64> = shape.iter().map(|length| *length as i64).collect();
    let apart = net.reshaped(&x.edge, &whole);
    // With one axis more, for the stems.
    let ones = vec![1; shape.len()];
    let [deviation, mean] = [&level.deviation, &level.mean].map(|edge| net.reshaped(edge, &ones));
    let louder = net.network.apply("Mul", &[&apart, &deviation]);
    let moved = net.network.apply("Add", &[&louder, &mean]);
    let shape: Vec<Length<'_>> = shape.iter().map(|length| Length::Fixed(*length)).collect();
    net.network.output(&moved, name, &shape);
    Ok(())
}
