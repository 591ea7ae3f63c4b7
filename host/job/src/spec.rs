use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{CleanStep, Output, Stem, Succession, TrainingSpec};

/// The kinds of job, each with a queue of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JobKind {
    /// A recording in another voice.
    VoiceConversion,
    /// What is sung in a recording, and the rest.
    VocalSeparation,
    /// The instruments of a recording.
    StemSplit,
    /// A voice out of others.
    VoiceBlend,
    /// A voice out of recordings of it.
    VoiceTraining,
}

impl JobKind {
    /// Every kind, in the order in which they are shown.
    pub const ALL: [Self; 5] = [
        Self::VoiceConversion,
        Self::VocalSeparation,
        Self::StemSplit,
        Self::VoiceBlend,
        Self::VoiceTraining,
    ];

    /// The name that is stored and logged.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::VoiceConversion => "voice-conversion",
            Self::VocalSeparation => "vocal-separation",
            Self::StemSplit => "stem-split",
            Self::VoiceBlend => "voice-blend",
            Self::VoiceTraining => "voice-training",
        }
    }

    /// The kind that was stored under `name`.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// What a job is to do. A `JobSpec` that exists is valid: only the parser of requests makes one, and nobody checks it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum JobSpec {
    /// A voice conversion.
    VoiceConversion(ConversionSpec),
    /// A vocal separation.
    VocalSeparation(SeparationSpec),
    /// A stem split.
    StemSplit(SeparationSpec),
    /// A voice blend.
    VoiceBlend(BlendSpec),
    /// A training of a voice.
    VoiceTraining(TrainingSpec),
}

impl JobSpec {
    /// The kind of this job.
    #[must_use]
    pub fn kind(&self) -> JobKind {
        match self {
            Self::VoiceConversion(_) => JobKind::VoiceConversion,
            Self::VocalSeparation(_) => JobKind::VocalSeparation,
            Self::StemSplit(_) => JobKind::StemSplit,
            Self::VoiceBlend(_) => JobKind::VoiceBlend,
            Self::VoiceTraining(_) => JobKind::VoiceTraining,
        }
    }

    /// Every effect of the job, in the order in which they run.
    pub fn effects(&self) -> impl Iterator<Item = &ChainItem> {
        let (pre, post): (&[ChainItem], &[ChainItem]) = match self {
            Self::VoiceConversion(spec) => (&spec.pre, &spec.post),
            Self::VocalSeparation(spec) | Self::StemSplit(spec) => (&spec.pre, &spec.post),
            Self::VoiceBlend(_) | Self::VoiceTraining(_) => (&[], &[]),
        };
        pre.iter().chain(post)
    }

    /// Whether a recording that is cut or damaged is an error.
    #[must_use]
    pub fn is_strict(&self) -> bool {
        match self {
            Self::VoiceConversion(spec) => spec.strict_input,
            Self::VocalSeparation(spec) | Self::StemSplit(spec) => spec.strict_input,
            Self::VoiceBlend(_) | Self::VoiceTraining(_) => false,
        }
    }

    /// The voices of this job that stood for earlier ones when the job was accepted.
    #[must_use]
    pub fn successions(&self) -> &[Succession] {
        match self {
            Self::VoiceConversion(spec) => &spec.successions,
            Self::VocalSeparation(_) | Self::StemSplit(_) => &[],
            Self::VoiceBlend(spec) => &spec.successions,
            Self::VoiceTraining(spec) => &spec.successions,
        }
    }

    /// The numbers of the voice models that the job works with.
    #[must_use]
    pub fn voice_models(&self) -> Vec<i64> {
        match self {
            Self::VoiceConversion(spec) => vec![spec.voice_model_id],
            Self::VocalSeparation(_) | Self::StemSplit(_) => Vec::new(),
            Self::VoiceBlend(spec) => spec.parts.iter().map(|part| part.model_id).collect(),
            Self::VoiceTraining(spec) => spec.bases.clone(),
        }
    }

    /// Whether any one of its voices is enough for the job.
    #[must_use]
    pub fn needs_any_voice(&self) -> bool {
        matches!(self, Self::VoiceTraining(spec) if spec.base.is_none())
    }

