mod adpcm;
mod format;
mod pcm;

use std::fs::File;
use std::io;

use self::adpcm::Adpcm;
use self::format::{Coding, Layout};
use self::pcm::SampleEncoding;
use super::DecodeError;
use super::byte_reader::ByteReader;
use super::finding::FindingKind;
use super::source::{Cut, Heard, Opened, Source};
use crate::{AudioInfo, BLOCK_FRAMES, InputFormat};

/// A size of all ones: unknown when the header was written before the sound, or stored as 64 bits in `ds64` (RF64).
const SIZE_UNKNOWN: u32 = u32::MAX;

/// Data sizes from here on (2 GiB less 64 KiB) mean an unknown length, too: programs that write the header before the sound put the largest
/// number there that they dare, such as `0x7fff_f000` or `0x8000_0000`. A real file of this size would not have been accepted.
const LEAST_PLACEHOLDER_BYTES: u64 = 0x7fff_0000;

/// The samples of a WAV file (RIFF; RF64 and BW64 of EBU Tech 3306 and ITU-R BS.2088).
pub(super) struct WavSource {
    reader: ByteReader,
    coding: Coding,
    channels: usize,
    frames_left: u64,
}

/// Opens the WAV file.
///
/// The data chunk ends with the file at the latest. When it states more than there is, the file was cut short, unless the size is one that
/// recorders leave which stream or crash (zero, all ones, a number around 2 GiB or above), or the size of the whole file, which careless
/// programs write instead.
pub(super) fn open(file: &File) -> Result<Opened<WavSource>, DecodeError> {
    let mut reader = ByteReader::open(file, 0)?;
    super::tags::skip_leading(&mut reader)?;
    reader.skip(12);
    let mut layout = None;
    let mut long_data_bytes = None;
    let mut stated_frames = None;
    loop {
        let Some((name, size)) = chunk_head(&mut reader)? else {
            return Err(DecodeError::undecodable("the wav file has no data chunk"));
        };
        match &name {
            b"fmt " => {
                // An odd size is damage: the chunk consists of 16-bit words.
                let bytes = u64::from(size).next_multiple_of(2);
                let bytes = bytes.min(format::MAX_FORMAT_BYTES) as usize;
                layout = Some(format::parse(reader.peek(bytes)?)?);
            }
            b"ds64" => {
                long_data_bytes = reader
                    .peek(16)?
                    .last_chunk()
                    .map(|bytes| u64::from_le_bytes(*bytes));
            }
            b"fact" => {
                let frames = reader.peek(4)?.first_chunk();
                stated_frames = frames.map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
            }
            b"data" => {
                let Some(layout) = layout else {
                    return Err(DecodeError::undecodable(
                        "the wav file has no format chunk before its data",
                    ));
                };
                let stated = match (u64::from(size), long_data_bytes) {
                    (_, long) if size == SIZE_UNKNOWN => long.unwrap_or(u64::MAX),
                    // `ds64` exists for this size alone. A smaller one here is damage if the file is as long as `ds64` says, or if nothing
                    // that could follow stands after the smaller size.
                    (size, Some(long))
                        if long > size && (long <= reader.remaining() || !ends(&reader, size)?) =>
                    {
                        long
                    }
                    (size, _) => size,
                };
                // Programs that stream leave zero in either place.
                let stated = match stated {
                    0 if !chunks_follow(&reader)? => u64::MAX,
                    stated => stated,
                };
                let missing = missing_bytes(file, &reader, stated)?;
                return Ok(start(reader, layout, (stated, missing), stated_frames));
            }
            _ => {}
        }
        reader.skip(u64::from(size) + u64::from(size & 1));
    }
}

/// How many bytes of the data chunk that begins here lie beyond the file's end, unless the stated size is a placeholder.
fn missing_bytes(file: &File, reader: &ByteReader, stated_bytes: u64) -> Result<u64, DecodeError> {
    let file_bytes = file.metadata()?.len();
    // The file's size, or that of the RIFF chunk, which is smaller by its header.
    let is_of_the_file = [file_bytes, file_bytes.saturating_sub(8)].contains(&stated_bytes);
    if stated_bytes >= LEAST_PLACEHOLDER_BYTES || is_of_the_file {
        return Ok(0);
    }
    Ok(stated_bytes.saturating_sub(reader.remaining()))
}

fn start(
    reader: ByteReader,
    layout: Layout,
    (stated_bytes, missing_bytes): (u64, u64),
    stated_frames: Option<u64>,
) -> Opened<WavSource> {
    let held_bytes = stated_bytes.min(reader.remaining());
    let frames = frames_of(&layout, held_bytes, stated_frames);
    let info = AudioInfo {
        speakers: layout.speakers,
        ..AudioInfo::new(
            InputFormat::Wav,
            layout.channels,
            layout.sample_rate_hz,
            Some(frames),
        )
    };
    let cut = (missing_bytes > 0).then(|| Cut {
        reason: format!("the file is cut short, {missing_bytes} bytes are missing"),
        missing_frames: Some(
            frames_of(&layout, held_bytes + missing_bytes, stated_frames) - frames,
        ),
    });
    let source = WavSource {
        reader,
        coding: layout.coding,
        channels: layout.channels,
        frames_left: frames,
    };
    Opened { info, source, cut }
}

