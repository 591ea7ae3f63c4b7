use std::path::Path;

use toml::Value;

use crate::asked::Asked;
use crate::draft::{Draft, table};
use crate::faiss;
use crate::voice_facts::{FromFiles, VoiceFacts};
use crate::{Answers, ImportError, ImportRequest, Imported};
use vocalhost_model::{FileRole, is_title};

use super::architecture::Architecture;
use super::checkpoint::Facts;
use super::decoders::DecoderKind;
use crate::drawing::Network;

/// By how much the original scales the noise of the prior (`infer` in `infer/lib/infer_pack/models.py`).
const NOISE_SCALE: f64 = 0.666_66;

/// The last layer of `HuBERT` in its base size, which `ContentVec` has.
const LAST_LAYER: u64 = 12;

/// Writes the package of a voice whose graph is drawn.
pub(super) fn write(
    request: &ImportRequest<'_>,
    (path, index): (&Path, Option<&Path>),
    facts: &Facts,
    (architecture, network): (&Architecture, &Network),
) -> Result<Imported, ImportError> {
    let voice = asked(request, path, (facts, architecture))?;
    let answers = told(request.answers, facts);
    let request = ImportRequest {
        answers: &answers,
        ..*request
    };
    let mut draft = Draft::new(&request, path, "voice", "rvc");
    draft.file("voice.onnx", FileRole::Graph, |mut out| {
        network.write("rvc", &mut out)
    })?;
    voice.write(&mut draft, &answers.tags, (NOISE_SCALE, architecture.pitch));
    let mut found = found(facts, architecture, voice.version());
    tensors(&mut draft, architecture);
    if let Some(index) = index {
        found.push(faiss::add(&mut draft, index, architecture.content)?);
    }
    draft.finish(found)
}

/// What only a person knows, such as which speaker is heard.
fn asked(
    request: &ImportRequest<'_>,
    path: &Path,
    (facts, architecture): (&Facts, &Architecture),
) -> Result<VoiceFacts, ImportError> {
    let mut asked = Asked::new(&request.answers.facts);
    let files = FromFiles {
        channels: Some(architecture.content),
        upp: Some(architecture.upp()),
        speakers: Some(architecture.speakers),
        pitched: architecture.pitch,
        layer: facts.on_last_layer.then_some(LAST_LAYER),
        encoder: facts.embedder.as_deref(),
        identities: request.identities,
        ..FromFiles::default()
    };
    let voice = VoiceFacts::ask(&mut asked, &files);
    asked.finish()?;
    voice.ok_or_else(|| ImportError::Refused {
        file: path.to_owned(),
        reason: "does not say what it is".to_owned(),
    })
}

/// What a person said, and for the rest what the checkpoint says of its maker.
fn told(answers: &Answers, facts: &Facts) -> Answers {
    let mut told = answers.clone();
    let empty = |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim().is_empty());
    if empty(&told.title) {
        // What the maker called it may be nothing that can be shown.
        told.title = facts.name.clone().filter(|name| is_title(name));
    }
    if empty(&told.attribution) {
        told.attribution.clone_from(&facts.author);
    }
    told
}

fn found(facts: &Facts, architecture: &Architecture, version: &str) -> Vec<String> {
    let rate = architecture.sample_rate_hz();
    let told = if architecture.pitch {
        "with"
    } else {
        "without"
    };
    let kind = if facts.training {
        "training file"
    } else {
        "checkpoint"
    };
    let decoder = match architecture.decoder {
        DecoderKind::HiFi => String::new(),
        other => format!(" with Applio's decoder {}", other.name()),
    };
    let mut found = vec![format!(
        "A {kind} of RVC{decoder}: {version}, {rate} Hz, {told} F0, content vectors of {} channels, {} speaker vectors.",
        architecture.content, architecture.speakers
    )];
    if let Some(name) = facts.name.as_ref().filter(|name| is_title(name)) {
        found.push(match &facts.author {
            Some(author) => format!("Its maker, {author}, calls it {name}."),
            None => format!("Its maker calls it {name}."),
        });
    }
    if let Some(info) = &facts.info {
        found.push(format!("Its maker's remark: {info}."));
    }
    if facts.on_last_layer && version == "v1" {
        found.push(format!(
            "Applio trained it on layer {LAST_LAYER} of its content encoder, where RVC itself takes layer 9 for v1."
        ));
    }
    // Fusions made in other languages than the program's own say so of voices that are told the pitch.
    if facts.pitch.is_some_and(|said| said != architecture.pitch) {
        found.push(format!(
            "It says otherwise of F0, but its weights are {told} it, which counts."
        ));
    }
    let version_said = facts.version.as_deref();
    if let Some(said) = version_said.filter(|said| *said != version) {
        found.push(format!(
            "It says that it is {said}, but its weights are {version}, which counts."
        ));
    }
    if let Some(said) = facts.sample_rate_hz.filter(|said| *said != rate as i64) {
        found.push(format!(
            "It says that it speaks at {said} Hz, but its weights give {rate} Hz, which counts."
        ));
    }
    found
}

fn tensors(draft: &mut Draft<'_>, architecture: &Architecture) {
    let (one, frames, samples) = (Value::from(1), Value::from("T"), Value::from("N"));
    let channels = |count: u64| Value::from(count as i64);
    let mut tensor = |io: &str, name: &str, role: &str, dtype: &str, shape: Vec<Value>| {
        draft.tensor(table([
            ("io", Value::from(io)),
            ("name", Value::from(name)),
            ("role", Value::from(role)),
            ("dtype", Value::from(dtype)),
            ("shape", Value::Array(shape)),
        ]));
    };
    let row = || vec![one.clone(), frames.clone()];
    let content = vec![one.clone(), frames.clone(), channels(architecture.content)];
    tensor("in", "phone", "content", "f32", content);
    tensor("in", "phone_lengths", "length", "i64", vec![one.clone()]);
    if architecture.pitch {
        tensor("in", "pitch", "pitch", "i64", row());
        tensor("in", "pitchf", "pitchf", "f32", row());
        let noise = vec![one.clone(), samples.clone(), one.clone()];
        tensor("in", "nsf_noise", "source_noise", "f32", noise);
    }
    tensor("in", "ds", "speaker", "i64", vec![one.clone()]);
    let prior = vec![one.clone(), channels(architecture.inter), frames.clone()];
    tensor("in", "rnd", "prior_noise", "f32", prior);
    let audio = vec![one.clone(), one.clone(), samples.clone()];
    tensor("out", "audio", "audio", "f32", audio);
}
