use std::borrow::Cow;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::finding::{FindingKind, Findings, Found};
use crate::frame_queue::FrameQueue;
use crate::{AudioInfo, BLOCK_FRAMES};

/// An opened stream of one of the formats.
pub(super) trait Source: Send {
    /// Adds what comes next, either sound or lost frames; false at the end. Only a file that cannot be read is an error.
    fn read(&mut self, heard: &mut Heard) -> io::Result<bool>;
}

/// What opening a recording gives.
pub(super) struct Opened<S> {
    /// What the recording is. The source gives exactly as many frames as this says.
    pub(super) info: AudioInfo,
    pub(super) source: S,
    /// Why the recording ends too early, if it does.
    pub(super) cut: Option<Cut>,
}

impl<S: Source + 'static> Opened<S> {
    /// The same for any format.
    pub(super) fn boxed(self) -> Opened<Box<dyn Source>> {
        Opened {
            info: self.info,
            source: Box::new(self.source),
            cut: self.cut,
        }
    }
}

/// An end that comes too early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    /// For people.
    pub(super) reason: String,
    /// Frames that should still follow, where the file says so.
    pub(super) missing_frames: Option<u64>,
}

/// What has been read of a recording but not handed out yet, and what was found wrong with it.
pub(super) struct Heard {
    queue: FrameQueue,
    /// Frames handed out.
    given_frames: u64,
    /// Silence after the queue; only counted, since it may be of any length.
    silent_frames: u64,
    findings: Findings,
}

impl Heard {
    /// Nothing yet, of `channels` channels.
    pub(super) fn new(channels: usize) -> Self {
        Self {
            queue: FrameQueue::new(channels),
            given_frames: 0,
            silent_frames: 0,
            findings: Findings::default(),
        }
    }

    /// The queue that sound is appended to.
    pub(super) fn queue(&mut self) -> &mut FrameQueue {
        // A source is asked for more only once all silence is in the queue.
        debug_assert_eq!(self.silent_frames, 0);
        &mut self.queue
    }

    /// Number of channels.
    pub(super) fn channels(&self) -> usize {
        self.queue.channels()
    }

    /// Frames that are ready.
    pub(super) fn ready_frames(&self) -> usize {
        self.queue.frames()
    }

    /// Frames handed out.
    pub(super) fn given_frames(&self) -> u64 {
        self.given_frames
    }

    /// Frames so far, silence included.
    pub(super) fn frames(&self) -> u64 {
        self.given_frames + self.queue.frames() as u64 + self.silent_frames
    }

    /// What was found so far.
    pub(super) fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Notes that the next `frames` frames cannot be decoded, and puts silence in their place.
    pub(super) fn lose(&mut self, frames: u64, reason: impl Into<String>) {
        self.note(FindingKind::Damaged, self.frames(), Some(frames), reason);
        self.silent_frames += frames;
    }

    /// Makes what is wrong up to here `frames` frames longer.
    pub(super) fn lengthen(&mut self, frames: u64) {
        self.findings.lengthen(self.frames(), frames);
    }

    /// Notes that something is wrong with so many frames from frame `at` on, without changing the sound.
    pub(super) fn note(
        &mut self,
        kind: FindingKind,
        at: u64,
        frames: Option<u64>,
        reason: impl Into<String>,
    ) {
        self.findings.add(Found {
            kind,
            at,
            frames,
            reason: reason.into(),
        });
    }

    /// Puts pending silence into the queue, at most a block of it; false when there is none.
    pub(super) fn fill(&mut self) -> bool {
        let frames = self.silent_frames.min(BLOCK_FRAMES as u64);
        self.silent_frames -= frames;
        self.queue.push_silence(frames as usize);
        frames > 0
    }

    /// Drops everything from frame `end` on.
    pub(super) fn end_at(&mut self, end: u64) {
        let room = end.saturating_sub(self.given_frames);
        let queued = room.min(self.queue.frames() as u64);
        self.queue.truncate(queued as usize);
        self.silent_frames = self.silent_frames.min(room - queued);
    }

    /// Takes the first `frames` ready frames.
    pub(super) fn take(&mut self, frames: usize) -> crate::Block {
        self.given_frames += frames as u64;
        self.queue.take(frames)
    }
}

/// Why a packet cannot be decoded.
pub(super) type Reason = Cow<'static, str>;

/// Decodes a packet. Packets come from strangers: where a decoder panics on one, the recording is at fault and the process goes on.
pub(super) fn guarded<T>(decode: impl FnOnce() -> Result<T, Reason>) -> Result<T, Reason> {
    catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err("a packet that the decoder does not stand".into()))
}

/// What Symphonia says of a packet, for clients.
pub(super) fn reason_of(error: &symphonia::core::errors::Error) -> Reason {
    use symphonia::core::errors::Error;
    match error {
        // Symphonia reads packets from memory: an I/O error means that one ends too early.
        Error::IoError(_) => "a packet ends too early".into(),
        Error::DecodeError(reason) | Error::Unsupported(reason) | Error::LimitError(reason) => {
            to_clients(reason).to_owned().into()
        }
        _ => "the stream changes in the middle".into(),
    }
}

/// What Symphonia says of a stream, without the advice that it gives to programmers.
pub(super) fn to_clients(reason: &str) -> &str {
    reason.strip_suffix(" (report this)").unwrap_or(reason)
}

#[cfg(test)]
mod tests {
    use symphonia::core::errors::Error;

    use super::*;

    #[test]
    fn what_the_decoder_asks_of_its_users_is_not_passed_on() {
        for (said, wanted) in [
            (
                "vorbis: codebook entries too large (report this)",
                "vorbis: codebook entries too large",
            ),
            ("flac: bad frame", "flac: bad frame"),
        ] {
            assert_eq!(reason_of(&Error::DecodeError(said)), wanted);
        }
    }

    #[test]
    fn silence_lies_where_sound_was_lost_and_takes_no_memory() {
        let mut heard = Heard::new(1);
        heard.queue().extend(0, [1.0; 10]);
        heard.lose(u64::from(u32::MAX), "lost");
        assert_eq!(heard.frames(), 10 + u64::from(u32::MAX));
        assert_eq!(heard.ready_frames(), 10);
        assert!(heard.fill());
        assert_eq!(heard.ready_frames(), 10 + BLOCK_FRAMES);
        assert_eq!(heard.take(11).channel(0)[9..], [1.0, 0.0]);
        heard.end_at(2 + 10 + BLOCK_FRAMES as u64);
        assert_eq!(heard.ready_frames(), BLOCK_FRAMES - 1);
        assert!(heard.fill());
        assert!(!heard.fill());
        assert_eq!(heard.frames(), 12 + BLOCK_FRAMES as u64);
        assert_eq!(heard.findings().first().expect("one").at, 10);
    }

    #[test]
    fn a_decoder_that_panics_has_met_a_broken_packet() {
        let reason = guarded::<()>(|| panic!("out of range")).expect_err("a reason");
        assert!(reason.contains("does not stand"));
    }
}
