use std::fs::File;
use std::io;

use super::DecodeError;
use super::byte_reader::ByteReader;
use super::flac_frame::{self, Shape};
use super::tags;

const STREAM_INFO_BYTES: usize = 34;

/// Set in the kind of the last metadata block; the other bits of stream information, kind 0, are clear.
const LAST_BLOCK: u8 = 0x80;

/// What a frame takes besides its samples at most, generously: a header of 16 bytes and, for each channel, a byte, its wasted bits and the
/// parameters of its residual (RFC 9639 section 9).
const FRAME_MARGIN_BYTES: u64 = 1_024;

/// The least samples of a frame (section 8.2).
const LEAST_BLOCK: u16 = 16;

/// The one metadata block that matters (RFC 9639 section 8.2), and where the frames begin.
pub(super) struct Header {
    stream_info: [u8; STREAM_INFO_BYTES],
    pub(super) sound_start: u64,
    pub(super) sound_end: u64,
}

impl Header {
    /// Steps over the metadata: tags, pictures and cue sheets state lengths that a parser would have to trust. Where the frames contradict
    /// the header, the frames are believed: they have checksums, and the header has none.
    pub(super) fn read(file: &File) -> Result<Self, DecodeError> {
        let mut reader = ByteReader::open(file, 0)?;
        tags::skip_leading(&mut reader)?;
        reader.skip(4);
        let first_block_start = reader.position() + 4;
        let mut stream_info = None;
        let mut last_block_start;
        let cut_short = || DecodeError::undecodable("the flac header is cut short");
        loop {
            let [kind, size @ ..] = reader.array::<4>()?.ok_or_else(cut_short)?;
            last_block_start = reader.position();
            let size = size
                .iter()
                .fold(0, |sum, byte| (sum << 8) | u64::from(*byte));
            // It is the first block, whatever its kind says.
            let is_first =
                last_block_start == first_block_start && size == STREAM_INFO_BYTES as u64;
            if is_first || kind & !LAST_BLOCK == 0 && size >= STREAM_INFO_BYTES as u64 {
                let block = reader.peek(STREAM_INFO_BYTES)?;
                stream_info = Some(block.try_into().map_err(|_| cut_short())?);
            }
            if size > reader.remaining() {
                // A length that makes no sense: the first frame tells where the sound begins.
                break;
            }
            reader.skip(size);
            if kind & LAST_BLOCK != 0 {
                break;
            }
        }
        let mut header = Self {
            stream_info: stream_info.ok_or_else(|| {
                DecodeError::undecodable("the flac file has no stream information")
            })?,
            sound_start: reader.position(),
            sound_end: tags::sound_end(file)?,
        };
        let mut shape = flac_frame::usual_shape(&mut reader.at(header.sound_start))?;
        if let Some(first) = &shape
            && header.begin_sooner(reader.at(last_block_start), first)?
        {
            shape = flac_frame::usual_shape(&mut reader.at(header.sound_start))?;
        }
        if let Some(shape) = &shape {
            header.believe(shape);
        }
        Ok(header)
    }

    /// Moves the beginning of the sound to the first frame inside the last metadata block, where `block` stands, if no frame follows that
    /// block: then the block is shorter than it says. Returns whether it moved.
    fn begin_sooner(&mut self, mut block: ByteReader, shape: &Shape) -> io::Result<bool> {
        let end = self.sound_start;
        if flac_frame::first(&mut block.at(end), shape, end)?.is_some() {
            return Ok(false);
        }
        let sooner = flac_frame::first(&mut block, shape, end)?;
        self.sound_start = sooner.unwrap_or(end);
        Ok(sooner.is_some())
    }

    /// Overwrites the header with what the frames say of themselves.
    fn believe(&mut self, shape: &Shape) {
        let (least, most) = match shape.fixed_samples {
            Some(samples) => (samples, samples),
            None => (LEAST_BLOCK, u16::MAX),
        };
        let rate = shape.sample_rate_hz.unwrap_or(self.sample_rate_hz());
        let bits = shape.bits.map_or(self.bits(), u32::from);
        let frames = self.frames();
        self.stream_info[..2].copy_from_slice(&least.to_be_bytes());
        self.stream_info[2..4].copy_from_slice(&most.to_be_bytes());
        // The least and the most bytes of a frame: unknown.
        self.stream_info[4..10].fill(0);
        let word = u64::from(rate) << 44
            | u64::from(shape.channels - 1) << 41
            | u64::from(bits - 1) << 36
            | frames;
        self.stream_info[10..18].copy_from_slice(&word.to_be_bytes());
    }

    /// The beginning of a stream with the stream information as its only metadata.
    pub(super) fn alone(&self) -> Vec<u8> {
        [b"fLaC\x80\x00\x00\x22", &self.stream_info[..]].concat()
    }

    /// In Hz.
    pub(super) fn sample_rate_hz(&self) -> u32 {
        let [a, b, c] = [10, 11, 12].map(|at| u32::from(self.stream_info[at]));
        (a << 12) | (b << 4) | (c >> 4)
    }

    /// Number of channels.
    pub(super) fn channels(&self) -> u32 {
        u32::from((self.stream_info[12] >> 1) & 7) + 1
    }

    /// Samples of a channel in the longest frame.
    pub(super) fn block_samples(&self) -> u16 {
        u16::from_be_bytes([self.stream_info[2], self.stream_info[3]])
    }

    /// The most bytes of a frame; its samples are never larger than uncompressed ones (a side channel has one bit more).
    pub(super) fn frame_bytes(&self) -> u64 {
        u64::from(self.block_samples())
            * u64::from(self.channels())
            * u64::from(self.bits() + 1).div_ceil(8)
            + FRAME_MARGIN_BYTES
    }

    /// Bits of a sample.
    fn bits(&self) -> u32 {
        let [high, low] = [12, 13].map(|at| u32::from(self.stream_info[at]));
        ((high & 1) << 4 | low >> 4) + 1
    }

    /// Samples of a channel in all, or 0.
    pub(super) fn frames(&self) -> u64 {
        self.stream_info[14..18]
            .iter()
            .fold(u64::from(self.stream_info[13] & 0xf), |sum, byte| {
                (sum << 8) | u64::from(*byte)
            })
    }
}
