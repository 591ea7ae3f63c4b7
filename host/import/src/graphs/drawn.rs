//! Packages of separators whose graphs were drawn here from a checkpoint. They take and give spectra, so that the host makes the
//! transforms.

use toml::Value;

use super::Order;
use super::stems::{Stems, begin, laid_out, lengths, lighten};
use crate::loaded::Axis;
use crate::{ImportError, Imported};
use vocalhost_onnx::Port;

/// What there is to say of a drawn separator. Its graph has one input and one output whose lengths are all declared.
#[derive(Debug)]
pub(crate) struct DrawnSeparator {
    /// What the manifest calls its family.
    pub(crate) family: &'static str,
    /// What comes out.
    pub(crate) stems: Stems,
    /// Entries of the section about the transform.
    pub(crate) stft: Vec<(&'static str, Value)>,
    /// Entries of the section about pieces.
    pub(crate) chunk: Vec<(&'static str, Value)>,
    /// Whether the level of the whole recording is evened out before and put back after.
    pub(crate) levels: bool,
    /// The layouts of the input and of the output.
    pub(crate) layouts: [&'static str; 2],
    /// What it is, for people.
    pub(crate) what: String,
}

/// Writes the package.
pub(crate) fn package(
    order: &Order<'_, '_>,
    drawn: DrawnSeparator,
) -> Result<Imported, ImportError> {
    let graph = order.graph;
    let mut draft = begin(order, drawn.family, &drawn.stems);
    if drawn.levels {
        draft.entry("separator", "normalize", "mean-std-mono");
    }
    for (section, entries) in [("stft", drawn.stft), ("chunk", drawn.chunk)] {
        for (key, value) in entries {
            draft.entry(section, key, value);
        }
    }
    let mut edit = graph.edit();
    let inputs = graph.file.inputs();
    let ends = [("in", "mix_spec"), ("out", "stems_spec")];
    let ports = inputs.first().copied().into_iter().chain([graph.output()]);
    for ((port, role), layout) in ports.zip(ends).zip(drawn.layouts) {
        draft.tensor(laid_out(&mut edit, port, role, &axes(port), layout));
    }
    let lightened = lighten(graph, &mut edit);
    graph.write(&mut draft, "separator.onnx", &edit)?;
    let stems = drawn.stems.text();
    let mut found = vec![format!("{}; it estimates {stems}.", drawn.what)];
    found.extend(drawn.stems.without_a_file());
    found.extend(lightened.text());
    draft.finish(found)
}

/// The axes of a port that was declared whole.
fn axes(port: &Port<'_>) -> Vec<Axis> {
    let lengths = lengths(port).unwrap_or_default().into_iter();
    lengths
        .map(|length| Axis::Is(length.unwrap_or(1)))
        .collect()
}
