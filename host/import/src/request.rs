use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ImportError;
use vocalhost_model::{Family, Kind};

/// What to import.
#[derive(Debug)]
pub struct ImportRequest<'a> {
    /// The files of one model, in any order: a graph or a checkpoint, and what belongs to it.
    pub files: &'a [PathBuf],
    /// What a person said about it.
    pub answers: &'a Answers,
    /// An empty folder, which becomes the package.
    pub target: &'a Path,
    /// The day of the import, `YYYY-MM-DD`.
    pub today: &'a str,
    /// What it may be, if not anything: others are refused as soon as it is known what they are.
    pub only: Option<Kind>,
    /// The identities of the content encoders that are installed: who trained on one of them need not be asked for it.
    pub identities: &'a [String],
}

impl ImportRequest<'_> {
    /// Refuses a model of a kind that is not wanted.
    pub(super) fn check_wanted(&self, kind: Kind) -> Result<(), ImportError> {
        match self.only {
            Some(only) if only != kind => Err(ImportError::NotWanted { kind }),
            _ => Ok(()),
        }
    }

    /// What one of its files is called where it comes from.
    pub(super) fn called(&self, file: &Path) -> PathBuf {
        let place = self.files.iter().position(|one| one == file);
        let called = place.and_then(|place| self.answers.called.get(place));
        match called.filter(|called| !called.is_empty()) {
            Some(called) => PathBuf::from(called),
            None => file.to_owned(),
        }
    }
}

/// What only a person can know of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Answers {
    /// The package's id; made of the title when it is not given.
    pub id: Option<String>,
    /// The title that people see.
    pub title: Option<String>,
    /// What to call it without one; otherwise that is the name of its file.
    #[serde(default)]
    pub untitled: Option<String>,
    /// What the files are called where they come from, in their order, if they lie under other names here; empty where that is not
    /// known.
    pub called: Vec<String>,
    /// The licence of the files.
    pub license: Option<String>,
    /// Who must be named.
    pub attribution: Option<String>,
    /// What the model was trained on.
    pub trained_on: Option<String>,
    /// How the owner of the voice agreed.
    pub consent: Option<String>,
    /// Where the model comes from.
    pub source_url: Option<String>,
    /// Tags of a voice.
    pub tags: Vec<String>,
    /// Facts about the model itself, by the name of the question.
    pub facts: BTreeMap<String, String>,
}

/// What has become of the files.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The package's id.
    pub id: String,
    /// The family that the model belongs to.
    pub family: Family,
    /// What was found, a sentence each, for whoever imports it.
    pub found: Vec<String>,
}
