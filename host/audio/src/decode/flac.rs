use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read};

use symphonia::core::audio::{Audio, GenericAudioBufferRef};
use symphonia::core::codecs::audio::{AudioDecoder, AudioDecoderOptions};
use symphonia::core::errors::Error;
use symphonia::core::formats::{FormatOptions, FormatReader};
use symphonia::core::io::{MediaSourceStream, MediaSourceStreamOptions, ReadOnlySource};
use symphonia::core::packet::Packet;
use symphonia::default::codecs::FlacDecoder;
use symphonia::default::formats::FlacReader;

use super::DecodeError;
use super::byte_reader::ByteReader;
use super::flac_frame;
use super::flac_header::Header;
use super::source::{Cut, Heard, Opened, Reason, Source, guarded, reason_of};
use crate::{AudioInfo, InputFormat};

/// The sound of a FLAC stream.
pub(super) struct FlacSource {
    reader: FlacReader<'static>,
    decoder: FlacDecoder,
    /// The number of the stream's first frame.
    origin: u64,
    /// A frame that follows silence.
    held: Option<Packet>,
}

/// Opens the FLAC stream. Its length is the one in its header if the last frame ends there; otherwise its frames are counted.
pub(super) fn open(file: &File) -> Result<Opened<FlacSource>, DecodeError> {
    let header = Header::read(file)?;
    DecodeError::check_shape(header.channels(), header.sample_rate_hz())?;
    let held_bytes = header.sound_end.saturating_sub(header.sound_start);
    let Some(reader) = frame_reader(file, &header)? else {
        return Err(match held_bytes {
            0 => DecodeError::Empty,
            _ => DecodeError::undecodable("no FLAC frame was found"),
        });
    };
    let decoder = reader
        .tracks()
        .first()
        .and_then(|track| track.codec_params.as_ref()?.audio())
        .ok_or_else(|| DecodeError::undecodable("the flac stream has no sound"))
        .and_then(|parameters| {
            FlacDecoder::try_new(parameters, &AudioDecoderOptions::default())
                .map_err(|error| DecodeError::undecodable(error.to_string()))
        })?;
    let stated = header.frames();
    let (mut origin, mut frames, mut cut) = (0, stated, None);
    if stated == 0 || !ends_at(file, &header, stated)? {
        let counted = count(file, &header)?;
        // A stream without a length may be cut from a running transmission, whose numbers begin anywhere.
        origin = if stated == 0 { counted.first } else { 0 };
        frames = counted.end.saturating_sub(origin);
        cut = cut_of(
            stated,
            frames,
            (held_bytes - counted.bytes.min(held_bytes), &header),
        );
    }
    let info = AudioInfo::new(
        InputFormat::Flac,
        header.channels() as usize,
        header.sample_rate_hz(),
        Some(frames),
    );
    let source = FlacSource {
        reader,
        decoder,
        origin,
        held: None,
    };
    Ok(Opened { info, source, cut })
}

/// Why a stream ends after `frames` frames, when `strange_bytes` bytes belong to no frame.
fn cut_of(stated: u64, frames: u64, (strange_bytes, header): (u64, &Header)) -> Option<Cut> {
    if stated > frames {
        return Some(Cut {
            reason: "the stream ends before the length that its header states".to_owned(),
            missing_frames: Some(stated - frames),
        });
    }
    // The rest of a frame that was cut short is at most this large.
    (stated == 0 && strange_bytes > 0).then(|| Cut {
        reason: if strange_bytes <= header.frame_bytes() {
            "the file ends inside a FLAC frame".to_owned()
        } else {
            format!("{strange_bytes} bytes are no FLAC frame")
        },
        missing_frames: None,
    })
}

/// Whether the last frame of the file ends the stream where its header says.
fn ends_at(file: &File, header: &Header, stated: u64) -> Result<bool, DecodeError> {
    let reach = header.frame_bytes().max(flac_frame::LEAST_REACH_BYTES);
    let start = header
        .sound_end
        .saturating_sub(reach)
        .max(header.sound_start);
    let mut reader = ByteReader::open(file, start)?;
    reader.end_at(header.sound_end);
    let tail = reader.peek(reach as usize)?;
    Ok(flac_frame::ends_at(tail, header.block_samples(), stated))
}

