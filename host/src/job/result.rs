use serde::{Deserialize, Serialize};

use super::ChainItem;

/// What a finished job has to show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobResult {
    /// The files that were published.
    pub files: Vec<ResultFile>,
    /// Every effect that ran, in order, `pre` before `post`.
    pub effects: Vec<EffectUsed>,
    /// The ids of the model packages that ran, other than the voice that the job names.
    #[serde(default)]
    pub models: Vec<String>,
    /// The ONNX Runtime execution provider that ran the model, such as `cpu`.
    pub provider: String,
    /// The peak guard's gain in dB (negative), when it had to act.
    pub gain_db: Option<f64>,
    /// How many channels the recording had, when it was folded down to fewer.
    #[serde(default)]
    pub folded_from: Option<u32>,
    /// Length of the result in seconds.
    pub duration_s: f64,
}

/// A file of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultFile {
    /// What it is.
    pub role: FileRole,
    /// Where it lies in the result store, `/`-separated and ending in its true extension. In a worker's report: the
    /// name of the file in the scratch folder.
    pub key: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its content, lower-case hex; also its strong `ETag`.
    pub sha256: String,
}

/// What a result file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    /// The converted voice, WAV.
    Output,
    /// The converted voice, MP3.
    LossyOutput,
    /// Everything sung or spoken, WAV.
    Vocal,
    /// Everything sung or spoken, MP3.
    LossyVocal,
    /// What is left without it, WAV.
    Backing,
    /// What is left without it, MP3.
    LossyBacking,
    /// A stem, WAV.
    Stem(Stem),
    /// A stem, MP3.
    LossyStem(Stem),
    /// A file of a blended voice's package.
    Package,
}

/// The stems of a separation or a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stem {
    /// The voice in front; in a split, everything sung or spoken.
    Vocals,
    /// Voices behind it.
    Harmony,
    /// The room that the voices are in.
    Reverb,
    /// Everything that is not sung or spoken.
    Backing,
    /// Drums and percussion.
    Drums,
    /// The bass.
    Bass,
    /// All other instruments.
    Other,
}

impl Stem {
    /// The `instrument` of the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Vocals => "vocals",
            Self::Harmony => "harmony",
            Self::Reverb => "reverb",
            Self::Backing => "backing",
            Self::Drums => "drums",
            Self::Bass => "bass",
            Self::Other => "other",
        }
    }
}

/// An effect that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectUsed {
    /// The effect's id.
    pub id: String,
    /// The effect's semantic version.
    pub version: String,
    /// SHA-256 of its component, lower-case hex.
    pub digest: String,
}

impl From<&ChainItem> for EffectUsed {
    fn from(item: &ChainItem) -> Self {
        Self {
            id: item.id.clone(),
            version: item.version.clone(),
            digest: item.digest.clone(),
        }
    }
}
