use serde::{Deserialize, Serialize};

/// Facts about a voice of RVC, with the names and values of its checkpoints and its pipeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rvc {
    /// Which generation of the architecture it is.
    pub version: RvcVersion,
    /// Whether it takes the pitch.
    pub f0: bool,
    /// The speakers that the graph knows, when they have names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub speakers: Vec<Speaker>,
    /// A digest of what the graph computes apart from its weights, where known: voices whose digests differ cannot be blended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structure: Option<String>,
    /// How many speakers the graph knows, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaker_count: Option<u32>,
    /// The layer of the content encoder that the voice was trained on: 9 for the first generation, 12 for the second.
    pub content_layer: u32,
    /// Length of a content vector: 256, layer 9 through the encoder's last projection, or 768, the layer itself.
    pub content_dim: u32,
    /// The identity of the content encoder that the voice was trained on; none means RVC's own, `contentvec`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<String>,
    /// The pipeline that it is run in.
    #[serde(default)]
    pub profile: Profile,
    /// Extends what the content encoder hears, so that no last frame is lost at each cut and the result stays in time with the recording.
    /// The original loses 10 to 20 ms instead.
    #[serde(default = "yes")]
    pub exact_length: bool,
    /// Cross-fades the pieces of a long recording over 10 ms. The original concatenates them.
    #[serde(default = "yes")]
    pub cross_fade: bool,
    /// How much of what retrieval changed reaches unvoiced frames: 0 none, 0.5 and over all of it.
    #[serde(default = "third")]
    pub protect: f64,
    /// Where long recordings are cut.
    #[serde(default)]
    pub cuts: Cuts,
}

fn yes() -> bool {
    true
}

fn third() -> f64 {
    0.33
}

/// A generation of RVC's architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RvcVersion {
    /// Content vectors of 256 channels.
    V1,
    /// Content vectors of 768 channels.
    V2,
}

/// A speaker that a graph knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Speaker {
    /// Number of the speaker in the graph.
    pub id: i64,
    /// Name of the speaker.
    pub name: String,
}

/// A pipeline around a voice. Releases of RVC differ, so a voice names the one that it is run in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Profile {
    /// The pipeline of the releases around 2.2.
    #[default]
    #[serde(rename = "rvc-2.2")]
    Rvc22,
    /// That of release 2.3, which interpolates the pitch of unvoiced frames between voiced ones.
    #[serde(rename = "rvc-2.3")]
    Rvc23,
}

impl Profile {
    /// Every pipeline, the usual one first.
    pub const ALL: [Self; 2] = [Self::Rvc22, Self::Rvc23];

    /// The name that manifests have for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rvc22 => "rvc-2.2",
            Self::Rvc23 => "rvc-2.3",
        }
    }
}

/// Where the pipeline cuts long recordings, in seconds. The defaults are the original's for a processor without a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cuts {
    /// Padding of each piece at both ends.
    pub pad_s: f64,
    /// How far on both sides of an ideal cut the quietest place is searched.
    pub query_s: f64,
    /// Distance between ideal cuts.
    pub center_s: f64,
    /// A recording up to this long stays in one piece.
    pub max_s: f64,
}

impl Default for Cuts {
    fn default() -> Self {
        Self {
            pad_s: 1.0,
            query_s: 6.0,
            center_s: 38.0,
            max_s: 41.0,
        }
    }
}
