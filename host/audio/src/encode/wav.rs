use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use super::EncodeError;
use crate::{Block, MAX_CHANNELS, speakers};

/// How a WAV file holds a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WavSamples {
    /// Integers of 16 bits.
    Int16,
    /// Integers of 24 bits.
    Int24,
    /// Floats of 32 bits.
    Float32,
}

impl WavSamples {
    fn bytes(self) -> usize {
        match self {
            Self::Int16 => 2,
            Self::Int24 => 3,
            Self::Float32 => 4,
        }
    }

    /// The format tag of the header: `WAVE_FORMAT_PCM` or `WAVE_FORMAT_IEEE_FLOAT` of the Windows multimedia headers.
    fn tag(self) -> u16 {
        match self {
            Self::Int16 | Self::Int24 => 1,
            Self::Float32 => 3,
        }
    }
}

/// Samples per second (all channels together) above which room for an RF64 header is kept. Below it, 4 GiB hold more than four hours of 24
/// bits and three of floats, and the file begins with the 44 bytes that even simple readers know.
const LONG_HEADER_SAMPLES_PER_S: u64 = 96_000;

/// Size of the `ds64` chunk with its head (EBU Tech 3306 section 3: three 64-bit sizes and an empty table).
const DS64_BYTES: usize = 8 + 28;

/// Writes a WAV file, block by block.
///
/// One and two channels have the plain header (for floats with the `fact` chunk that belongs to it), more have `WAVE_FORMAT_EXTENSIBLE`
/// with the usual loudspeakers for their number. Samples are rounded to the nearest step, without dither, and saturate at full scale;
/// floats are written as they are. A file beyond 4 GiB becomes RF64 where its rate made that likely, and is an error otherwise.
pub struct WavWriter {
    file: BufWriter<File>,
    samples: WavSamples,
    channels: usize,
    sample_rate_hz: u32,
    has_long_header: bool,
    frames: u64,
    bytes: Vec<u8>,
}

impl WavWriter {
    /// Begins a file of 24 bits at `path`, replacing what is there, for 1 to 8 channels.
    pub fn create(path: &Path, channels: usize, sample_rate_hz: u32) -> Result<Self, EncodeError> {
        Self::create_as(WavSamples::Int24, path, channels, sample_rate_hz)
    }

    /// Begins a file at `path`, replacing what is there, for 1 to 8 channels.
    pub fn create_as(
        samples: WavSamples,
        path: &Path,
        channels: usize,
        sample_rate_hz: u32,
    ) -> Result<Self, EncodeError> {
        if channels == 0 || channels > MAX_CHANNELS {
            return Err(EncodeError::Channels {
                format: "wav",
                channels,
            });
        }
        let mut writer = Self {
            file: BufWriter::with_capacity(1 << 16, File::create(path)?),
            samples,
            channels,
            sample_rate_hz,
            has_long_header: channels as u64 * u64::from(sample_rate_hz)
                > LONG_HEADER_SAMPLES_PER_S,
            frames: 0,
            bytes: Vec::new(),
        };
        let header = writer.header();
        writer.file.write_all(&header)?;
        Ok(writer)
    }

    /// Appends a block.
    ///
    /// # Panics
    /// When the block has another number of channels.
    pub fn write(&mut self, block: &Block) -> Result<(), EncodeError> {
        assert_eq!(block.channels(), self.channels, "a file keeps its channels");
        self.frames += block.frames() as u64;
        if !self.has_long_header && self.riff_bytes() > u64::from(u32::MAX) {
            return Err(EncodeError::TooLarge { format: "wav" });
        }
        self.bytes.clear();
        let bytes = &mut self.bytes;
        match self.samples {
            WavSamples::Int16 => interleave(block, bytes, |sample| {
                let [low, high, ..] = quantise(sample, 16).to_le_bytes();
                [low, high]
            }),
            WavSamples::Int24 => interleave(block, bytes, |sample| {
                let [low, middle, high, _] = quantise(sample, 24).to_le_bytes();
                [low, middle, high]
            }),
            WavSamples::Float32 => interleave(block, bytes, f32::to_le_bytes),
        }
        self.file.write_all(&self.bytes)?;
        Ok(())
    }

