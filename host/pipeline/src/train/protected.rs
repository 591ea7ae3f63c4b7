//! Voices that nobody is to train.

use std::path::{Path, PathBuf};

use super::super::PipelineError;
use super::Train;
use super::intake::{Taken, take_alone};
use vocalhost_model::{SpeakerEncoder, SpeakerVector};

/// How alike two speakers are to a speaker encoder from which on they are one person, as a cosine. What was measured is in
/// `docs/training.md`.
const SAME_SPEAKER: f64 = 0.86;

/// The files of a folder of protected voices, in the order of their names: one recording each, of which a minute is enough.
pub fn protected_recordings(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let is_hidden = name.is_none_or(|name| name.starts_with('.'));
        if !is_hidden && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// How alike the voice of one of the recordings, or of all together, is to a protected one, if it is that; with the number of the recording.
/// Short ones tell little of who speaks, but all of them do.
///
/// # Errors
/// When a protected voice cannot be heard: then nothing is trained.
pub(super) fn protected(
    job: &Train<'_>,
    taken: &[Taken],
) -> Result<Option<(Option<usize>, f64)>, PipelineError> {
    if job.protected.is_empty() {
        return Ok(None);
    }
    let encoder = SpeakerEncoder::load(job.runtime, job.models).map_err(PipelineError::Load)?;
    let encoder = encoder.ok_or_else(|| unheard("no speaker encoder is installed"))?;
    let (mut numbers, mut voices) = (Vec::new(), Vec::new());
    for (number, taken) in taken.iter().enumerate() {
        if let Some(voice) = encoder.hear(&taken.heard)? {
            numbers.push(Some(number));
            voices.push(voice);
        }
    }
    // Of one recording it is the same again.
    if let Some(all) = SpeakerVector::of_all(&voices).filter(|_| voices.len() > 1) {
        numbers.push(None);
        voices.push(all);
    }
    let mut most: Option<(Option<usize>, f64)> = None;
    for path in job.protected {
        let own = take_alone(job, path, |sound| Ok(encoder.hear(sound)?));
        let own = own.map_err(|error| unheard(&format!("{}: {error}", path.display())))?;
        let own = own.ok_or_else(|| unheard(&format!("{}: nothing sounds", path.display())))?;
        for (number, voice) in numbers.iter().zip(&voices) {
            let likeness = voice.likeness(&own);
            if likeness >= SAME_SPEAKER && most.is_none_or(|(_, before)| likeness > before) {
                most = Some((*number, likeness));
            }
        }
    }
    Ok(most)
}

/// A fault of the server's set-up. The log has which file it is; whoever trains is not told.
fn unheard(reason: &str) -> PipelineError {
    let reason = format!("the protected voices cannot be compared with: {reason}");
    std::io::Error::other(reason).into()
}
