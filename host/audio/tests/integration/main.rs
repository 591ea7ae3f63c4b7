//! Recordings in, recordings out: whole files through the public names of the audio area.

mod damaged;
mod damaged_webm;
mod decode_flac;
mod decode_mp3;
mod decode_wav;
mod decode_webm;
mod encode_formats;
#[cfg(feature = "mp3")]
mod encode_mp3;
mod encode_wav;
#[cfg(feature = "mp3")]
mod foretold;
mod hostile;
mod recording;
mod webm;
