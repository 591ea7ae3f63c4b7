//! Spleeter, as sherpa-onnx converts it: one graph for each stem, magnitudes of `[2, splits, 512, 1024]` in and out.

use toml::Value;

use super::order::Order;
use super::stems::{Stems, begin, laid_out, lengths, no_random_nodes, write_graphs};
use crate::asked::Asked;
use crate::loaded::{Axis, Loaded};
use crate::{ImportError, Imported};
use vocalhost_onnx::Edit;

/// Frames of a split and bins of a frame (`spleeter/model/__init__.py`).
const FRAMES: u64 = 512;
const BINS: u64 = 1_024;
/// Length of its transforms and samples between them.
const N_FFT: u64 = 4_096;
const HOP: u64 = 1_024;
const AXES: [Axis; 4] = [Axis::Is(2), Axis::Is(1), Axis::Is(FRAMES), Axis::Is(BINS)];

pub(super) fn is(graph: &Loaded<'_>) -> bool {
    let inputs = graph.file.inputs();
    let [input] = inputs[..] else {
        return false;
    };
    let fits = |lengths: Vec<Option<u64>>| {
        matches!(
            lengths[..],
            [Some(2), None | Some(1), Some(FRAMES), Some(BINS)]
        )
    };
    lengths(input).is_some_and(fits) && lengths(graph.output()).is_none_or(|out| out.len() == 4)
}

pub(super) fn import(order: &Order<'_, '_>, mut asked: Asked<'_>) -> Result<Imported, ImportError> {
    let graph = order.graph;
    no_random_nodes(order)?;
    if order.more.is_empty() {
        return Err(graph.refused(
            "is the graph of one stem of Spleeter; those of all its stems are needed together, since they share the sound \
             out among each other",
        ));
    }
    if let Some(other) = order.more.iter().find(|other| !is(other)) {
        return Err(other.refused("is no graph of Spleeter, as the first one is"));
    }
    let count = order.more.len() as u64 + 1;
    let stems = Stems::ask(&mut asked, Some(count), None);
    asked.finish()?;
    let Some(stems) = stems else {
        return Err(graph.refused("does not say what it is"));
    };
    let mut draft = begin(order, "spleeter-mask", &stems);
    draft.section(
        "stft",
        [
            ("n_fft", Value::from(N_FFT as i64)),
            ("hop", Value::from(HOP as i64)),
            ("keep_bins", Value::from(BINS as i64)),
            ("center", Value::from(false)),
            ("pad", Value::from("none")),
            ("output", Value::from("magnitude")),
            // Windows that lie four over each other sum to three halves.
            ("inverse_scale", Value::from(2.0 / 3.0)),
        ],
    );
    draft.section(
        "chunk",
        [
            ("frames", Value::from(FRAMES as i64)),
            ("step", Value::from((FRAMES * HOP) as i64)),
            // Spleeter puts one transform of silence in front.
            ("border", Value::from(N_FFT as i64)),
            ("window", Value::from("rect")),
            ("divisor", Value::from("one")),
        ],
    );
    let mut edit = graph.edit();
    for entry in tensors(graph, &mut edit) {
        draft.tensor(entry);
    }
    write_graphs(order, &mut draft, &edit, |graph, edit| {
        tensors(graph, edit);
    })?;
    draft.entry("bag", "of", "stems");
    draft.finish(vec![format!(
        "Spleeter, a graph for each of {}.",
        stems.text()
    )])
}

fn tensors(graph: &Loaded<'_>, edit: &mut Edit<'_, '_>) -> Vec<toml::Table> {
    let inputs = graph.file.inputs();
    let ports = [
        (inputs[0], ("in", "mix_magnitude")),
        (graph.output(), ("out", "stems_magnitude")),
    ];
    ports
        .into_iter()
        .map(|(port, role)| laid_out(edit, port, role, &AXES, "c b t f"))
        .collect()
}
