//! Sound out of `WebM`, as browsers record it.
//!
//! The container is Matroska (RFC 9559) on EBML (RFC 8794). Its elements are walked here; Opus and Vorbis packets go to
//! their decoders. Pictures, subtitles and indexes are stepped over; times only measure what is missing.

mod blocks;
mod ebml;
mod elements;
mod head;
mod lace;
mod opus;
mod packets;
mod resync;
mod track;
mod trim;
mod vorbis;
mod vorbis_setup;
mod walk;

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use self::blocks::{BlockReader, Met};
use self::head::Head;
use self::opus::OpusTrack;
use self::packets::Packets;
use self::track::{Coding, Track};
use self::trim::Trim;
use self::vorbis::VorbisTrack;
use self::walk::{Clock, Step, Walk};
use super::DecodeError;
use super::finding::FindingKind;
use super::source::{Cut, Heard, Opened, Reason, Source};
use crate::{AudioInfo, InputFormat};

/// The sound of one track.
pub(super) struct WebmSource {
    walk: Walk,
    sound: Sound,
    /// The block's packet that comes next.
    next_packet: usize,
    /// Where it begins within the block's sound.
    position: u64,
    /// Which of the block's frames belong to the recording.
    kept: Range<u64>,
    /// Whether bits of the headers were repaired and that has not been reported yet.
    is_mended: bool,
}

/// A track that is ready to decode.
enum Sound {
    Opus(OpusTrack),
    Vorbis(Box<VorbisTrack>),
}

/// Opens the sound track and counts its frames, since a recorder that streams does not state their number.
pub(super) fn open(file: &File) -> Result<Opened<WebmSource>, DecodeError> {
    let Head {
        reader,
        track,
        segment_end,
        tick_ns,
    } = Head::read(file)?;
    let blocks = BlockReader::new(reader, Arc::clone(&track), segment_end);
    let sound = Sound::open(&track, &blocks)?;
    let (channels, sample_rate_hz, lead_frames) = match &sound {
        Sound::Opus(opus) => (opus.channels, opus.sample_rate_hz, opus.lead_frames),
        Sound::Vorbis(vorbis) => (vorbis.channels, vorbis.sample_rate_hz, 0),
    };
    let trim = Trim {
        sample_rate_hz,
        lead_frames: trim::lead_frames(lead_frames, track.delay_ns, sample_rate_hz),
    };
    let is_mended = matches!(&sound, Sound::Vorbis(vorbis) if vorbis.is_mended);
    let walk = Walk::new(blocks, sound.clock(), trim, tick_ns);
    let (frames, cut) = count(walk.fork())?;
    Ok(Opened {
        info: AudioInfo::new(InputFormat::Webm, channels, sample_rate_hz, Some(frames)),
        source: WebmSource {
            walk,
            sound,
            next_packet: 0,
            position: 0,
            kept: 0..0,
            is_mended,
        },
        cut,
    })
}

/// Counts frames by what packets say about themselves, which is far cheaper than decoding, and says how the stream
/// ends.
fn count(mut walk: Walk) -> Result<(u64, Option<Cut>), DecodeError> {
    let (mut frames, mut lost) = (0, None);
    let end = loop {
        match walk.next()? {
            Step::Block(kept) => frames += kept.end - kept.start,
            Step::Lost(more, reason) => {
                frames += more;
                lost = lost.or(Some(reason));
            }
            Step::End(end) => break end,
        }
    };
    if frames == 0
        && let Some(reason) = lost.map(Reason::into_owned).or_else(|| end.clone())
    {
        return Err(DecodeError::undecodable(reason));
    }
    let cut = end.map(|reason| Cut {
        reason,
        missing_frames: None,
    });
    Ok((frames, cut))
}

impl Sound {
    fn open(track: &Track, blocks: &BlockReader) -> Result<Self, DecodeError> {
        Ok(match track.coding {
            Coding::Opus => {
                let mut channels = track.channels;
                if track.private.is_empty() && channels.is_none() {
                    channels = channels_of_first(blocks.fork())?;
                }
                Self::Opus(OpusTrack::open(&track.private, channels)?)
            }
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
        heard: &mut Heard,
    ) -> Result<(), Reason> {
        match self {
            Self::Opus(opus) => {
                let sound = opus.decode(packet, frames)?;
                check_finite(&sound)?;
                let channels = opus.channels;
                let kept = &sound[kept.start * channels..kept.end * channels];
                for channel in 0..channels {
                    heard.queue().extend(
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
                    heard
                        .queue()
                        .extend(channel, samples[kept.clone()].iter().copied());
                }
            }
        }
        Ok(())
    }
}

/// Channels by the first packet of Opus, where nothing else says how many there are.
fn channels_of_first(mut blocks: BlockReader) -> io::Result<Option<u64>> {
    let mut packets = Packets::default();
    loop {
        match blocks.next(&mut packets)? {
            Met::Block => return Ok(packets.get(0).and_then(OpusTrack::channels_of)),
            Met::Hole(..) | Met::Strange(..) => {}
            Met::End(_) => return Ok(None),
        }
    }
}

fn check_finite(samples: &[f32]) -> Result<(), Reason> {
    if samples.iter().all(|sample| sample.is_finite()) {
        return Ok(());
    }
    Err("a sample that is no number".into())
}

impl Source for WebmSource {
    fn read(&mut self, heard: &mut Heard) -> io::Result<bool> {
        if std::mem::take(&mut self.is_mended) {
            let reason = "bits of the header of Vorbis, which could be put right";
            heard.note(FindingKind::Damaged, 0, None, reason);
        }
        let Some((packet, size)) = self.walk.packet(self.next_packet) else {
            match self.walk.next()? {
                Step::Block(kept) => self.kept = kept,
                Step::Lost(frames, reason) => heard.lose(frames, reason),
                Step::End(_) => return Ok(false),
            }
            (self.next_packet, self.position) = (0, 0);
            return Ok(true);
        };
        let frames = size.frames;
        let within = |at: u64| at.saturating_sub(self.position).min(frames as u64) as usize;
        let kept = within(self.kept.start)..within(self.kept.end);
        let lost = (kept.end - kept.start) as u64;
        let decoded = match size.broken {
            Some(reason) => Err(reason),
            None => self.sound.decode(packet, frames, kept, heard),
        };
        if let Err(reason) = decoded {
            heard.lose(lost, reason);
        }
        self.next_packet += 1;
        self.position += frames as u64;
        Ok(true)
    }
}
