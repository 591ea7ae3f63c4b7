use serde::{Deserialize, Serialize};

/// The formats of a result's files, decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// What the main files are.
    pub format: OutputFormat,
    /// The bit rate of the main files in kbit/s, where the format has one; `None` is the format's own choice.
    pub bitrate_kbps: Option<u32>,
    /// The loudness that the result is brought to, in LUFS, as far as its peaks allow; `None` leaves it unchanged.
    #[serde(default)]
    pub loudness_lufs: Option<f64>,
    /// When the MP3 files that go with the main files are made.
    #[serde(default)]
    pub lossy: LossyFiles,
}

impl Output {
    /// Whether those MP3 files are made later, from the main files.
    #[must_use]
    pub fn leaves_lossy(&self) -> bool {
        self.lossy == LossyFiles::OnDemand && self.format.is_lossless()
    }
}

/// When the MP3 files that go along with the main files of a result are made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossyFiles {
    /// As part of the job.
    #[default]
    WithJob,
    /// Each when it is first asked for, from its main file; it is kept from then on.
    OnDemand,
}

impl LossyFiles {
    /// Both, in the order in which they are shown.
    pub const ALL: [Self; 2] = [Self::WithJob, Self::OnDemand];

    /// The word of requests, records and settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WithJob => "with-job",
            Self::OnDemand => "on-demand",
        }
    }
}

/// The format of the main file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputFormat {
    /// WAV of 16-bit integers.
    Wav16,
    /// WAV of 24-bit integers.
    #[default]
    Wav24,
    /// WAV of 32-bit floats.
    Wav32f,
    /// FLAC of 24 bits.
    Flac,
    /// MP3.
    Mp3,
    /// Opus in Ogg.
    Opus,
}

impl OutputFormat {
    /// Every format, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::Wav16,
        Self::Wav24,
        Self::Wav32f,
        Self::Flac,
        Self::Mp3,
        Self::Opus,
    ];

    /// The word of requests and records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Wav16 => "wav16",
            Self::Wav24 => "wav24",
            Self::Wav32f => "wav32f",
            Self::Flac => "flac",
            Self::Mp3 => "mp3",
            Self::Opus => "opus",
        }
    }

    /// Whether the main files hold the samples as they were computed, rounded only to the format's steps.
    #[must_use]
    pub fn is_lossless(self) -> bool {
        match self {
            Self::Wav16 | Self::Wav24 | Self::Wav32f | Self::Flac => true,
            Self::Mp3 | Self::Opus => false,
        }
    }

    /// The bit rates in kbit/s, all channels together, that may be asked for; none where the sound decides.
    #[must_use]
    pub fn bitrates_kbps(self) -> &'static [u32] {
        match self {
            Self::Wav16 | Self::Wav24 | Self::Wav32f | Self::Flac => &[],
            Self::Mp3 => &[128, 160, 192, 224, 256, 320],
            Self::Opus => &[64, 96, 128, 160, 192, 224, 256],
        }
    }
}
