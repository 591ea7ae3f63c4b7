//! What is wrong with a manifest that was written here, said of the answer that caused it.

use super::asked::cannot_be;
use super::{Answers, ImportError, Question, Why};
use vocalhost_model::ModelError;

/// Keys of manifests, and the names of the answers that are written there.
const ANSWERS: [(&str, &str); 24] = [
    ("id", "id"),
    ("name", "title"),
    ("license", "license"),
    ("attribution", "attribution"),
    ("trained_on", "trained_on"),
    ("consent", "consent"),
    ("source_url", "source_url"),
    ("voice.tags", "tags"),
    ("voice.content", "content"),
    ("voice.f0", "f0"),
    ("f0.threshold", "threshold"),
    ("stft.n_fft", "n_fft"),
    // A transform, and a piece, that such a hop makes too short or too long.
    ("stft", "hop"),
    ("stft.hop", "hop"),
    ("chunk", "hop"),
    ("chunk", "samples"),
    ("stft", "samples"),
    ("separator.compensate", "compensate"),
    ("stems.names", "stems"),
    ("chunk.overlap", "overlap"),
    ("chunk.step", "overlap"),
    ("chunk.step", "pieces"),
    ("chunk.border", "pieces"),
    ("bag.weights", "weights"),
];

/// Why a package cannot be made: the answer at fault, if there is one; otherwise `refused` with the reason.
pub(super) fn fault(
    error: ModelError,
    answers: &Answers,
    refused: impl FnOnce(String) -> ImportError,
) -> ImportError {
    let ModelError::Manifest { key, reason, .. } = error else {
        return refused(error.to_string());
    };
    let names = ANSWERS.iter().filter(|(known, _)| *known == key);
    let mut said = names.filter_map(|(_, name)| Some((*name, said(answers, name)?)));
    let (name, why, text) = match said.next() {
        Some((name, said)) => (name, Why::Wrong, cannot_be(&said, &reason, "")),
        // It was the name of a file.
        None if key == "name" => {
            let text = format!("Its title; the name of its file cannot be one: {reason}.");
            ("title", Why::Unsaid, text)
        }
        None => return refused(format!("{key}: {reason}")),
    };
    ImportError::Missing {
        questions: vec![Question {
            name: name.to_owned(),
            why,
            text,
            allowed: Vec::new(),
        }],
    }
}

fn said(answers: &Answers, name: &str) -> Option<String> {
    match name {
        "id" => answers.id.clone(),
        "title" => answers.title.clone(),
        "license" => answers.license.clone(),
        "attribution" => answers.attribution.clone(),
        "trained_on" => answers.trained_on.clone(),
        "consent" => answers.consent.clone(),
        "source_url" => answers.source_url.clone(),
        "tags" if !answers.tags.is_empty() => Some(answers.tags.join(", ")),
        name => answers.facts.get(name).cloned(),
    }
}
