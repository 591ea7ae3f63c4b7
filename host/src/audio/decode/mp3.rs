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
use crate::audio::frame_queue::FrameQueue;
use crate::audio::{AudioInfo, InputFormat};

/// Frames by which every MP3 decoder comes late: the filter bank's 528 and one (LAME's technical FAQ). An encoder's
/// own delay stands in its tag without them.
const DECODER_DELAY_FRAMES: u64 = 529;

/// The sound of an MP3 stream.
pub(super) struct Mp3Source {
    framer: Mp3Framer,
    decoder: MpaDecoder,
    /// Frames of delay still to be dropped.
    lead_frames: u64,
}

/// Opens the MP3 stream and counts its frames.
///
/// Delay and padding go when the encoder's tag states them, the padding only when the stream is as long as the tag
/// says: behind a cut there is sound, not padding.
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
        Framing::Gap | Framing::End => None,
    };
    if tag.is_some() {
        framer.next()?;
    }
    let mpeg_frames = count(&mut framer.fork()?)?;
    let tag = tag.unwrap_or_default();
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
            lead_frames,
        },
    ))
}

fn count(framer: &mut Mp3Framer) -> Result<u64, DecodeError> {
    let mut frames = 0;
    loop {
        match framer.next()? {
            Framing::Frame(..) => frames += 1,
            Framing::Gap => {}
            Framing::End => return Ok(frames),
        }
    }
}

impl Source for Mp3Source {
    fn read(&mut self, queue: &mut FrameQueue) -> Result<bool, Fault> {
        let (header, bytes) = match self.framer.next()? {
            Framing::Frame(header, bytes) => (header, bytes),
            Framing::Gap => return Err(Fault::Broken("bytes that are no MP3 frame".into())),
            Framing::End => return Ok(false),
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
