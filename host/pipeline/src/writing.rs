use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::PipelineError;
use super::abreast::Abreast;
use super::output::OutputFiles;
use super::passing::pass;
use super::sound::Sound;
use super::threads::Threads;
use vocalhost_audio::{BLOCK_FRAMES, Block, FileFormat, FileWriter, Loudness, LoudnessMeter};
use vocalhost_job::{FileContent, FileRole, ResultFile};
use vocalhost_system::work::Part;

/// How the sounds of a job are written.
pub struct Encoding<'a> {
    /// As what.
    pub output: OutputFiles,
    /// The gain of all of them.
    pub gain: f32,
    /// The folder.
    pub scratch: &'a Path,
    /// Threads that write; the files do not depend on their number.
    pub threads: usize,
}

/// A sound, the name of its files, and the roles of the main and of the lossy file, which may be the same file.
pub type Written<'w> = (Arc<Sound>, &'w str, [FileRole; 2]);

/// What was written of a sound.
#[derive(Default)]
pub struct Encoded {
    /// Its main file and, where an encoder is built in, the MP3 that goes with it.
    pub files: Vec<ResultFile>,
    /// How loud it is in its files.
    pub loudness: Loudness,
}

/// Writes sounds of one shape in one pass over all of them, each with the extensions of its formats behind its name.
pub fn encode(
    sounds: &[Written<'_>],
    encoding: &Encoding<'_>,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<Encoded>, PipelineError> {
    let mut tasks = Vec::new();
    for (place, (sound, name, roles)) in sounds.iter().enumerate() {
        let (channels, rate) = (sound.channels(), sound.sample_rate_hz());
        for (format, name, roles) in files_of(encoding.output, name, *roles) {
            let writer = format.create(&encoding.scratch.join(&name), channels, rate)?;
            tasks.push((place, Task::Write(writer, name, roles)));
        }
        let meter = LoudnessMeter::new(channels, rate, None);
        tasks.push((place, Task::Measure(Box::new(meter))));
    }
    let all: Vec<Arc<Sound>> = sounds.iter().map(|(sound, ..)| Arc::clone(sound)).collect();
    let frames = all.first().map_or(0, |sound| sound.frames());
    let blocks = Abreast::new(&all, encoding.gain).map(|blocks| Ok(blocks?));
    let take =
        |(place, task): &mut (usize, Task), blocks: &Vec<Arc<Block>>| task.take(&blocks[*place]);
    pass(encoding.threads, blocks, &mut tasks, take, &mut |done| {
        let done = (done as u64 * BLOCK_FRAMES as u64).min(frames);
        progress(done as f64 / frames.max(1) as f64);
    })?;
    let threads = Threads::of(encoding.threads)?;
    let made = threads.turn(tasks, |(place, task)| -> Result<_, PipelineError> {
        Ok((place, task.finish(encoding.scratch)?))
    })?;
    let mut encoded: Vec<Encoded> = sounds.iter().map(|_| Encoded::default()).collect();
    for (place, made) in made {
        match made {
            Made::Files(files) => encoded[place].files.extend(files),
            Made::Loudness(loudness) => encoded[place].loudness = loudness,
        }
    }
    for (encoded, (_, name, [_, lossy])) in encoded.iter_mut().zip(sounds) {
        encoded.files.extend(encoding.output.left(name, *lossy));
    }
    Ok(encoded)
}

/// The files of a sound: format, name, and the role or the roles of each.
fn files_of(
    output: OutputFiles,
    name: &str,
    roles: [FileRole; 2],
) -> Vec<(FileFormat, String, Vec<FileRole>)> {
    let mut files: Vec<(FileFormat, String, Vec<FileRole>)> = Vec::new();
    for (format, role) in output.formats().into_iter().zip(roles) {
        let Some(format) = format else {
            continue;
        };
        if let Some((_, _, roles)) = files.iter_mut().find(|(known, ..)| *known == format) {
            roles.push(role);
            continue;
        }
        let extension = format.extension();
        let is_taken = files
            .iter()
            .any(|(known, ..)| known.extension() == extension);
        let suffix = if is_taken { "-lossy" } else { "" };
        files.push((format, format!("{name}{suffix}.{extension}"), vec![role]));
    }
    files
}

/// What is done with a sound that passes by.
enum Task {
    /// It is written into a file of some roles.
    Write(Box<dyn FileWriter>, String, Vec<FileRole>),
    Measure(Box<LoudnessMeter>),
}

enum Made {
    Files(Vec<ResultFile>),
    Loudness(Loudness),
}

impl Task {
    fn take(&mut self, block: &Block) -> Result<(), PipelineError> {
        match self {
            Self::Write(writer, ..) => Part::Encode.count(|| writer.write(block))?,
            Self::Measure(meter) => Part::Measure.count(|| meter.listen(block)),
        }
        Ok(())
    }

    fn finish(self, scratch: &Path) -> Result<Made, PipelineError> {
        Ok(match self {
            Self::Write(writer, name, roles) => {
                Part::Encode.count(|| writer.finish())?;
                let file = Part::Hash.count(|| described(scratch, &name, roles[0]))?;
                let files = roles.into_iter().map(|role| ResultFile {
                    role,
                    ..file.clone()
                });
                Made::Files(files.collect())
            }
            Self::Measure(meter) => Made::Loudness(meter.measured()),
        })
    }
}

/// The entry of a file in the scratch folder.
pub(super) fn described(scratch: &Path, name: &str, role: FileRole) -> io::Result<ResultFile> {
    Ok(ResultFile {
        role,
        key: name.to_owned(),
        content: Some(content_of(&scratch.join(name))?),
    })
}

/// Size and checksums are computed from the finished file: writers patch their headers at the end.
pub fn content_of(path: &Path) -> io::Result<FileContent> {
    let mut file = File::open(path)?;
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
    Ok(FileContent {
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
        let content = file.content.expect("it is made");
        assert_eq!(content.bytes, 9);
        // The check value that catalogues of CRCs give for these digits.
        assert_eq!(content.crc32, Some(0xcbf4_3926));
        assert!(
            content.sha256.starts_with("15e2b0d3c33891eb"),
            "{}",
            content.sha256
        );
    }
}
