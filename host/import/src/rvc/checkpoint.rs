use std::collections::BTreeMap;

use crate::torch::{AS_ONNX, Document, Entry, Node, TorchFile, WEIGHTS, known_by};

use super::architecture::{Declared, RATE_QUESTION};
use crate::drawing::{DrawFault, Weights, without_wrapping};

/// Entries of a checkpoint's list of dimensions that its weights do not tell, and how many entries it has (`config` as
/// `infer/lib/train/process_ckpt.py` writes it).
const DILATIONS: usize = 11;
const RATES: usize = 12;
const CONFIG_ENTRIES: usize = 18;
/// The longest text that is taken over.
const MAX_TEXT_LETTERS: usize = 200;
/// What checkpoints call the decoders that are drawn: Applio, and Vietnamese-RVC, whose own is RVC's.
const DECODERS: [&str; 4] = ["HiFi-GAN", DEFAULT_DECODER, "MRF HiFi-GAN", "RefineGAN"];
const DEFAULT_DECODER: &str = "Default";
/// Keys that only the fork `ddPn08` has, whose voices listen to encoders of their own.
const FORKED: [&str; 3] = ["embedder_name", "embedder_output_layer", "speaker_info"];

/// What messages call a file with the weights of a voice.
const WHAT: &str = "voice of RVC's architecture";
/// What only training needs: the encoder of the recordings that a voice learned from.
const TRAINING_ONLY: &str = "enc_q.";
/// What takes the spectra of these recordings.
const SPECTRA: &str = "enc_q.pre.weight";

/// A checkpoint: its weights, and what it says about itself.
#[derive(Debug)]
pub(super) struct Checkpoint {
    pub(super) weights: Weights,
    pub(super) declared: Declared,
    pub(super) facts: Facts,
}

/// What a checkpoint says about itself, as far as somebody may want to know it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// Whether it has all that training needs, rather than what is saved for use.
    pub(super) training: bool,
    /// Its generation: `v1`, `v2`.
    pub(super) version: Option<String>,
    /// Whether it says that the voice is told the pitch.
    pub(super) pitch: Option<bool>,
    /// The rate that it says it speaks at.
    pub(super) sample_rate_hz: Option<i64>,
    /// The content encoder that it was trained on, when it says so.
    pub(super) embedder: Option<String>,
    /// Whether it was trained on that encoder's last layer, whatever its generation. So are Applio's voices that name their encoder:
    /// since August 2024 `rvc/train/extract/extract.py` takes `last_hidden_state`, since September checkpoints have `embedder_model`.
    /// The voices of Vietnamese-RVC, which name it, too, are not (`main/library/utils.py`).
    pub(super) on_last_layer: bool,
    /// What its maker called it.
    pub(super) name: Option<String>,
    /// Its maker.
    pub(super) author: Option<String>,
    /// How long it was trained, in its maker's words.
    pub(super) info: Option<String>,
}

impl Checkpoint {
    /// Reads what a file of torch holds. `answers` are facts that a person stated.
    pub(super) fn read(
        file: &TorchFile,
        answers: &BTreeMap<String, String>,
    ) -> Result<Self, DrawFault> {
        let document = file.document();
        let root = document.root().ok_or_else(no_voice)?;
        let (dict, training) = weights_of(document, root)?;
        refuse_others(document, root)?;
        let weights = Weights::of((document, dict), file.length(), WHAT, needed)?;
        let mut declared = declared(document, root)?;
        declared.spectrum = spectrum(document, dict);
        declared.sample_rate = answers.get(RATE_QUESTION).cloned();
        declared.decoder = text(document, root, "vocoder").filter(|name| name != DEFAULT_DECODER);
        let mut facts = facts(document, root);
        declared.rate_said = facts.sample_rate_hz;
        facts.training = training;
        Ok(Self {
            weights,
            declared,
            facts,
        })
    }
}

/// What training alone needs is left where it is.
fn needed(name: &str) -> Option<String> {
    (!name.starts_with(TRAINING_ONLY)).then(|| name.to_owned())
}

/// Bins of the spectra that a voice was trained on, where a training file says them.
fn spectrum(document: &Document, dict: Entry) -> Option<u64> {
    let mut members = document.members(dict);
    let (_, entry) = members.find(|(name, _)| without_wrapping(name) == SPECTRA)?;
    match document.get(entry) {
        Node::Tensor(tensor) => tensor.dims.get(1).copied(),
        _ => None,
    }
}

/// The weight that every voice has.
const FIRST: &str = "enc_p.emb_phone.weight";

