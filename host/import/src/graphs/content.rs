//! Content encoders of the `HuBERT` kind (`ContentVec` among them), in the layouts that tools for RVC use: one wave goes in,
//! vectors of 256, 768 or 1,024 channels come out fifty times a second.

use toml::{Table, Value};

use super::known_encoders::known_encoder;
use super::order::Order;
use crate::asked::Asked;
use crate::draft::{Draft, table};
use crate::loaded::{Axis, Loaded, declare, may_be, text};
use crate::onnx::refuse_random_nodes;
use crate::{ImportError, Imported};
use vocalhost_model::{encoder_identity, recognised_encoder};
use vocalhost_onnx::{Dim, Element, Port};

/// Channels of the projected vectors of a base model, of its layers, and of a large model's layers.
const DIMS: [u64; 3] = [256, 768, 1_024];
/// The layer that the projected vectors of RVC's first generation come from.
const PROJECTED_LAYER: u64 = 9;
/// Layers that a transformer may have.
const LAYERS: std::ops::RangeInclusive<u64> = 1..=48;
/// Sound that the transformer hears beyond what it encodes.
const CONTEXT_S: f64 = 1.0;

/// An output that gives vectors.
pub(crate) struct Vectors {
    /// Its name.
    pub(crate) name: String,
    /// Channels.
    pub(crate) dim: u64,
    /// Whether channels are the last axis.
    pub(crate) channels_last: bool,
    /// `None` when the graph is told the layer.
    pub(crate) layer: Option<u64>,
    /// Whether a projection has made them shorter.
    pub(crate) projected: bool,
}

fn wave<'l, 'a>(graph: &'l Loaded<'a>) -> Option<&'l Port<'a>> {
    let inputs = graph.file.inputs();
    let mut waves = inputs
        .into_iter()
        .filter(|port| [Element::F32, Element::F16].contains(&port.element));
    let wave = waves.next()?;
    waves.next().is_none().then_some(wave)
}

fn other_role(name: &str) -> Option<&'static str> {
    match name {
        "attention_mask" => Some("mask"),
        "output_layer" => Some("layer"),
        _ => None,
    }
}

/// One wave goes in, besides what such encoders are told, and an output has as many channels as they have.
pub(super) fn is(graph: &Loaded<'_>) -> bool {
    let Some(wave) = wave(graph) else {
        return false;
    };
    let named = matches!(wave.name, "source" | "audio" | "feats" | "input_values");
    let mut others = graph.file.inputs().into_iter();
    let others = others.all(|port| port.name == wave.name || other_role(port.name).is_some());
    let gives = graph.file.graph.outputs.iter();
    let gives = gives.filter_map(|port| channels(graph, port)).count() > 0;
    // One that is made for one length is known by its names, and refused for that.
    let is_wave = wave_axes(wave).is_some_and(|axes| may_be(wave, &axes) || (named && gives));
    is_wave
        && others
        && (named || gives)
        && graph
            .output()
            .dims
            .as_ref()
            .is_none_or(|dims| dims.len() == 3)
}

fn wave_axes(port: &Port<'_>) -> Option<Vec<Axis>> {
    let (one, samples) = (Axis::Is(1), Axis::Any("N"));
    match port.dims.as_ref().map_or(2, Vec::len) {
        1 => Some(vec![samples]),
        2 => Some(vec![one, samples]),
        3 => Some(vec![one, one, samples]),
        _ => None,
    }
}

/// The number of channels of an output, and whether they are the last axis.
fn channels(graph: &Loaded<'_>, port: &Port<'_>) -> Option<(u64, bool)> {
    let is_dim = |dim: &Dim<'_>| dim.fixed().filter(|length| DIMS.contains(length));
    match port.dims.as_deref() {
        Some([_, middle, last]) => {
            let last = is_dim(last).map(|dim| (dim, true));
            last.or_else(|| is_dim(middle).map(|dim| (dim, false)))
                .or_else(|| by_weights(graph, port.name))
        }
        Some(_) => None,
        None => by_weights(graph, port.name),
    }
}

/// The channels of a tensor whose shape is not declared, and whether they are its last axis: those of the weights that made it,
/// wherever the transpositions behind them have put them.
fn by_weights(graph: &Loaded<'_>, name: &str) -> Option<(u64, bool)> {
    const STEPS: usize = 8;
    let mut name = name;
    // From the output back to the weights.
    let mut orders: Vec<Vec<i64>> = Vec::new();
    for _ in 0..STEPS {
        let node = graph.file.maker(name)?;
        let weights = node.inputs.iter().rev();
        let mut weights = weights.filter_map(|input| graph.file.initializer(input));
        match node.operator {
            "Transpose" => {
                let order = node.attribute("perm").map(|order| order.ints.clone());
                orders.push(order.unwrap_or_else(|| vec![2, 1, 0]));
            }
            "Add" | "MatMul" | "LayerNormalization" | "Gemm" => {
                let dim = weights.find_map(|weight| weight.dims.last().copied());
                if let Some(dim) = dim.filter(|dim| DIMS.contains(dim)) {
                    let axis = orders.iter().rev().map(Vec::as_slice).try_fold(2, moved)?;
                    return (axis > 0).then_some((dim, axis == 2));
                }
            }
            _ => {}
        }
        name = node.inputs.first()?;
    }
    None
}

