//! `RoFormer` exports: complex spectra in, complex masks or spectra out, in the three forms that there are. The first merges
//! bins and channels, `[1, bins * 2, frames, 2]`; the second has a tensor for each of the real and the imaginary part,
//! `[1, 2, bins, frames]`; the third has an axis for everything, `[1, 2, bins, frames, 2]`.

use toml::Value;

use super::order::Order;
use super::stems::{ONE, Stems, begin, laid_out, lengths, lighten, no_random_nodes, pieces};
use crate::asked::Asked;
use crate::loaded::{Axis, Loaded};
use crate::{ImportError, Imported};
use vocalhost_onnx::Port;

/// Frames and hop of what was trained with the configurations of MSST: 8 seconds in hops of 441.
const USUAL: (u64, u64) = (801, 441);

/// Lengths of the axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    bins: u64,
    frames: u64,
    /// How many stems come out, where the graph says it.
    stems: Option<u64>,
    /// Whether the outputs have an axis for the stems, where the graph says it.
    has_axis: Option<bool>,
    form: Form,
}

/// How the axes stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Bins and channels in one.
    Merged,
    /// A tensor for each of the real and the imaginary part.
    Parts,
    /// Each by itself.
    Apart,
}

/// Its lengths, when it is one; a transform has two bins at least, and a piece two frames.
fn size(graph: &Loaded<'_>) -> Option<Size> {
    declared(graph).filter(|size| size.bins >= 2 && size.frames >= 2)
}

fn declared(graph: &Loaded<'_>) -> Option<Size> {
    let inputs = graph.file.inputs();
    let lengths_of = |port: &Port<'_>| lengths(port).unwrap_or_default();
    let first = lengths_of(inputs.first()?);
    let out = lengths(graph.output());
    let outputs = &graph.file.graph.outputs;
    // Exporters leave lengths open that they cannot follow.
    let stems_of = |rest: &[Option<u64>]| {
        let Some(out) = &out else {
            return Some((None, None));
        };
        let agree = |found: &[Option<u64>]| {
            let mut pairs = found.iter().zip(rest);
            pairs.all(|(found, wanted)| found.is_none() || found == wanted)
        };
        match out.len().checked_sub(rest.len()) {
            Some(2) if agree(&out[2..]) => Some((out[1], Some(true))),
            Some(1) if agree(&out[1..]) => Some((Some(1), Some(false))),
            _ => None,
        }
    };
    let is_one = |length: &Option<u64>| length.is_none_or(|length| length == 1);
    match (&inputs[..], first.as_slice()) {
        ([_], [batch, Some(merged), Some(frames), Some(2)])
            if is_one(batch) && merged.is_multiple_of(2) && *merged > 4 =>
        {
            let (stems, has_axis) = stems_of(&first[1..])?;
            Some(Size {
                bins: merged / 2,
                frames: *frames,
                stems,
                has_axis,
                form: Form::Merged,
            })
        }
        // A number of frames that is left open is the usual one.
        ([_], [batch, Some(2), Some(bins), frames, Some(2)]) if is_one(batch) => {
            let frames = frames.unwrap_or(USUAL.0);
            let (stems, has_axis) = stems_of(&[Some(2), Some(*bins), Some(frames), Some(2)])?;
            Some(Size {
                bins: *bins,
                frames,
                stems,
                has_axis,
                form: Form::Apart,
            })
        }
        ([_, second], [batch, Some(2), Some(bins), Some(frames)])
            if is_one(batch) && lengths_of(second) == first && outputs.len() == 2 =>
        {
            let (stems, has_axis) = stems_of(&first[1..])?;
            Some(Size {
                bins: *bins,
                frames: *frames,
                stems,
                has_axis,
                form: Form::Parts,
            })
        }
        _ => None,
    }
}

pub(super) fn is(graph: &Loaded<'_>) -> bool {
    size(graph).is_some()
}

