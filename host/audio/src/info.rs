use serde::{Deserialize, Serialize};

/// The most channels a recording may have: 7.1 surround, the largest layout that wav and flac give an order to.
pub const MAX_CHANNELS: usize = 8;

/// The lowest sample rate taken: that of telephony. Below it, no speech is left to work on.
pub(crate) const MIN_SAMPLE_RATE_HZ: u32 = 8_000;

/// The highest sample rate taken: the highest that recorders write. Resamplers cost memory beyond it.
pub(crate) const MAX_SAMPLE_RATE_HZ: u32 = 192_000;

/// The containers that can be read, decided by a file's bytes alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InputFormat {
    /// RIFF or RF64 with integer or float samples.
    Wav,
    /// MPEG-1, 2 or 2.5 audio, layer III.
    Mp3,
    /// Native FLAC.
    Flac,
    /// `WebM` or Matroska with Opus or Vorbis.
    Webm,
}

impl InputFormat {
    /// The name that clients read.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wav => "wav",
            Self::Mp3 => "mp3",
            Self::Flac => "flac",
            Self::Webm => "webm",
        }
    }
}

/// What a recording is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AudioInfo {
    /// The container.
    pub format: InputFormat,
    /// Number of channels, 1 to [`MAX_CHANNELS`].
    pub channels: usize,
    /// Frames per second, 8,000 to 192,000.
    pub sample_rate_hz: u32,
    /// Number of frames that decoding gives when the stream is whole; none when only decoding can say.
    pub frames: Option<u64>,
    /// The same in seconds.
    pub duration_s: Option<f64>,
    /// Where the loudspeakers of the channels stand, as the mask of WAVE (`dwChannelMask`); none where the file does not say.
    #[serde(default)]
    pub speakers: Option<u32>,
}

impl AudioInfo {
    pub(super) fn new(
        format: InputFormat,
        channels: usize,
        sample_rate_hz: u32,
        frames: Option<u64>,
    ) -> Self {
        Self {
            format,
            channels,
            sample_rate_hz,
            frames,
            duration_s: frames.map(|frames| frames as f64 / f64::from(sample_rate_hz)),
            speakers: None,
        }
    }
}

/// The configurable limits of a recording; those of channels and rates are constants.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AudioLimits {
    /// The longest recording taken, in seconds.
    pub max_duration_s: f64,
}
