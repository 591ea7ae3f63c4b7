use std::ops::Range;

use symphonia::core::audio::{Audio, GenericAudioBufferRef};
use symphonia::core::codecs::audio::well_known::CODEC_ID_VORBIS;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia::core::packet::PacketRef;
use symphonia::core::units::{Duration, Timestamp};
use symphonia::default::codecs::VorbisDecoder;

use super::super::DecodeError;
use super::super::source::{Reason, guarded, reason_of, to_clients};
use super::vorbis_setup::Setup;

/// The length of the identification header (Vorbis I section 4.2.2), and where in it the version, which is 0, and the framing mark at the
/// end, which is 1, stand.
const IDENTIFICATION_BYTES: usize = 30;
const VERSION: Range<usize> = 7..11;
const FRAMING: usize = 29;

/// Symphonia decodes more channels than these wrongly.
const MAX_VORBIS_CHANNELS: u8 = 2;

/// What the headers of a Vorbis track say.
pub(super) struct VorbisTrack {
    pub(super) channels: usize,
    pub(super) sample_rate_hz: u32,
    /// Whether bits of the headers were repaired.
    pub(super) is_mended: bool,
    decoder: VorbisDecoder,
    clock: VorbisClock,
}

/// Tells how many frames packets give, without decoding them: half of each block overlaps the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VorbisClock {
    /// Frames of a short and of a long block.
    blocks: [usize; 2],
    /// Whether a packet of each mode is a long block.
    modes: Vec<bool>,
    previous: Option<usize>,
}

impl VorbisTrack {
    /// Reads the headers and prepares to decode.
    pub(super) fn open(private: &[u8]) -> Result<Self, DecodeError> {
        let missing = || DecodeError::undecodable("the header of Vorbis is missing or broken");
        let (begin, setup_at) = headers(private).ok_or_else(missing)?;
        let identification = &private[begin..];
        let rate = [12, 13, 14, 15].map(|at| identification[at]);
        let (channels, sample_rate_hz) = (identification[11], u32::from_le_bytes(rate));
        DecodeError::check_shape(u32::from(channels), sample_rate_hz)?;
        // Symphonia 0.6 takes coupled channels apart first to last instead of last to first (section 4.3.5), which only matters where
        // there are several pairs; of three to five channels it loses some. FFmpeg's decoder and libvorbis agree on all of them.
        if channels > MAX_VORBIS_CHANNELS {
            return Err(DecodeError::undecodable(format!(
                "Vorbis of {channels} channels is not read, only of 1 and 2; Opus may have up to 8"
            )));
        }
        let setup = Setup::read(&private[setup_at..], channels).ok_or_else(missing)?;
        let mut headers = [&private[..setup_at], &setup.bytes].concat();
        // Values with only one possibility are repaired like the bits of the setup header.
        let sure = &mut headers[begin..];
        sure[VERSION].fill(0);
        sure[FRAMING] = 1;
        let is_mended = setup.is_mended || headers[..setup_at] != private[..setup_at];
        let mut parameters = AudioCodecParameters::new();
        parameters
            .for_codec(CODEC_ID_VORBIS)
            .with_extra_data(headers.into());
        let decoder = VorbisDecoder::try_new(&parameters, &AudioDecoderOptions::default())
            .map_err(|error| DecodeError::undecodable(to_clients(&error.to_string())))?;
        // The decoder has checked that block sizes are between 2^6 and 2^13.
        let exponents = identification[28];
        Ok(Self {
            channels: usize::from(channels),
            sample_rate_hz,
            is_mended,
            decoder,
            clock: VorbisClock {
                blocks: [1 << (exponents & 0xf), 1 << (exponents >> 4)],
                modes: setup.modes,
                previous: None,
            },
        })
    }

    /// A clock that stands at the beginning.
    pub(super) fn clock(&self) -> VorbisClock {
        self.clock.clone()
    }

    /// Decodes a packet of `frames` frames, to the samples of each channel.
    pub(super) fn decode(&mut self, packet: &[u8], frames: usize) -> Result<Vec<&[f32]>, Reason> {
        if packet.is_empty() {
            return Ok(vec![&[]; self.channels]);
        }
        let packet = PacketRef::new(0, Timestamp::ZERO, Duration::from(frames as u64), packet);
        guarded(|| {
            let sound = self.decoder.decode_ref(&packet);
            let GenericAudioBufferRef::F32(sound) = sound.map_err(|error| reason_of(&error))?
            else {
                return Err("a Vorbis packet of an unknown kind".into());
            };
            if sound.frames() != frames || sound.num_planes() != self.channels {
                return Err("a broken Vorbis packet".into());
            }
            let planes = (0..self.channels).map(|channel| sound.plane(channel).unwrap_or_default());
            Ok(planes.collect())
        })
    }
}

impl VorbisClock {
    /// Frames that the next packet gives (sections 4.3.1 and 4.3.8); the first one gives none.
    pub(super) fn frames(&mut self, packet: &[u8]) -> Result<usize, Reason> {
        // A packet without a bit changes nothing.
        let Some(first) = packet.first() else {
            return Ok(0);
        };
        let bits = usize::BITS - (self.modes.len() - 1).leading_zeros();
        let mode = usize::from(first >> 1) & ((1 << bits) - 1);
        let is_long = self.modes.get(mode).filter(|_| first & 1 == 0);
        let is_long = is_long.ok_or(Reason::Borrowed("a broken Vorbis packet"))?;
        let block = self.blocks[usize::from(*is_long)];
        let previous = self.previous.replace(block);
        Ok(previous.map_or(0, |previous| previous / 4 + block / 4))
    }
}

/// Where the identification header and the setup header begin, among the three that a track carries, laced as in a block with two sizes at
/// the beginning.
fn headers(private: &[u8]) -> Option<(usize, usize)> {
    let (count, mut rest) = private.split_first()?;
    if *count != 2 {
        return None;
    }
    let mut sizes = [0; 2];
    for size in &mut sizes {
        loop {
            let (byte, behind) = rest.split_first()?;
            rest = behind;
            *size += usize::from(*byte);
            if *byte != u8::MAX {
                break;
            }
        }
    }
    let begin = private.len() - rest.len();
    let setup_at = begin.checked_add(sizes[0])?.checked_add(sizes[1])?;
    (sizes[0] >= IDENTIFICATION_BYTES && setup_at <= private.len()).then_some((begin, setup_at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_gives_a_quarter_of_its_block_and_of_the_one_before() {
        let mut clock = VorbisClock {
            blocks: [256, 2_048],
            modes: vec![false, true],
            previous: None,
        };
        let frames: Vec<usize> = [0b00, 0b00, 0b10, 0b10]
            .iter()
            .map(|first| clock.frames(&[*first]).expect("is sound"))
            .collect();
        assert_eq!(frames, [0, 128, 576, 1_024]);
        assert_eq!(clock.frames(&[]).expect("is nothing"), 0);
        assert!(clock.frames(&[0b01]).is_err(), "no sound");
    }
}
