//! Packages of separators whose graphs were drawn here from a checkpoint. They take and give spectra, so that the host makes the
//! transforms.

use toml::{Table, Value};

use super::order::Order;
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
    /// Its transform.
    pub(crate) transform: Transform,
    /// Entries of the section about pieces.
    pub(crate) chunk: Vec<(&'static str, Value)>,
    /// How the level of the whole recording is brought to what the network expects, where it is.
    pub(crate) normalize: Option<&'static str>,
    /// The layouts of the input and of the output.
    pub(crate) layouts: [&'static str; 2],
    /// What it is, for people.
    pub(crate) what: String,
}

/// The transform of a drawn separator.
#[derive(Debug)]
pub(crate) enum Transform {
    /// One, of 44.1 kHz: entries of its section.
    Whole(Vec<(&'static str, Value)>),
    /// Several, of a recording at this rate: the section. The network hears magnitudes.
    Bands(u32, Table),
}

/// What normalises by the mean and the deviation of the whole recording.
pub(crate) fn by_mean_and_deviation(is_done: bool) -> Option<&'static str> {
    is_done.then_some("mean-std-mono")
}

/// Writes the package.
pub(crate) fn package(
    order: &Order<'_, '_>,
    drawn: DrawnSeparator,
) -> Result<Imported, ImportError> {
    let graph = order.graph;
    let mut draft = begin(order, drawn.family, &drawn.stems);
    if let Some(how) = drawn.normalize {
        draft.entry("separator", "normalize", how);
    }
    let heard = match drawn.transform {
        Transform::Whole(entries) => {
            for (key, value) in entries {
                draft.entry("stft", key, value);
            }
            "mix_spec"
        }
        Transform::Bands(rate_hz, bands) => {
            draft.entry("audio", "sample_rate_hz", i64::from(rate_hz));
            for (key, value) in bands {
                draft.entry("bands", &key, value);
            }
            "mix_magnitude"
        }
    };
    for (key, value) in drawn.chunk {
        draft.entry("chunk", key, value);
    }
    let mut edit = graph.edit();
    let inputs = graph.file.inputs();
    let ends = [("in", heard), ("out", "stems_spec")];
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
