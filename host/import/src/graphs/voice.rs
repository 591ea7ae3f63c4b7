//! Voices of RVC, in the form that its own tool exports (`phone`, `phone_lengths`, `pitch`, `pitchf`, `ds`, `rnd`), in that
//! of w-okada's voice changer (`feats`, `p_len`, `pitch`, `pitchf`, `sid`, and a description in its metadata), and in
//! shorter ones of the same names (`infer/modules/onnx/export.py` of RVC, branch 20240604; `onnxExporter` of w-okada). What a
//! fork's exports can be asked to leave out of the sound is not left out.

use serde_json::{Map, Value};

use super::order::Order;
use crate::asked::Asked;
use crate::draft::Draft;
use crate::faiss;
use crate::loaded::{Axis, Loaded, declare, describe, may_be, text};
use crate::onnx::{Noise, NoiseKind, is_cut, without_cuts, without_random_nodes};
use crate::voice_facts::{FromFiles, VoiceFacts};
use crate::{ImportError, Imported};
use vocalhost_letters::words::plain;
use vocalhost_onnx::{Edit, Element, Port};

/// Names of an input, and the role that it has.
const ROLES: [(&[&str], &str); 7] = [
    (&["phone", "feats"], "content"),
    (&["phone_lengths", "p_len"], "length"),
    (&["pitch"], "pitch"),
    (&["pitchf"], "pitchf"),
    (&["ds", "sid"], "speaker"),
    (&["rnd"], "prior_noise"),
    (&["nsf_noise"], "source_noise"),
];
/// The most samples of a frame of 10 ms: 192 kHz.
const MAX_UPP: u64 = 1_920;
/// What RVC multiplies the noise of its prior by; its own exports leave that to whoever runs them, w-okada's do it inside.
const NOISE_SCALE: f64 = 0.66666;
/// Channels of the prior in every published configuration.
const PRIOR_CHANNELS: u64 = 192;

/// The most characters that are shown of what a description says.
const MAX_SHOWN: usize = 100;

/// What w-okada's exporter writes into the metadata entry `metadata`.
struct Description {
    application: String,
    version: String,
    sampling_rate: Option<u64>,
    emb_output_layer: Option<u64>,
    embedder: String,
}

fn role(name: &str) -> Option<&'static str> {
    let of_name = ROLES.iter().find(|(names, _)| names.contains(&name));
    of_name.map(|(_, role)| *role)
}

fn input<'l, 'a>(graph: &'l Loaded<'a>, wanted: &str) -> Option<&'l Port<'a>> {
    let inputs = graph.file.inputs();
    inputs
        .into_iter()
        .find(|port| role(port.name) == Some(wanted))
}

/// The inputs that a voice is given.
fn heard<'l, 'a>(graph: &'l Loaded<'a>) -> impl Iterator<Item = &'l Port<'a>> {
    let inputs = graph.file.inputs();
    inputs.into_iter().filter(|port| !is_cut(port))
}

fn rank(port: &Port<'_>) -> Option<usize> {
    port.dims.as_ref().map(Vec::len)
}

/// It takes content vectors, and something else that only voices take.
pub(super) fn is(graph: &Loaded<'_>) -> bool {
    let content = input(graph, "content");
    let is_content = content.is_some_and(|port| rank(port).is_none_or(|rank| rank == 3));
    let others = ["pitchf", "speaker", "length"];
    is_content && others.iter().any(|role| input(graph, role).is_some())
}

pub(super) fn import(order: &Order<'_, '_>, mut asked: Asked<'_>) -> Result<Imported, ImportError> {
    let graph = order.graph;
    let description = description(graph);
    types(graph)?;
    let known = (&description, order.request.identities);
    let facts = facts(graph, known, &mut asked)?;
    asked.finish()?;
    let Some(facts) = facts else {
        return Err(graph.refused("does not say what it is"));
    };
    let mut edit = graph.edit();
    let content = input(graph, "content").map_or("", |port| port.name);
    without_cuts(&graph.file, &mut edit, content);
    let noises = without_random_nodes(&graph.file, &mut edit, content, prior_channels(graph));
    let noises = noises.map_err(|fault| graph.refused(fault.to_string()))?;
    let mut draft = Draft::new(order.request, graph.path, "voice", "rvc");
    tensors(graph, &description, &facts, &mut edit, &mut draft)?;
    for noise in &noises {
        let (role, axes) = axes_of(noise, prior_channels(graph));
        draft.tensor(describe(&noise.name, noise.element, "in", role, &axes));
    }
    // Exports that are given the noise of the prior leave its scale to whoever runs them.
    let is_given = input(graph, "prior_noise").is_some();
    let noise_scale = if is_given { NOISE_SCALE } else { 1.0 };
    let is_told = input(graph, "pitchf").is_some();
    let tags = order.request.answers.tags.as_slice();
    facts.write(&mut draft, tags, (noise_scale, is_told));
    graph.write(&mut draft, "voice.onnx", &edit)?;
    let mut found = found(graph, &description, &facts, &noises);
    if let Some(index) = order.index {
        found.push(faiss::add(&mut draft, index, facts.channels)?);
    }
    draft.finish(found)
}