/// Frames of a data chunk of so many bytes. The last block is padded: the fact chunk says how many of its frames count.
fn frames_of(layout: &Layout, bytes: u64, stated_frames: Option<u64>) -> u64 {
    match &layout.coding {
        Coding::Samples(encoding) => bytes / (encoding.bytes() * layout.channels) as u64,
        Coding::Blocks(adpcm) => {
            let held = adpcm.frames(bytes);
            // Some programs write other numbers there: only one that ends inside the last block can be meant.
            let blocks = bytes.saturating_sub(1) / adpcm.block_bytes() as u64;
            let least = blocks * adpcm.block_frames();
            let counts = stated_frames.filter(|frames| *frames > least && *frames < held);
            counts.unwrap_or(held)
        }
    }
}

fn chunk_head(reader: &mut ByteReader) -> Result<Option<([u8; 4], u32)>, DecodeError> {
    Ok(reader.array::<8>()?.map(|head| {
        let [a, b, c, d, size @ ..] = head;
        ([a, b, c, d], u32::from_le_bytes(size))
    }))
}

/// Whether a data chunk of `size` that begins here ends where the file does, or where other chunks begin.
fn ends(reader: &ByteReader, size: u64) -> Result<bool, DecodeError> {
    let behind = reader.at(reader.position() + size + size % 2);
    Ok(behind.remaining() == 0 || chunks_follow(&behind)?)
}

/// Whether chunks up to the file's end follow a data chunk of size zero, so that zero means zero.
fn chunks_follow(reader: &ByteReader) -> Result<bool, DecodeError> {
    let mut ahead = reader.fork();
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

/// The largest sample, where full scale is 1: the squares of larger ones do not fit into the numbers that models work with.
const MAX_SAMPLE: f32 = 1e9;

/// Why a sample is replaced by zero.
const NOT_FINITE: &str = "a sample is no finite number, or more than 180 dB above full scale";

fn is_sound(sample: f32) -> bool {
    // False for NaN, too.
    sample.abs() <= MAX_SAMPLE
}

impl WavSource {
    fn read_samples(&mut self, encoding: SampleEncoding, heard: &mut Heard) -> io::Result<bool> {
        let frame_bytes = encoding.bytes() * self.channels;
        let wanted = self.frames_left.min(BLOCK_FRAMES as u64) as usize;
        let bytes = self.reader.peek(wanted * frame_bytes)?;
        let frames = bytes.len() / frame_bytes;
        let bytes = &bytes[..frames * frame_bytes];
        if encoding.is_float() {
            note_strange(bytes, encoding, self.channels, heard);
        }
        for channel in 0..self.channels {
            let frames = bytes.chunks_exact(frame_bytes);
            let samples = frames.map(|frame| &frame[channel * encoding.bytes()..]);
            match encoding {
                // The common encodings have loops of their own.
                SampleEncoding::Signed(2) => {
                    let samples = samples.map(|bytes| SampleEncoding::Signed(2).decode(bytes));
                    heard.queue().extend(channel, samples);
                }
                SampleEncoding::Signed(3) => {
                    let samples = samples.map(|bytes| SampleEncoding::Signed(3).decode(bytes));
                    heard.queue().extend(channel, samples);
                }
                _ => {
                    let samples = samples.map(|bytes| encoding.decode(bytes));
                    let sound = samples.map(|sample| if is_sound(sample) { sample } else { 0.0 });
                    heard.queue().extend(channel, sound);
                }
            }
        }
        self.reader.skip((frames * frame_bytes) as u64);
        self.frames_left -= frames as u64;
        Ok(frames > 0)
    }

    fn read_block(&mut self, heard: &mut Heard) -> io::Result<bool> {
        let Coding::Blocks(adpcm) = &self.coding else {
            return Ok(false);
        };
        let block = self.reader.take(adpcm.block_bytes())?;
        let frames = block_frames(adpcm, block, self.frames_left);
        if frames == 0 {
            return Ok(false);
        }
        match adpcm.decode(block) {
            Ok(sound) => {
                for (channel, samples) in sound.iter().enumerate() {
                    let samples = samples.iter().take(frames);
                    let samples = samples.map(|sample| f32::from(*sample) / 32_768.0);
                    heard.queue().extend(channel, samples);
                }
            }
            Err(reason) => heard.lose(frames as u64, reason),
        }
        self.frames_left -= frames as u64;
        Ok(true)
    }
}

/// Frames of a block that belong to the recording.
fn block_frames(adpcm: &Adpcm, block: &[u8], frames_left: u64) -> usize {
    let held = adpcm.frames_in(block.len());
    usize::try_from(frames_left).map_or(held, |left| held.min(left))
}

/// Notes every frame that has an invalid sample.
fn note_strange(bytes: &[u8], encoding: SampleEncoding, channels: usize, heard: &mut Heard) {
    let is_strange = |sample: &[u8]| !is_sound(encoding.decode(sample));
    if !bytes.chunks_exact(encoding.bytes()).any(is_strange) {
        return;
    }
    let begin = heard.frames();
    for (index, frame) in bytes.chunks_exact(encoding.bytes() * channels).enumerate() {
        if frame.chunks_exact(encoding.bytes()).any(is_strange) {
            let at = begin + index as u64;
            heard.note(FindingKind::NotFinite, at, Some(1), NOT_FINITE);
        }
    }
}

impl Source for WavSource {
    fn read(&mut self, heard: &mut Heard) -> io::Result<bool> {
        match self.coding {
            Coding::Samples(encoding) => self.read_samples(encoding, heard),
            Coding::Blocks(_) => self.read_block(heard),
        }
    }
}
