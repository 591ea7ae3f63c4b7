//! MDX-Net, as UVR's users have it: spectra of `[batch, 4, bins, frames]` go in and come out, left and right, real and
//! imaginary. What the transform is, the graph does not say: UVR's table does, by the file's content, or the metadata that
//! sherpa-onnx writes, or a person.

use std::ops::RangeInclusive;

use toml::Value;

use super::order::Order;
use super::stems::{ONE, Stems, begin, laid_out, lengths, lighten, no_random_nodes};
use crate::asked::Asked;
use crate::draft::Draft;
use crate::known::{Estimate, MdxNet, mdx_net};
use crate::loaded::{Axis, Loaded, may_be, text};
use crate::{ImportError, Imported};

/// Samples between frames, in all of them.
const HOP: u64 = 1_024;
/// The longest transform that is taken.
const MAX_N_FFT: u64 = 1 << 16;

/// Bins and frames, if the graph is of this kind.
fn size(graph: &Loaded<'_>) -> Option<(u64, u64)> {
    let inputs = graph.file.inputs();
    let [input] = inputs[..] else {
        return None;
    };
    let [_, Some(4), Some(bins), Some(frames)] = lengths(input)?[..] else {
        return None;
    };
    let axes = [ONE, Axis::Is(4), Axis::Is(bins), Axis::Is(frames)];
    let fits = may_be(input, &axes) && may_be(graph.output(), &axes);
    (fits && bins > 2 && frames > 2).then_some((bins, frames))
}

pub(super) fn is(graph: &Loaded<'_>) -> bool {
    size(graph).is_some()
}

pub(super) fn import(order: &Order<'_, '_>, mut asked: Asked<'_>) -> Result<Imported, ImportError> {
    let graph = order.graph;
    no_random_nodes(order)?;
    let Some((bins, frames)) = size(graph) else {
        return Err(graph.refused("is no MDX-Net"));
    };
    let known = mdx_net(graph.bytes);
    let known = known.filter(|known| (known.bins, known.frames) == (bins, frames));
    // A transform spans at least one hop, and a piece is longer than one transform.
    let n_ffts = HOP.max((bins - 1).saturating_mul(2))
        ..=MAX_N_FFT.min(HOP.saturating_mul(frames - 1).saturating_sub(1));
    if n_ffts.is_empty() {
        return Err(graph.refused(format!(
            "has spectra of {frames} frames, which are not longer than one transform"
        )));
    }
    let (n_fft, compensate) = transform(graph, (bins, n_ffts), known, &mut asked);
    let stem = match known.map(|known| known.estimate) {
        Some(Estimate::Stem(stem)) => Some(Stems::of(&[stem])),
        Some(Estimate::Part(part)) if asked.names_said("stems").is_none() => {
            return Err(graph.refused(alone(part)));
        }
        _ => None,
    };
    let stems = Stems::ask(&mut asked, Some(1), stem);
    let denoise = asked.option(
        "denoise",
        "Whether it hears everything a second time with the sign turned, which takes out noise of its own and twice the \
         time.",
        &["true", "false"],
        false,
    );
    let overlap = asked.option(
        "overlap",
        "Share of a piece that it has in common with the next, 0 to 0.99.",
        &[],
        0.25,
    );
    asked.finish()?;
    let (Some(n_fft), Some(compensate), Some(stems), Some(denoise), Some(overlap)) =
        (n_fft, compensate, stems, denoise, overlap)
    else {
        return Err(graph.refused("does not say what it is"));
    };
    let mut draft = begin(order, "mdx-net", &stems);
    draft.entry("separator", "compensate", compensate);
    draft.entry("separator", "denoise", denoise);
    enter(&mut draft, (bins, frames), n_fft, overlap);
    write(graph, &mut draft, (bins, frames))?;
    draft.finish(found(graph, known, n_fft, &stems))
}

