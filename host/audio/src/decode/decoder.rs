use std::fs::File;
use std::path::Path;

use super::DecodeError;
use super::flac;
use super::mp3;
use super::sniff::sniff;
use super::source::{Fault, Source};
use super::wav;
use super::webm;
use crate::frame_queue::FrameQueue;
use crate::{AudioInfo, AudioLimits, BLOCK_FRAMES, Block, InputFormat};

/// How much of a recording a probe decodes, in seconds: enough to meet a codec's first real frames, and nothing to
/// wait for.
const PROBE_S: f64 = 5.0;

/// Reads a recording as blocks, in memory that does not grow with its length.
pub struct Decoder {
    info: AudioInfo,
    max_duration_s: f64,
    source: Box<dyn Source>,
    queue: FrameQueue,
    given_frames: u64,
    ended: bool,
    fault: Option<Fault>,
}

impl Decoder {
    /// Opens the recording at `path` and checks it against the limits as far as its headers tell.
    pub fn open(path: &Path, limits: &AudioLimits) -> Result<Self, DecodeError> {
        let file = File::open(path)?;
        let (info, source): (AudioInfo, Box<dyn Source>) = match sniff(&file)? {
            InputFormat::Wav => {
                let (info, source) = wav::open(&file)?;
                (info, Box::new(source))
            }
            InputFormat::Mp3 => {
                let (info, source) = mp3::open(&file)?;
                (info, Box::new(source))
            }
            InputFormat::Flac => {
                let (info, source) = flac::open(&file)?;
                (info, Box::new(source))
            }
            InputFormat::Webm => {
                let (info, source) = webm::open(&file)?;
                (info, Box::new(source))
            }
        };
        if info.frames == Some(0) {
            return Err(DecodeError::Empty);
        }
        if info.duration_s.is_some_and(|s| s > limits.max_duration_s) {
            return Err(DecodeError::TooLong {
                max_s: limits.max_duration_s,
            });
        }
        Ok(Self {
            queue: FrameQueue::new(info.channels),
            info,
            max_duration_s: limits.max_duration_s,
            source,
            given_frames: 0,
            ended: false,
            fault: None,
        })
    }

    /// What the recording is.
    #[must_use]
    pub fn info(&self) -> &AudioInfo {
        &self.info
    }

    /// The next [`BLOCK_FRAMES`] frames, fewer only before the end or an error; none at the end.
    ///
    /// Silence that an MP3 encoder added in front and behind is gone when the file says how much it is. An error
    /// comes after everything that could be read in front of it, once; behind it there is nothing.
    pub fn next_block(&mut self) -> Result<Option<Block>, DecodeError> {
        while !self.ended && self.queue.frames() < BLOCK_FRAMES {
            match self.source.read(&mut self.queue) {
                Ok(more) => self.ended = !more,
                Err(fault) => {
                    self.ended = true;
                    self.fault = Some(fault);
                }
            }
            if let Some(frames) = self.info.frames {
                // Padding of the encoder behind the last frame of the recording.
                self.queue
                    .truncate((frames - self.given_frames).min(usize::MAX as u64) as usize);
            }
        }
        let frames = self.queue.frames().min(BLOCK_FRAMES);
        if frames == 0 {
            return match self.fault.take() {
                Some(fault) => Err(self.describe(fault)),
                None => Ok(None),
            };
        }
        self.given_frames += frames as u64;
        if self.position_s() > self.max_duration_s {
            self.ended = true;
            self.fault = None;
            self.queue.truncate(0);
            return Err(DecodeError::TooLong {
                max_s: self.max_duration_s,
            });
        }
        Ok(Some(self.queue.take(frames)))
    }

    /// How far the blocks given so far reach, in seconds.
    #[must_use]
    pub fn position_s(&self) -> f64 {
        self.given_frames as f64 / f64::from(self.info.sample_rate_hz)
    }

    fn describe(&self, fault: Fault) -> DecodeError {
        match fault {
            Fault::Broken(reason) if self.given_frames == 0 => DecodeError::undecodable(reason),
            Fault::Broken(reason) => DecodeError::Damaged {
                at_s: self.position_s(),
                reason: reason.into_owned(),
            },
            Fault::Io(error) => DecodeError::Io(error),
        }
    }
}

/// What the recording at `path` is by its first bytes, whether it can be read or not; `None` when it is nothing that is read.
#[must_use]
pub fn format_of(path: &Path) -> Option<InputFormat> {
    sniff(&File::open(path).ok()?).ok()
}

/// Says what the recording at `path` is, after reading its headers and decoding its first five seconds.
///
/// The number of frames is exact: WAV states it, MP3 frames and the packets of `WebM` are counted without decoding, and so are
/// the frames of a FLAC stream that does not state its length. Damage further on is left for the decoder to meet.
pub fn probe(path: &Path, limits: &AudioLimits) -> Result<AudioInfo, DecodeError> {
    let mut decoder = Decoder::open(path, limits)?;
    while decoder.position_s() < PROBE_S {
        if decoder.next_block()?.is_none() {
            break;
        }
    }
    if decoder.position_s() == 0.0 {
        return Err(DecodeError::Empty);
    }
    Ok(decoder.info)
}
