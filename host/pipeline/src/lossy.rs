use std::io;
use std::path::Path;

use super::PipelineError;
use super::output::lossy_format;
use super::writing::content_of;
use vocalhost_audio::{AudioLimits, DecodeError, Decoder};
use vocalhost_job::FileContent;

/// Makes the MP3 that goes with the main file of a sound, from that file, and returns what is in it. A file at `target` is overwritten.
///
/// It may be read while it is written: it only grows at its end. The one exception is its information frame, which has the length of the
/// sound from the beginning and gets its checksum at the end.
pub fn make_lossy(source: &Path, target: &Path) -> Result<FileContent, PipelineError> {
    let format = lossy_format()
        .ok_or_else(|| io::Error::other("this server was built without an MP3 encoder"))?;
    // The file is our own, however long: if something is wrong with it, it has been damaged since.
    let limits = AudioLimits {
        max_duration_s: f64::INFINITY,
    };
    let mut decoder = Decoder::open(source, &limits)?.strictly(true);
    if let Some(cut) = decoder.findings().into_iter().next() {
        // Known before anything is written that somebody might read.
        return Err(PipelineError::Decode(DecodeError::Damaged {
            at_s: cut.at_s,
            reason: cut.reason,
        }));
    }
    let info = decoder.info();
    let mut writer = format.create(target, info.channels, info.sample_rate_hz)?;
    if let Some(frames) = info.frames {
        writer.foretell(frames)?;
    }
    while let Some(block) = decoder.next_block()? {
        writer.write(&block)?;
    }
    writer.finish()?;
    Ok(content_of(target)?)
}
