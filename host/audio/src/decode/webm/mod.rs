//! Sound out of `WebM`, as browsers record it.
//!
//! The container is Matroska's (RFC 9559) on EBML (RFC 8794). Its elements are walked here; Opus and Vorbis packets go
//! to their decoders. Pictures, subtitles, indexes and times are stepped over.

mod blocks;
mod ebml;
mod lace;
mod opus;
mod track;
mod vorbis;

use std::fs::File;
use std::ops::Range;

use self::blocks::{BlockReader, Packets};
use self::opus::{OpusClock, OpusTrack};
use self::track::{Coding, Track};
use self::vorbis::{VorbisClock, VorbisTrack};
use super::DecodeError;
use super::byte_reader::ByteReader;
use super::source::{Fault, Source};
use super::tags;
use crate::frame_queue::FrameQueue;
use crate::{AudioInfo, InputFormat};

const EBML: u32 = 0x1a45_dfa3;
const DOC_TYPE: u32 = 0x4282;
const SEGMENT: u32 = 0x1853_8067;
const TRACKS: u32 = 0x1654_ae6b;
const CLUSTER: u32 = 0x1f43_b675;

/// The largest list of tracks, and the largest header of the file, that is held in memory: a track is a few kilobytes.
const MAX_HEAD_BYTES: u64 = 1 << 20;

/// The sound of one track.
pub(super) struct WebmSource {
    blocks: BlockReader,
    sound: Sound,
    clock: Clock,
    trim: Trim,
    packets: Packets,
    /// Frames of each packet of the block.
    sizes: Vec<usize>,
    /// The packet of the block that comes next.
    next_packet: usize,
    /// Where it begins in the block's sound.
    position: u64,
    /// What of the block's sound is of the recording.
    kept: Range<u64>,
}

/// A track made ready to decode.
enum Sound {
    Opus(OpusTrack),
    Vorbis(Box<VorbisTrack>),
}

/// Says how many frames packets give.
enum Clock {
    Opus(OpusClock),
    Vorbis(VorbisClock),
}

/// What coding has added to the recording.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Trim {
    sample_rate_hz: u32,
    /// Frames in front that are still to come.
    lead_frames: u64,
}

/// Opens the track of sound; counts its frames, since a recorder that streams does not state their number.
pub(super) fn open(file: &File) -> Result<(AudioInfo, WebmSource), DecodeError> {
    let Head {
        reader,
        track,
        missing,
    } = read_head(file)?;
    let sound = Sound::open(&track)?;
    let (channels, sample_rate_hz, lead_frames) = match &sound {
        Sound::Opus(opus) => (opus.channels, opus.sample_rate_hz, opus.lead_frames),
        Sound::Vorbis(vorbis) => (vorbis.channels, vorbis.sample_rate_hz, 0),
    };
    let trim = Trim {
        sample_rate_hz,
        // The header of Opus counts in frames. The container's time is for recorders that write zero there: others give it
        // in frames of the rate before Opus, which makes it too short.
        lead_frames: match lead_frames {
            0 => track
                .delay_ns
                .map_or(0, |delay| in_frames(delay, sample_rate_hz)),
            stated => stated,
        },
    };
    let blocks = BlockReader::new(reader, track.number, missing);
    let frames = count(blocks.fork()?, sound.clock(), trim.clone())?;
    let info = AudioInfo::new(InputFormat::Webm, channels, sample_rate_hz, Some(frames));
    let source = WebmSource {
        blocks,
        clock: sound.clock(),
        sound,
        trim,
        packets: Packets::default(),
        sizes: Vec::new(),
        next_packet: 0,
        position: 0,
        kept: 0..0,
    };
    Ok((info, source))
}

/// What stands in front of the sound.
struct Head {
    /// In front of the first cluster; ends where the segment does.
    reader: ByteReader,
    track: Track,
    /// Bytes of the segment that the file lacks, where it says how long it is.
    missing: u64,
}

