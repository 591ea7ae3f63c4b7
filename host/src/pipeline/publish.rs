use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::PipelineError;
use crate::audio::{BLOCK_FRAMES, Block, Spool, WavWriter};
use crate::job::{FileRole, ResultFile};

/// The largest magnitude that 24 bits can hold; a result beyond it would clip.
const CEILING: f32 = 1.0 - 1.0 / (1 << 23) as f32;

/// The gain that keeps a result of this peak from clipping: 1 unless it would.
pub fn peak_guard(peak: f32) -> f32 {
    if peak > CEILING { CEILING / peak } else { 1.0 }
}

/// Writes the lossless file, and the lossy one where an encoder is built in, in one pass over the result.
pub fn encode(
    result: &Spool,
    gain: f32,
    scratch: &Path,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<ResultFile>, PipelineError> {
    let (channels, rate) = (result.channels(), result.sample_rate_hz());
    let mut wav = WavWriter::create(&scratch.join(WAV_NAME), channels, rate)?;
    #[cfg(feature = "mp3")]
    let mut mp3 = crate::audio::Mp3Writer::create(&scratch.join(MP3_NAME), channels, rate)?;
    let mut position = 0;
    while position < result.frames() {
        let frames = (result.frames() - position).min(BLOCK_FRAMES as u64) as usize;
        let block = scaled(result.read(position as i64, frames)?, gain);
        wav.write(&block)?;
        #[cfg(feature = "mp3")]
        mp3.write(&block)?;
        position += frames as u64;
        progress(position as f64 / result.frames() as f64);
    }
    wav.finish()?;
    #[cfg(feature = "mp3")]
    mp3.finish()?;
    let mut files = vec![described(scratch, WAV_NAME, FileRole::Output)?];
    if cfg!(feature = "mp3") {
        files.push(described(scratch, MP3_NAME, FileRole::LossyOutput)?);
    }
    Ok(files)
}

const WAV_NAME: &str = "output.wav";
const MP3_NAME: &str = "output.mp3";

fn scaled(block: Block, gain: f32) -> Block {
    if gain >= 1.0 {
        return block;
    }
    let channels = block.channels();
    let mut samples = block.into_planar();
    for sample in &mut samples {
        *sample *= gain;
    }
    Block::from_planar(channels, samples)
}

/// Size and hash are taken from the file itself: writers patch their headers at the end.
pub(super) fn described(scratch: &Path, name: &str, role: FileRole) -> io::Result<ResultFile> {
    let mut file = File::open(scratch.join(name))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        hasher.update(&buffer[..count]);
        bytes += count as u64;
    }
    let sha256 = base16ct::lower::encode_string(&hasher.finalize());
    Ok(ResultFile {
        role,
        key: name.to_owned(),
        bytes,
        sha256,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_guard_acts_only_on_what_would_clip() {
        for peak in [0.0, 0.5, CEILING] {
            assert!((peak_guard(peak) - 1.0).abs() < f32::EPSILON, "{peak}");
        }
        for peak in [1.0, 1.5, 20.0] {
            assert!(
                peak_guard(peak) * peak <= CEILING * (1.0 + f32::EPSILON),
                "{peak}"
            );
        }
    }
}