    /// Completes the header and hands everything to the operating system.
    pub fn finish(mut self) -> Result<(), EncodeError> {
        if self.data_bytes() % 2 == 1 {
            self.file.write_all(&[0])?;
        }
        let header = self.header();
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&header)?;
        self.file.flush()?;
        Ok(())
    }

    fn data_bytes(&self) -> u64 {
        self.frames * (self.channels * self.samples.bytes()) as u64
    }

    fn is_float(&self) -> bool {
        self.samples == WavSamples::Float32
    }

    /// Size of the format chunk without its head: only that of plain integers has no field for the size of more.
    fn format_bytes(&self) -> usize {
        match (self.channels > 2, self.is_float()) {
            (true, _) => 40,
            (false, true) => 18,
            (false, false) => 16,
        }
    }

    /// Size of the `fact` chunk with its head, which all formats but integers have.
    fn fact_bytes(&self) -> usize {
        if self.is_float() { 12 } else { 0 }
    }

    /// What the RIFF header counts: everything after it, including the padding of the data chunk.
    fn riff_bytes(&self) -> u64 {
        let lead = if self.has_long_header { DS64_BYTES } else { 0 };
        let data_bytes = self.data_bytes();
        (4 + lead + 8 + self.format_bytes() + self.fact_bytes() + 8) as u64
            + data_bytes
            + data_bytes % 2
    }

    fn header(&self) -> Vec<u8> {
        let is_long = self.riff_bytes() > u64::from(u32::MAX);
        let short = |bytes: u64| if is_long { u32::MAX } else { bytes as u32 }.to_le_bytes();
        let mut header = Vec::with_capacity(128);
        header.extend_from_slice(if is_long { b"RF64" } else { b"RIFF" });
        header.extend_from_slice(&short(self.riff_bytes()));
        header.extend_from_slice(b"WAVE");
        if self.has_long_header {
            header.extend_from_slice(if is_long { b"ds64" } else { b"JUNK" });
            header.extend_from_slice(&(DS64_BYTES as u32 - 8).to_le_bytes());
            let sizes = [self.riff_bytes(), self.data_bytes(), self.frames];
            for size in sizes {
                let size = if is_long { size } else { 0 };
                header.extend_from_slice(&size.to_le_bytes());
            }
            header.extend_from_slice(&[0; 4]);
        }
        self.push_format(&mut header);
        if self.is_float() {
            header.extend_from_slice(b"fact");
            header.extend_from_slice(&4_u32.to_le_bytes());
            header.extend_from_slice(&short(self.frames));
        }
        header.extend_from_slice(b"data");
        header.extend_from_slice(&short(self.data_bytes()));
        header
    }

    fn push_format(&self, header: &mut Vec<u8>) {
        /// `KSDATAFORMAT_SUBTYPE_PCM` and `KSDATAFORMAT_SUBTYPE_IEEE_FLOAT` of the Windows multimedia headers, after the format tag.
        const SUBTYPE: [u8; 14] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71];
        let sample_bits = 8 * self.samples.bytes() as u16;
        let frame_bytes = (self.channels * self.samples.bytes()) as u32;
        let is_extensible = self.channels > 2;
        header.extend_from_slice(b"fmt ");
        header.extend_from_slice(&(self.format_bytes() as u32).to_le_bytes());
        let format = if is_extensible {
            0xfffe
        } else {
            self.samples.tag()
        };
        header.extend_from_slice(&format.to_le_bytes());
        header.extend_from_slice(&(self.channels as u16).to_le_bytes());
        header.extend_from_slice(&self.sample_rate_hz.to_le_bytes());
        header.extend_from_slice(&(self.sample_rate_hz * frame_bytes).to_le_bytes());
        header.extend_from_slice(&(frame_bytes as u16).to_le_bytes());
        header.extend_from_slice(&sample_bits.to_le_bytes());
        if is_extensible {
            header.extend_from_slice(&22_u16.to_le_bytes());
            header.extend_from_slice(&sample_bits.to_le_bytes());
            header.extend_from_slice(&speakers::usual(self.channels).to_le_bytes());
            header.extend_from_slice(&self.samples.tag().to_le_bytes());
            header.extend_from_slice(&SUBTYPE);
        } else if self.is_float() {
            header.extend_from_slice(&0_u16.to_le_bytes());
        }
    }
}

