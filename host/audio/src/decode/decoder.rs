use std::fs::File;
use std::io;
use std::path::Path;

use super::DecodeError;
use super::finding::{Finding, FindingKind};
use super::flac;
use super::mp3;
use super::sniff::sniff;
use super::source::{Heard, Opened, Source};
use super::wav;
use super::webm;
use crate::{AudioInfo, AudioLimits, BLOCK_FRAMES, Block, InputFormat};

/// How much of a recording a probe decodes, in seconds: enough to reach a codec's first real frames, yet quick.
const PROBE_S: f64 = 5.0;

/// Reads a recording as blocks, in memory that does not grow with its length.
///
/// A cut or damaged recording is decoded as a good player plays it: as far as it goes, with silence in place of what cannot be decoded;
/// [`Decoder::findings`] say what was wrong. A recording of which less than half can be decoded is an error.
pub struct Decoder {
    info: AudioInfo,
    max_duration_s: f64,
    source: Box<dyn Source>,
    heard: Heard,
    strict: bool,
    ended: bool,
    fault: Option<Fault>,
}

/// Why decoding cannot go on; reported once everything before it has been handed out.
enum Fault {
    Damaged { at: u64, reason: String },
    Io(io::Error),
}

impl Decoder {
    /// Opens the recording at `path` and checks it against the limits as far as its headers tell.
    pub fn open(path: &Path, limits: &AudioLimits) -> Result<Self, DecodeError> {
        let file = File::open(path)?;
        let opened = match sniff(&file)? {
            InputFormat::Wav => wav::open(&file)?.boxed(),
            InputFormat::Mp3 => mp3::open(&file)?.boxed(),
            InputFormat::Flac => flac::open(&file)?.boxed(),
            InputFormat::Webm => webm::open(&file)?.boxed(),
        };
        let Opened { info, source, cut } = opened;
        if info.frames == Some(0) {
            return Err(DecodeError::Empty);
        }
        if info.duration_s.is_some_and(|s| s > limits.max_duration_s) {
            return Err(DecodeError::TooLong {
                max_s: limits.max_duration_s,
            });
        }
        let mut heard = Heard::new(info.channels);
        if let Some(cut) = cut {
            let end = info.frames.unwrap_or_default();
            heard.note(FindingKind::Cut, end, cut.missing_frames, cut.reason);
        }
        Ok(Self {
            info,
            max_duration_s: limits.max_duration_s,
            source,
            heard,
            strict: false,
            ended: false,
            fault: None,
        })
    }

    /// The same, but any finding is an error if `strict`.
    #[must_use]
    pub fn strictly(self, strict: bool) -> Self {
        Self { strict, ..self }
    }

    /// What the recording is.
    #[must_use]
    pub fn info(&self) -> &AudioInfo {
        &self.info
    }

    /// What is wrong with the recording, as far as it has been read (a cut is known from the start), in the order of position. The list is
    /// bounded.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        self.heard.findings().listed(self.info.sample_rate_hz)
    }

    /// The next [`BLOCK_FRAMES`] frames, fewer only before the end or an error; none at the end.
    ///
    /// Silence that an MP3 encoder added at either end is dropped when the file says how much it is. An error is returned once, after
    /// everything that could be read before it; nothing follows it.
    pub fn next_block(&mut self) -> Result<Option<Block>, DecodeError> {
        while !self.ended && self.heard.ready_frames() < BLOCK_FRAMES {
            if !self.heard.fill() {
                self.read();
            }
            if let Some(frames) = self.info.frames {
                // Padding of the encoder behind the last frame of the recording.
                self.heard.end_at(frames);
            }
            self.judge();
        }
        let frames = self.heard.ready_frames().min(BLOCK_FRAMES);
        if frames == 0 {
            return match self.fault.take() {
                Some(Fault::Io(error)) => Err(DecodeError::Io(error)),
                Some(Fault::Damaged { at, reason }) => Err(DecodeError::Damaged {
                    at_s: at as f64 / f64::from(self.info.sample_rate_hz),
                    reason,
                }),
                None => Ok(None),
            };
        }
        let block = self.heard.take(frames);
        if self.position_s() > self.max_duration_s {
            self.ended = true;
            self.fault = None;
            self.heard.end_at(0);
            return Err(DecodeError::TooLong {
                max_s: self.max_duration_s,
            });
        }
        Ok(Some(block))
    }

    /// Asks the source for more.
    fn read(&mut self) {
        match self.source.read(&mut self.heard) {
            Ok(true) => {}
            Ok(false) => {
                let missing = self.info.frames.unwrap_or_default();
                match missing.saturating_sub(self.heard.frames()) {
                    0 => self.ended = true,
                    // The container counts more frames than the packets gave: some are missing somewhere, so the stated length stands.
                    missing => self
                        .heard
                        .lose(missing, "the stream has less sound than it says"),
                }
            }
            Err(error) => {
                self.ended = true;
                self.fault = Some(Fault::Io(error));
            }
        }
    }

    /// Ends a recording that is too damaged, or that is damaged at all in strict mode.
    fn judge(&mut self) {
        let Some(first) = self.heard.findings().first() else {
            return;
        };
        let whole = match self.info.frames {
            Some(frames) => frames,
            // The decoded share is known only at the end.
            None if self.ended => self.heard.frames(),
            None => u64::MAX,
        };
        let lost = self.heard.findings().lost_frames();
        let reason = if self.strict {
            first.reason.clone()
        } else if u128::from(lost) * 2 > u128::from(whole) {
            format!("{}; less than half of it can be decoded", first.reason)
        } else {
            return;
        };
        let at = first.at;
        self.heard.end_at(at);
        if self.strict && self.heard.frames() < at {
            // A cut that is known but not reached yet.
            return;
        }
        self.ended = true;
        self.fault = Some(Fault::Damaged { at, reason });
    }

    /// Where the blocks given so far end, in seconds.
    #[must_use]
    pub fn position_s(&self) -> f64 {
        self.heard.given_frames() as f64 / f64::from(self.info.sample_rate_hz)
    }
}

/// The format of the recording at `path` by its first bytes, whether or not it can be decoded; `None` when it is not an accepted format.
#[must_use]
pub fn format_of(path: &Path) -> Option<InputFormat> {
    sniff(&File::open(path).ok()?).ok()
}

/// The result of a probe.
#[derive(Debug, Clone, PartialEq)]
pub struct Probed {
    /// What it is.
    pub info: AudioInfo,
    /// What is wrong with it: how it ends, and what its first seconds show.
    pub findings: Vec<Finding>,
}

/// Describes the recording at `path` by its headers and its first five seconds.
///
/// The number of frames is exact: WAV states it, MP3 frames and the packets of `WebM` are counted without decoding, and so are the frames
/// of a FLAC stream that is cut or does not state its length. Damage further on is left to the decoder.
pub fn probe(path: &Path, limits: &AudioLimits) -> Result<Probed, DecodeError> {
    let mut decoder = Decoder::open(path, limits)?;
    while decoder.position_s() < PROBE_S {
        if decoder.next_block()?.is_none() {
            break;
        }
    }
    if decoder.position_s() == 0.0 {
        return Err(DecodeError::Empty);
    }
    Ok(Probed {
        findings: decoder.findings(),
        info: decoder.info,
    })
}
