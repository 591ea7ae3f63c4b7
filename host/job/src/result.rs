use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ChainItem, InputWarning, Succession};

/// What a finished job has to show.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JobResult {
    /// The files that were published.
    pub files: Vec<ResultFile>,
    /// Every effect that ran, in order, `pre` before `post`.
    pub effects: Vec<EffectUsed>,
    /// The model packages that ran.
    #[serde(default)]
    pub models: Vec<ModelUsed>,
    /// The ONNX Runtime execution provider that ran the model, such as `cpu`.
    pub provider: String,
    /// The peak guard's gain in dB (negative), when it had to act.
    pub gain_db: Option<f64>,
    /// How many channels the recording had, when it was folded down to fewer.
    #[serde(default)]
    pub folded_from: Option<u32>,
    /// Length of the result in seconds.
    pub duration_s: f64,
    /// How loud the recording was.
    #[serde(default)]
    pub input_loudness: Option<Measured>,
    /// How loud each sound of the result is, by the role of its main file.
    #[serde(default)]
    pub loudness: Vec<(FileRole, Measured)>,
    /// What was wrong with recordings that were accepted all the same.
    #[serde(default)]
    pub warnings: Vec<InputWarning>,
    /// Voices that replaced earlier ones which the job names.
    #[serde(default)]
    pub successions: Vec<Succession>,
    /// Semitones that would bring the recording into the voice's register; conversions only, where it could be told.
    #[serde(default)]
    pub suggested_pitch_shift: Option<f64>,
    /// The time the job took; none in a worker's report, and in results from before it was kept.
    #[serde(default)]
    pub timings: Option<Box<Timings>>,
}

/// The time that a job took of its worker.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// From the order to its end, in seconds.
    pub wall_s: f64,
    /// The processor time of each part of the work, in thread seconds, summed over all threads.
    pub parts_s: BTreeMap<String, f64>,
}

/// How loud a sound is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The integrated loudness in LUFS, unless the sound is too quiet or too short to have any.
    pub integrated_lufs: Option<f64>,
    /// The true peak in dB of full scale; none of silence.
    pub true_peak_dbtp: Option<f64>,
}

/// A file of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultFile {
    /// What it is.
    pub role: FileRole,
    /// Where it lies in the result store, `/`-separated and ending in its true extension. In a worker's report: the
    /// name of the file in the scratch folder.
    pub key: String,
    /// What is in it; none while it is still to be made from the lossless file of the same sound.
    #[serde(flatten)]
    pub content: Option<FileContent>,
}

/// What is in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileContent {
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of it, lower-case hex; also its strong `ETag`.
    pub sha256: String,
    /// CRC-32 of it, which archives store before the content; none in results from before it was kept.
    #[serde(default)]
    pub crc32: Option<u32>,
}

impl JobResult {
    /// The file that the MP3 under `key` is to be made from: the one that holds the same sound without loss. None where no file with this
    /// key is still to be made.
    #[must_use]
    pub fn source_of(&self, key: &str) -> Option<&ResultFile> {
        let unmade = |file: &&ResultFile| file.key == key && file.content.is_none();
        let role = self.files.iter().find(unmade)?.role.lossless()?;
        let files = self.files.iter();
        files
            .filter(|file| file.content.is_some())
            .find(|file| file.role == role)
    }
}

/// What a result file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    /// The converted voice, in the format that was asked for.
    Output,
    /// The converted voice, MP3.
    LossyOutput,
    /// The converted voice over the backing, in the format that was asked for.
    Recombined,
    /// The converted voice over the backing, MP3.
    LossyRecombined,
    /// Everything sung or spoken, in the format that was asked for.
    Vocal,
    /// Everything sung or spoken, MP3.
    LossyVocal,
    /// What is left without it, in the format that was asked for.
    Backing,
    /// What is left without it, MP3.
    LossyBacking,
    /// A stem, in the format that was asked for.
    Stem(Stem),
    /// A stem, MP3.
    LossyStem(Stem),
    /// A file of the package of a voice that the job made.
    Package,
    /// A test of a voice in training, after so many steps.
    Heard(u32),
}

impl FileRole {
    /// The role of the main file that an MP3 goes with; `None` for all other files.
    #[must_use]
    fn lossless(self) -> Option<Self> {
        match self {
            Self::LossyOutput => Some(Self::Output),
            Self::LossyRecombined => Some(Self::Recombined),
            Self::LossyVocal => Some(Self::Vocal),
            Self::LossyBacking => Some(Self::Backing),
            Self::LossyStem(stem) => Some(Self::Stem(stem)),
            Self::Output
            | Self::Recombined
            | Self::Vocal
            | Self::Backing
            | Self::Stem(_)
            | Self::Package
            | Self::Heard(_) => None,
        }
    }
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
    /// The stems of a vocal separation.
    pub const OF_SEPARATION: [Self; 4] = [Self::Vocals, Self::Harmony, Self::Reverb, Self::Backing];

    /// Those stems that need what is sung to be taken apart.
    pub(crate) const OF_VOCALS: [Self; 3] = [Self::Vocals, Self::Harmony, Self::Reverb];

    /// The stems of a split.
    pub const OF_SPLIT: [Self; 5] = [
        Self::Vocals,
        Self::Drums,
        Self::Bass,
        Self::Other,
        Self::Backing,
    ];

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

/// A model package that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ModelTold")]
pub struct ModelUsed {
    /// The package's id.
    pub id: String,
    /// The package's version; none in results from before it was kept.
    pub version: Option<String>,
}

/// How results say which package ran: at first they gave its id alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum ModelTold {
    Id(String),
    Whole { id: String, version: Option<String> },
}

impl From<ModelTold> for ModelUsed {
    fn from(told: ModelTold) -> Self {
        match told {
            ModelTold::Id(id) => Self { id, version: None },
            ModelTold::Whole { id, version } => Self { id, version },
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_still_to_be_made_is_told_by_what_it_does_not_say() {
        let made = r#"{"role": "output", "key": "a.wav", "bytes": 3, "sha256": "ab"}"#;
        let made: ResultFile = serde_json::from_str(made).expect("as it was before");
        let content = made.content.expect("it is there");
        assert_eq!((content.bytes, content.crc32), (3, None));
        let unmade = ResultFile {
            role: FileRole::LossyStem(Stem::Bass),
            key: "a.mp3".to_owned(),
            content: None,
        };
        let written = serde_json::to_string(&unmade).expect("JSON");
        assert_eq!(written, r#"{"role":{"lossy_stem":"bass"},"key":"a.mp3"}"#);
        let read: ResultFile = serde_json::from_str(&written).expect("what was written");
        assert_eq!(read, unmade);
    }

    #[test]
    fn results_from_before_versions_were_kept_can_still_be_read() {
        let told = r#"["vocalhost.stems-1", {"id": "vocalhost.lead-1", "version": "1.1.0"}]"#;
        let models: Vec<ModelUsed> = serde_json::from_str(told).expect("both forms");
        let versions: Vec<_> = models
            .iter()
            .map(|model| model.version.as_deref())
            .collect();
        assert_eq!(versions, [None, Some("1.1.0")]);
        let written = serde_json::to_string(&models).expect("JSON");
        let read: Vec<ModelUsed> = serde_json::from_str(&written).expect("what was written");
        assert_eq!(read, models);
    }
}
