use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use super::kind::Kind;
use super::rvc::Rvc;
use super::sections::{
    BlendSource, Content, F0, IndexFormat, Normalize, SegmentLengths, SpeakerFacts, Voice,
};
use super::separation::{
    Bag, BandsFormat, Chunk, EnsembleFacts, SeparatorFacts, Stems, StftFormat,
};

/// The contents of `package.toml`. Only [`Manifest::parse`] makes one, so every instance has passed all cross-checks; a blend's is written
/// and parsed again. Only voices are ever written, so fields of separators are not serialised.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the manifest format; 1.
    pub schema: u32,
    /// Unique name of the package: lower-case letters, digits, dots and hyphens.
    pub id: String,
    /// Title shown to people.
    pub name: String,
    /// Version of the package.
    pub version: String,
    /// What the package is for.
    pub kind: Kind,
    /// Which tensor contract and which arithmetic around it apply.
    pub family: Family,
    /// Licence of the package's files.
    pub license: String,
    /// Who must be named.
    pub attribution: String,
    /// What the model was trained on.
    pub trained_on: String,
    /// How the owner of the voice agreed, or why nobody has to.
    pub consent: String,
    /// Date of creation, `YYYY-MM-DD`.
    pub created: String,
    /// When it was imported here, in microseconds since 1970; unique on a server. None for packages that came another way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported_us: Option<i64>,
    /// Where the package comes from.
    #[serde(default)]
    pub source_url: Option<String>,
    /// SHA-256, in lower-case hexadecimal, of the file that an import made it from; it shows when the same file comes again. With several
    /// files, that of the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_sha256: Option<String>,
    /// Every file of the package but the manifest, by its path inside the package.
    #[serde(default)]
    pub files: BTreeMap<String, FileEntry>,
    /// The sound that comes out (voice) or goes in (content, f0).
    pub audio: AudioFormat,
    /// The graph's inputs and outputs; none for an ensemble.
    #[serde(default, rename = "tensor")]
    pub tensors: Vec<TensorSpec>,
    /// Facts about a voice; voices only.
    #[serde(default)]
    pub voice: Option<Voice>,
    /// Facts about a voice of RVC; voices of that family only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rvc: Option<Rvc>,
    /// Facts about a speaker encoder; speaker encoders only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker: Option<SpeakerFacts>,
    /// The retrieval index; voices only.
    #[serde(default)]
    pub index: Option<IndexFormat>,
    /// Facts about a content encoder; content packages only.
    #[serde(default)]
    pub content: Option<Content>,
    /// The level that the input is brought to before the graph sees it.
    #[serde(default)]
    pub normalize: Option<Normalize>,
    /// Facts about an F0 estimator; f0 packages only.
    #[serde(default)]
    pub f0: Option<F0>,
    /// How sound is cut into segments for the graph; voices only.
    #[serde(default)]
    pub segment: Option<SegmentLengths>,
    /// The voices that a blend was made of; empty for a voice of its own.
    #[serde(default, rename = "blend", skip_serializing_if = "Vec::is_empty")]
    pub blended: Vec<BlendSource>,
    /// Facts about a separator; separators only.
    #[serde(default, skip_serializing)]
    pub separator: Option<SeparatorFacts>,
    /// The stems of a separator; separators only.
    #[serde(default, skip_serializing)]
    pub stems: Option<Stems>,
    /// The spectrograms that a separator's graph works on; separators only.
    #[serde(default, skip_serializing)]
    pub stft: Option<StftFormat>,
    /// The bands of such spectrograms, where each is transformed separately; separators only.
    #[serde(default, skip_serializing)]
    pub bands: Option<BandsFormat>,
    /// How recordings are cut and joined; separators only.
    #[serde(default, skip_serializing)]
    pub chunk: Option<Chunk>,
    /// The graphs of a package that has several; separators only.
    #[serde(default, skip_serializing)]
    pub bag: Option<Bag>,
    /// The members of an ensemble of separators.
    #[serde(default, skip_serializing)]
    pub ensemble: Option<EnsembleFacts>,
}

/// A package, and which version of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageVersion {
    /// The package's id.
    pub id: String,
    /// Its version.
    pub version: String,
}

/// Which tensor contract applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// RVC's tensor contract with a source-filter decoder.
    DdspRvc,
    /// RVC's own tensor contract and its own pipeline.
    Rvc,
    /// A wave goes in, content vectors come out.
    WaveContent,
    /// A log-mel spectrogram goes in, the salience of pitch bins comes out.
    SalienceF0,
    /// A wave goes in, the pitch itself comes out.
    WaveF0,
    /// Frames of a wave go in, the salience of pitch bins comes out: CREPE.
    FramesF0,
    /// A complex spectrogram goes in, those of the stems come out: MDX-Net.
    MdxNet,
    /// A wave goes in, those of the stems come out: Demucs with its transforms inside the graph, MDX23C and others.
    WaveToStems,
    /// A wave and its complex spectrogram go in; waves and spectrograms come out, which the host adds up: Demucs.
    DemucsSplit,
    /// A complex spectrogram goes in, complex masks or spectrograms come out: `RoFormer` models.
    RoformerSpec,
    /// Magnitudes go in, and magnitudes that divide up the mix come out: Spleeter.
    SpleeterMask,
    /// Magnitudes of several bands go in, and masks for them come out: UVR's VR models.
    BandMask,
    /// Other separators, whose estimates are combined into one.
    Ensemble,
    /// A window of a wave goes in, and a vector that identifies the speaker comes out.
    WaveSpeaker,
}

/// A file of the package.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// What the file is.
    pub role: FileRole,
    /// SHA-256 of its content, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
}