/// Symphonia's reader on a stream without other metadata; none when there is no frame in it.
fn frame_reader(file: &File, header: &Header) -> Result<Option<FlacReader<'static>>, DecodeError> {
    let lead = header.alone();
    let mut frames = ByteReader::open(file, header.sound_start)?;
    frames.end_at(header.sound_end);
    let source = ReadOnlySource::new(Cursor::new(lead).chain(frames));
    let stream = MediaSourceStream::new(Box::new(source), MediaSourceStreamOptions::default());
    match FlacReader::try_new(stream, FormatOptions::default()) {
        Ok(reader) => Ok(Some(reader)),
        Err(Error::IoError(error)) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(Error::IoError(error)) => Err(DecodeError::Io(error)),
        Err(error) => Err(DecodeError::undecodable(error.to_string())),
    }
}

/// The frames of a stream, found by their headers and checksums, which is far cheaper than decoding.
#[derive(Default)]
struct Counted {
    /// The number of the first one.
    first: u64,
    /// The number that would follow the last one.
    end: u64,
    /// Their bytes in total.
    bytes: u64,
}

fn count(file: &File, header: &Header) -> Result<Counted, DecodeError> {
    let mut counted = None;
    if let Some(mut reader) = frame_reader(file, header)? {
        while let Ok(Some(packet)) = reader.next_packet() {
            let start = packet.pts.get().unsigned_abs();
            let counted = counted.get_or_insert(Counted {
                first: start,
                ..Counted::default()
            });
            counted.end = counted.end.max(start + packet.dur.get());
            counted.bytes += packet.data.len() as u64;
        }
    }
    Ok(counted.unwrap_or_default())
}

impl FlacSource {
    /// The next frame whose checksum holds; none at the end.
    fn packet(&mut self) -> io::Result<Option<Packet>> {
        if let Some(held) = self.held.take() {
            return Ok(Some(held));
        }
        match self.reader.next_packet() {
            Ok(packet) => Ok(packet),
            Err(Error::IoError(error)) if error.kind() != ErrorKind::UnexpectedEof => Err(error),
            // Where the reader fails, everything that follows is lost, too.
            Err(_) => Ok(None),
        }
    }
}

/// A frame's samples, of each channel, appended to the queue.
fn decode(decoder: &mut FlacDecoder, packet: &Packet, heard: &mut Heard) -> Result<(), Reason> {
    const FULL_SCALE: f32 = 2_147_483_648.0;
    guarded(|| {
        let sound = decoder.decode_ref(&packet.as_packet_ref());
        let GenericAudioBufferRef::S32(sound) = sound.map_err(|error| reason_of(&error))? else {
            return Err("a FLAC frame of an unknown kind".into());
        };
        if sound.num_planes() != heard.channels() || sound.frames() as u64 != packet.dur.get() {
            return Err("a FLAC frame of another shape".into());
        }
        for channel in 0..heard.channels() {
            let samples = sound.plane(channel).unwrap_or_default();
            let samples = samples.iter().map(|sample| *sample as f32 / FULL_SCALE);
            heard.queue().extend(channel, samples);
        }
        Ok(())
    })
}

impl Source for FlacSource {
    fn read(&mut self, heard: &mut Heard) -> io::Result<bool> {
        let Some(packet) = self.packet()? else {
            return Ok(false);
        };
        let start = packet.pts.get().unsigned_abs().saturating_sub(self.origin);
        let expected = heard.frames();
        if start < expected {
            // A frame that was there already, as when a stream begins anew.
            return Ok(true);
        }
        if start > expected {
            heard.lose(start - expected, "frames are missing or broken");
            self.held = Some(packet);
            return Ok(true);
        }
        if let Err(reason) = decode(&mut self.decoder, &packet, heard) {
            heard.lose(packet.dur.get(), reason);
        }
        Ok(true)
    }
}