/// Fills `bytes` with all samples, frame after frame.
fn interleave<const BYTES: usize>(
    block: &Block,
    bytes: &mut Vec<u8>,
    encode: impl Fn(f32) -> [u8; BYTES],
) {
    let frame_bytes = block.channels() * BYTES;
    bytes.resize(block.frames() * frame_bytes, 0);
    if block.channels() == 2 {
        let samples = block.channel(0).iter().zip(block.channel(1));
        for (frame, (left, right)) in bytes.chunks_exact_mut(2 * BYTES).zip(samples) {
            let (first, second) = frame.split_at_mut(BYTES);
            first.copy_from_slice(&encode(*left));
            second.copy_from_slice(&encode(*right));
        }
        return;
    }
    for channel in 0..block.channels() {
        let frames = bytes.chunks_exact_mut(frame_bytes);
        for (frame, sample) in frames.zip(block.channel(channel)) {
            frame[channel * BYTES..][..BYTES].copy_from_slice(&encode(*sample));
        }
    }
}

/// One sample as an integer of `bits` bits, at most 24; NaN becomes 0.
pub(super) fn quantise(sample: f32, bits: u32) -> i32 {
    /// Added to a number below 2^51, it leaves no room for a fraction and puts the whole number, rounded to the nearest, ties to even, into
    /// the lowest bits. This needs no function call, whereas the oldest x86-64 processors have no instruction for rounding.
    const ROUNDING: f64 = 1.5 * (1_u64 << 52) as f64;
    let full_scale = (1_u32 << (bits - 1)) as f32;
    let sample = if sample.is_nan() { 0.0 } else { sample };
    let scaled = (sample * full_scale).clamp(-full_scale, full_scale - 1.0);
    (f64::from(scaled) + ROUNDING).to_bits() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_round_to_the_nearest_step_and_saturate() {
        let step = 1.0 / 8_388_608.0;
        for (sample, expected) in [
            (0.0, 0),
            (0.49 * step, 0),
            (0.51 * step, 1),
            (-0.51 * step, -1),
            (1.0, 8_388_607),
            (7.0, 8_388_607),
            (-1.0, -8_388_608),
            (-7.0, -8_388_608),
            (f32::NAN, 0),
        ] {
            assert_eq!(quantise(sample, 24), expected, "{sample}");
        }
        assert_eq!(
            [0.5, 2.0, -2.0].map(|sample| quantise(sample, 16)),
            [16_384, 32_767, -32_768]
        );
    }

    fn writer_of(frames: u64, sample_rate_hz: u32) -> WavWriter {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        let mut writer = WavWriter::create(file.path(), 2, sample_rate_hz).expect("creates");
        writer.frames = frames;
        writer
    }

    #[test]
    fn beyond_4_gib_the_header_is_rf64_with_sizes_of_64_bits() {
        let frames = 1_000_000_000;
        let header = writer_of(frames, 192_000).header();
        assert_eq!(&header[..4], b"RF64");
        assert_eq!(&header[12..16], b"ds64");
        assert_eq!(header[28..36], (frames * 6).to_le_bytes());
        assert_eq!(header[36..44], frames.to_le_bytes());
        assert_eq!(header[header.len() - 4..], [0xff; 4]);
        assert_eq!(&writer_of(1, 192_000).header()[12..16], b"JUNK");
    }

    #[test]
    fn beyond_4_gib_at_an_ordinary_rate_is_an_error_and_no_wrapped_size() {
        let mut writer = writer_of(u64::from(u32::MAX) / 6 - 8, 48_000);
        assert_eq!(writer.header().len(), 44);
        writer.write(&Block::silent(2, 1)).expect("still fits");
        let error = writer.write(&Block::silent(2, 8)).expect_err("too large");
        assert!(matches!(error, EncodeError::TooLarge { format: "wav" }));
    }
}
