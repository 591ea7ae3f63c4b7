use serde::{Deserialize, Serialize};

/// Facts about a voice.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voice {
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Whether it is an instrument rather than a human voice.
    pub instrument: bool,
    /// Output samples per frame of 10 ms.
    pub upp: u32,
    /// Standard deviation of the prior noise.
    pub noise_scale: f64,
    /// Number of the speaker in the graph.
    pub speaker: i64,
    /// Id of the content package.
    pub content: String,
    /// Leading channels of a content vector that the index may touch.
    pub content_dim: u32,
    /// Trailing channels that carry loudness.
    pub energy_channels: u32,
    /// Id of the f0 package.
    pub f0: String,
    /// RMS that the decoder speaks at when its input is at the content package's level; full scale is 1.
    pub level_rms: f64,
    /// Mean pitch of the voice.
    pub mean_f0_hz: f64,
}

/// The retrieval index: a matrix of content vectors.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexFormat {
    /// Number of vectors.
    pub rows: u64,
    /// Length of a vector.
    pub dim: u32,
    /// Element type in the file: little-endian half floats, row after row.
    pub dtype: IndexElement,
    /// Number of nearest vectors that are mixed.
    pub k: u32,
    /// How they are weighted.
    pub weighting: IndexWeighting,
    /// The voices of a blend, whose vectors lie one behind the other; empty for a voice of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<IndexPart>,
}

/// The vectors of one voice of a blend. They are searched on their own, and what is found counts by the share.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexPart {
    /// Number of vectors.
    pub rows: u64,
    /// The voice's share in the blend, over 0 and at most 1. What the parts leave of 1 belongs to voices without an index.
    pub share: f64,
    /// Number of nearest vectors that are mixed.
    pub k: u32,
}

impl IndexFormat {
    /// The parts; a voice of its own is the one part of itself.
    #[must_use]
    pub fn shelves(&self) -> Vec<IndexPart> {
        if self.parts.is_empty() {
            let (rows, k) = (self.rows, self.k);
            return vec![IndexPart {
                rows,
                share: 1.0,
                k,
            }];
        }
        self.parts.clone()
    }
}

/// Element type of an index file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexElement {
    /// 16-bit float.
    F16,
}

impl IndexElement {
    /// Bytes of a number.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::F16 => 2,
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
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// Length of a content vector, loudness channels included.
    pub dim: u32,
    /// Vectors per second; 50.
    pub rate_hz: u32,
    /// Sound that the encoder wants to hear on both sides of what it encodes.
    pub context_s: f64,
}

/// The level that the input is brought to.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Normalize {
    /// RMS over the sounding parts of a track; full scale is 1.
    pub rms: f64,
}

/// Facts about an F0 estimator: its spectrogram and its pitch bins.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct F0 {
    /// Samples between frames; 160.
    pub hop: u32,
    /// Length of the Fourier transform and of its window.
    pub n_fft: u32,
    /// Number of mel bands.
    pub mels: u32,
    /// Lower edge of the lowest band.
    pub fmin_hz: f64,
    /// Upper edge of the highest band.
    pub fmax_hz: f64,
    /// The mel formula.
    pub mel_scale: MelScale,
    /// How the bands are scaled.
    pub mel_norm: MelNorm,
    /// Magnitudes below this are lifted to it before the logarithm.
    pub log_floor: f64,
    /// Number of pitch bins.
    pub bins: u32,
    /// Cents over 10 Hz of the first bin.
    pub cents_base: f64,
    /// Cents between bins.
    pub cents_step: f64,
    /// Salience below which a frame is unvoiced.
    pub threshold: f64,
    /// Sound that the estimator wants to hear on both sides.
    pub context_s: f64,
}

/// The mel formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MelScale {
    /// 2595 log10(1 + f/700).
    Htk,
}

/// How mel bands are scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MelNorm {
    /// Each triangle has the area of one hertz.
    Slaney,
}

/// How long sound is cut for the decoder.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentLengths {
    /// What a segment contributes.
    pub core_s: f64,
    /// What it hears besides, on both sides.
    pub context_s: f64,
    /// Over how long neighbours are cross-faded.
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
