use crate::generation::are_generations;
use crate::identity::USUAL_ENCODER;
use crate::manifest::{Dimension, Direction, Kind, Manifest, TensorSpec};

/// Two voices that cannot be blended, and the first reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{first} and {other} cannot be blended: {reason}")]
pub struct FamilyMismatch {
    /// Title of the voice that comes first.
    pub first: String,
    /// Title of the voice that does not fit.
    pub other: String,
    /// The reason.
    pub reason: String,
}

/// Whether voices are of one family, as far as their manifests tell: the same tensor contract with the same sizes, the same packages for
/// content and pitch, the same rate, the same speaker number. Whether the graphs themselves match shows only when they are read.
///
/// Each is compared with every other one: a voice that names no package matches two voices that name different ones.
pub fn check_family(voices: &[&Manifest]) -> Result<(), FamilyMismatch> {
    for (place, other) in voices.iter().enumerate() {
        for first in &voices[..place] {
            if let Some(reason) = mismatch(first, other) {
                return Err(FamilyMismatch {
                    first: first.name.clone(),
                    other: other.name.clone(),
                    reason,
                });
            }
        }
    }
    Ok(())
}

fn mismatch(a: &Manifest, b: &Manifest) -> Option<String> {
    let unlike = |what: &str, a: &str, b: &str| (a != b).then(|| format!("{what} {a} against {b}"));
    let (Some(a_voice), Some(b_voice)) = (&a.voice, &b.voice) else {
        return Some("one of them is not a voice".to_owned());
    };
    let number = |what: &str, a: i64, b: i64| unlike(what, &a.to_string(), &b.to_string());
    (a.kind != Kind::Voice || b.kind != Kind::Voice)
        .then(|| "one of them is not a voice".to_owned())
        .or_else(|| unlike("family", &word(a.family), &word(b.family)))
        .or_else(|| {
            number(
                "sample rate",
                a.audio.sample_rate_hz.into(),
                b.audio.sample_rate_hz.into(),
            )
        })
        .or_else(|| number("samples per frame", a_voice.upp.into(), b_voice.upp.into()))
        .or_else(|| of_rvc(a, b))
        .or_else(|| {
            parts(
                "content encoder",
                (a, &a_voice.content),
                (b, &b_voice.content),
            )
        })
        .or_else(|| parts("pitch estimator", (a, &a_voice.f0), (b, &b_voice.f0)))
        .or_else(|| {
            number(
                "content channels",
                a_voice.content_dim.into(),
                b_voice.content_dim.into(),
            )
        })
        .or_else(|| {
            number(
                "loudness channels",
                a_voice.energy_channels.into(),
                b_voice.energy_channels.into(),
            )
        })
        .or_else(|| number("speaker", a_voice.speaker, b_voice.speaker))
        .or_else(|| tensors(a, b))
}

/// What else voices of RVC must have in common: they were trained on the same vectors and take the same inputs.
fn of_rvc(a: &Manifest, b: &Manifest) -> Option<String> {
    let (Some(a), Some(b)) = (&a.rvc, &b.rvc) else {
        return None;
    };
    let pitch = |told| if told { "pitch" } else { "no pitch" };
    let unlike =
        |what: &str, a: String, b: String| (a != b).then(|| format!("{what} {a} against {b}"));
    let trained_on = |encoder: &Option<String>| match encoder {
        Some(encoder) => encoder.clone(),
        None => USUAL_ENCODER.to_owned(),
    };
    unlike("version", word(a.version), word(b.version))
        .or_else(|| {
            let (a, b) = (trained_on(&a.encoder), trained_on(&b.encoder));
            unlike("trained on the content encoder", a, b)
        })
        .or_else(|| unlike("told", pitch(a.f0).to_owned(), pitch(b.f0).to_owned()))
        .or_else(|| {
            let (a, b) = (a.content_layer, b.content_layer);
            unlike("content of layer", a.to_string(), b.to_string())
        })
        .or_else(|| unlike("pipeline", word(a.profile), word(b.profile)))
        .or_else(|| {
            let (a, b) = (a.structure.as_ref()?, b.structure.as_ref()?);
            let reason = "their graphs compute in other ways; voices of one architecture that are imported from checkpoints can be blended";
            (a != b).then(|| reason.to_owned())
        })
}

/// The packages that voices listen with have to be the same, or generations of one. Voices of RVC may name none: what they were trained on
/// is compared separately.
fn parts(
    what: &str,
    (a, a_id): (&Manifest, &Option<String>),
    (b, b_id): (&Manifest, &Option<String>),
) -> Option<String> {
    let any_will_do = a.rvc.is_some() && b.rvc.is_some();
    match (a_id, b_id) {
        (a, b) if a == b => None,
        (Some(a), Some(b)) if are_generations(a, b) => None,
        (None, _) | (_, None) if any_will_do => None,
        (a, b) => {
            let named = |id: &Option<String>| id.clone().unwrap_or_else(|| "any".to_owned());
            Some(format!("{what} {} against {}", named(a), named(b)))
        }
    }
}

fn tensors(a: &Manifest, b: &Manifest) -> Option<String> {
    if a.tensors.len() != b.tensors.len() {
        let (a, b) = (a.tensors.len(), b.tensors.len());
        return Some(format!("{a} inputs and outputs against {b}"));
    }
    a.tensors.iter().find_map(|tensor| {
        let Some(other) = b.tensor(tensor.io, tensor.role) else {
            return Some(format!("only one has {}", described(tensor)));
        };
        let same = tensor.name == other.name
            && tensor.dtype == other.dtype
            && dimensions(tensor) == dimensions(other);
        (!same).then(|| format!("{} against {}", described(tensor), described(other)))
    })
}

/// Dimensions with all letters treated alike, since a letter means only that the dimension changes.
fn dimensions(tensor: &TensorSpec) -> Vec<Option<u32>> {
    let fixed = |dimension: &Dimension| match dimension {
        Dimension::Fixed(length) => Some(*length),
        Dimension::Symbol(_) => None,
    };
    tensor.shape.iter().map(fixed).collect()
}

fn described(tensor: &TensorSpec) -> String {
    let io = match tensor.io {
        Direction::In => "input",
        Direction::Out => "output",
    };
    let shape: Vec<String> = tensor
        .shape
        .iter()
        .map(|dimension| match dimension {
            Dimension::Fixed(length) => length.to_string(),
            Dimension::Symbol(letter) => letter.clone(),
        })
        .collect();
    let element = word(tensor.dtype);
    format!("{io} {} {element} [{}]", tensor.name, shape.join(", "))
}

/// A variant as manifests spell it.
fn word(variant: impl serde::Serialize) -> String {
    let value = toml::Value::try_from(variant).ok();
    value
        .and_then(|value| Some(value.as_str()?.to_owned()))
        .unwrap_or_default()
}
