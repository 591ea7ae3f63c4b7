use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::num::NonZeroU32;
use std::path::Path;

use mp3lame_encoder::{
    Bitrate, Builder, DualPcm, Encoder, FlushGap, Mode, MonoPcm, Quality, max_required_buffer_size,
};

use super::EncodeError;
use super::mp3_tag::{Plan, foretold};
use crate::{Block, Resampler, Stage};

/// `FFmpeg`'s default (`compression_level` 5 of libmp3lame). LAME's own default is two steps better: its errors are 0.4 to 0.7 dB smaller
/// in critical bands, and it takes a fifth longer, a twentieth of a separation with its five files.
const QUALITY: Quality = Quality::Good;

/// Room for the last frames that a flush gives (lame.h asks for 7200 bytes).
const FLUSH_BYTES: usize = 7_200;

/// Room for the information frame, which is as long as any frame: at most 1,441 bytes at 320 kbit/s.
const TAG_BYTES: usize = 2_881;

/// The bit rates in kbit/s that a file may have; the encoder's lowest rates are not fit for music.
pub const MP3_KBPS: [u32; 6] = [128, 160, 192, 224, 256, 320];

/// LAME's name for each of [`MP3_KBPS`], and the factor that it applies to every sample at that rate to keep loud recordings from clipping
/// (`scale` in `abr_switch_map` of LAME 3.100, libmp3lame/presets.c, which also serves constant bit rates). A result has to keep its level,
/// and guarding peaks is not the encoder's task, so samples are divided by the factor first.
const LAME_RATES: [(Bitrate, f32); 6] = [
    (Bitrate::Kbps128, 0.95),
    (Bitrate::Kbps160, 0.95),
    (Bitrate::Kbps192, 0.97),
    (Bitrate::Kbps224, 0.98),
    (Bitrate::Kbps256, 1.0),
    (Bitrate::Kbps320, 1.0),
];

/// The bit rate of a file when none is asked for.
pub const MP3_DEFAULT_KBPS: u32 = 192;

/// Writes an MP3 file with LAME, block by block: one constant bit rate, mono or joint stereo, and an information frame
/// in front that states the encoder's delay and padding, so that players give the exact length back.
pub struct Mp3Writer {
    file: BufWriter<File>,
    encoder: Encoder,
    resampler: Option<Resampler>,
    channels: usize,
    bitrate: Bitrate,
    kbps: u32,
    mp3_rate_hz: u32,
    gain: f32,
    /// Written in place of the empty frame that the encoder begins with.
    foretold: Option<Vec<u8>>,
    encoded: Vec<u8>,
}

impl Mp3Writer {
    /// Begins a file of 192 kbit/s at `path`, replacing what is there, for 1 or 2 channels of any rate from 8 to 192 kHz.
    pub fn create(path: &Path, channels: usize, sample_rate_hz: u32) -> Result<Self, EncodeError> {
        Self::create_at(MP3_DEFAULT_KBPS, path, channels, sample_rate_hz)
    }

    /// Begins a file with one of [`MP3_KBPS`].
    pub fn create_at(
        kbps: u32,
        path: &Path,
        channels: usize,
        sample_rate_hz: u32,
    ) -> Result<Self, EncodeError> {
        if !(1..=2).contains(&channels) {
            return Err(EncodeError::Channels {
                format: "mp3",
                channels,
            });
        }
        let mut rates = MP3_KBPS.iter().zip(LAME_RATES);
        let Some((_, (bitrate, gain))) = rates.find(|(rate, _)| **rate == kbps) else {
            return Err(EncodeError::Mp3(format!("{kbps} kbit/s are not offered")));
        };
        let mp3_rate_hz = mp3_rate_hz(sample_rate_hz);
        let resampler = (mp3_rate_hz != sample_rate_hz)
            .then(|| Resampler::new(channels, sample_rate_hz, mp3_rate_hz))
            .transpose()?;
        Ok(Self {
            file: BufWriter::with_capacity(1 << 16, File::create(path)?),
            encoder: encoder(bitrate, channels, mp3_rate_hz)?,
            resampler,
            channels,
            bitrate,
            kbps,
            mp3_rate_hz,
            gain,
            foretold: None,
            encoded: Vec::new(),
        })
    }

    /// States how many frames of sound will come, before the first one does. The information frame is then there from the beginning, for
    /// those who read the file while it is written. [`Self::finish`] overwrites what only the end tells: checksums and the stereo mode of
    /// the last frame.
    pub fn foretell(&mut self, frames: u64) -> Result<(), EncodeError> {
        let samples = match &self.resampler {
            Some(resampler) => resampler.converted_frames(frames),
            None => frames,
        };
        let plan = Plan {
            kbps: self.kbps,
            sample_rate_hz: self.mp3_rate_hz,
            samples,
        };
        let sample = moment(self.bitrate, self.channels, self.mp3_rate_hz)?;
        self.foretold = sample.and_then(|frame| foretold(frame, plan));
        Ok(())
    }

    /// Appends a block.
    ///
    /// # Panics
    /// When the block has another number of channels.
    pub fn write(&mut self, block: &Block) -> Result<(), EncodeError> {
        assert_eq!(block.channels(), self.channels, "a file keeps its channels");
        let mut block = block.clone();
        if let Some(resampler) = &mut self.resampler {
            block = resampler.process(block)?;
        }
        self.encode(block)
    }

