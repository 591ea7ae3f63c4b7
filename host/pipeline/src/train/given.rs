use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::clean::Cleaning;
use vocalhost_audio::AudioLimits;
use vocalhost_job::{Consent, Preset, Progress, TrainingStep};
use vocalhost_model::{Catalog, Runtime, Separator};

/// A recording that a voice is trained on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recording {
    /// Where it is.
    pub path: PathBuf,
    /// As the user calls it.
    pub name: String,
}

/// Everything a training works with.
pub struct Train<'a> {
    /// The title of the new voice.
    pub title: &'a str,
    /// Words to find it by.
    pub tags: &'a [String],
    /// The id of its package.
    pub package_id: &'a str,
    /// The number of the voice to start from; without one, the nearest of `bases`.
    pub base: Option<i64>,
    /// The folders of the voices that a training may start from, by number. Voices that are not of our own family are skipped.
    pub bases: &'a BTreeMap<i64, PathBuf>,
    /// The recordings.
    pub recordings: &'a [Recording],
    /// The separator that takes the vocals out of the recordings, when they have music.
    pub isolating: Option<&'a Separator>,
    /// What is taken out of the voice then.
    pub cleaning: &'a [Cleaning<'a>],
    /// How long it is trained.
    pub preset: Preset,
    /// The seed: the same seed gives the same voice.
    pub seed: u64,
    /// What was declared about the voice.
    pub consent: &'a Consent,
    /// Recordings of voices that are not to be trained.
    pub protected: &'a [PathBuf],
    /// The recording of the spoken consent, if there is one.
    pub spoken: Option<&'a Path>,
    /// The checkpoint of an earlier attempt, if there was one.
    pub checkpoint: Option<&'a Path>,
    /// Whether a checkpoint of another training is an error; otherwise it is ignored.
    pub goes_on_only: bool,
    /// A folder for the new package's files; the caller removes it.
    pub scratch: &'a Path,
    /// The inference library.
    pub runtime: &'a Runtime,
    /// Where the content encoder and the F0 estimator are.
    pub models: &'a Catalog,
    /// Threads of the analysis; the steps run on one.
    pub threads: usize,
    /// The longest recording to accept.
    pub limits: AudioLimits,
    /// Minutes of sound that are used at most, of all recordings together.
    pub most_minutes: u64,
}

/// What happens during a training.
pub enum TrainingReport<'a> {
    /// How far it is.
    Progress(Progress),
    /// After every ten steps.
    Step(TrainingStep),
    /// A file to go on from, in the scratch folder; the receiver may move it away.
    Checkpoint(&'a Path),
    /// A test conversion, in the scratch folder.
    Heard {
        /// After how many steps.
        step: u32,
        /// The recording.
        path: &'a Path,
    },
}