/// What a file of a package is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileRole {
    /// The ONNX graph.
    Graph,
    /// The retrieval index.
    Index,
    /// A picture of the voice.
    Picture,
    /// A recording of the voice.
    Demo,
    /// The model card.
    Card,
    /// A notice that has to travel with the package.
    Notice,
    /// Measurements of the graph from before it was published, as JSON.
    Metrics,
}

/// Rate and channels.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AudioFormat {
    /// Frames per second.
    pub sample_rate_hz: u32,
    /// Number of channels: 1, or 2 for a separator that processes both together.
    pub channels: u32,
}

/// One input or output of the graph.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TensorSpec {
    /// Whether it goes in or comes out.
    pub io: Direction,
    /// Its name in the graph.
    pub name: String,
    /// Its meaning.
    pub role: TensorRole,
    /// Its element type.
    pub dtype: ElementType,
    /// Its dimensions.
    pub shape: Vec<Dimension>,
    /// The order of its axes, such as `b (c k) f t`; separators only.
    #[serde(default)]
    pub layout: Option<String>,
}

/// Whether a tensor goes into the graph or comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Into the graph.
    In,
    /// Out of the graph.
    Out,
}

/// The meaning of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TensorRole {
    /// Content vectors: 100 per second for a decoder, 50 per second from an encoder.
    Content,
    /// Number of content frames.
    Length,
    /// Coarse pitch, 1 to 255.
    Pitch,
    /// Pitch in hertz, 0 where unvoiced.
    Pitchf,
    /// Number of the speaker.
    Speaker,
    /// Gaussian noise from the host.
    PriorNoise,
    /// Gaussian noise from the host for the sine source, a value for each output sample.
    SourceNoise,
    /// A vector that identifies the speaker.
    Embedding,
    /// Phase of the fundamental at the first frame, as a fraction of a period.
    Phase,
    /// Mono sound that goes in.
    SourceWave,
    /// A 1 for each input sample, for graphs that need it.
    Mask,
    /// Number of the layer whose output is wanted.
    Layer,
    /// Frames of sound that go in, `[T, samples]`.
    Frames,
    /// Log-mel spectrogram that goes in.
    Mel,
    /// Salience of the pitch bins that comes out.
    Salience,
    /// Salience below which a graph calls a frame unvoiced.
    Threshold,
    /// Pitch in hertz that comes out, 0 where unvoiced.
    F0,
    /// Mono sound that comes out.
    Audio,
    /// The mix, as a wave.
    MixWave,
    /// The mix, as complex spectra.
    MixSpec,
    /// The real part of the mix's spectra, in a tensor of its own.
    MixSpecRe,
    /// The imaginary part of the mix's spectra, in a tensor of its own.
    MixSpecIm,
    /// The magnitudes of the mix's spectra.
    MixMagnitude,
    /// The stems, as waves.
    StemsWave,
    /// The stems, as spectra or masks.
    StemsSpec,
    /// The real part of the stems' spectra or masks, in a tensor of its own.
    StemsSpecRe,
    /// The imaginary part of the stems' spectra or masks, in a tensor of its own.
    StemsSpecIm,
    /// The magnitudes of the stems' spectra.
    StemsMagnitude,
}

/// Element type of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ElementType {
    /// 16-bit float.
    F16,
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// 64-bit integer.
    I64,
}

/// A dimension: a number, or a letter for one that changes from run to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Dimension {
    /// Always this long.
    Fixed(u32),
    /// Changes from run to run.
    Symbol(String),
}

impl Manifest {
    /// Its package's id and version.
    #[must_use]
    pub fn package_version(&self) -> PackageVersion {
        PackageVersion {
            id: self.id.clone(),
            version: self.version.clone(),
        }
    }

    /// For a package that only listens in live conversions, the package that it replaces there.
    #[must_use]
    pub fn live_of(&self) -> Option<&str> {
        let content = self.content.as_ref().and_then(|own| own.live.as_ref());
        let f0 = self.f0.as_ref().and_then(|own| own.live.as_ref());
        let content = content.map(|live| live.of.as_str());
        content.or(f0.map(|live| live.of.as_str()))
    }

    /// Whether it estimates the pitch of recordings.
    #[must_use]
    pub fn is_estimator(&self) -> bool {
        self.kind == Kind::F0 && self.live_of().is_none()
    }

    /// Sort key by age: the date of creation, then the time of the import, and the id for those that were not imported.
    pub(super) fn age(&self) -> (&str, i64, &str) {
        (&self.created, self.imported_us.unwrap_or(0), &self.id)
    }

    /// Sets the current title and tags of its voice.
    pub fn rename(&mut self, title: &str, tags: Option<&[String]>) {
        title.clone_into(&mut self.name);
        if let (Some(voice), Some(tags)) = (&mut self.voice, tags) {
            voice.tags = tags.to_vec();
        }
    }

    /// The tensor of a role, if the graph has it.
    #[must_use]
    pub fn tensor(&self, io: Direction, role: TensorRole) -> Option<&TensorSpec> {
        self.tensors
            .iter()
            .find(|tensor| tensor.io == io && tensor.role == role)
    }

    /// Values of Gaussian noise per frame that a voice's graph takes; 0 if it takes none.
    #[must_use]
    pub(crate) fn prior_noise_rows(&self) -> usize {
        let noise = self.tensor(Direction::In, TensorRole::PriorNoise);
        match noise.and_then(|tensor| tensor.shape.get(1)) {
            Some(Dimension::Fixed(rows)) => *rows as usize,
            _ => 0,
        }
    }

    /// The first file of a role, by its path inside the package.
    #[must_use]
    pub fn file(&self, role: FileRole) -> Option<(&str, &FileEntry)> {
        self.files
            .iter()
            .find(|(_, entry)| entry.role == role)
            .map(|(name, entry)| (name.as_str(), entry))
    }
}
