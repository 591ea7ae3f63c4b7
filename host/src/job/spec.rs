use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The kinds of job, each with a queue of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobKind {
    /// A recording in another voice.
    VoiceConversion,
}

impl JobKind {
    /// Every kind, in the order in which they are shown.
    pub const ALL: [Self; 1] = [Self::VoiceConversion];

    /// The name that is stored and logged.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::VoiceConversion => "voice-conversion",
        }
    }

    /// The kind that was stored under `name`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// What a job is to do. A `JobSpec` that exists is valid: the parser of requests is the only one who makes it, and
/// nobody checks it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum JobSpec {
    /// A voice conversion.
    VoiceConversion(ConversionSpec),
}

impl JobSpec {
    /// The kind of this job.
    #[must_use]
    pub fn kind(&self) -> JobKind {
        match self {
            Self::VoiceConversion(_) => JobKind::VoiceConversion,
        }
    }

    /// Every effect of the job, in the order in which they run.
    pub fn effects(&self) -> impl Iterator<Item = &ChainItem> {
        match self {
            Self::VoiceConversion(spec) => spec.pre.iter().chain(&spec.post),
        }
    }
}

/// A voice conversion, decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversionSpec {
    /// The voice's number in the catalogue.
    pub voice_model_id: i64,
    /// Share of retrieved features, 0 to 1.
    pub conversion_strength: f64,
    /// Share of the model's own loudness against the source's envelope, 0 to 1.
    pub model_volume_mix: f64,
    /// Semitones, -24 to 24.
    pub pitch_shift: f64,
    /// Seed of every random number the conversion draws.
    pub seed: u64,
    /// Effects on the input, in order.
    pub pre: Chain,
    /// Effects on the output, in order.
    pub post: Chain,
}

/// Effects in the order in which they run.
pub type Chain = Vec<ChainItem>;

/// One effect of a chain, pinned to the component that was newest when the job was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChainItem {
    /// The effect's id, such as `vocalhost.noise-gate`.
    pub id: String,
    /// The effect's semantic version.
    pub version: String,
    /// SHA-256 of the component, lower-case hex.
    pub digest: String,
    /// Parameters that were given, by parameter id; the others keep their default.
    pub settings: BTreeMap<String, SettingValue>,
}

/// A parameter's value, of the type that the effect's descriptor asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SettingValue {
    /// On or off.
    Toggle(bool),
    /// A number in the parameter's unit.
    Number(f64),
    /// The id of an option.
    Choice(String),
}