    /// Notes the number of the voice that the job makes.
    pub fn set_made_voice(&mut self, id: i64) {
        match self {
            Self::VoiceBlend(spec) => spec.output_model_id = id,
            Self::VoiceTraining(spec) => spec.output_model_id = id,
            Self::VoiceConversion(_) | Self::VocalSeparation(_) | Self::StemSplit(_) => {}
        }
    }
}

/// A voice conversion, decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConversionSpec {
    /// The voice's number in the catalogue.
    pub voice_model_id: i64,
    /// The voice's title when the job was accepted, which its record shows when the voice is gone; none in jobs from before it was
    /// kept.
    #[serde(default)]
    pub voice_title: Option<String>,
    /// The voice and the earlier one that it stood for when the job was accepted, if there was one.
    #[serde(default)]
    pub successions: Vec<Succession>,
    /// Share of retrieved features, 0 to 1.
    pub conversion_strength: f64,
    /// Share of the model's own loudness against the source's envelope, 0 to 1.
    pub model_volume_mix: f64,
    /// Semitones, -24 to 24.
    pub pitch_shift: f64,
    /// Whether the pitch is also moved into the voice's register.
    #[serde(default)]
    pub auto_pitch: bool,
    /// Seed of every random number the conversion draws.
    pub seed: u64,
    /// Whether the vocals are taken out of the recording, converted, and put over the rest of it again.
    #[serde(default)]
    pub isolate_vocals: bool,
    /// What is taken out of the voice before it is converted, in the order in which that is done.
    #[serde(default)]
    pub clean: Vec<CleanStep>,
    /// The id of an F0 estimator, or `pyin`; none is the voice's own, or the best that is there.
    #[serde(default)]
    pub f0_method: Option<String>,
    /// How much of what retrieval changed reaches unvoiced frames, 0 to 0.5; none leaves it to the voice.
    #[serde(default)]
    pub protect: Option<f64>,
    /// Number of the speaker to use; none leaves it to the voice.
    #[serde(default)]
    pub speaker: Option<i64>,
    /// Whether the voice is gated where the recording is silent; none leaves it to the voice's family.
    #[serde(default)]
    pub silence_gate: Option<bool>,
    /// Effects on the input, in order.
    pub pre: Chain,
    /// Effects on the output, in order.
    pub post: Chain,
    /// What the files come as.
    #[serde(default)]
    pub output: Output,
    /// Whether a recording that is cut or damaged is an error.
    #[serde(default)]
    pub strict_input: bool,
}

/// A vocal separation or a stem split, decided.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SeparationSpec {
    /// Effects on the mix, in order.
    pub pre: Chain,
    /// Effects on each result, in order.
    pub post: Chain,
    /// What the files come as.
    #[serde(default)]
    pub output: Output,
    /// The stems that are wanted; `None` are all.
    #[serde(default)]
    pub stems: Option<Vec<Stem>>,
    /// Whether a recording that is cut or damaged is an error.
    #[serde(default)]
    pub strict_input: bool,
}

impl SeparationSpec {
    /// Whether a stem is wanted.
    #[must_use]
    pub fn wants(&self, stem: Stem) -> bool {
        self.stems
            .as_ref()
            .is_none_or(|stems| stems.contains(&stem))
    }

    /// Whether any wanted stem needs what is sung to be taken apart.
    #[must_use]
    pub fn wants_lead(&self) -> bool {
        Stem::OF_VOCALS.into_iter().any(|stem| self.wants(stem))
    }
}

/// A voice blend, decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlendSpec {
    /// The title of the new voice.
    pub title: String,
    /// The voices that it is made of, two to four of them, and how much of each; the shares sum to 1.
    pub parts: Vec<BlendPart>,
    /// The voices of this blend that stood for earlier ones when the job was accepted.
    #[serde(default)]
    pub successions: Vec<Succession>,
    /// The number of the new voice in the catalogue.
    pub output_model_id: i64,
    /// The id of its package.
    pub output_package_id: String,
}

/// A voice in a blend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlendPart {
    /// Its number in the catalogue.
    pub model_id: i64,
    /// What it was called when the blend was asked for; specifications of earlier releases do not say it.
    #[serde(default)]
    pub title: Option<String>,
    /// The tags that it had then; specifications of earlier releases do not say them.
    #[serde(default)]
    pub tags: Option<Vec<String>>,
    /// Its share, 0 to 1.
    pub share: f64,
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
