use serde::{Deserialize, Serialize};

use super::Chain;

/// How long a live conversion waits before it speaks: the longer it waits, the closer it comes to the conversion of a recording.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LivePace {
    /// As soon as it is understood at all.
    Low,
    /// Soon enough to talk with somebody, and few words are lost.
    #[default]
    Balanced,
    /// As close to the conversion of a recording as it gets.
    Best,
}

impl LivePace {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Low, Self::Balanced, Self::Best];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Balanced => "balanced",
            Self::Best => "best",
        }
    }

    /// The length of a block and of the look-ahead behind it, in milliseconds. `docs/live.md` has what each choice costs and gains.
    #[must_use]
    pub fn block_and_look_ahead_ms(self) -> (u32, u32) {
        match self {
            Self::Low => (60, 60),
            Self::Balanced => (80, 80),
            Self::Best => (160, 320),
        }
    }
}

/// The largest sample that counts as sound: the squares of larger ones overflow the numbers that models work with.
const MAX_SAMPLE: f32 = 1e9;

/// How the samples of a live conversion are written: mono, little-endian.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SampleFormat {
    /// Whole numbers of 16 bits.
    #[default]
    S16le,
    /// Floats of 32 bits, full scale being 1.
    F32le,
}

impl SampleFormat {
    /// Every choice.
    pub const ALL: [Self; 2] = [Self::S16le, Self::F32le];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::S16le => "s16le",
            Self::F32le => "f32le",
        }
    }

    /// Bytes of a sample.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::S16le => 2,
            Self::F32le => 4,
        }
    }

    /// The samples that `bytes` holds completely, full scale being 1. A sample that is not a number, or is more than 180 dB above full
    /// scale, becomes silence, as in recordings.
    #[must_use]
    pub fn read(self, bytes: &[u8]) -> Vec<f32> {
        let whole = bytes.chunks_exact(self.bytes());
        whole
            .map(|sample| match *sample {
                [low, high] => f32::from(i16::from_le_bytes([low, high])) / 32_768.0,
                [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
                _ => 0.0,
            })
            .map(|sample| {
                if sample.abs() <= MAX_SAMPLE {
                    sample
                } else {
                    0.0
                }
            })
            .collect()
    }

    /// Samples as bytes. As whole numbers, samples louder than full scale are clipped.
    #[must_use]
    pub fn written(self, samples: &[f32]) -> Vec<u8> {
        let whole = |sample: f32| (sample * 32_768.0).round().clamp(-32_768.0, 32_767.0) as i16;
        match self {
            Self::S16le => samples
                .iter()
                .flat_map(|sample| whole(*sample).to_le_bytes())
                .collect(),
            Self::F32le => samples
                .iter()
                .flat_map(|sample| sample.to_le_bytes())
                .collect(),
        }
    }
}

/// Which sides of a live conversion are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LiveRecording {
    /// Nothing: neither what is said nor what comes out.
    #[default]
    None,
    /// What comes out.
    Output,
    /// What is said, too, so that it can be converted again as a recording.
    Both,
}

impl LiveRecording {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::None, Self::Output, Self::Both];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Output => "output",
            Self::Both => "both",
        }
    }

    /// Whether this side is kept.
    #[must_use]
    pub fn keeps(self, side: LiveSide) -> bool {
        match side {
            LiveSide::Input => self == Self::Both,
            LiveSide::Output => self != Self::None,
        }
    }
}

/// A side of a live conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveSide {
    /// What is said.
    Input,
    /// What comes out.
    Output,
}

impl LiveSide {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Input, Self::Output];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }
}

/// A recording of a side of a live conversion: a WAV file of one channel in its rate and format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveFile {
    /// Where it lies in the file store.
    pub key: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its content, lower-case hex.
    pub sha256: String,
}

/// The recordings of a live conversion.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveRecorded {
    /// What was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<LiveFile>,
    /// What came out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<LiveFile>,
}

impl LiveRecorded {
    /// The file of a side, if there is one.
    #[must_use]
    pub fn of(&self, side: LiveSide) -> Option<&LiveFile> {
        match side {
            LiveSide::Input => self.input.as_ref(),
            LiveSide::Output => self.output.as_ref(),
        }
    }

