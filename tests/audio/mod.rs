//! Recordings in, recordings out: whole files through the public names of the audio area.

mod decode_flac;
mod decode_mp3;
mod decode_wav;
mod encode;
mod hostile;
mod recording;