/// The dictionary with the weights, and whether it is a training file's.
fn weights_of(document: &Document, root: Entry) -> Result<(Entry, bool), DrawFault> {
    // Other programs' weights may be in any of these places.
    let places = WEIGHTS.map(|place| document.member_entry(root, place));
    let dicts = places.into_iter().flatten().chain([root]);
    let names = dicts.flat_map(|dict| document.members(dict).map(|(name, _)| name));
    let names: Vec<&str> = names.collect();
    if let Some(said) = known_by(&names) {
        return Err(DrawFault::Other(said.to_owned()));
    }
    if let Some(weight) = document.member_entry(root, "weight") {
        return Ok((weight, false));
    }
    let has_first = |dict| {
        let mut names = document.members(dict);
        names.any(|(name, _)| without_wrapping(name) == FIRST)
    };
    match document.member_entry(root, "model") {
        Some(model) if has_first(model) => Ok((model, true)),
        None if has_first(root) => {
            let mut names = document.members(root);
            let is_trained =
                names.any(|(name, _)| without_wrapping(name).starts_with(TRAINING_ONLY));
            Ok((root, is_trained))
        }
        _ => Err(no_voice()),
    }
}

fn no_voice() -> DrawFault {
    DrawFault::Other(format!(
        "is a file of torch, but no voice of RVC or Applio; {AS_ONNX}"
    ))
}

/// Refuses what looks like a voice of RVC and would sound wrong.
fn refuse_others(document: &Document, root: Entry) -> Result<(), DrawFault> {
    if let Some(key) = FORKED
        .iter()
        .find(|key| document.member(root, key).is_some())
    {
        let reason =
            format!("was made by a fork of RVC ({key}) whose voices listen to other content");
        return Err(DrawFault::refused(reason));
    }
    let decoder = text(document, root, "vocoder");
    if let Some(vocoder) = decoder.filter(|name| !DECODERS.contains(&name.as_str())) {
        let reason = format!(
            "has the decoder {vocoder:?}; HiFi-GAN, MRF HiFi-GAN and RefineGAN are supported"
        );
        return Err(DrawFault::refused(reason));
    }
    let version = text(document, root, "version").map(|name| name.to_lowercase());
    match version.filter(|name| !["v1", "v2"].contains(&name.as_str())) {
        Some(version) => {
            let reason = format!("is of the version {version:?}; v1 and v2 are supported");
            Err(DrawFault::refused(reason))
        }
        None => Ok(()),
    }
}

/// What the weights do not tell.
fn declared(document: &Document, root: Entry) -> Result<Declared, DrawFault> {
    let Some(config) = document.member_entry(root, "config") else {
        return Ok(Declared::default());
    };
    let strange = |what: &str| DrawFault::refused(format!("has a config {what}"));
    let entries = document.elements(config).unwrap_or_default();
    if entries.len() != CONFIG_ENTRIES {
        let reason = format!(
            "of {} entries instead of {CONFIG_ENTRIES}: it comes from a fork of RVC",
            entries.len()
        );
        return Err(strange(&reason));
    }
    let rates = document.integers(entries[RATES]);
    let rates = rates.ok_or_else(|| strange("without the rates of its decoder"))?;
    let dilations = document
        .elements(entries[DILATIONS])
        .unwrap_or_default()
        .iter();
    let dilations: Option<Vec<Vec<i64>>> = dilations
        .take(64)
        .map(|list| document.integers(*list))
        .collect();
    let dilations = dilations.ok_or_else(|| strange("without the dilations of its decoder"))?;
    Ok(Declared {
        rates: Some(rates),
        dilations: Some(dilations),
        ..Declared::default()
    })
}

fn facts(document: &Document, root: Entry) -> Facts {
    let text = |key| text(document, root, key);
    let pitch = document.member_entry(root, "f0");
    let config = document.member_entry(root, "config");
    let rate = config.and_then(|config| document.elements(config)?.last().copied());
    let epoch = document.member_entry(root, "epoch");
    let epoch = epoch.and_then(|epoch| document.integer(epoch));
    let embedder = text("embedder_model");
    let is_applio = text("vocoder").is_none_or(|name| name != DEFAULT_DECODER);
    Facts {
        training: false,
        version: text("version").map(|name| name.to_lowercase()),
        pitch: pitch
            .and_then(|pitch| document.integer(pitch))
            .map(|flag| flag != 0),
        sample_rate_hz: rate.and_then(|rate| document.integer(rate)),
        on_last_layer: embedder.is_some() && is_applio,
        embedder,
        name: text("model_name"),
        author: text("author"),
        info: text("info").or(epoch.map(|epoch| format!("{epoch}epoch"))),
    }
}

/// A short text of one line, without what a terminal would obey.
fn text(document: &Document, root: Entry, key: &str) -> Option<String> {
    let Some(Node::Text(text)) = document.member(root, key) else {
        return None;
    };
    let clean: String = text
        .chars()
        .filter(|letter| !letter.is_control())
        .take(MAX_TEXT_LETTERS)
        .collect();
    Some(clean.trim().to_owned()).filter(|text| !text.is_empty())
}