    /// Writes what the encoder still holds, then the information frame over the room kept for it.
    pub fn finish(mut self) -> Result<(), EncodeError> {
        if let Some(mut resampler) = self.resampler.take() {
            self.encode(resampler.flush()?)?;
        }
        self.encoded.clear();
        self.encoded.reserve(FLUSH_BYTES);
        self.encoder
            .flush_to_vec::<FlushGap>(&mut self.encoded)
            .map_err(|error| EncodeError::Mp3(error.to_string()))?;
        self.file.write_all(&self.encoded)?;
        let mut tag = Vec::with_capacity(TAG_BYTES);
        if self.encoder.lame_tag_encode_to_vec(&mut tag).is_some() {
            self.file.seek(SeekFrom::Start(0))?;
            self.file.write_all(&tag)?;
        }
        self.file.flush()?;
        Ok(())
    }

    fn encode(&mut self, mut block: Block) -> Result<(), EncodeError> {
        if block.is_empty() {
            return Ok(());
        }
        for channel in 0..self.channels {
            for sample in block.channel_mut(channel) {
                *sample /= self.gain;
            }
        }
        self.encoded.clear();
        self.encoded
            .reserve(max_required_buffer_size(block.frames()));
        let encoded = if self.channels == 1 {
            self.encoder
                .encode_to_vec(MonoPcm(block.channel(0)), &mut self.encoded)
        } else {
            let input = DualPcm {
                left: block.channel(0),
                right: block.channel(1),
            };
            self.encoder.encode_to_vec(input, &mut self.encoded)
        };
        encoded.map_err(|error| EncodeError::Mp3(error.to_string()))?;
        // The encoder's first output is the whole empty frame.
        if !self.encoded.is_empty()
            && let Some(frame) = self.foretold.take()
            && let Some(place) = self.encoded.get_mut(..frame.len())
        {
            place.copy_from_slice(&frame);
        }
        self.file.write_all(&self.encoded)?;
        Ok(())
    }
}

/// The information frame of a moment of silence; it holds everything that does not depend on the sound.
fn moment(
    bitrate: Bitrate,
    channels: usize,
    sample_rate_hz: u32,
) -> Result<Option<Vec<u8>>, EncodeError> {
    let mut encoder = encoder(bitrate, channels, sample_rate_hz)?;
    let mut encoded = Vec::with_capacity(FLUSH_BYTES);
    let flushed = encoder.flush_to_vec::<FlushGap>(&mut encoded);
    flushed.map_err(|error| EncodeError::Mp3(error.to_string()))?;
    let mut tag = Vec::with_capacity(TAG_BYTES);
    let size = encoder.lame_tag_encode_to_vec(&mut tag);
    Ok(size.map(|_| tag))
}

/// The rate that a recording is encoded at: 32, 44.1 or 48 kHz, since the lower MPEG-2 rates end at 160 kbit/s. All of [`MP3_KBPS`] are
/// legal there.
///
/// A rate that MPEG-1 has is kept. A lower one goes up to the lowest rate that is a multiple of it or, if none is, to the lowest above it.
/// One above 48 kHz goes down to 44.1 kHz when it is a multiple of that, and to 48 kHz otherwise.
fn mp3_rate_hz(sample_rate_hz: u32) -> u32 {
    const RATES_HZ: [u32; 3] = [32_000, 44_100, 48_000];
    if sample_rate_hz > 48_000 {
        return if sample_rate_hz.is_multiple_of(44_100) {
            44_100
        } else {
            48_000
        };
    }
    let multiple = RATES_HZ
        .iter()
        .find(|rate| rate.is_multiple_of(sample_rate_hz));
    let not_lower = RATES_HZ.iter().find(|rate| **rate >= sample_rate_hz);
    *multiple.or(not_lower).unwrap_or(&48_000)
}

fn encoder(bitrate: Bitrate, channels: usize, sample_rate_hz: u32) -> Result<Encoder, EncodeError> {
    let mode = if channels == 1 {
        Mode::Mono
    } else {
        Mode::JointStereo
    };
    let builder = Builder::new().ok_or_else(|| EncodeError::Mp3("no memory".to_owned()))?;
    builder
        .with_num_channels(channels as u8)
        .and_then(|builder| builder.with_sample_rate(sample_rate_hz))
        .and_then(|builder| builder.with_output_sample_rate(NonZeroU32::new(sample_rate_hz)))
        .and_then(|builder| builder.with_brate(bitrate))
        .and_then(|builder| builder.with_mode(mode))
        .and_then(|builder| builder.with_quality(QUALITY))
        .and_then(|builder| builder.with_to_write_vbr_tag(true))
        .and_then(Builder::build)
        .map_err(|error| EncodeError::Mp3(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rate_goes_to_one_at_which_192_kbit_is_legal() {
        for (from, to) in [
            (8_000, 32_000),
            (11_025, 44_100),
            (12_000, 48_000),
            (16_000, 32_000),
            (22_050, 44_100),
            (24_000, 48_000),
            (32_000, 32_000),
            (37_800, 44_100),
            (44_100, 44_100),
            (47_999, 48_000),
            (48_000, 48_000),
            (64_000, 48_000),
            (88_200, 44_100),
            (96_000, 48_000),
            (176_400, 44_100),
            (192_000, 48_000),
        ] {
            assert_eq!(mp3_rate_hz(from), to, "{from}");
        }
    }
}
