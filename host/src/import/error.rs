use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

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
    /// The files do not say everything.
    #[error("the files do not say: {}", names(questions))]
    Missing {
        /// What has to be said.
        questions: Vec<Question>,
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

/// Something that only a person can know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// The name to answer it by.
    pub name: String,
    /// What it asks.
    pub text: String,
    /// The answers that are possible, when they can be listed.
    pub allowed: Vec<String>,
}

fn names(questions: &[Question]) -> String {
    let names: Vec<&str> = questions
        .iter()
        .map(|question| question.name.as_str())
        .collect();
    names.join(", ")
}
