use std::fs::File;
use std::io::{Cursor, ErrorKind, Read};

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
use super::source::{Fault, Source};
use super::tags;
use crate::frame_queue::FrameQueue;
use crate::{AudioInfo, InputFormat};

const STREAM_INFO_BYTES: usize = 34;

/// Set in the kind of the last metadata block; the other bits of stream information, kind 0, are clear.
const LAST_BLOCK: u8 = 0x80;

/// What a frame has beside its samples at most: a header of 16 bytes, and of each channel a byte, its wasted bits and the parameters of
/// its residual (RFC 9639 section 9). Generously.
const FRAME_MARGIN_BYTES: u64 = 1_024;

/// The sound of a FLAC stream.
pub(super) struct FlacSource {
    reader: FlacReader<'static>,
    decoder: FlacDecoder,
    /// The number of the frame that comes next.
    next_frame: u64,
    /// As the header states it; zero when it does not.
    stated_frames: u64,
    /// Bytes of frames not read yet.
    unread_bytes: u64,
    /// Bytes that may be left unread at the end of a stream that does not state its length: a last frame that was cut short. More is
    /// a stream that broke.
    cut_bytes: u64,
}

/// The one metadata block that matters (RFC 9639 section 8.2), and where the frames begin.
struct Header {
    stream_info: [u8; STREAM_INFO_BYTES],
    sound_start: u64,
    sound_end: u64,
}

impl Header {
    fn sample_rate_hz(&self) -> u32 {
        let [a, b, c] = [10, 11, 12].map(|at| u32::from(self.stream_info[at]));
        (a << 12) | (b << 4) | (c >> 4)
    }

    fn channels(&self) -> u32 {
        u32::from((self.stream_info[12] >> 1) & 7) + 1
    }

    /// The most bytes of a frame, whose samples are no larger than uncompressed ones (a side channel has a bit more).
    fn frame_bytes(&self) -> u64 {
        let longest = u64::from(u16::from_be_bytes([
            self.stream_info[2],
            self.stream_info[3],
        ]));
        longest * u64::from(self.channels()) * u64::from(self.bits() + 1).div_ceil(8)
            + FRAME_MARGIN_BYTES
    }

    /// Bits of a sample.
    fn bits(&self) -> u32 {
        let [high, low] = [12, 13].map(|at| u32::from(self.stream_info[at]));
        ((high & 1) << 4 | low >> 4) + 1
    }

    fn frames(&self) -> u64 {
        self.stream_info[14..18]
            .iter()
            .fold(u64::from(self.stream_info[13] & 0xf), |sum, byte| {
                (sum << 8) | u64::from(*byte)
            })
    }
}

/// Opens the FLAC stream; counts its frames when its header does not.
pub(super) fn open(file: &File) -> Result<(AudioInfo, FlacSource), DecodeError> {
    let header = read_header(file)?;
    DecodeError::check_shape(header.channels(), header.sample_rate_hz())?;
    let unread_bytes = header.sound_end.saturating_sub(header.sound_start);
    let Some(reader) = frame_reader(file, &header)? else {
        return Err(match unread_bytes {
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
    let stated_frames = header.frames();
    let frames = if stated_frames == 0 {
        count(file, &header)?
    } else {
        stated_frames
    };
    let info = AudioInfo::new(
        InputFormat::Flac,
        header.channels() as usize,
        header.sample_rate_hz(),
        Some(frames),
    );
    let source = FlacSource {
        reader,
        decoder,
        next_frame: 0,
        stated_frames,
        unread_bytes,
        cut_bytes: header.frame_bytes(),
    };
    Ok((info, source))
}

/// Steps over the metadata: tags, pictures and cue sheets state lengths that a parser would have to trust.
fn read_header(file: &File) -> Result<Header, DecodeError> {
    let mut reader = ByteReader::open(file, 0)?;
    tags::skip_leading(&mut reader)?;
    reader.skip(4);
    let mut stream_info = None;
    loop {
        let cut_short = || DecodeError::undecodable("the flac header is cut short");
        let [kind, size @ ..] = reader.array::<4>()?.ok_or_else(cut_short)?;
        let size = size
            .iter()
            .fold(0, |sum, byte| (sum << 8) | u64::from(*byte));
        if kind & !LAST_BLOCK == 0 && size >= STREAM_INFO_BYTES as u64 {
            let block = reader.peek(STREAM_INFO_BYTES)?;
            stream_info = Some(block.try_into().map_err(|_| cut_short())?);
        }
        reader.skip(size);
        if kind & LAST_BLOCK != 0 {
            break;
        }
    }
    Ok(Header {
        stream_info: stream_info
            .ok_or_else(|| DecodeError::undecodable("the flac file has no stream information"))?,
        sound_start: reader.position(),
        sound_end: tags::sound_end(file)?,
    })
}

/// Symphonia's reader on a stream without other metadata; none when there is no frame in it.
fn frame_reader(file: &File, header: &Header) -> Result<Option<FlacReader<'static>>, DecodeError> {
    let mut lead = b"fLaC\x80\x00\x00\x22".to_vec();
    lead.extend_from_slice(&header.stream_info);
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

/// Counts by frame headers and checksums, which costs a fraction of decoding.
fn count(file: &File, header: &Header) -> Result<u64, DecodeError> {
    let mut frames = 0;
    if let Some(mut reader) = frame_reader(file, header)? {
        while let Ok(Some(packet)) = reader.next_packet() {
            frames += packet.dur.get();
        }
    }
    Ok(frames)
}

impl FlacSource {
    /// The next frame whose checksum holds; none at the end.
    fn packet(&mut self) -> Result<Option<Packet>, Fault> {
        match self.reader.next_packet() {
            Ok(packet) => Ok(packet),
            Err(Error::IoError(error)) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(Error::IoError(error)) => Err(Fault::Io(error)),
            Err(error) => Err(error.into()),
        }
    }
}

impl Source for FlacSource {
    fn read(&mut self, queue: &mut FrameQueue) -> Result<bool, Fault> {
        const FULL_SCALE: f32 = 2_147_483_648.0;
        let Some(packet) = self.packet()? else {
            if self.next_frame < self.stated_frames {
                return Err(Fault::Broken(
                    "the stream ends before the length that its header states".into(),
                ));
            }
            if self.unread_bytes > self.cut_bytes {
                return Err(Fault::Broken("bytes that are no FLAC frame".into()));
            }
            return Ok(false);
        };
        self.unread_bytes = self.unread_bytes.saturating_sub(packet.data.len() as u64);
        let start = packet.pts.get().unsigned_abs();
        if self.next_frame == 0 && self.stated_frames == 0 {
            // Cut out of a running transmission: its numbers begin anywhere.
            self.next_frame = start;
        }
        if start != self.next_frame {
            return Err(Fault::Broken("frames are missing or broken".into()));
        }
        let GenericAudioBufferRef::S32(sound) = self.decoder.decode_ref(&packet.as_packet_ref())?
        else {
            return Err(Fault::Broken("a FLAC frame of an unknown kind".into()));
        };
        if sound.num_planes() != queue.channels() {
            return Err(Fault::Broken("the number of channels changes".into()));
        }
        self.next_frame += sound.frames() as u64;
        if self.stated_frames > 0 && self.next_frame > self.stated_frames {
            return Err(Fault::Broken(
                "the stream goes on behind the length that its header states".into(),
            ));
        }
        for channel in 0..queue.channels() {
            let samples = sound.plane(channel).unwrap_or_default();
            queue.extend(
                channel,
                samples.iter().map(|sample| *sample as f32 / FULL_SCALE),
            );
        }
        Ok(true)
    }
}
