//! From a file's bytes to blocks.
//!
//! The bytes are hostile until shown otherwise. The containers are walked here, without believing a length they state:
//! only the fields that matter are read, tags and pictures are stepped over, and the limits are checked before
//! anything is allocated for the stream. Symphonia decodes what is inside: MP3 frames, and FLAC frames behind a
//! stream header of our own making that has no metadata left to go wrong; the packets of a `WebM` track go to ruopus
//! and to Symphonia's Vorbis. PCM needs no decoder.
//!
//! What is damage and what is not: something unreadable with more sound after it is damage, and so are a FLAC stream
//! that lacks frames its header promises, a FLAC frame with a false checksum and a float sample that is no number. The end of the file is the end of the
//! recording even inside a WAV chunk or an MP3 frame, since interrupted and streamed recordings look like that.
//! Tags in front, between and behind, and bytes of no meaning after the last MP3 frame, are stepped over.

mod byte_reader;
mod decoder;
mod error;
mod flac;
mod mp3;
mod mp3_frame;
mod mp3_framer;
mod pcm;
mod sniff;
mod source;
mod tags;
mod wav;
mod webm;

pub use decoder::{Decoder, format_of, probe};
pub use error::DecodeError;
