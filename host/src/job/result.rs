use serde::{Deserialize, Serialize};

use super::ChainItem;

/// What a finished job has to show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobResult {
    /// The files that were published.
    pub files: Vec<ResultFile>,
    /// Every effect that ran, in order, `pre` before `post`.
    pub effects: Vec<EffectUsed>,
    /// The ONNX Runtime execution provider that ran the model, such as `cpu`.
    pub provider: String,
    /// The peak guard's gain in dB (negative), when it had to act.
    pub gain_db: Option<f64>,
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
