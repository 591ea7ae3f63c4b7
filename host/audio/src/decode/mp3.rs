use std::fs::File;
use std::io;

use symphonia::core::audio::{Audio, GenericAudioBufferRef};
use symphonia::core::codecs::audio::well_known::CODEC_ID_MP3;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia::core::packet::PacketRef;
use symphonia::core::units::{Duration, Timestamp};
use symphonia::default::codecs::MpaDecoder;

use super::DecodeError;
use super::byte_reader::ByteReader;
use super::finding::FindingKind;
use super::mp3_frame::InfoTag;
use super::mp3_framer::{Framing, MAX_TRAIL_BYTES, Mp3Framer};
use super::source::{Cut, Heard, Opened, Reason, Source, guarded, reason_of};
use super::tags;
use crate::{AudioInfo, InputFormat};

/// Frames by which every MP3 decoder comes late: the filter bank's 528 and one (LAME's technical FAQ). An encoder's
/// own delay stands in its tag without them.
const DECODER_DELAY_FRAMES: u64 = 529;

/// MPEG frames by which a tag may state too many without a sign of a cut: some encoders count the frame that holds the
/// tag, or one of silence that they did not write.
const TAG_SLACK_MPEG_FRAMES: u64 = 2;

/// MPEG frames that may be missing in a gap of few bytes: where a stretch was lost, pieces of the frames at its ends are all that is left.
const MAX_ROOM: u64 = 8;

/// The most bytes that a frame may begin in front of its own: 9 bits say it.
const MOST_BEFORE_BYTES: usize = 511;

/// The sound of an MP3 stream.
pub(super) struct Mp3Source {
    framer: Mp3Framer,
    decoder: MpaDecoder,
    /// Frames of delay still to be dropped.
    lead_frames: u64,
    /// MPEG frames that are missing in each gap of the stream, the next one last.
    gaps: Vec<u64>,
    /// Whether the only gap is bytes that were put in, so that no frame is missing.
    is_filled_in: bool,
    /// Bytes of sound since the last gap, as long as the next frames may begin in front of it.
    held_bytes: Option<usize>,
    /// Bytes in front of the stream that are no tag and too many to be padding or the end of a frame.
    strange_bytes: Option<u64>,
    /// Too many bytes behind it that are no sound, and where in it that is.
    trail: Option<(u64, String)>,
}

/// Opens the MP3 stream and counts its frames.
///
/// Delay and padding go when the encoder's tag states them, the padding only when the stream is as long as the tag
/// says: behind a cut there is sound, not padding.
///
/// The stream was cut short when it ends inside a frame, or when the tag states more MPEG frames than there are, by more than tags are
/// known to be wrong by. Tags and other bytes behind the last frame are no part of the stream.
pub(super) fn open(file: &File) -> Result<Opened<Mp3Source>, DecodeError> {
    let mut reader = ByteReader::open(file, 0)?;
    reader.end_at(tags::sound_end(file)?);
    tags::skip_leading(&mut reader)?;
    let mut framer = Mp3Framer::synchronise(reader)?
        .ok_or_else(|| DecodeError::undecodable("no MP3 frame was found"))?;
    let first = *framer.first();
    DecodeError::check_shape(first.channels as u32, first.sample_rate_hz)?;
    let tag = match framer.fork().next()? {
        Framing::Frame(header, bytes) => InfoTag::parse(bytes, &header),
        Framing::Gap(_) | Framing::Cut | Framing::End(..) => None,
    };
    if tag.is_some() {
        framer.next()?;
    }
    let counted = count(&mut framer.fork())?;
    let tag = tag.unwrap_or_default();
    let mut gaps = counted.gaps(tag.mpeg_frames);
    let mpeg_frames = counted.frames + gaps.iter().sum::<u64>();
    let missing = tag.mpeg_frames.unwrap_or(0).saturating_sub(mpeg_frames);
    let cut = counted.cut(tag.mpeg_frames, missing).map(|reason| Cut {
        reason,
        missing_frames: (missing > 0).then(|| missing * first.frames() as u64),
    });
    let (lead_frames, trail_frames) = match tag.gapless {
        Some((delay, padding)) => {
            let whole = tag.mpeg_frames.is_none_or(|stated| stated == mpeg_frames);
            let padding = padding.saturating_sub(DECODER_DELAY_FRAMES);
            (
                delay + DECODER_DELAY_FRAMES,
                if whole { padding } else { 0 },
            )
        }
        None => (0, 0),
    };
    let frames = (mpeg_frames * first.frames() as u64).saturating_sub(lead_frames + trail_frames);
    let mut parameters = AudioCodecParameters::new();
    parameters
        .for_codec(CODEC_ID_MP3)
        .with_sample_rate(first.sample_rate_hz);
    let decoder = MpaDecoder::try_new(&parameters, &AudioDecoderOptions::default())
        .map_err(|error| DecodeError::undecodable(error.to_string()))?;
    gaps.reverse();
    Ok(Opened {
        info: AudioInfo::new(
            InputFormat::Mp3,
            first.channels,
            first.sample_rate_hz,
            Some(frames),
        ),
        source: Mp3Source {
            strange_bytes: framer.strange_lead_bytes(),
            framer,
            decoder,
            lead_frames,
            gaps,
            is_filled_in: counted.settled(tag.mpeg_frames) == Some(0),
            held_bytes: None,
            trail: counted.trail().map(|reason| (frames, reason)),
        },
        cut,
    })
}

