//! Who speaks: finding protected voices, and checking who says the consent.

use std::path::{Path, PathBuf};

use super::super::PipelineError;
use super::given::Train;
use super::intake::{Taken, take_alone};
use vocalhost_model::{SpeakerEncoder, SpeakerVector};

/// Cosine similarities of a speaker encoder: from the first on two speakers are one person; up to the second, the speaker of a consent is
/// not the one heard in the recordings. The measurements are in `docs/training.md`.
const SAME_SPEAKER: f64 = 0.86;
const OTHER_SPEAKER: f64 = 0.65;

/// The least number of frames of 10 ms that have to sound in a consent, and the samples in a frame at the models' rate.
const LEAST_CONSENT: usize = 250;
const FRAME: u64 = 160;

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

/// What is heard of who speaks.
#[derive(Debug, Default)]
pub(super) struct WhoSpeaks {
    /// A match with a protected voice: the number of the recording, or none for all of them together, and the similarity.
    pub(super) protected: Option<(Option<usize>, f64)>,
    /// What is wrong with a consent that was said.
    pub(super) consent: Option<ConsentFault>,
}

/// What is wrong with a consent that was said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ConsentFault {
    /// So many frames sound only.
    Short(usize),
    /// It is as little like the recordings.
    Other(f64),
}

/// Finds out who speaks, if that matters for the job.
///
/// # Errors
/// When a protected voice cannot be read, or there is no speaker encoder: then nothing is trained.
pub(super) fn who_speaks(job: &Train<'_>, taken: &[Taken]) -> Result<WhoSpeaks, PipelineError> {
    if job.protected.is_empty() && job.spoken.is_none() {
        return Ok(WhoSpeaks::default());
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
    // Short recordings tell little of who speaks; together they tell enough. A single one would only be compared twice.
    if let Some(all) = SpeakerVector::of_all(&voices).filter(|_| voices.len() > 1) {
        numbers.push(None);
        voices.push(all);
    }
    Ok(WhoSpeaks {
        protected: protected(job, &encoder, (&numbers, &voices))?,
        consent: match job.spoken {
            Some(path) => consent_fault(job, &encoder, (path, &voices))?,
            None => None,
        },
    })
}

fn protected(
    job: &Train<'_>,
    encoder: &SpeakerEncoder,
    (numbers, voices): (&[Option<usize>], &[SpeakerVector]),
) -> Result<Option<(Option<usize>, f64)>, PipelineError> {
    let mut most: Option<(Option<usize>, f64)> = None;
    for path in job.protected {
        let own = take_alone(job, path, |sound| Ok(encoder.hear(sound)?));
        let own = own.map_err(|error| unheard(&format!("{}: {error}", path.display())))?;
        let own = own.ok_or_else(|| unheard(&format!("{}: nothing sounds", path.display())))?;
        for (number, voice) in numbers.iter().zip(voices) {
            let likeness = voice.likeness(&own);
            if likeness >= SAME_SPEAKER && most.is_none_or(|(_, before)| likeness > before) {
                most = Some((*number, likeness));
            }
        }
    }
    Ok(most)
}

/// What is wrong with the consent in a recording, compared with each of the voices.
fn consent_fault(
    job: &Train<'_>,
    encoder: &SpeakerEncoder,
    (path, voices): (&Path, &[SpeakerVector]),
) -> Result<Option<ConsentFault>, PipelineError> {
    let heard = take_alone(job, path, |sound| {
        let frames = (sound.frames() / FRAME) as usize;
        Ok((frames, encoder.hear(sound)?))
    });
    let (frames, Some(own)) = heard? else {
        return Ok(Some(ConsentFault::Short(0)));
    };
    if frames < LEAST_CONSENT {
        return Ok(Some(ConsentFault::Short(frames)));
    }
    let likeness = voices.iter().map(|voice| voice.likeness(&own));
    let most = likeness.fold(-1.0, f64::max);
    // Where nothing sounds that is found for itself.
    let is_other = !voices.is_empty() && most < OTHER_SPEAKER;
    Ok(is_other.then_some(ConsentFault::Other(most)))
}

/// A fault of the server's set-up. The log says which file it is; the user is not told.
fn unheard(reason: &str) -> PipelineError {
    let reason = format!("voices cannot be told apart: {reason}");
    std::io::Error::other(reason).into()
}
