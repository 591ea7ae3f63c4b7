use std::fs::File;

use symphonia::core::audio::{Audio, GenericAudioBufferRef};
use symphonia::core::codecs::audio::well_known::CODEC_ID_MP3;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia::core::packet::PacketRef;
use symphonia::core::units::{Duration, Timestamp};
use symphonia::default::codecs::MpaDecoder;

use super::DecodeError;
use super::byte_reader::ByteReader;
use super::mp3_frame::InfoTag;
use super::mp3_framer::{Framing, Mp3Framer};
use super::source::{Fault, Source};
use super::tags;
use crate::frame_queue::FrameQueue;
use crate::{AudioInfo, InputFormat};

/// Frames by which every MP3 decoder comes late: the filter bank's 528 and one (LAME's technical FAQ). An encoder's
/// own delay stands in its tag without them.
const DECODER_DELAY_FRAMES: u64 = 529;

/// MPEG frames by which a tag may state too many without a sign of a cut: some encoders count the frame that holds the
/// tag, or one of silence that they did not write.
const TAG_SLACK_MPEG_FRAMES: u64 = 2;

/// The sound of an MP3 stream.
pub(super) struct Mp3Source {
    framer: Mp3Framer,
    decoder: MpaDecoder,
    /// MPEG frames that the encoder's tag promises and a file that was cut short does not have.
    missing_mpeg_frames: u64,
    /// Frames of delay still to be dropped.
    lead_frames: u64,
}

/// Opens the MP3 stream and counts its frames.
///
/// Delay and padding go when the encoder's tag states them, the padding only when the stream is as long as the tag
/// says: behind a cut there is sound, not padding.
///
/// The stream was cut short, which is damage at its end, when the tag states more MPEG frames than there are whole ones,
/// and either the file ends inside a frame, or more are missing than tags are known to be wrong by. Without a tag nobody
/// knows where the stream should end. Tags and other bytes behind the last frame are no part of the stream.
pub(super) fn open(file: &File) -> Result<(AudioInfo, Mp3Source), DecodeError> {
    let mut reader = ByteReader::open(file, 0)?;
    reader.end_at(tags::sound_end(file)?);
    tags::skip_leading(&mut reader)?;
    let mut framer = Mp3Framer::synchronise(reader)?
        .ok_or_else(|| DecodeError::undecodable("no MP3 frame was found"))?;
    let first = *framer.first();
    DecodeError::check_shape(first.channels as u32, first.sample_rate_hz)?;
    let tag = match framer.fork()?.next()? {
        Framing::Frame(header, bytes) => InfoTag::parse(bytes, &header),
        Framing::Gap | Framing::Cut | Framing::End => None,
    };
    if tag.is_some() {
        framer.next()?;
    }
    let (mpeg_frames, ends_inside_frame) = count(&mut framer.fork()?)?;
    let tag = tag.unwrap_or_default();
    let missing_mpeg_frames = tag.mpeg_frames.unwrap_or(0).saturating_sub(mpeg_frames);
    let is_cut = ends_inside_frame || missing_mpeg_frames > TAG_SLACK_MPEG_FRAMES;
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
    Ok((
        AudioInfo::new(
            InputFormat::Mp3,
            first.channels,
            first.sample_rate_hz,
            Some(frames),
        ),
        Mp3Source {
            framer,
            decoder,
            missing_mpeg_frames: if is_cut { missing_mpeg_frames } else { 0 },
            lead_frames,
        },
    ))
}

/// The whole frames of the stream, and whether it ends inside another one.
fn count(framer: &mut Mp3Framer) -> Result<(u64, bool), DecodeError> {
    let mut frames = 0;
    loop {
        match framer.next()? {
            Framing::Frame(..) => frames += 1,
            Framing::Gap => {}
            Framing::Cut => return Ok((frames, true)),
            Framing::End => return Ok((frames, false)),
        }
    }
}

impl Source for Mp3Source {
    fn read(&mut self, queue: &mut FrameQueue) -> Result<bool, Fault> {
        let (header, bytes) = match self.framer.next()? {
            Framing::Frame(header, bytes) => (header, bytes),
            Framing::Gap => return Err(Fault::Broken("bytes that are no MP3 frame".into())),
            Framing::Cut | Framing::End if self.missing_mpeg_frames > 0 => {
                let missing = self.missing_mpeg_frames;
                let reason = format!("the file is cut short, {missing} MPEG frames are missing");
                return Err(Fault::Broken(reason.into()));
            }
            Framing::Cut | Framing::End => return Ok(false),
        };
        let duration = Duration::from(header.frames() as u64);
        let packet = PacketRef::new(0, Timestamp::ZERO, duration, bytes);
        let GenericAudioBufferRef::F32(sound) = self.decoder.decode_ref(&packet)? else {
            return Err(Fault::Broken("an MP3 frame of an unknown kind".into()));
        };
        if sound.num_planes() != queue.channels() {
            return Err(Fault::Broken("the number of channels changes".into()));
        }
        let skipped = self.lead_frames.min(sound.frames() as u64);
        self.lead_frames -= skipped;
        for channel in 0..queue.channels() {
            let samples = sound.plane(channel).unwrap_or_default();
            queue.extend(channel, samples.iter().skip(skipped as usize).copied());
        }
        Ok(true)
    }
}