/// What a stream consists of.
#[derive(Debug, Default)]
struct Counted {
    /// Whole frames.
    frames: u64,
    /// Bytes of all of them.
    bytes: u64,
    /// Bytes of each gap between them.
    gap_bytes: Vec<u64>,
    /// Whether the file ends inside another one.
    ends_inside: bool,
    /// Bytes behind the last one, and how many of them are not zero.
    trail_bytes: u64,
    strange_bytes: u64,
}

fn count(framer: &mut Mp3Framer) -> Result<Counted, DecodeError> {
    let mut counted = Counted::default();
    loop {
        match framer.next()? {
            Framing::Frame(_, bytes) => {
                counted.frames += 1;
                counted.bytes += bytes.len() as u64;
            }
            Framing::Gap(bytes) => counted.gap_bytes.push(bytes),
            Framing::Cut => {
                counted.ends_inside = true;
                return Ok(counted);
            }
            Framing::End(bytes, strange_bytes) => {
                counted.trail_bytes = bytes;
                counted.strange_bytes = strange_bytes;
                return Ok(counted);
            }
        }
    }
}

impl Counted {
    /// How many frames are missing in each gap. A tag that states how many there are settles it where there is one gap and the end is whole:
    /// bytes that somebody has put in between stand for no frame. Otherwise, and where the gap has room for many but for fewer than are missing,
    /// it is as many as it has room for, and the others are cut off at the end.
    fn gaps(&self, stated: Option<u64>) -> Vec<u64> {
        if let Some(missing) = self.settled(stated) {
            return vec![missing];
        }
        let mut left = stated.map(|stated| stated.saturating_sub(self.frames));
        let gaps = self.gap_bytes.iter().map(|bytes| {
            let frames = self.room(*bytes).min(left.unwrap_or(u64::MAX));
            left = left.map(|left| left - frames);
            frames
        });
        gaps.collect()
    }

    /// How many frames are missing in the only gap, where the tag settles it.
    fn settled(&self, stated: Option<u64>) -> Option<u64> {
        let missing = stated?.saturating_sub(self.frames);
        let [bytes] = self.gap_bytes[..] else {
            return None;
        };
        // Padding is no sign of it, nor are a few bytes.
        let is_end_broken = self.ends_inside || self.room(self.strange_bytes) > 0;
        let is_likely = missing <= MAX_ROOM.max(self.room(bytes) + 1);
        (is_likely && !is_end_broken).then_some(missing)
    }

    /// Frames that have room in so many bytes.
    fn room(&self, bytes: u64) -> u64 {
        let mean = self.bytes / self.frames.max(1);
        (bytes + mean / 2) / mean.max(1)
    }