pub(super) fn import(order: &Order<'_, '_>, mut asked: Asked<'_>) -> Result<Imported, ImportError> {
    let graph = order.graph;
    no_random_nodes(order)?;
    let Some(size) = size(graph) else {
        return Err(graph.refused("is no separator of spectra"));
    };
    let stems = Stems::ask(&mut asked, size.stems, None);
    let output: Option<String> = asked.fact(
        "output",
        "What comes out: masks, which the spectrum of the mix is multiplied by, or the spectra themselves.",
        &["mask", "spectrum"],
        None,
    );
    let usual_hop = (size.frames == USUAL.0).then_some(USUAL.1);
    let n_fft = (size.bins - 1) * 2;
    let hop: Option<u64> = asked.fact("hop", "Samples between its frames.", &[], usual_hop);
    let reason = format!("its transforms have {n_fft} samples, and hops are 1 to as many");
    let hop = asked.fitting("hop", hop, |hop| (1..=n_fft).contains(hop), &reason);
    let pieces = pieces(&mut asked);
    asked.finish()?;
    let (Some(stems), Some(output), Some(hop), Some(pieces)) = (stems, output, hop, pieces) else {
        return Err(graph.refused("does not say what it is"));
    };
    let samples = hop.saturating_mul(size.frames - 1);
    let mut draft = begin(order, "roformer-spec", &stems);
    draft.section(
        "stft",
        [
            ("n_fft", Value::from(n_fft as i64)),
            ("hop", Value::from(hop as i64)),
            ("output", Value::from(output.as_str())),
        ],
    );
    draft.section(
        "chunk",
        [
            (
                "samples",
                Value::from(i64::try_from(samples).unwrap_or(i64::MAX)),
            ),
            ("step", Value::from((samples / pieces).max(1) as i64)),
            ("window", Value::from("hamming-symmetric")),
            ("last", Value::from("align-end")),
        ],
    );
    let mut edit = graph.edit();
    let inputs = graph.file.inputs();
    // One stem has an axis of its own only where the graph says so.
    let has_axis = size.has_axis.unwrap_or(stems.count() > 1);
    let stems_axis = has_axis.then_some(Axis::Is(stems.count()));
    let roles: [(&str, &str); 2] = [("in", "mix_spec"), ("out", "stems_spec")];
    let ports = [inputs, graph.file.graph.outputs.iter().collect()];
    for ((io, role), ports) in roles.into_iter().zip(ports) {
        let suffixes: &[&str] = match size.form {
            Form::Merged | Form::Apart => &[""],
            Form::Parts => &["_re", "_im"],
        };
        for (port, suffix) in ports.into_iter().zip(order_of_parts(suffixes)) {
            let (axes, layout) = axes(size, stems_axis.filter(|_| io == "out"));
            let role = format!("{role}{suffix}");
            draft.tensor(laid_out(&mut edit, port, (io, &role), &axes, &layout));
        }
    }
    let lightened = lighten(graph, &mut edit);
    graph.write(&mut draft, "separator.onnx", &edit)?;
    let mut found = vec![format!(
        "A separator of spectra, such as a RoFormer, transforms of {n_fft} samples; it estimates {}.",
        stems.text()
    )];
    found.extend(lightened.text());
    draft.finish(found)
}

/// All forms put the real part first.
fn order_of_parts<'s>(suffixes: &'s [&'s str]) -> impl Iterator<Item = &'s &'s str> {
    suffixes.iter()
}

/// The axes of a tensor and their layout; `stems` is the axis for them, where it has one.
fn axes(size: Size, stems: Option<Axis>) -> (Vec<Axis>, String) {
    let (bins, frames, two) = (Axis::Is(size.bins), Axis::Is(size.frames), Axis::Is(2));
    let (mut axes, rest) = match size.form {
        Form::Merged => (vec![Axis::Is(size.bins * 2), frames, two], "(f c) t k"),
        Form::Parts => (vec![two, bins, frames], "c f t"),
        Form::Apart => (vec![two, bins, frames, two], "c f t k"),
    };
    if let Some(stems) = stems {
        axes.insert(0, stems);
    }
    axes.insert(0, ONE);
    let layout = format!("b {}{rest}", stems.map_or("", |_| "s "));
    (axes, layout)
}
