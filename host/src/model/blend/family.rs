use crate::model::manifest::{Dimension, Direction, Kind, Manifest, TensorSpec};

/// Two voices that cannot be blended, and the first reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{first} and {other} cannot be blended: {reason}")]
pub struct FamilyMismatch {
    /// Title of the voice that the others are compared with.
    pub first: String,
    /// Title of the voice that does not fit.
    pub other: String,
    /// What is in the way.
    pub reason: String,
}

/// Whether voices are of one family, as far as their manifests tell: the same tensor contract with the same sizes, the
/// same packages for content and pitch, the same rate, one speaker's number. Whether the graphs themselves are the same
/// shows when they are read.
pub fn check_family(voices: &[&Manifest]) -> Result<(), FamilyMismatch> {
    let Some((first, others)) = voices.split_first() else {
        return Ok(());
    };
    for other in others {
        if let Some(reason) = mismatch(first, other) {
            return Err(FamilyMismatch {
                first: first.name.clone(),
                other: other.name.clone(),
                reason,
            });
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
        .or_else(|| {
            unlike(
                "content encoder",
                named(a_voice.content.as_deref()),
                named(b_voice.content.as_deref()),
            )
        })
        .or_else(|| {
            unlike(
                "pitch estimator",
                named(a_voice.f0.as_deref()),
                named(b_voice.f0.as_deref()),
            )
        })
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

/// A package's id, or that any will do.
fn named(id: Option<&str>) -> &str {
    id.unwrap_or("any")
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

/// Dimensions with all letters alike: a letter means only that the dimension changes.
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