/// Reads up to the first cluster.
fn read_head(file: &File) -> Result<Head, DecodeError> {
    let cut_short = || DecodeError::undecodable("the webm header is cut short");
    let malformed = |_| DecodeError::undecodable("the webm header is broken");
    let mut reader = ByteReader::open(file, 0)?;
    tags::skip_leading(&mut reader)?;
    let (mut track, mut missing) = (None, 0);
    loop {
        let header = ebml::header(reader.peek(ebml::MAX_HEADER_BYTES)?).map_err(malformed)?;
        let header = header.ok_or_else(|| match track {
            Some(_) => DecodeError::Empty,
            None => cut_short(),
        })?;
        if header.id == CLUSTER {
            let track =
                track.ok_or_else(|| DecodeError::undecodable("the webm header lists no tracks"))?;
            return Ok(Head {
                reader,
                track,
                missing,
            });
        }
        reader.skip(header.bytes as u64);
        if header.id == SEGMENT {
            if let Some(bytes) = header.body_bytes {
                missing = reader.end_at(reader.position().saturating_add(bytes));
            }
            continue;
        }
        let bytes = header
            .body_bytes
            .ok_or_else(|| DecodeError::undecodable("the webm header is broken"))?;
        if header.id != TRACKS && header.id != EBML {
            reader.skip(bytes);
            continue;
        }
        if bytes > MAX_HEAD_BYTES {
            return Err(DecodeError::undecodable("the webm header is too large"));
        }
        let body = reader.take(bytes as usize)?;
        if (body.len() as u64) < bytes {
            return Err(cut_short());
        }
        if header.id == TRACKS {
            track = Some(track::first_readable(body)?);
        } else {
            let fields = ebml::children(body).map_err(malformed)?;
            let kind = ebml::text(ebml::child(&fields, DOC_TYPE).unwrap_or_default());
            // Some browsers write the same recording under the name of the larger standard.
            if ![&b"webm"[..], b"matroska"].contains(&kind) {
                return Err(DecodeError::Format {
                    found: "an EBML file other than WebM",
                });
            }
        }
    }
}

/// Counts frames by what packets say about themselves, which costs a fraction of decoding. Where a packet is broken the
/// count ends, as decoding will.
fn count(mut blocks: BlockReader, mut clock: Clock, mut trim: Trim) -> Result<u64, DecodeError> {
    let mut packets = Packets::default();
    let mut sizes = Vec::new();
    let mut frames = 0;
    let fault = loop {
        match blocks.next(&mut packets) {
            Ok(true) => {}
            Ok(false) => break None,
            Err(fault) => break Some(fault),
        }
        match clock.measure(&packets, &mut sizes) {
            Ok(block) => {
                let kept = trim.block(block, packets.discard_ns);
                frames += kept.end - kept.start;
            }
            Err(fault) => break Some(fault),
        }
    };
    match fault {
        Some(Fault::Broken(reason)) if frames == 0 => Err(DecodeError::undecodable(reason)),
        Some(Fault::Io(error)) => Err(error.into()),
        _ => Ok(frames),
    }
}

impl Sound {
    fn open(track: &Track) -> Result<Self, DecodeError> {
        Ok(match track.coding {
            Coding::Opus => Self::Opus(OpusTrack::open(&track.private)?),
            Coding::Vorbis => Self::Vorbis(Box::new(VorbisTrack::open(&track.private)?)),
        })
    }

    /// A clock that stands at the beginning.
    fn clock(&self) -> Clock {
        match self {
            Self::Opus(opus) => Clock::Opus(opus.clock()),
            Self::Vorbis(vorbis) => Clock::Vorbis(vorbis.clock()),
        }
    }

    /// Decodes a packet of `frames` frames and appends those in `kept` to the queue.
    fn decode(
        &mut self,
        packet: &[u8],
        frames: usize,
        kept: Range<usize>,
        queue: &mut FrameQueue,
    ) -> Result<(), Fault> {
        match self {
            Self::Opus(opus) => {
                let sound = opus.decode(packet, frames)?;
                check_finite(&sound)?;
                let channels = opus.channels;
                let kept = &sound[kept.start * channels..kept.end * channels];
                for channel in 0..channels {
                    queue.extend(
                        channel,
                        kept.iter().skip(channel).step_by(channels).copied(),
                    );
                }
            }
            Self::Vorbis(vorbis) => {
                let sound = vorbis.decode(packet, frames)?;
                for samples in &sound {
                    check_finite(samples)?;
                }
                for (channel, samples) in sound.iter().enumerate() {
                    queue.extend(channel, samples[kept.clone()].iter().copied());
                }
            }
        }
        Ok(())
    }
}

