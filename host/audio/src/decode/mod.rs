//! From a file's bytes to blocks.
//!
//! The bytes are not trusted. The containers are walked here, without believing a length they state: only the fields that matter are read,
//! tags and pictures are stepped over, and the limits are checked before anything is allocated for the stream. Symphonia decodes what is
//! inside: MP3 frames, and FLAC frames behind a stream header of our own making, without any other metadata; the packets of a `WebM` track
//! go to ruopus and to Symphonia's Vorbis. PCM needs no decoder.
//!
//! A damaged recording is decoded as a good player plays it. The end of the file is the end of the recording, whatever its header says, and
//! what cannot be decoded in the middle becomes silence of the same length, so that nothing after it moves. Both are findings, which a
//! decoder lists; a recording of which less than half can be decoded is refused. Tags before, between and after the frames, and meaningless
//! bytes around the first and the last MP3 frame, are stepped over.

mod byte_reader;
mod decoder;
mod error;
mod finding;
mod flac;
mod flac_frame;
mod flac_header;
mod mp3;
mod mp3_frame;
mod mp3_framer;
mod sniff;
mod source;
mod tags;
mod wav;
mod webm;

pub use decoder::{Decoder, Probed, format_of, probe};
pub use error::DecodeError;
pub use finding::{Finding, FindingKind};
