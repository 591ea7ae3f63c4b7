use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// What a voice's mean F0 may be, in Hz.
pub const MEAN_F0_HZ: RangeInclusive<f64> = 20.0..=2_000.0;

/// Facts about a voice.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voice {
    /// Words to search for.
    pub tags: Vec<String>,
    /// Whether it is an instrument rather than a human voice.
    pub instrument: bool,
    /// Output samples per frame of 10 ms.
    pub upp: u32,
    /// Standard deviation of the prior noise.
    pub noise_scale: f64,
    /// Number of the speaker in the graph.
    pub speaker: i64,
    /// Id of the content package. A voice of RVC that names none takes the first one installed that gives the vectors that it was trained
    /// on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Leading channels of a content vector that retrieval may change.
    pub content_dim: u32,
    /// Trailing channels that carry loudness.
    pub energy_channels: u32,
    /// Id of the f0 package, or `pyin` for the method without a model. A voice of RVC that names none takes any installed one, and that
    /// method when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub f0: Option<String>,
    /// RMS that the decoder speaks at when its input is at the content package's level; full scale is 1. 0 in RVC's family,
    /// where it is not known.
    #[serde(default)]
    pub level_rms: f64,
    /// Mean pitch of the voice; 0 in RVC's family when it is not known.
    #[serde(default)]
    pub mean_f0_hz: f64,
}

/// The retrieval index: a matrix of content vectors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexFormat {
    /// Number of vectors.
    pub rows: u64,
    /// Length of a vector.
    pub dim: u32,
    /// Element type in the file: little-endian floats, row after row.
    pub dtype: IndexElement,
    /// Number of nearest vectors that are mixed.
    pub k: u32,
    /// How they are weighted.
    pub weighting: IndexWeighting,
    /// The voices of a blend, whose vectors are stored one after another; empty for a voice of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<IndexPart>,
    /// How the rows are divided, when only the nearest cells are searched (FAISS's `IVF`). Absent when all rows are searched, and where
    /// there are parts, which have cells of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<IndexCells>,
    /// The squared distance up to which retrieval takes full effect; from twice as far on it has none. Absent when it always has, as in
    /// RVC, and where there are parts, which have reaches of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<f64>,
}

/// Cells that the rows of an index, or of one of its parts, are divided into; the rows are sorted by cell. In the file, all rows are
/// followed by the centres of the cells as 32-bit floats, row after row, and the number of rows in each cell as unsigned 32-bit integers;
/// several parts follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexCells {
    /// Number of cells.
    pub count: u32,
    /// Number of nearest cells that are searched.
    pub probe: u32,
}

impl IndexCells {
    /// Bytes that they take in the file of an index whose vectors have `dim` numbers.
    #[must_use]
    pub fn bytes(&self, dim: u32) -> u64 {
        u64::from(self.count) * (u64::from(dim) * 4 + 4)
    }
}

/// The vectors of one voice of a blend. They are searched separately, and the result is weighted by the share.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexPart {
    /// Number of vectors.
    pub rows: u64,
    /// The voice's share in the blend, over 0 and at most 1. The shares missing from 1 belong to voices without an index.
    pub share: f64,
    /// Number of nearest vectors that are mixed.
    pub k: u32,
    /// How its rows are divided, as those of a whole index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<IndexCells>,
    /// As that of a whole index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<f64>,
}

impl IndexFormat {
    /// The parts; a voice of its own is its only part.
    #[must_use]
    pub fn shelves(&self) -> Vec<IndexPart> {
        if self.parts.is_empty() {
            return vec![IndexPart {
                rows: self.rows,
                share: 1.0,
                k: self.k,
                cells: self.cells,
                reach: self.reach,
            }];
        }
        self.parts.clone()
    }

    /// Bytes that the cells of all parts take in the file, after the rows.
    #[must_use]
    pub(crate) fn cell_bytes(&self) -> u64 {
        let cells = self.shelves().into_iter().filter_map(|part| part.cells);
        cells.map(|cells| cells.bytes(self.dim)).sum()
    }
}

/// Element type of an index file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexElement {
    /// 16-bit float.
    F16,
    /// 32-bit float.
    F32,
}

impl IndexElement {
    /// Bytes of a number.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::F16 => 2,
            Self::F32 => 4,
        }
    }
}

/// How the nearest vectors are weighted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexWeighting {
    /// The square of the inverse of the squared distance, as RVC does.
    InverseSquare,
}

/// Facts about a content encoder.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// Length of a content vector, loudness channels included; of the first output, when there are several.
    pub dim: u32,
    /// Vectors per second; 50.
    pub rate_hz: u32,
    /// Context that the encoder needs on both sides of what it encodes.
    pub context_s: f64,
    /// The layer that the vectors come from, for encoders of the `HuBERT` kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<u32>,
    /// Whether the encoder's last projection has made them shorter.
    #[serde(default, skip_serializing_if = "is_false")]
    pub projected: bool,
    /// How many vectors a sound gives.
    #[serde(default)]
    pub framing: Framing,
    /// Which encoder it is, as [`encoder_identity`](crate::encoder_identity) names them; none where nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// For an encoder for live conversions: which encoder it replaces, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveContent>,
    /// What each output gives, when there are several, or when the graph takes the number of the layer.
    #[serde(default, rename = "output", skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<ContentOutput>,
}

/// Facts about a speaker encoder.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeakerFacts {
    /// Numbers of a vector.
    pub dim: u32,
    /// Length of its input in samples.
    pub window: u32,
    /// Samples from the start of one window to that of the next.
    pub step: u32,
}

