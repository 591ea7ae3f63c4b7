use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::PipelineError;
use super::sound::Sound;
use crate::audio::WavWriter;
use crate::job::{FileRole, ResultFile};

/// The largest magnitude that 24 bits can hold; a result beyond it would clip.
const CEILING: f32 = 1.0 - 1.0 / (1 << 23) as f32;

/// The gain that keeps a result of this peak from clipping: 1 unless it would.
pub fn peak_guard(peak: f32) -> f32 {
    if peak > CEILING { CEILING / peak } else { 1.0 }
}

/// Writes a sound as `name.wav`, and as `name.mp3` where an encoder is built in, in one pass. The roles are those of the
/// lossless and the lossy file.
pub fn encode(
    sound: &Sound,
    gain: f32,
    scratch: &Path,
    name: &str,
    roles: [FileRole; 2],
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<ResultFile>, PipelineError> {
    let (channels, rate) = (sound.channels(), sound.sample_rate_hz());
    let wav_name = format!("{name}.wav");
    let mp3_name = format!("{name}.mp3");
    let mut wav = WavWriter::create(&scratch.join(&wav_name), channels, rate)?;
    #[cfg(feature = "mp3")]
    let mut mp3 = crate::audio::Mp3Writer::create(&scratch.join(&mp3_name), channels, rate)?;
    let mut frames = 0;
    for block in sound.blocks(gain) {
        let block = block?;
        wav.write(&block)?;
        #[cfg(feature = "mp3")]
        mp3.write(&block)?;
        frames += block.frames();
        progress(frames as f64 / sound.frames() as f64);
    }
    wav.finish()?;
    #[cfg(feature = "mp3")]
    mp3.finish()?;
    let mut files = vec![described(scratch, &wav_name, roles[0])?];
    if cfg!(feature = "mp3") {
        files.push(described(scratch, &mp3_name, roles[1])?);
    }
    Ok(files)
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
