//! MDX23C and whatever else takes a stereo wave and gives the waves of its stems, with its transforms in the graph.

use toml::Value;

use super::order::Order;
use super::stems::{ONE, Stems, begin, laid_out, lengths, lighten, no_random_nodes, pieces};
use crate::asked::Asked;
use crate::loaded::{Axis, Loaded, may_be, text};
use crate::{ImportError, Imported};

/// Samples, if the graph is of this kind.
fn samples(graph: &Loaded<'_>) -> Option<u64> {
    let inputs = graph.file.inputs();
    let [input] = inputs[..] else {
        return None;
    };
    match lengths(input)?[..] {
        [None | Some(1), Some(2), Some(samples)] if samples > 1 => Some(samples),
        _ => None,
    }
}

/// Number of stems, `None` when the graph does not say, and whether they have an axis of their own. Exporters leave lengths
/// open that they cannot follow through a transform.
fn shape(graph: &Loaded<'_>) -> Option<(Option<u64>, bool)> {
    match lengths(graph.output()).as_deref() {
        None => Some((None, true)),
        Some([_, None | Some(2), _]) => Some((Some(1), false)),
        Some([_, stems, None | Some(2), _]) => Some((*stems, true)),
        _ => None,
    }
}

pub(super) fn is(graph: &Loaded<'_>) -> bool {
    samples(graph).is_some() && shape(graph).is_some()
}

pub(super) fn import(order: &Order<'_, '_>, mut asked: Asked<'_>) -> Result<Imported, ImportError> {
    let graph = order.graph;
    no_random_nodes(order)?;
    let (Some(samples), Some((count, has_axis))) = (samples(graph), shape(graph)) else {
        return Err(graph.refused("is no separator of waves"));
    };
    let stems = Stems::ask(&mut asked, count, None);
    let pieces = pieces(&mut asked);
    asked.finish()?;
    let (Some(stems), Some(pieces)) = (stems, pieces) else {
        return Err(graph.refused("does not say what it is"));
    };
    let step = samples / pieces;
    let mut draft = begin(order, "wave-to-stems", &stems);
    draft.section(
        "chunk",
        [
            ("samples", Value::from(samples as i64)),
            ("step", Value::from(step as i64)),
            ("border", Value::from((samples - step) as i64)),
            ("window", Value::from("rect")),
        ],
    );
    // Where pieces do not lie over each other evenly, their number is counted.
    if samples.is_multiple_of(step) {
        draft.entry("chunk", "divisor", "constant");
    }
    let mut edit = graph.edit();
    let two = [Axis::Is(2), Axis::Is(samples)];
    let input_axes = [ONE, two[0], two[1]];
    for input in graph.file.inputs() {
        draft.tensor(laid_out(
            &mut edit,
            input,
            ("in", "mix_wave"),
            &input_axes,
            "b c n",
        ));
    }
    let (axes, layout) = if has_axis {
        (
            vec![ONE, Axis::Is(stems.count()), two[0], two[1]],
            "b s c n",
        )
    } else {
        (input_axes.to_vec(), "b c n")
    };
    let output = graph.output();
    if !may_be(output, &axes) {
        return Err(graph.refused(format!(
            "gives {}, which is not as long as what it takes",
            text(output)
        )));
    }
    draft.tensor(laid_out(
        &mut edit,
        output,
        ("out", "stems_wave"),
        &axes,
        layout,
    ));
    let lightened = lighten(graph, &mut edit);
    graph.write(&mut draft, "separator.onnx", &edit)?;
    let mut found = vec![format!(
        "A separator of waves, such as MDX23C, for pieces of {samples} samples; it estimates {}.",
        stems.text()
    )];
    found.extend(lightened.text());
    draft.finish(found)
}