/// Enters the transform and the pieces.
fn enter(draft: &mut Draft<'_>, (bins, frames): (u64, u64), n_fft: u64, overlap: f64) {
    let counted = HOP.saturating_mul(frames - 1).saturating_sub(n_fft);
    draft.section(
        "stft",
        [
            ("n_fft", Value::from(n_fft as i64)),
            ("hop", Value::from(HOP as i64)),
            ("keep_bins", Value::from(bins as i64)),
            ("zero_low_bins", Value::from(3)),
        ],
    );
    draft.section(
        "chunk",
        [
            ("frames", Value::from(frames as i64)),
            ("overlap", Value::from(overlap)),
            ("border", Value::from((n_fft / 2) as i64)),
            ("window", Value::from("hann-symmetric")),
            ("last", Value::from("taper")),
            ("fill_to", Value::from(counted as i64)),
        ],
    );
}

/// Writes the graph, with its input and output laid out as the manifest says.
fn write(
    graph: &Loaded<'_>,
    draft: &mut Draft<'_>,
    (bins, frames): (u64, u64),
) -> Result<(), ImportError> {
    let mut edit = graph.edit();
    let axes = [ONE, Axis::Is(4), Axis::Is(bins), Axis::Is(frames)];
    let layout = "b (c k) f t";
    for input in graph.file.inputs() {
        draft.tensor(laid_out(
            &mut edit,
            input,
            ("in", "mix_spec"),
            &axes,
            layout,
        ));
    }
    let output = graph.output();
    draft.tensor(laid_out(
        &mut edit,
        output,
        ("out", "stems_spec"),
        &axes,
        layout,
    ));
    lighten(graph, &mut edit);
    graph.write(draft, "separator.onnx", &edit)
}

/// Length of the transform and the factor on the estimate.
fn transform(
    graph: &Loaded<'_>,
    (bins, n_ffts): (u64, RangeInclusive<u64>),
    known: Option<MdxNet>,
    asked: &mut Asked<'_>,
) -> (Option<u64>, Option<f64>) {
    // What sherpa-onnx writes down when it converts such a model. Its script takes twice the bins for any of them, which is wrong for
    // those that see only a part of their spectra; so that number says nothing.
    let noted = graph.file.metadata.get("n_fft");
    let noted = noted.and_then(|text| text.parse().ok());
    let noted = noted.filter(|n_fft| *n_fft != bins * 2);
    let fits = |n_fft: &u64| n_fft.is_multiple_of(2) && n_ffts.contains(n_fft);
    let n_fft = asked.fact(
        "n_fft",
        "Length of its Fourier transform in samples, such as 4096, 5120, 6144, 7680, 8192 or 16384; whoever published the \
         model says it.",
        &[],
        known.map(|known| known.n_fft).or(noted).filter(fits),
    );
    let reason = format!(
        "spectra of {bins} bins in pieces of this length come from transforms of an even length, {} to {}",
        n_ffts.start(),
        n_ffts.end()
    );
    let n_fft = asked.fitting("n_fft", n_fft, fits, &reason);
    let compensate = asked.option(
        "compensate",
        "Factor on what it estimates, 0.1 to 10; whoever published the model says it.",
        &[],
        known.map_or(1.0, |known| known.compensate),
    );
    (n_fft, compensate)
}

/// Why a model that estimates a part by itself is no separator.
fn alone(part: &str) -> String {
    format!(
        "is an MDX-Net of UVR's that estimates {part} and nothing else, by its content; a separator gives the vocals, or all but \
         the vocals, or all of drums, bass, other and vocals, such as one of Demucs"
    )
}

fn found(graph: &Loaded<'_>, known: Option<MdxNet>, n_fft: u64, stems: &Stems) -> Vec<String> {
    let name = match known {
        Some(known) => format!("{}, by its content", known.name.unwrap_or("one of UVR's")),
        None => "not one of those that are known by their content".to_owned(),
    };
    let input = graph.file.inputs().first().map(|port| text(port));
    vec![
        format!(
            "An MDX-Net separator, {name}; it estimates {}.",
            stems.text()
        ),
        format!(
            "It takes {}; its transform has {n_fft} samples.",
            input.unwrap_or_default()
        ),
    ]
}