fn description(graph: &Loaded<'_>) -> Description {
    let text = graph.file.metadata.get("metadata");
    // Whoever wrote something else there wrote it for somebody else. A field of another type says nothing, and nothing about the rest.
    let fields = text.and_then(|text| serde_json::from_str(text).ok());
    let fields: Map<String, Value> = fields.unwrap_or_default();
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let number = |name: &str| fields.get(name).and_then(Value::as_u64);
    Description {
        application: text("application").to_owned(),
        version: text("version").to_owned(),
        sampling_rate: number("samplingRate"),
        emb_output_layer: number("embOutputLayer"),
        embedder: text("embedder").to_owned(),
    }
}

/// Every input is known, of the right type, and of a length that changes where it must.
fn types(graph: &Loaded<'_>) -> Result<(), ImportError> {
    for port in heard(graph) {
        let floats = [Element::F32, Element::F16];
        let Some(role) = role(port.name) else {
            return Err(graph.refused(format!(
                "takes {}, which no form of RVC's voices that is known here has",
                text(port)
            )));
        };
        let integer = matches!(role, "length" | "pitch" | "speaker");
        let fits = if integer {
            port.element == Element::I64
        } else {
            floats.contains(&port.element)
        };
        if !fits && role == "speaker" {
            return Err(graph.refused(format!(
                "takes {}: it mixes speakers, where one can be chosen; export it without the mix",
                text(port)
            )));
        }
        if !fits {
            return Err(graph.refused(format!("takes {}, which is of another type", text(port))));
        }
    }
    if input(graph, "pitch").is_some() != input(graph, "pitchf").is_some() {
        return Err(graph.refused("takes one form of the pitch without the other"));
    }
    Ok(())
}

fn facts(
    graph: &Loaded<'_>,
    (description, identities): (&Description, &[String]),
    asked: &mut Asked<'_>,
) -> Result<Option<VoiceFacts>, ImportError> {
    let declared = input(graph, "content").and_then(|port| dim(port, 2));
    let by_weight = graph.file.initializer("enc_p.emb_phone.weight");
    let by_weight = by_weight.and_then(|tensor| tensor.dims.get(1).copied());
    let channels = declared.or(by_weight);
    if let Some(channels) = channels.filter(|channels| !matches!(channels, 256 | 768)) {
        return Err(graph.refused(format!(
            "takes content vectors of {channels} channels, where RVC has 256 and 768"
        )));
    }
    let upp = upsampling(graph);
    if let Some(upp) = upp.filter(|upp| !(1..=MAX_UPP).contains(upp)) {
        return Err(graph.refused(format!(
            "makes {upp} samples of a frame of 10 ms, where {MAX_UPP} are the most"
        )));
    }
    let files = FromFiles {
        channels,
        upp,
        noted_rate_hz: description.sampling_rate,
        layer: description.emb_output_layer,
        speakers: speakers(graph),
        pitched: input(graph, "pitchf").is_some(),
        encoder: Some(description.embedder.as_str()),
        identities,
    };
    Ok(VoiceFacts::ask(asked, &files))
}

fn dim(port: &Port<'_>, axis: usize) -> Option<u64> {
    port.dims.as_ref()?.get(axis)?.fixed()
}

/// Samples that it makes of a frame: the strides of its transposed convolutions, which only its generator has, multiplied.
fn upsampling(graph: &Loaded<'_>) -> Option<u64> {
    let nodes = graph.file.graph.nodes.iter();
    let mut strides = nodes
        .filter(|node| node.operator == "ConvTranspose")
        .map(|node| {
            let strides = node.attribute("strides").map(|strides| &strides.ints);
            let stride = strides.and_then(|strides| strides.first().copied());
            u64::try_from(stride.unwrap_or(1)).ok()
        });
    let first = strides.next()??;
    strides.try_fold(first, |product, stride| product.checked_mul(stride?))
}

fn prior_channels(graph: &Loaded<'_>) -> u64 {
    let declared = input(graph, "prior_noise").and_then(|port| dim(port, 1));
    let projection = graph.file.initializer("enc_p.proj.bias");
    let by_weight = projection.and_then(|tensor| Some(tensor.dims.first()? / 2));
    declared.or(by_weight).unwrap_or(PRIOR_CHANNELS)
}

