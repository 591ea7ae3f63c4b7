use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use vocalhost_model::Kind;

/// Why a model was not imported.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The files cannot be used.
    #[error("{}: {reason}", file.display())]
    Refused {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The files do not say everything, or what a person said cannot be taken.
    #[error("still to be said: {}", names(questions))]
    Missing {
        /// What has to be said, or said otherwise.
        questions: Vec<Question>,
    },
    /// It is a model of another kind than may be imported.
    #[error("is a model of the kind {}", kind.as_str())]
    NotWanted {
        /// What it is.
        kind: Kind,
    },
    /// A file could not be read or written.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Something that a person has to say, or to say otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The name to answer it by.
    pub name: String,
    /// Why it is asked.
    pub why: Why,
    /// What it asks, after what is wrong with the answer where there was one.
    pub text: String,
    /// The answers that are possible, when they can be listed.
    pub allowed: Vec<String>,
}

/// Why something is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Why {
    /// Neither the files nor a person said it.
    Unsaid,
    /// A person said what it cannot be.
    Wrong,
    /// A person said it, but such a model has no fact of this name.
    Unknown,
}

impl Question {
    /// What it asks, with the possible answers.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self.allowed.as_slice() {
            [] => self.text.clone(),
            allowed => format!("{} (one of {})", self.text, allowed.join(", ")),
        }
    }
}

fn names(questions: &[Question]) -> String {
    let names: Vec<&str> = questions
        .iter()
        .map(|question| question.name.as_str())
        .collect();
    names.join(", ")
}