    /// Why the stream ends before it should, when `missing` of the frames are not there that the tag states.
    fn cut(&self, stated: Option<u64>, missing: u64) -> Option<String> {
        if missing > 0 && (self.ends_inside || missing > TAG_SLACK_MPEG_FRAMES) {
            let frames = match missing {
                1 => "1 MPEG frame is".to_owned(),
                more => format!("{more} MPEG frames are"),
            };
            return Some(format!("the file is cut short, {frames} missing"));
        }
        if stated.is_none() && self.ends_inside {
            return Some("the file ends inside an MPEG frame".to_owned());
        }
        None
    }

    /// What is wrong with the bytes behind the last frame.
    fn trail(&self) -> Option<String> {
        let bytes = self.trail_bytes;
        (bytes > MAX_TRAIL_BYTES)
            .then(|| format!("{bytes} bytes behind the last MPEG frame are no sound"))
    }
}

impl Source for Mp3Source {
    fn read(&mut self, heard: &mut Heard) -> io::Result<bool> {
        if let Some(bytes) = self.strange_bytes.take() {
            let reason = format!("{bytes} bytes in front of the first MPEG frame are no sound");
            heard.note(FindingKind::Damaged, 0, None, reason);
        }
        if let Some((end, reason)) = self.trail.take() {
            heard.note(FindingKind::Damaged, end, None, reason);
        }
        let (header, bytes) = match self.framer.next()? {
            Framing::Frame(header, bytes) => (header, bytes),
            Framing::Gap(bytes) => {
                if !self.is_filled_in {
                    // The next frame begins in bits that went with the gap.
                    self.decoder.reset();
                    self.held_bytes = Some(0);
                }
                let frames = self.gaps.pop().unwrap_or_default();
                let frames = frames * self.framer.first().frames() as u64;
                let reason = format!("{bytes} bytes are no MPEG frame");
                heard.lose(without_lead(&mut self.lead_frames, frames), reason);
                return Ok(true);
            }
            Framing::Cut | Framing::End(..) => return Ok(false),
        };
        let frames = header.frames() as u64;
        let begins_in_gap = self
            .held_bytes
            .is_some_and(|held| header.begins_before(bytes) > held);
        self.held_bytes = self.held_bytes.map(|held| held + header.sound_bytes());
        self.held_bytes = self.held_bytes.filter(|held| *held < MOST_BEFORE_BYTES);
        let skipped = self.lead_frames;
        let wanted = without_lead(&mut self.lead_frames, frames);
        if begins_in_gap {
            // It is silent, as the gap is.
            heard.lengthen(wanted);
        }
        if let Err(reason) = decode(&mut self.decoder, (bytes, frames), skipped, heard) {
            heard.lose(wanted, reason);
        }
        Ok(true)
    }
}

/// What of the next `frames` is of the recording and not the encoder's delay, of which `lead` are still to come.
fn without_lead(lead: &mut u64, frames: u64) -> u64 {
    let skipped = (*lead).min(frames);
    *lead -= skipped;
    frames - skipped
}

/// Appends the sound of a frame of so many bytes and samples, without the first `skipped`.
fn decode(
    decoder: &mut MpaDecoder,
    (bytes, frames): (&[u8], u64),
    skipped: u64,
    heard: &mut Heard,
) -> Result<(), Reason> {
    let packet = PacketRef::new(0, Timestamp::ZERO, Duration::from(frames), bytes);
    guarded(|| {
        let sound = decoder.decode_ref(&packet);
        let GenericAudioBufferRef::F32(sound) = sound.map_err(|error| reason_of(&error))? else {
            return Err("an MPEG frame of an unknown kind".into());
        };
        if sound.num_planes() != heard.channels() || sound.frames() as u64 != frames {
            return Err("an MPEG frame of another shape".into());
        }
        for channel in 0..heard.channels() {
            let samples = sound.plane(channel).unwrap_or_default();
            let samples = samples.iter().skip(skipped.min(frames) as usize).copied();
            heard.queue().extend(channel, samples);
        }
        Ok(())
    })
}
