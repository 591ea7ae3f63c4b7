//! Files made byte by byte, and the results of decoding them.

use std::fs;
use std::path::{Path, PathBuf};

use vocalhost_audio::{
    AudioInfo, AudioLimits, BLOCK_FRAMES, Block, DecodeError, Decoder, Finding, FindingKind,
};

pub const TWO_HOURS: AudioLimits = AudioLimits {
    max_duration_s: 7_200.0,
};

/// A recording of the fixtures' folder.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/audio")
        .join(name)
}

/// A file that is deleted with the value.
pub struct Scratch(tempfile::NamedTempFile);

impl Scratch {
    pub fn holding(bytes: &[u8]) -> Self {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(file.path(), bytes).expect("writes");
        Self(file)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// All channels of a recording, what was found wrong with it, and the error that ended it if one did.
pub struct Decoded {
    pub info: AudioInfo,
    pub channels: Vec<Vec<f32>>,
    pub findings: Vec<Finding>,
    pub error: Option<DecodeError>,
}

impl Decoded {
    pub fn frames(&self) -> usize {
        self.channels[0].len()
    }

    /// The only finding, with its place and length in frames.
    pub fn finding(&self) -> (FindingKind, usize, Option<usize>, &str) {
        let [finding] = &self.findings[..] else {
            panic!("{:?}", self.findings);
        };
        let frames = |s: f64| (s * f64::from(self.info.sample_rate_hz)).round() as usize;
        let length = finding.duration_s.map(frames);
        (finding.kind, frames(finding.at_s), length, &finding.reason)
    }
}

pub fn decode_within(path: &Path, limits: AudioLimits) -> Result<Decoded, DecodeError> {
    Ok(read(Decoder::open(path, &limits)?))
}

/// The same, where nothing may be wrong with the recording.
pub fn decode_strictly(path: &Path) -> Result<Decoded, DecodeError> {
    Ok(read(Decoder::open(path, &TWO_HOURS)?.strictly(true)))
}

fn read(mut decoder: Decoder) -> Decoded {
    let info = decoder.info().clone();
    let mut channels = vec![Vec::new(); info.channels];
    let error = loop {
        match decoder.next_block() {
            Ok(Some(block)) => {
                assert!((1..=BLOCK_FRAMES).contains(&block.frames()));
                for (channel, samples) in channels.iter_mut().enumerate() {
                    samples.extend_from_slice(block.channel(channel));
                }
            }
            Ok(None) => break None,
            Err(error) => {
                assert!(
                    matches!(decoder.next_block(), Ok(None)),
                    "nothing comes behind an error"
                );
                break Some(error);
            }
        }
    };
    Decoded {
        info,
        channels,
        findings: decoder.findings(),
        error,
    }
}

pub fn decode(path: &Path) -> Result<Decoded, DecodeError> {
    decode_within(path, TWO_HOURS)
}

/// Decodes a file that must be whole.
pub fn decode_whole(path: &Path) -> Decoded {
    let decoded = decode_heard(path);
    assert_eq!(decoded.findings, []);
    decoded
}

/// Decodes a file that need not be whole, and that has as many frames as the probe says.
pub fn decode_heard(path: &Path) -> Decoded {
    let decoded = decode(path).expect("opens");
    assert!(decoded.error.is_none(), "{:?}", decoded.error);
    assert_eq!(decoded.info.frames, Some(decoded.frames() as u64));
    decoded
}

/// The sine that the MP3 fixtures and tests hold: 441 Hz at not quite half of full scale.
pub fn sine(sample_rate_hz: u32, frames: usize) -> Vec<f32> {
    let step = std::f64::consts::TAU * 441.0 / f64::from(sample_rate_hz);
    (0..frames)
        .map(|n| (16_000.0 / 32_768.0 * (step * n as f64).sin()) as f32)
        .collect()
}

/// A chirp, which resembles itself nowhere else.
pub fn chirp(sample_rate_hz: u32, frames: usize) -> Vec<f32> {
    let rate = f64::from(sample_rate_hz);
    (0..frames)
        .map(|n| {
            let t = n as f64 / rate;
            (0.4 * (std::f64::consts::TAU * (200.0 + 900.0 * t) * t).sin()) as f32
        })
        .collect()
}

/// By how many frames `signal` comes later than `reference`, found by correlating its beginning.
pub fn lag(signal: &[f32], reference: &[f32]) -> i64 {
    const REACH: i64 = 1_500;
    let at = |index: i64| signal.get(index as usize).copied().unwrap_or_default();
    let likeness = |lag: i64| -> f64 {
        (0..reference.len().min(8_192) as i64)
            .map(|index| f64::from(reference[index as usize]) * f64::from(at(index + lag)))
            .sum()
    };
    (-REACH..=REACH)
        .max_by(|a, b| likeness(*a).total_cmp(&likeness(*b)))
        .expect("there are lags")
}

/// Blocks of uneven sizes that hold the channels.
pub fn blocks(channels: &[Vec<f32>]) -> Vec<Block> {
    let frames = channels[0].len();
    let sizes = [1, 4_096, 700, 3_000];
    let mut cuts = vec![0];
    while cuts[cuts.len() - 1] < frames {
        let next = cuts[cuts.len() - 1] + sizes[cuts.len() % sizes.len()];
        cuts.push(next.min(frames));
    }
    cuts.windows(2)
        .map(|cut| {
            let planar = channels.iter().flat_map(|channel| &channel[cut[0]..cut[1]]);
            Block::from_planar(channels.len(), planar.copied().collect())
        })
        .collect()
}

/// A WAV file to be built.
pub struct Wav {
    pub riff: [u8; 4],
    pub riff_size: Option<u32>,
    pub format: u16,
    pub channels: u16,
    pub sample_rate_hz: u32,
    pub bits: u16,
    pub frame_bytes: Option<u16>,
    pub extensible: bool,
    /// Chunks between the format and the data.
    pub chunks: Vec<u8>,
    pub data_size: Option<u32>,
    pub data: Vec<u8>,
    /// What stands behind the data chunk.
    pub trailer: Vec<u8>,
}

impl Wav {
    /// Integer samples, mono, 44.1 kHz.
    pub fn integers(bits: u16, data: Vec<u8>) -> Self {
        Self {
            riff: *b"RIFF",
            riff_size: None,
            format: 1,
            channels: 1,
            sample_rate_hz: 44_100,
            bits,
            frame_bytes: None,
            extensible: false,
            chunks: Vec::new(),
            data_size: None,
            data,
            trailer: Vec::new(),
        }
    }

    /// Float samples, mono, 44.1 kHz.
    pub fn floats(bits: u16, data: Vec<u8>) -> Self {
        Self {
            format: 3,
            ..Self::integers(bits, data)
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let frame_bytes = self
            .frame_bytes
            .unwrap_or(self.bits.div_ceil(8).wrapping_mul(self.channels));
        let mut format = Vec::new();
        let tag = if self.extensible { 0xfffe } else { self.format };
        format.extend(tag.to_le_bytes());
        format.extend(self.channels.to_le_bytes());
        format.extend(self.sample_rate_hz.to_le_bytes());
        format.extend((self.sample_rate_hz.wrapping_mul(u32::from(frame_bytes))).to_le_bytes());
        format.extend(frame_bytes.to_le_bytes());
        format.extend(self.bits.to_le_bytes());
        if self.extensible {
            format.extend(22_u16.to_le_bytes());
            format.extend(self.bits.to_le_bytes());
            format.extend(0_u32.to_le_bytes());
            format.extend(self.format.to_le_bytes());
            format.extend(*b"\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71");
        }
        let mut body = b"WAVE".to_vec();
        body.extend(chunk(*b"fmt ", &format));
        body.extend(&self.chunks);
        body.extend(b"data");
        let data_size = self.data_size.unwrap_or(self.data.len() as u32);
        body.extend(data_size.to_le_bytes());
        body.extend(&self.data);
        body.extend(&self.trailer);
        let mut bytes = self.riff.to_vec();
        bytes.extend(self.riff_size.unwrap_or(body.len() as u32).to_le_bytes());
        bytes.extend(body);
        bytes
    }
}

pub fn chunk(name: [u8; 4], body: &[u8]) -> Vec<u8> {
    let mut chunk = name.to_vec();
    chunk.extend((body.len() as u32).to_le_bytes());
    chunk.extend(body);
    if body.len() % 2 == 1 {
        chunk.push(0);
    }
    chunk
}

/// An `ID3v2` tag with a body of so many zeros.
pub fn id3v2(body_bytes: usize) -> Vec<u8> {
    let mut tag = b"ID3\x04\x00\x00".to_vec();
    tag.extend([21, 14, 7, 0].map(|shift| (body_bytes >> shift) as u8 & 0x7f));
    tag.resize(tag.len() + body_bytes, 0);
    tag
}