fn check_finite(samples: &[f32]) -> Result<(), Fault> {
    if samples.iter().all(|sample| sample.is_finite()) {
        return Ok(());
    }
    Err(Fault::Broken("a sample that is no number".into()))
}

impl Clock {
    /// Puts the frames of each packet of a block into `sizes`; returns their sum.
    fn measure(&mut self, packets: &Packets, sizes: &mut Vec<usize>) -> Result<u64, Fault> {
        sizes.clear();
        for packet in packets.iter() {
            sizes.push(match self {
                Self::Opus(clock) => clock.frames(packet)?,
                Self::Vorbis(clock) => clock.frames(packet)?,
            });
        }
        Ok(sizes.iter().map(|size| *size as u64).sum())
    }
}

impl Trim {
    /// What of the next block's `frames` frames is of the recording, when `discard_ns` of them are padding.
    fn block(&mut self, frames: u64, discard_ns: i64) -> Range<u64> {
        let padding = in_frames(discard_ns.unsigned_abs(), self.sample_rate_hz).min(frames);
        let (start, end) = match discard_ns {
            ..=0 => (padding, frames),
            _ => (0, frames - padding),
        };
        let lead = self.lead_frames.min(end - start);
        self.lead_frames -= lead;
        start + lead..end
    }
}

/// The nearest number of frames.
fn in_frames(ns: u64, sample_rate_hz: u32) -> u64 {
    const NS_PER_S: u128 = 1_000_000_000;
    let frames = (u128::from(ns) * u128::from(sample_rate_hz) + NS_PER_S / 2) / NS_PER_S;
    u64::try_from(frames).unwrap_or(u64::MAX)
}

impl Source for WebmSource {
    fn read(&mut self, queue: &mut FrameQueue) -> Result<bool, Fault> {
        let Some(packet) = self.packets.get(self.next_packet) else {
            if !self.blocks.next(&mut self.packets)? {
                return Ok(false);
            }
            let frames = self.clock.measure(&self.packets, &mut self.sizes)?;
            self.kept = self.trim.block(frames, self.packets.discard_ns);
            (self.next_packet, self.position) = (0, 0);
            return Ok(true);
        };
        let frames = self.sizes[self.next_packet];
        let within = |at: u64| at.saturating_sub(self.position).min(frames as u64) as usize;
        let kept = within(self.kept.start)..within(self.kept.end);
        self.sound.decode(packet, frames, kept, queue)?;
        self.next_packet += 1;
        self.position += frames as u64;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_coding_added_is_taken_off_wherever_blocks_end() {
        let mut trim = Trim {
            sample_rate_hz: 48_000,
            lead_frames: 1_200,
        };
        assert_eq!(trim.block(960, 0), 960..960);
        assert_eq!(trim.block(960, 0), 240..960);
        assert_eq!(trim.block(960, 6_500_000), 0..648);
        assert_eq!(trim.block(960, -6_500_000), 312..960);
        assert_eq!(trim.block(960, i64::MAX), 0..0);
        assert_eq!(trim.block(960, i64::MIN), 960..960);
        trim.lead_frames = u64::MAX;
        assert_eq!(trim.block(960, 6_500_000), 648..648);
    }

    #[test]
    fn times_become_the_nearest_number_of_frames() {
        assert_eq!(in_frames(6_500_000, 48_000), 312);
        assert_eq!(in_frames(10_416, 48_000), 0);
        assert_eq!(in_frames(10_417, 48_000), 1);
        assert_eq!(in_frames(u64::MAX, u32::MAX), u64::MAX);
    }
}