/// An encoder that turns a short window of sound into the vectors that another one gives for a whole recording.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveContent {
    /// The id of that other encoder.
    pub of: String,
    /// Vectors of a window: it was trained on windows of exactly this length.
    pub vectors: u32,
    /// The first vector of a window that it was trained to give; those before it are only context.
    pub first: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(value: &bool) -> bool {
    !value
}

/// How many vectors of content a sound of L samples gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Framing {
    /// L / 320: the encoder pads its first and last windows.
    #[default]
    Whole,
    /// floor((L - 400) / 320) + 1: only windows inside the sound count, as in `HuBERT`.
    Inside,
}

/// An output of a content encoder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContentOutput {
    /// Name of the tensor.
    pub tensor: String,
    /// Length of a vector.
    pub dim: u32,
    /// The layer that the vectors come from; absent when the graph takes the number of the layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<u32>,
    /// Whether the encoder's last projection has made them shorter.
    #[serde(default, skip_serializing_if = "is_false")]
    pub projected: bool,
}

/// The level that the input is brought to.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Normalize {
    /// RMS over the sounding parts of a track; full scale is 1.
    pub rms: f64,
}

/// Facts about an F0 estimator: its spectrogram and its pitch bins. Fields that a family does not use are 0.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct F0 {
    /// Samples between frames; 160.
    pub hop: u32,
    /// Length of the Fourier transform and of its window, or of a frame of sound.
    #[serde(default)]
    pub n_fft: u32,
    /// Number of mel bands.
    #[serde(default)]
    pub mels: u32,
    /// Lower edge of the lowest band.
    #[serde(default)]
    pub fmin_hz: f64,
    /// Upper edge of the highest band.
    #[serde(default)]
    pub fmax_hz: f64,
    /// The mel formula.
    #[serde(default)]
    pub mel_scale: MelScale,
    /// How the bands are scaled.
    #[serde(default)]
    pub mel_norm: MelNorm,
    /// The least magnitude before the logarithm; smaller ones are raised to it.
    #[serde(default)]
    pub log_floor: f64,
    /// Number of pitch bins.
    #[serde(default)]
    pub bins: u32,
    /// Cents over 10 Hz of the first bin.
    #[serde(default)]
    pub cents_base: f64,
    /// Cents between bins.
    #[serde(default)]
    pub cents_step: f64,
    /// Salience below which a frame is unvoiced.
    pub threshold: f64,
    /// Context that the estimator needs on both sides.
    pub context_s: f64,
    /// Added to the squared magnitudes before the root, as FCPE does (1e-9).
    #[serde(default)]
    pub power_floor: f64,
    /// How many samples before the frame the first window begins; half a window, so that frames are centred, when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead: Option<u32>,
    /// Whether each frame of sound is brought to mean 0 and deviation 1 before it goes into the graph (CREPE, unless the graph does so
    /// itself).
    #[serde(default)]
    pub standardize: bool,
    /// The number of frames that the graph takes is a multiple of this.
    #[serde(default = "one")]
    pub pad_multiple: u32,
    /// For an estimator for live conversions: which estimator it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<LiveF0>,
    /// How the pitch is decoded from the salience.
    #[serde(default)]
    pub decode: Decode,
    /// Whether octave errors and gaps are repaired against the sound itself. If not, the result is exactly that of the graph and the
    /// decoding.
    #[serde(default = "yes")]
    pub repair: bool,
}

/// An estimator that gives for a short window of sound what another one gives for a whole recording.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveF0 {
    /// The id of that other estimator.
    pub of: String,
    /// How many frames at the end of a window it was trained to give.
    pub frames: u32,
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

/// How the pitch is decoded from the salience of pitch bins. Unless a variant says otherwise, it is the mean of the nine bins around the
/// best one, weighted by salience. The variants differ at the ends of the range and in what the threshold means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decode {
    /// Bins beyond the ends count as nothing; frames up to the threshold are unvoiced. RMVPE's.
    #[default]
    LocalAverage,
    /// Bins beyond the ends repeat the end; frames up to the threshold are unvoiced. FCPE's `local_argmax`.
    LocalArgmax,
    /// As `local-average`, for CREPE: voiced where the median of three saliences reaches the threshold; the pitch is the mean of three
    /// frames.
    Smoothed,
    /// As `smoothed`, but the pitch is the middle of a bin on the most likely path through 512 frames, and its salience that of this bin:
    /// CREPE as RVC calls it through torchcrepe. Only for graphs that take frames.
    Viterbi,
}

/// The mel formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MelScale {
    /// 2595 log10(1 + f/700).
    #[default]
    Htk,
    /// Linear up to 1,000 Hz, logarithmic above, as in Slaney's toolbox.
    Slaney,
}

/// How mel bands are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MelNorm {
    /// Each triangle has the area of one hertz.
    #[default]
    Slaney,
}

/// How sound is cut into segments for the decoder.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentLengths {
    /// Length of a segment's own sound.
    pub core_s: f64,
    /// Context on both sides.
    pub context_s: f64,
    /// Length of the cross-fade of neighbours.
    pub crossfade_s: f64,
}

/// A voice that is part of a blend, and what it brings along. Blends among the parts are resolved into their own parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlendSource {
    /// Id of its package.
    pub id: String,
    /// Its title when it was blended.
    pub name: String,
    /// Its version when it was blended.
    pub version: String,
    /// Its share of the weights, over 0 and at most 1.
    pub share: f64,
    /// Licence of its files.
    pub license: String,
    /// Who must be named.
    pub attribution: String,
    /// What it was trained on.
    pub trained_on: String,
    /// How the owner of the voice agreed, or why nobody has to.
    pub consent: String,
    /// Where it came from.
    #[serde(default)]
    pub source_url: Option<String>,
}
