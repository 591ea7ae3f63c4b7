use std::fs::File;

use super::DecodeError;
use super::byte_reader::ByteReader;
use super::pcm::SampleEncoding;
use super::source::{Fault, Source};
use crate::frame_queue::FrameQueue;
use crate::{AudioInfo, BLOCK_FRAMES, InputFormat};

const FORMAT_PCM: u16 = 1;
const FORMAT_FLOAT: u16 = 3;
const FORMAT_EXTENSIBLE: u16 = 0xfffe;

/// A size of all ones: unknown when a header was written before its sound, or 64 bits wide in `ds64` (RF64).
const SIZE_UNKNOWN: u32 = u32::MAX;

/// Data sizes from here on (2 GiB less 64 KiB) stand for an unknown length, too: programs that write the header before
/// the sound put the largest number there that they dare, such as `0x7fff_f000` or `0x8000_0000`. A file this long would
/// not have been accepted.
const LEAST_PLACEHOLDER_BYTES: u64 = 0x7fff_0000;

/// The samples of a WAV file (RIFF; RF64 and BW64 of EBU Tech 3306 and ITU-R BS.2088).
pub(super) struct WavSource {
    reader: ByteReader,
    encoding: SampleEncoding,
    channels: usize,
    frames_left: u64,
    /// Bytes of sound that the header promises and the file does not have.
    missing_bytes: u64,
}

struct Layout {
    encoding: SampleEncoding,
    channels: usize,
    sample_rate_hz: u32,
    speakers: Option<u32>,
}

/// Opens the WAV file.
///
/// The data chunk ends with the file at the latest. When it states more than there is, the file was cut short, which is
/// damage at its end, unless the size is one that recorders leave which stream or crash: zero, all ones, a number next
/// to 2 GiB or above, or the size of the whole file, which careless programs write instead.
pub(super) fn open(file: &File) -> Result<(AudioInfo, WavSource), DecodeError> {
    let mut reader = ByteReader::open(file, 0)?;
    super::tags::skip_leading(&mut reader)?;
    reader.skip(12);
    let mut layout = None;
    let mut long_data_bytes = None;
    loop {
        let Some((name, size)) = chunk_head(&mut reader)? else {
            return Err(DecodeError::undecodable("the wav file has no data chunk"));
        };
        match &name {
            b"fmt " => layout = Some(parse_format(reader.peek(size.min(40) as usize)?)?),
            b"ds64" => {
                long_data_bytes = reader
                    .peek(16)?
                    .last_chunk()
                    .map(|bytes| u64::from_le_bytes(*bytes));
            }
            b"data" => {
                let Some(layout) = layout else {
                    return Err(DecodeError::undecodable(
                        "the wav file has no format chunk before its data",
                    ));
                };
                let stated = match size {
                    SIZE_UNKNOWN => long_data_bytes.unwrap_or(u64::MAX),
                    size => u64::from(size),
                };
                // Who streams leaves zero in either place.
                let stated = match stated {
                    0 if !chunks_follow(&reader)? => u64::MAX,
                    stated => stated,
                };
                let missing_bytes = missing_bytes(file, &reader, stated)?;
                return Ok(start(reader, &layout, (stated, missing_bytes)));
            }
            _ => {}
        }
        reader.skip(u64::from(size) + u64::from(size & 1));
    }
}

/// Bytes that lie behind the file's end, of a data chunk that begins here and states its size in earnest.
fn missing_bytes(file: &File, reader: &ByteReader, stated_bytes: u64) -> Result<u64, DecodeError> {
    let file_bytes = file.metadata()?.len();
    // The file's size, and the size of the RIFF chunk, which is smaller by its head.
    let is_of_the_file = [file_bytes, file_bytes.saturating_sub(8)].contains(&stated_bytes);
    if stated_bytes >= LEAST_PLACEHOLDER_BYTES || is_of_the_file {
        return Ok(0);
    }
    Ok(stated_bytes.saturating_sub(reader.remaining()))
}

fn start(
    reader: ByteReader,
    layout: &Layout,
    (stated_bytes, missing_bytes): (u64, u64),
) -> (AudioInfo, WavSource) {
    let frame_bytes = (layout.encoding.bytes() * layout.channels) as u64;
    let frames = stated_bytes.min(reader.remaining()) / frame_bytes;
    let info = AudioInfo {
        speakers: layout.speakers,
        ..AudioInfo::new(
            InputFormat::Wav,
            layout.channels,
            layout.sample_rate_hz,
            Some(frames),
        )
    };
    let source = WavSource {
        reader,
        encoding: layout.encoding,
        channels: layout.channels,
        frames_left: frames,
        missing_bytes,
    };
    (info, source)
}