    /// All files.
    pub fn files(&self) -> impl Iterator<Item = &LiveFile> {
        self.input.iter().chain(&self.output)
    }
}

/// What can be changed in a live conversion while it runs, besides its effects.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveKnobs {
    /// Share of retrieved features, 0 to 1.
    pub conversion_strength: f64,
    /// Share of the model's loudness, 0 to 1.
    pub model_volume_mix: f64,
    /// Semitones up.
    pub pitch_shift: f64,
}

/// What a live conversion is to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveSpec {
    /// The voice's number.
    pub voice_model_id: i64,
    /// Its title at that time.
    pub voice_title: String,
    /// What can be changed.
    pub knobs: LiveKnobs,
    /// The same input and seed give the same samples.
    pub seed: u64,
    /// Effects on what is said.
    pub pre: Chain,
    /// Effects on what comes out.
    pub post: Chain,
    /// How long it waits.
    pub pace: LivePace,
    /// Samples a second, both ways.
    pub sample_rate_hz: u32,
    /// How they are written, both ways.
    pub sample_format: SampleFormat,
    /// The level of the speaker over the parts that sound, where it is known.
    pub input_rms: Option<f64>,
    /// How long it may last.
    pub max_minutes: u32,
    /// What is kept of it.
    #[serde(default)]
    pub record: LiveRecording,
}

impl LiveSpec {
    /// Samples a second that either side may have.
    pub const SAMPLE_RATES_HZ: std::ops::RangeInclusive<u32> = 16_000..=48_000;
    /// The longest that one lasts, in minutes.
    pub const MAX_MINUTES: u32 = 60;
}

/// Where a live conversion stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveState {
    /// Nobody has opened its stream yet.
    Waiting,
    /// Its stream is open.
    Running,
    /// It is over.
    Ended,
}

impl LiveState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Running, Self::Ended];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Ended => "ended",
        }
    }
}

/// Why a live conversion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveEnd {
    /// Its client said so.
    Stopped,
    /// Its client sent nothing for too long.
    Idle,
    /// Its minutes are over.
    Minutes,
    /// The connection broke.
    Disconnected,
    /// The process that converted it was lost, or failed.
    WorkerLost,
    /// Its client sent what it may not.
    Protocol,
    /// It was deleted.
    Cancelled,
    /// Its stream was not opened in time.
    Expired,
    /// The server was stopped, or lost.
    ServerStopped,
}

impl LiveEnd {
    /// Every reason.
    pub const ALL: [Self; 9] = [
        Self::Stopped,
        Self::Idle,
        Self::Minutes,
        Self::Disconnected,
        Self::WorkerLost,
        Self::Protocol,
        Self::Cancelled,
        Self::Expired,
        Self::ServerStopped,
    ];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Idle => "idle",
            Self::Minutes => "minutes",
            Self::Disconnected => "disconnected",
            Self::WorkerLost => "workerLost",
            Self::Protocol => "protocol",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
            Self::ServerStopped => "serverStopped",
        }
    }
}

/// How a live conversion has gone so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LiveFigures {
    /// Sound that was heard, in seconds.
    pub seconds: f64,
    /// Sound that was dropped because the server or the client was behind, in milliseconds.
    pub dropped_ms: f64,
    /// Time in which no sound came, in milliseconds.
    pub starved_ms: f64,
    /// Blocks that took longer than they last.
    pub late_blocks: u64,
    /// The median time to compute a block, in milliseconds.
    pub block_ms_median: Option<f64>,
    /// The same, the 99th percentile.
    pub block_ms_p99: Option<f64>,
    /// The level of the speaker over the parts that sounded.
    pub input_rms: Option<f64>,
    /// The delay that effects add, in milliseconds.
    pub effects_ms: u32,
    /// The delay that resampling adds, in milliseconds.
    pub resampling_ms: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_read_as_they_are_written() {
        for format in SampleFormat::ALL {
            let samples = [0.0, 0.5, -1.0, 0.25];
            assert_eq!(format.read(&format.written(&samples)), samples);
        }
        assert_eq!(SampleFormat::S16le.written(&[2.0]), [255, 127]);
        let strange = [f32::NAN, f32::INFINITY, 1e20].map(f32::to_le_bytes);
        assert_eq!(SampleFormat::F32le.read(&strange.concat()), [0.0; 3]);
    }
}