/// Where an axis lies behind a transposition of three axes.
fn moved(axis: usize, order: &[i64]) -> Option<usize> {
    let place = order.iter().position(|from| *from == axis as i64);
    place.filter(|_| order.len() == 3)
}

/// Layers of the transformer: each has one softmax.
fn layers(graph: &Loaded<'_>) -> Option<u64> {
    let is_attention =
        |operator: &str| matches!(operator, "Softmax" | "Attention" | "MultiHeadAttention");
    let nodes = graph.file.graph.nodes.iter();
    let count = nodes.filter(|node| is_attention(node.operator)).count() as u64;
    LAYERS.contains(&count).then_some(count)
}

/// The layer that an output's name says.
fn layer_of(name: &str) -> Option<u64> {
    match name {
        "units9" => Some(9),
        "unit12" | "units12" => Some(12),
        _ => name.strip_prefix("hidden_states.")?.parse().ok(),
    }
}

pub(super) fn import(order: &Order<'_, '_>, mut asked: Asked<'_>) -> Result<Imported, ImportError> {
    let graph = order.graph;
    refuse_random_nodes(&graph.file).map_err(|fault| graph.refused(fault.to_string()))?;
    let vectors = vectors(graph, &mut asked);
    import_of(order, asked, &vectors)
}

/// Makes a package of an encoder whose outputs are known.
pub(crate) fn import_of(
    order: &Order<'_, '_>,
    mut asked: Asked<'_>,
    vectors: &[Vectors],
) -> Result<Imported, ImportError> {
    let graph = order.graph;
    let inputs = inputs(graph)?;
    let identity = identity(order, &mut asked);
    asked.finish()?;
    let Some(first) = vectors.first() else {
        return Err(graph.refused("gives no vectors of content"));
    };
    let mut draft = Draft::new(order.request, graph.path, "content", "wave-content");
    let mut edit = graph.edit();
    for (port, role, axes) in inputs {
        draft.tensor(declare(&mut edit, port, "in", role, &axes));
    }
    let outputs = graph.file.graph.outputs.iter();
    for (vectors, port) in vectors.iter().filter_map(|vectors| {
        let mut named = outputs.clone().filter(|port| port.name == vectors.name);
        Some((vectors, named.next()?))
    }) {
        let (frames, dim) = (Axis::Any("T"), Axis::Is(vectors.dim));
        let axes = if vectors.channels_last {
            [Axis::Is(1), frames, dim]
        } else {
            [Axis::Is(1), dim, frames]
        };
        draft.tensor(declare(&mut edit, port, "out", "content", &axes));
    }
    draft.section(
        "audio",
        [
            ("sample_rate_hz", Value::from(16_000)),
            ("channels", Value::from(1)),
        ],
    );
    draft.section(
        "content",
        [
            ("dim", Value::from(first.dim as i64)),
            ("rate_hz", Value::from(50)),
            ("context_s", Value::from(CONTEXT_S)),
            ("framing", Value::from("inside")),
        ],
    );
    match vectors {
        [only] if only.layer.is_some() => {
            for (key, value) in entries(only) {
                draft.entry("content", &key, value);
            }
        }
        several => {
            let outputs = several.iter().map(|vectors| {
                let mut output = entries(vectors);
                output.insert("tensor".to_owned(), Value::from(vectors.name.as_str()));
                output.insert("dim".to_owned(), Value::from(vectors.dim as i64));
                Value::Table(output)
            });
            draft.entry("content", "output", Value::Array(outputs.collect()));
        }
    }
    let mut found = found(vectors);
    if let Some((identity, is_known)) = identity {
        let by = if is_known { ", as its digest says" } else { "" };
        found.push(format!("It is the encoder {identity}{by}."));
        draft.entry("content", "identity", identity);
    }
    graph.write(&mut draft, "encoder.onnx", &edit)?;
    draft.finish(found)
}

/// Which encoder it is, and whether its file is known by its digest: otherwise as somebody says, or as its id, its title or the name of its
/// file give away.
fn identity(order: &Order<'_, '_>, asked: &mut Asked<'_>) -> Option<(String, bool)> {
    let by_digest = order.known.or_else(|| known_encoder(order.graph.bytes));
    let answers = order.request.answers;
    let stem = order
        .graph
        .path
        .file_stem()
        .map(|stem| stem.to_string_lossy());
    let texts = [
        answers.id.as_deref(),
        answers.title.as_deref(),
        stem.as_deref(),
    ];
    let texts = texts.into_iter().flatten();
    let mut texts = texts.chain(order.called.iter().map(String::as_str));
    let recognised = texts.find_map(recognised_encoder);
    let text = "Name of the encoder, by which voices that were trained on it know it: contentvec, spin, japanese-hubert-base or another.";
    let known = by_digest.or(recognised).unwrap_or_default().to_owned();
    let said = asked.option("identity", text, &[], known)?;
    if said.trim().is_empty() {
        return None;
    }
    let identity = encoder_identity(&said);
    if identity.is_none() {
        asked.wrong("identity", "it is no name of an encoder");
    }
    let identity = identity?;
    if let Some(known) = by_digest.filter(|known| *known != identity) {
        let reason = format!("its digest says that it is the encoder {known}");
        asked.wrong("identity", &reason);
    }
    Some((identity, by_digest.is_some()))
}