fn chunk_head(reader: &mut ByteReader) -> Result<Option<([u8; 4], u32)>, DecodeError> {
    Ok(reader.array::<8>()?.map(|head| {
        let [a, b, c, d, size @ ..] = head;
        ([a, b, c, d], u32::from_le_bytes(size))
    }))
}

/// Whether what stands behind a data chunk of size zero is chunks up to the file's end, so that zero means zero.
fn chunks_follow(reader: &ByteReader) -> Result<bool, DecodeError> {
    let mut ahead = reader.fork()?;
    let mut seen = false;
    while let Some((name, size)) = chunk_head(&mut ahead)? {
        let size = u64::from(size) + u64::from(size & 1);
        if !name.iter().all(|byte| (0x20..0x7f).contains(byte)) || size > ahead.remaining() + 1 {
            return Ok(false);
        }
        ahead.skip(size);
        seen = true;
    }
    Ok(seen)
}

fn parse_format(chunk: &[u8]) -> Result<Layout, DecodeError> {
    if chunk.len() < 16 {
        return Err(DecodeError::undecodable(
            "the wav format chunk is too short",
        ));
    }
    let word = |at: usize| u16::from_le_bytes([chunk[at], chunk[at + 1]]);
    let channels = word(2);
    let sample_rate_hz = u32::from_le_bytes([chunk[4], chunk[5], chunk[6], chunk[7]]);
    DecodeError::check_shape(u32::from(channels), sample_rate_hz)?;
    let mut format = word(0);
    let mut speakers = None;
    if format == FORMAT_EXTENSIBLE {
        if chunk.len() < 26 {
            return Err(DecodeError::undecodable(
                "the extensible wav format chunk is too short",
            ));
        }
        // The first two bytes of the sub-format's GUID are the plain format word.
        format = word(24);
        speakers = Some(u32::from_le_bytes([
            chunk[20], chunk[21], chunk[22], chunk[23],
        ]));
    }
    if format != FORMAT_PCM && format != FORMAT_FLOAT {
        return Err(DecodeError::undecodable(format!(
            "wav encoding {format:#06x} is not supported; integer and float samples are"
        )));
    }
    // The frame size tells how wide samples lie; where it is nonsense, the bits per sample do.
    let (frame_bytes, bits) = (word(12), word(14));
    let sample_bytes = if frame_bytes > 0 && frame_bytes.is_multiple_of(channels) {
        frame_bytes / channels
    } else {
        bits.div_ceil(8)
    };
    if bits == 0 || bits.div_ceil(8) > sample_bytes {
        return Err(DecodeError::undecodable(format!(
            "wav samples of {bits} bits do not fit into {sample_bytes} bytes"
        )));
    }
    Ok(Layout {
        encoding: SampleEncoding::find(format == FORMAT_FLOAT, usize::from(sample_bytes))?,
        channels: usize::from(channels),
        sample_rate_hz,
        speakers,
    })
}

/// The largest sample, full scale being 1: the squares of larger ones do not fit into the numbers that models work with.
const MAX_SAMPLE: f32 = 1e9;

fn is_sound(sample: f32) -> bool {
    // Not so of what is no number.
    sample.abs() <= MAX_SAMPLE
}

impl Source for WavSource {
    fn read(&mut self, queue: &mut FrameQueue) -> Result<bool, Fault> {
        let frame_bytes = self.encoding.bytes() * self.channels;
        let wanted = self.frames_left.min(BLOCK_FRAMES as u64) as usize;
        let bytes = self.reader.peek(wanted * frame_bytes)?;
        let frames = bytes.len() / frame_bytes;
        let bytes = &bytes[..frames * frame_bytes];
        let strange = if self.encoding.is_float() {
            bytes
                .chunks_exact(self.encoding.bytes())
                .position(|sample| !is_sound(self.encoding.decode(sample)))
        } else {
            None
        };
        let sound = strange.map_or(frames, |index| index / self.channels);
        for channel in 0..self.channels {
            let offset = channel * self.encoding.bytes();
            queue.extend(
                channel,
                bytes
                    .chunks_exact(frame_bytes)
                    .take(sound)
                    .map(|frame| self.encoding.decode(&frame[offset..])),
            );
        }
        if sound < frames {
            let reason = "a sample is no finite number, or more than 180 dB above full scale";
            return Err(Fault::Broken(reason.into()));
        }
        self.reader.skip((frames * frame_bytes) as u64);
        self.frames_left -= frames as u64;
        if frames == 0 && self.missing_bytes > 0 {
            let missing = self.missing_bytes;
            let reason = format!("the file is cut short, {missing} bytes are missing");
            return Err(Fault::Broken(reason.into()));
        }
        Ok(frames > 0)
    }
}
