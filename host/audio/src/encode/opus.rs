use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use ruopus::ogg::{OpusHead, OpusTags, PageWriter};
use ruopus::{Application, Bandwidth, OpusEncoder};

use super::EncodeError;
use crate::{Block, Resampler, Stage};

/// The only rate at which Opus is encoded here; decoders can always give it.
const RATE_HZ: u32 = 48_000;

/// Frames of a packet: 20 ms.
const PACKET_FRAMES: usize = 960;

/// The largest packet of one frame (RFC 6716 section 3.2.1: 1,275 bytes and the byte before them).
const MAX_PACKET_BYTES: usize = 1_275;

/// The bit rate in kbit/s per channel when none is asked for: nobody hears a difference any more.
const DEFAULT_KBPS: u32 = 96;

/// Packets on a page: a second, as RFC 7845 section 3 recommends at the most.
const PACKETS_PER_PAGE: u64 = 50;

/// A stream's number matters only in files with several streams; a fixed one keeps files reproducible.
const SERIAL: u32 = 1;

/// Writes Opus in Ogg (RFC 7845), block by block, at 48 kHz. The first frames that a decoder gives are the encoder's
/// delay, which the header tells it to drop, and the last page says where the sound ends, so that the length is exact.
pub(super) struct OpusWriter {
    file: BufWriter<File>,
    encoder: OpusEncoder,
    resampler: Option<Resampler>,
    pages: PageWriter,
    page: Vec<u8>,
    channels: usize,
    /// Frames that wait for a whole packet, interleaved.
    waiting: Vec<f32>,
    /// The most recent packet, held back because it may be the last.
    packet: Option<Vec<u8>>,
    packets: u64,
    frames: u64,
}

impl OpusWriter {
    /// Begins a file at `path`, replacing what is there, for 1 or 2 channels of any rate from 8 to 192 kHz. `kbps` is for
    /// all channels together; `None` takes 96 kbit/s for each.
    pub fn create(
        kbps: Option<u32>,
        path: &Path,
        channels: usize,
        sample_rate_hz: u32,
    ) -> Result<Self, EncodeError> {
        if !(1..=2).contains(&channels) {
            return Err(EncodeError::Channels {
                format: "opus",
                channels,
            });
        }
        let resampler = (sample_rate_hz != RATE_HZ)
            .then(|| Resampler::new(channels, sample_rate_hz, RATE_HZ))
            .transpose()?;
        let kbps = kbps.unwrap_or(DEFAULT_KBPS * channels as u32);
        let mut encoder = OpusEncoder::new(channels);
        encoder.set_bandwidth(Bandwidth::FullBand);
        // One mode for the whole file: the header's delay is that of this mode, and music is never encoded as speech by mistake.
        encoder.set_application(Application::RestrictedLowDelay);
        encoder.set_bitrate(Some(kbps * 1_000));
        let mut writer = Self {
            file: BufWriter::with_capacity(1 << 16, File::create(path)?),
            encoder,
            resampler,
            pages: PageWriter::new(SERIAL),
            page: Vec::new(),
            channels,
            waiting: Vec::new(),
            packet: None,
            packets: 0,
            frames: 0,
        };
        writer.begin(sample_rate_hz)?;
        Ok(writer)
    }

    /// Appends a block.
    ///
    /// # Panics
    /// When the block has another number of channels.
    pub fn write(&mut self, block: &Block) -> Result<(), EncodeError> {
        assert_eq!(block.channels(), self.channels, "a file keeps its channels");
        if let Some(resampler) = &mut self.resampler {
            let block = resampler.process(block.clone())?;
            return self.encode(&block);
        }
        self.encode(block)
    }

    /// Writes what is still waiting and ends the stream where the sound ends.
    pub fn finish(mut self) -> Result<(), EncodeError> {
        if let Some(mut resampler) = self.resampler.take() {
            let rest = resampler.flush()?;
            self.encode(&rest)?;
        }
        let end = self.delay() + self.frames;
        let packets = end.div_ceil(PACKET_FRAMES as u64);
        self.waiting.resize(
            (packets - self.packets) as usize * PACKET_FRAMES * self.channels,
            0.0,
        );
        self.drain()?;
        let last = self.packet.take().unwrap_or_default();
        self.pages.push(&mut self.page, &last, end, true);
        self.file.write_all(&self.page)?;
        self.file.flush()?;
        Ok(())
    }

    /// The encoder's delay in frames.
    fn delay(&self) -> u64 {
        u64::from(self.encoder.lookahead())
    }

    /// The two header pages.
    fn begin(&mut self, sample_rate_hz: u32) -> Result<(), EncodeError> {
        let head = OpusHead::family0(self.channels as u8, self.delay() as u16, sample_rate_hz);
        let tags = OpusTags {
            vendor: b"vocalhost".to_vec(),
            comments: Vec::new(),
        };
        for header in [head.to_bytes(), tags.to_bytes()] {
            self.pages.push(&mut self.page, &header, 0, false);
            self.pages.flush(&mut self.page);
        }
        self.file.write_all(&self.page)?;
        self.page.clear();
        Ok(())
    }

    fn encode(&mut self, block: &Block) -> Result<(), EncodeError> {
        self.frames += block.frames() as u64;
        for frame in 0..block.frames() {
            let samples = (0..self.channels).map(|channel| block.channel(channel)[frame]);
            self.waiting.extend(samples);
        }
        self.drain()
    }

    /// Encodes all whole packets.
    fn drain(&mut self) -> Result<(), EncodeError> {
        let samples = PACKET_FRAMES * self.channels;
        let whole = self.waiting.len() / samples * samples;
        for packet in self.waiting[..whole].chunks_exact(samples) {
            let encoded = self.encoder.encode_auto(packet, MAX_PACKET_BYTES);
            let encoded = encoded.map_err(|error| EncodeError::Opus(error.to_string()))?;
            if let Some(last) = self.packet.replace(encoded) {
                // The position of a page counts all frames up to its end, those to be dropped included.
                let position = self.packets * PACKET_FRAMES as u64;
                self.pages.push(&mut self.page, &last, position, false);
                if self.packets.is_multiple_of(PACKETS_PER_PAGE) {
                    self.pages.flush(&mut self.page);
                }
            }
            self.packets += 1;
        }
        self.waiting.drain(..whole);
        self.file.write_all(&self.page)?;
        self.page.clear();
        Ok(())
    }
}
