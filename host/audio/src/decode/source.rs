use std::borrow::Cow;
use std::io;

use crate::frame_queue::FrameQueue;

/// An opened stream of one of the formats.
pub(super) trait Source: Send {
    /// Appends the next frames to the queue; false at the end. What was appended stands even when an error follows.
    fn read(&mut self, queue: &mut FrameQueue) -> Result<bool, Fault>;
}

/// Why a stream cannot go on. The decoder knows where: behind the frames it was given.
#[derive(Debug)]
pub(super) enum Fault {
    /// The bytes make no sense.
    Broken(Cow<'static, str>),
    /// The file could not be read.
    Io(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<symphonia::core::errors::Error> for Fault {
    fn from(error: symphonia::core::errors::Error) -> Self {
        use symphonia::core::errors::Error;
        match error {
            // Symphonia reads frames from memory: an I/O error is a frame that ends too early.
            Error::IoError(_) => Self::Broken("a frame ends too early".into()),
            Error::DecodeError(reason) | Error::Unsupported(reason) | Error::LimitError(reason) => {
                Self::Broken(to_clients(reason).into())
            }
            _ => Self::Broken("the stream changes in the middle".into()),
        }
    }
}

/// What Symphonia says of a stream, without what it asks of those who build on it.
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
            let Fault::Broken(reason) = Error::DecodeError(said).into() else {
                panic!("no fault of the file system");
            };
            assert_eq!(reason, wanted);
        }
    }
}