/// An input, its role and its axes.
type Given<'l, 'a> = (&'l Port<'a>, &'static str, Vec<Axis>);

/// What goes in.
fn inputs<'l, 'a>(graph: &'l Loaded<'a>) -> Result<Vec<Given<'l, 'a>>, ImportError> {
    let input = |port: &'l Port<'a>| {
        let (role, axes) = match other_role(port.name) {
            Some("mask") => ("mask", Some(vec![Axis::Is(1), Axis::Any("N")])),
            Some(role) => {
                let rank = port.dims.as_ref().map_or(0, Vec::len);
                (role, (rank < 2).then(|| vec![Axis::Is(1); rank]))
            }
            None => ("source_wave", wave_axes(port)),
        };
        let axes = axes.filter(|axes| may_be(port, axes)).ok_or_else(|| {
            graph.refused(format!(
                "takes {}; export it with an axis that changes with the length of the sound",
                text(port)
            ))
        })?;
        Ok((port, role, axes))
    };
    graph.file.inputs().into_iter().map(input).collect()
}

/// What a manifest says about an output's vectors.
fn entries(vectors: &Vectors) -> Table {
    let mut entries = table([("projected", Value::from(vectors.projected))]);
    if let Some(layer) = vectors.layer {
        entries.insert("layer".to_owned(), Value::from(layer as i64));
    }
    entries
}

fn vectors(graph: &Loaded<'_>, asked: &mut Asked<'_>) -> Vec<Vectors> {
    let inputs = graph.file.inputs();
    let is_told = inputs
        .iter()
        .any(|port| other_role(port.name) == Some("layer"));
    let outputs = graph.file.graph.outputs.as_slice();
    if let [port] = outputs {
        return only(graph, (port, is_told), asked).into_iter().collect();
    }
    let found = outputs.iter().filter_map(|port| {
        let (dim, channels_last) = channels(graph, port)?;
        let projected = dim == DIMS[0];
        let counted = || counted(graph, projected).filter(|_| port.name == "last_hidden_state");
        // What has no layer is a second name for one that another output gives, or one that nobody knows.
        let layer = if is_told {
            None
        } else {
            Some(layer_of(port.name).or_else(counted)?)
        };
        Some(Vectors {
            name: port.name.to_owned(),
            dim,
            channels_last,
            layer,
            projected,
        })
    });
    found.collect()
}

/// What the only output gives. What its shape does not say is asked, and its layer unless the graph is told that.
fn only(
    graph: &Loaded<'_>,
    (port, is_told): (&Port<'_>, bool),
    asked: &mut Asked<'_>,
) -> Option<Vectors> {
    let channels = channels(graph, port);
    let dims = DIMS.map(|dim| dim.to_string());
    let dims: Vec<&str> = dims.iter().map(String::as_str).collect();
    let text = "Length of the vectors that it gives.";
    let dim = asked.settled("content_dim", text, &dims, channels.map(|(dim, _)| dim));
    let projected = dim == Some(DIMS[0]);
    let layer = if is_told {
        None
    } else {
        let known = layer_of(port.name).or_else(|| counted(graph, projected));
        let text = "Layer of the transformer that the vectors come from, 1 to 48.";
        let layer = asked.fact("layer", text, &[], known);
        let fits = |layer: &u64| LAYERS.contains(layer);
        Some(asked.fitting("layer", layer, fits, "it is out of this range")?)
    };
    Some(Vectors {
        name: port.name.to_owned(),
        dim: dim?,
        channels_last: channels.is_none_or(|(_, last)| last),
        layer,
        projected,
    })
}

/// The last layer, where the graph ends. Projected vectors are known to be those of RVC's first generation only when they come
/// from its layer: HuBERT-Soft, say, projects its twelfth.
fn counted(graph: &Loaded<'_>, projected: bool) -> Option<u64> {
    layers(graph).filter(|count| !projected || *count == PROJECTED_LAYER)
}

fn found(vectors: &[Vectors]) -> Vec<String> {
    let texts = vectors.iter().map(|vectors| {
        let layer = match vectors.layer {
            Some(layer) => format!("layer {layer}"),
            None => "any layer".to_owned(),
        };
        let projected = if vectors.projected { ", projected" } else { "" };
        format!("{layer} in {} channels{projected}", vectors.dim)
    });
    let texts: Vec<String> = texts.collect();
    vec![format!("A content encoder; it gives {}.", texts.join("; "))]
}
