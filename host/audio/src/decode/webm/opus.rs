use ruopus::ogg::{ChannelMapping, OpusHead};
use ruopus::{MultistreamDecoder, OpusDecoder, Packet};

use super::super::DecodeError;
use super::super::source::{Reason, guarded};
use crate::info::MAX_CHANNELS;

/// Opus decodes to this rate, whatever was recorded (RFC 6716 section 2).
const SAMPLE_RATE_HZ: u32 = 48_000;

/// For each number of channels, where the channels of a WAVE file lie in the order of Vorbis, which mapping family 1 uses (RFC 7845 section
/// 5.1.1.2).
const WAVE_ORDER: [&[usize]; MAX_CHANNELS] = [
    &[0],
    &[0, 1],
    &[0, 2, 1],
    &[0, 1, 2, 3],
    &[0, 2, 1, 3, 4],
    &[0, 2, 1, 5, 3, 4],
    &[0, 2, 1, 6, 5, 3, 4],
    &[0, 2, 1, 7, 5, 6, 3, 4],
];

/// What the header of an Opus track says (RFC 7845 section 5.1).
pub(super) struct OpusTrack {
    pub(super) channels: usize,
    pub(super) sample_rate_hz: u32,
    /// Frames at the beginning that are not part of the recording.
    pub(super) lead_frames: u64,
    decoder: Streams,
    clock: OpusClock,
    /// Factor on every sample.
    gain: f32,
}

enum Streams {
    One(Box<OpusDecoder>),
    Mapped(MultistreamDecoder),
}

/// Tells how many frames packets give, by their first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpusClock {
    /// Each packet holds one packet of every stream, one after another; all but the last state their length.
    several_streams: bool,
}

impl OpusClock {
    /// Frames of a packet (RFC 6716 section 3.1).
    pub(super) fn frames(self, packet: &[u8]) -> Result<usize, Reason> {
        let first = if self.several_streams {
            Packet::parse_self_delimited(packet).map(|(first, _)| first)
        } else {
            Packet::parse(packet)
        };
        let first = first.map_err(|_| broken())?;
        Ok(first.frames().len() * first.toc().frame_size().samples_per_channel_48k())
    }
}

impl OpusTrack {
    /// Reads the header and prepares to decode. Without a readable header, a track of one or two `channels` is taken as the container
    /// describes it; without that either, as stereo, which any packet can be decoded to.
    pub(super) fn open(private: &[u8], channels: Option<u64>) -> Result<Self, DecodeError> {
        let head = read_head(private)
            .or_else(|| plain_head(plausible(channels)))
            .ok_or_else(|| DecodeError::undecodable("the header of Opus is missing or broken"))?;
        DecodeError::check_shape(u32::from(head.channel_count), SAMPLE_RATE_HZ)?;
        let channels = usize::from(head.channel_count);
        let decoder = match &head.channel_mapping {
            ChannelMapping::Family0 => Streams::One(Box::new(OpusDecoder::new(channels))),
            ChannelMapping::Table {
                family: family @ (1 | 255),
                stream_count,
                coupled_count,
                mapping,
            } if usize::from(*stream_count) <= MAX_CHANNELS => {
                let mapping: Vec<u8> = if *family == 1 {
                    let order = WAVE_ORDER[channels - 1].iter();
                    order.map(|channel| mapping[*channel]).collect()
                } else {
                    mapping.clone()
                };
                Streams::Mapped(MultistreamDecoder::with_rate(
                    SAMPLE_RATE_HZ,
                    usize::from(*stream_count),
                    usize::from(*coupled_count),
                    &mapping,
                ))
            }
            ChannelMapping::Table { .. } => {
                return Err(DecodeError::undecodable(
                    "the channels of the Opus track are not those of loudspeakers",
                ));
            }
        };
        Ok(Self {
            channels,
            sample_rate_hz: SAMPLE_RATE_HZ,
            lead_frames: u64::from(head.pre_skip),
            decoder,
            clock: OpusClock {
                several_streams: head.channel_mapping.stream_count() > 1,
            },
            // In steps of 1/256 dB.
            gain: 10_f32.powf(f32::from(head.output_gain_q8) / (20.0 * 256.0)),
        })
    }

    /// Channels of a packet that holds a single stream (RFC 6716 section 3.1).
    pub(super) fn channels_of(packet: &[u8]) -> Option<u64> {
        const STEREO: u8 = 0b100;
        let first = packet.first()?;
        Some(if first & STEREO == 0 { 1 } else { 2 })
    }

    /// Tells how many frames packets give.
    pub(super) fn clock(&self) -> OpusClock {
        self.clock
    }

    /// Decodes a packet of `frames` frames, interleaved.
    pub(super) fn decode(&mut self, packet: &[u8], frames: usize) -> Result<Vec<f32>, Reason> {
        let mut sound = guarded(|| {
            match &mut self.decoder {
                // Nothing but the first byte: the encoder met silence and sent nothing.
                Streams::One(decoder) if packet.len() <= 1 => Ok(decoder.decode_lost(frames)),
                Streams::One(decoder) => decoder.decode_packet(packet),
                Streams::Mapped(decoder) => decoder.decode_packet(packet),
            }
            .map_err(|_| broken())
        })?;
        if sound.len() != frames * self.channels {
            return Err(broken());
        }
        for sample in &mut sound {
            *sample *= self.gain;
        }
        Ok(sound)
    }
}

/// Bytes of a header without a table of channels.
const HEAD_BYTES: usize = 19;

/// Reads the header. In a broken one, the name and the version may be wrong, and one or two channels need no table.
fn read_head(private: &[u8]) -> Option<OpusHead> {
    if let Ok(head) = OpusHead::parse(private) {
        return Some(head);
    }
    let mut mended = private.to_vec();
    mended.get_mut(..9)?.copy_from_slice(b"OpusHead\x01");
    if let Ok(head) = OpusHead::parse(&mended) {
        return Some(head);
    }
    if !matches!(mended.get(9)?, 1 | 2) {
        return None;
    }
    mended.truncate(HEAD_BYTES);
    *mended.get_mut(HEAD_BYTES - 1)? = 0;
    OpusHead::parse(&mended).ok()
}

/// The number of channels that the container states; 2 where that is no possible number.
fn plausible(channels: Option<u64>) -> u64 {
    let is_one = |channels: &u64| (1..=MAX_CHANNELS as u64).contains(channels);
    channels.filter(is_one).unwrap_or(2)
}

/// The header of a track of one or two channels that says nothing else.
fn plain_head(channels: u64) -> Option<OpusHead> {
    let channels = u8::try_from(channels).ok()?;
    let mut head = *b"OpusHead\x01\0\0\0\0\0\0\0\0\0\0";
    head[9] = channels;
    OpusHead::parse(&head).ok()
}

fn broken() -> Reason {
    "a broken Opus packet".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_header_is_made_up_for_by_what_the_container_says() {
        let opened = |private: &[u8], channels| OpusTrack::open(private, channels).ok();
        let stated = b"OpusHead\x01\x01\x38\x01\x80\xbb\0\0\0\0\0";
        let track = opened(stated, Some(2)).expect("is read");
        assert_eq!((track.channels, track.lead_frames), (1, 312));
        let track = opened(b"", Some(2)).expect("the container is enough");
        assert_eq!((track.channels, track.lead_frames), (2, 0));
        assert!(opened(b"", Some(6)).is_none());
        for nonsense in [None, Some(0), Some(9)] {
            assert_eq!(opened(b"", nonsense).expect("any packet").channels, 2);
        }
    }
}
