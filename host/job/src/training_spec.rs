use serde::{Deserialize, Serialize};

use super::{CleanStep, Consent, Preset, Succession};

/// A training of a voice, decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingSpec {
    /// The title of the new voice.
    pub title: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The number of the voice that it starts from; none picks the one of `bases` that is nearest to the recordings.
    pub base: Option<i64>,
    /// The numbers of the voices that it may start from.
    pub bases: Vec<i64>,
    /// The voices among `bases` that stood for earlier ones when the job was accepted.
    #[serde(default)]
    pub successions: Vec<Succession>,
    /// How long it is trained.
    pub preset: Preset,
    /// Seed of every random number that the training draws.
    pub seed: u64,
    /// Whether the voice is to be taken out of recordings with music behind it.
    #[serde(default)]
    pub isolate_vocals: bool,
    /// What is taken out of the recordings first, in this order.
    #[serde(default)]
    pub clean: Vec<CleanStep>,
    /// What was declared about the voice.
    pub consent: Consent,
    /// Whether the recordings are kept as those of other jobs, rather than deleted once the voice is there.
    pub keep_recordings: bool,
    /// What its owner calls the recordings, in their order.
    pub recordings: Vec<String>,
    /// Whether nobody can use the voice before an operator has enabled it.
    pub review: bool,
    /// The number of the new voice in the catalogue.
    pub output_model_id: i64,
    /// The id of its package.
    pub output_package_id: String,
}

impl TrainingSpec {
    /// The most recordings that a voice is trained on.
    pub const MAX_RECORDINGS: usize = 30;
}
