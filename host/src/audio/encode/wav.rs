use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use super::EncodeError;
use crate::audio::{Block, MAX_CHANNELS};

const SAMPLE_BYTES: usize = 3;

/// Samples per second (all channels together) above which room for an RF64 header is kept. Below it, 4 GiB hold more
/// than four hours, and the file begins with the 44 bytes that even careless readers know.
const LONG_HEADER_SAMPLES_PER_S: u64 = 96_000;

/// Size of the `ds64` chunk with its head (EBU Tech 3306 section 3: three 64-bit sizes and an empty table).
const DS64_BYTES: usize = 8 + 28;

/// Writes a WAV file of 24-bit integers, block by block.
///
/// One and two channels have the plain PCM header, more have `WAVE_FORMAT_EXTENSIBLE` with the usual loudspeakers for
/// their number. Samples are rounded to the nearest step and saturate at full scale. A file beyond 4 GiB becomes RF64
/// where its rate made that likely, and is an error where it would last more than four hours.
pub struct WavWriter {
    file: BufWriter<File>,
    channels: usize,
    sample_rate_hz: u32,
    has_long_header: bool,
    frames: u64,
    bytes: Vec<u8>,
}

impl WavWriter {
    /// Begins a file at `path`, replacing what is there, for 1 to 8 channels.
    pub fn create(path: &Path, channels: usize, sample_rate_hz: u32) -> Result<Self, EncodeError> {
        if channels == 0 || channels > MAX_CHANNELS {
            return Err(EncodeError::Channels {
                format: "wav",
                channels,
            });
        }
        let mut writer = Self {
            file: BufWriter::with_capacity(1 << 16, File::create(path)?),
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
        self.bytes
            .resize(block.frames() * self.channels * SAMPLE_BYTES, 0);
        let frame_bytes = self.channels * SAMPLE_BYTES;
        for channel in 0..self.channels {
            let offset = channel * SAMPLE_BYTES;
            let frames = self.bytes.chunks_exact_mut(frame_bytes);
            for (frame, sample) in frames.zip(block.channel(channel)) {
                let step = quantise(*sample).to_le_bytes();
                frame[offset..offset + SAMPLE_BYTES].copy_from_slice(&step[..SAMPLE_BYTES]);
            }
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
        self.frames * (self.channels * SAMPLE_BYTES) as u64
    }

    fn format_bytes(&self) -> usize {
        if self.channels > 2 { 40 } else { 16 }
    }

    /// What the RIFF head counts: everything behind it, padding of the data chunk included.
    fn riff_bytes(&self) -> u64 {
        let lead = if self.has_long_header { DS64_BYTES } else { 0 };
        let data_bytes = self.data_bytes();
        (4 + lead + 8 + self.format_bytes() + 8) as u64 + data_bytes + data_bytes % 2
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
        header.extend_from_slice(b"data");
        header.extend_from_slice(&short(self.data_bytes()));
        header
    }

    fn push_format(&self, header: &mut Vec<u8>) {
        /// `KSDATAFORMAT_SUBTYPE_PCM` of the Windows multimedia headers.
        const PCM_SUBTYPE: [u8; 16] = [
            1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71,
        ];
        let frame_bytes = (self.channels * SAMPLE_BYTES) as u32;
        let is_extensible = self.channels > 2;
        header.extend_from_slice(b"fmt ");
        header.extend_from_slice(&(self.format_bytes() as u32).to_le_bytes());
        let format: u16 = if is_extensible { 0xfffe } else { 1 };
        header.extend_from_slice(&format.to_le_bytes());
        header.extend_from_slice(&(self.channels as u16).to_le_bytes());
        header.extend_from_slice(&self.sample_rate_hz.to_le_bytes());
        header.extend_from_slice(&(self.sample_rate_hz * frame_bytes).to_le_bytes());
        header.extend_from_slice(&(frame_bytes as u16).to_le_bytes());
        header.extend_from_slice(&(8 * SAMPLE_BYTES as u16).to_le_bytes());
        if is_extensible {
            header.extend_from_slice(&22_u16.to_le_bytes());
            header.extend_from_slice(&(8 * SAMPLE_BYTES as u16).to_le_bytes());
            header.extend_from_slice(&loudspeakers(self.channels).to_le_bytes());
            header.extend_from_slice(&PCM_SUBTYPE);
        }
    }
}

/// One sample as a 24-bit step.
fn quantise(sample: f32) -> i32 {
    const FULL_SCALE: f32 = 8_388_608.0;
    (sample * FULL_SCALE)
        .round_ties_even()
        .clamp(-FULL_SCALE, FULL_SCALE - 1.0) as i32
}

/// The channel mask (SPEAKER_* of the Windows multimedia headers) of the layouts that RFC 9639 section 9.1.3 lists.
fn loudspeakers(channels: usize) -> u32 {
    match channels {
        3 => 0x7,
        4 => 0x33,
        5 => 0x37,
        6 => 0x3f,
        7 => 0x70f,
        _ => 0x63f,
    }
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
            assert_eq!(quantise(sample), expected, "{sample}");
        }
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
