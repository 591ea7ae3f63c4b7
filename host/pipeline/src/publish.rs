use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::PipelineError;
use super::output::{OutputFiles, Steps};
use super::sound::Sound;
use vocalhost_audio::{FileFormat, FileWriter, Loudness, LoudnessMeter};
use vocalhost_job::{FileRole, Measured, ModelUsed, ResultFile};
use vocalhost_model::PackageVersion;

/// How a record names a package that a job used.
pub fn model_used(package: &PackageVersion) -> ModelUsed {
    ModelUsed {
        id: package.id.clone(),
        version: Some(package.version.clone()),
    }
}

/// The gain that keeps a result of this peak from clipping: 1 unless it would.
pub fn peak_guard(peak: f32, steps: Steps) -> f32 {
    let ceiling = steps.ceiling();
    if peak > ceiling { ceiling / peak } else { 1.0 }
}

/// How the sounds of a job are written.
pub struct Encoding<'a> {
    /// As what.
    pub output: OutputFiles,
    /// The gain of all of them.
    pub gain: f32,
    /// The folder.
    pub scratch: &'a Path,
}

/// A sound that was written.
pub struct Encoded {
    /// Its main file and, where an encoder is built in, the MP3 that goes along.
    pub files: Vec<ResultFile>,
    /// How loud it is in its files.
    pub loudness: Loudness,
}

/// Writes a sound as `name` with the extensions of the formats, in one pass. The roles are those of the main and the
/// lossy file, which may be one and the same file.
pub fn encode(
    sound: &Sound,
    encoding: &Encoding<'_>,
    name: &str,
    roles: [FileRole; 2],
    progress: &mut dyn FnMut(f64),
) -> Result<Encoded, PipelineError> {
    let (channels, rate) = (sound.channels(), sound.sample_rate_hz());
    let mut writers: Vec<Box<dyn FileWriter>> = Vec::new();
    let mut named: Vec<(String, FileFormat)> = Vec::new();
    let mut listed = Vec::new();
    for (format, role) in encoding.output.formats().into_iter().zip(roles) {
        let Some(format) = format else {
            continue;
        };
        let known = named.iter().find(|(_, known)| *known == format);
        let known = known.map(|(file_name, _)| file_name.clone());
        let file_name = if let Some(known) = known {
            known
        } else {
            let extension = format.extension();
            let taken = named
                .iter()
                .any(|(_, other)| other.extension() == extension);
            let suffix = if taken { "-lossy" } else { "" };
            let file_name = format!("{name}{suffix}.{extension}");
            let path = encoding.scratch.join(&file_name);
            writers.push(format.create(&path, channels, rate)?);
            named.push((file_name.clone(), format));
            file_name
        };
        listed.push((file_name, role));
    }
    let mut meter = LoudnessMeter::new(channels, rate, None)?;
    let mut frames = 0;
    for block in sound.blocks(encoding.gain) {
        let block = block?;
        for writer in &mut writers {
            writer.write(&block)?;
        }
        meter.listen(&block)?;
        frames += block.frames();
        progress(frames as f64 / sound.frames() as f64);
    }
    for writer in writers {
        writer.finish()?;
    }
    let files = listed.iter();
    let files = files.map(|(file_name, role)| described(encoding.scratch, file_name, *role));
    Ok(Encoded {
        files: files.collect::<io::Result<_>>()?,
        loudness: meter.measured()?,
    })
}

/// What a result says about loudness.
pub fn measured(loudness: Loudness) -> Measured {
    Measured {
        integrated_lufs: loudness.integrated_lufs,
        true_peak_dbtp: loudness.true_peak_dbtp,
    }
}

/// Size and sums are taken from the file itself: writers patch their headers at the end.
pub(super) fn described(scratch: &Path, name: &str, role: FileRole) -> io::Result<ResultFile> {
    let mut file = File::open(scratch.join(name))?;
    let mut hasher = Sha256::new();
    let mut crc = crc32fast::Hasher::new();
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0;
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        hasher.update(&buffer[..count]);
        crc.update(&buffer[..count]);
        bytes += count as u64;
    }
    let sha256 = base16ct::lower::encode_string(&hasher.finalize());
    Ok(ResultFile {
        role,
        key: name.to_owned(),
        bytes,
        sha256,
        crc32: Some(crc.finalize()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_described_by_its_size_and_sums() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("a.wav"), b"123456789").expect("it can be written");
        let file = described(folder.path(), "a.wav", FileRole::Output).expect("it is there");
        assert_eq!(file.bytes, 9);
        // The check value that catalogues of CRCs give for these digits.
        assert_eq!(file.crc32, Some(0xcbf4_3926));
        assert!(
            file.sha256.starts_with("15e2b0d3c33891eb"),
            "{}",
            file.sha256
        );
    }

    #[test]
    fn the_peak_guard_acts_only_on_what_would_clip() {
        for steps in [Steps::Of16Bits, Steps::Of24Bits] {
            let ceiling = steps.ceiling();
            for peak in [0.0, 0.5, ceiling] {
                assert!(
                    (peak_guard(peak, steps) - 1.0).abs() < f32::EPSILON,
                    "{peak}"
                );
            }
            for peak in [1.0, 1.5, 20.0] {
                let guarded = peak_guard(peak, steps) * peak;
                assert!(guarded <= ceiling * (1.0 + f32::EPSILON), "{peak}");
            }
        }
    }
}