/// Speakers that it knows: rows of the table of speakers, by its name in checkpoints, which exports keep, or else of the table
/// that the speaker's number looks something up in.
fn speakers(graph: &Loaded<'_>) -> Option<u64> {
    let speaker = input(graph, "speaker")?;
    let looks_up = |node: &&vocalhost_onnx::Node<'_>| {
        node.operator == "Gather" && node.inputs.get(1) == Some(&speaker.name)
    };
    let looked_up = || {
        let node = graph.file.graph.nodes.iter().find(looks_up)?;
        graph.file.initializer(node.inputs.first()?)
    };
    let named = graph.file.initializer("emb_g.weight");
    let table = named.or_else(looked_up)?;
    table.dims.first().copied()
}

fn axes_of(noise: &Noise, channels: u64) -> (&'static str, [Axis; 3]) {
    match noise.kind {
        NoiseKind::Prior => (
            "prior_noise",
            [Axis::Is(1), Axis::Is(channels), Axis::Any("T")],
        ),
        NoiseKind::Source => ("source_noise", [Axis::Is(1), Axis::Any("N"), Axis::Is(1)]),
    }
}

fn tensors<'a>(
    graph: &Loaded<'a>,
    description: &Description,
    facts: &VoiceFacts,
    edit: &mut Edit<'_, 'a>,
    draft: &mut Draft<'_>,
) -> Result<(), ImportError> {
    let (one, frames, samples) = (Axis::Is(1), Axis::Any("T"), Axis::Any("N"));
    for port in heard(graph) {
        let role = role(port.name).unwrap_or_default();
        let axes = match role {
            "content" => vec![one, frames, Axis::Is(facts.channels)],
            "length" | "speaker" => vec![one],
            "prior_noise" => vec![one, Axis::Is(prior_channels(graph)), frames],
            "source_noise" => vec![one, samples, one],
            _ => vec![one, frames],
        };
        if !may_be(port, &axes) {
            let axes: Vec<String> = axes.iter().map(ToString::to_string).collect();
            return Err(graph.refused(format!(
                "takes {}, where [{}] is wanted; export it with axes that change with the length",
                text(port),
                axes.join(", ")
            )));
        }
        draft.tensor(declare(edit, port, "in", role, &axes));
    }
    let audio = graph.output();
    if ![Element::F32, Element::F16].contains(&audio.element) {
        return Err(graph.refused(format!("gives {}, which is no sound", text(audio))));
    }
    let is_flat = matches!(description.version.as_str(), "2.1" | "2.2");
    let rank = rank(audio).unwrap_or(if is_flat { 1 } else { 3 });
    let axes = match rank {
        1 => vec![samples],
        2 => vec![one, samples],
        3 => vec![one, one, samples],
        _ => return Err(graph.refused(format!("gives {}, which is no sound", text(audio)))),
    };
    // What an exporter says of an output is what it saw while it traced; only what runs says how long it is.
    draft.tensor(declare(edit, audio, "out", "audio", &axes));
    Ok(())
}

fn found(
    graph: &Loaded<'_>,
    description: &Description,
    facts: &VoiceFacts,
    noises: &[Noise],
) -> Vec<String> {
    let form = match input(graph, "content").map_or("", |port| port.name) {
        "feats" => "w-okada's form",
        _ => "the form of RVC's own export",
    };
    let generation = if facts.channels == 256 {
        "first"
    } else {
        "second"
    };
    let pitch = if input(graph, "pitchf").is_some() {
        "with pitch"
    } else {
        "without pitch"
    };
    let mut found = vec![format!(
        "A voice of RVC, {generation} generation, {pitch}, {} Hz, in {form}.",
        facts.sample_rate_hz()
    )];
    if let Some(count) = speakers(graph)
        && count > 1
    {
        found.push(format!(
            "It knows {count} speakers; number {} is heard.",
            facts.speaker
        ));
    }
    if !description.embedder.is_empty() {
        found.push(format!(
            "It was trained on content vectors of {}, layer {}.",
            plain(&description.embedder, MAX_SHOWN),
            facts.layer
        ));
    }
    if let Some(rate) = description.sampling_rate
        && rate != facts.sample_rate_hz()
    {
        found.push(format!(
            "{} says {rate} Hz of it, which its graph does not.",
            plain(&description.application, MAX_SHOWN)
        ));
    }
    if !noises.is_empty() {
        found.push(format!(
            "{} of its nodes drew random numbers; now the seed of a job decides them.",
            noises.len()
        ));
    }
    if input(graph, "content").is_some_and(|port| port.element == Element::F16) {
        found.push("It works in half precision.".to_owned());
    }
    found
}
