//! What jobs and their files are called: in addresses, in links, and where a browser saves them.

use std::collections::BTreeSet;

use vocalhost_job::{FileRole, JobKind, JobState, ResultFile};
use vocalhost_store::JobRecord;

/// The name of the archive under its job, in links and in the API.
pub const ARCHIVE_NAME: &str = "files.zip";

/// The path of the jobs of a kind, under each root of the API.
#[must_use]
pub fn collection_of(kind: JobKind) -> &'static str {
    match kind {
        JobKind::VoiceConversion => "voice-conversions",
        JobKind::VocalSeparation => "vocal-separations",
        JobKind::StemSplit => "stem-splits",
        JobKind::VoiceBlend => "voice-blender",
        JobKind::VoiceTraining => "voice-trainings",
    }
}

/// What a link to a job's file points at: `voice-conversions/7/output.wav`.
#[must_use]
pub fn result_target(kind: JobKind, job_id: i64, file: &ResultFile) -> String {
    let collection = collection_of(kind);
    format!("{collection}/{job_id}/{}", result_name(file))
}

/// What a link to all of a job's files points at, when it has any: `voice-conversions/7/files.zip`.
#[must_use]
pub fn archive_target(job: &JobRecord) -> Option<String> {
    let has_files = !files_of(job).is_empty();
    has_files.then(|| format!("{}/{}/{ARCHIVE_NAME}", collection_of(job.kind), job.id))
}

/// The files that a job has made: its result, or while a voice is trained its tests.
pub fn made_of(job: &JobRecord) -> impl Iterator<Item = &ResultFile> {
    let (result, heard) = match &job.state {
        JobState::Succeeded { result, .. } => (Some(&result.files), None),
        JobState::Failed { .. } | JobState::Cancelled { .. } => (None, None),
        JobState::Queued { .. } | JobState::Running(_) | JobState::Cancelling(_) => {
            (None, job.training.as_ref().map(|training| &training.heard))
        }
    };
    result.into_iter().chain(heard).flatten()
}

/// The files that clients may have, each once, under the names that links have.
pub fn files_of(job: &JobRecord) -> Vec<(String, &ResultFile)> {
    let mut seen = BTreeSet::new();
    made_of(job)
        // A voice's package is no result, and a file with two roles is one file.
        .filter(|file| file.role != FileRole::Package && seen.insert(file.key.as_str()))
        .map(|file| (result_name(file), file))
        .collect()
}

/// The name of a file under its job.
pub fn result_name(file: &ResultFile) -> String {
    format!("{}.{}", role_name(file.role), extension(&file.key))
}

/// What a file is called in links, in the record's loudness and in pictures, without its extension.
#[must_use]
pub fn role_name(role: FileRole) -> String {
    match role {
        FileRole::Output => "output".to_owned(),
        FileRole::LossyOutput => "lossy-output".to_owned(),
        FileRole::Recombined => "recombined".to_owned(),
        FileRole::LossyRecombined => "lossy-recombined".to_owned(),
        FileRole::Vocal => "vocal".to_owned(),
        FileRole::LossyVocal => "lossy-vocal".to_owned(),
        FileRole::Backing => "backing".to_owned(),
        FileRole::LossyBacking => "lossy-backing".to_owned(),
        FileRole::Stem(stem) => format!("stem-{}", stem.as_str()),
        FileRole::LossyStem(stem) => format!("lossy-stem-{}", stem.as_str()),
        FileRole::Package => "package".to_owned(),
        FileRole::Heard(step) => format!("heard-{step}"),
    }
}

/// What a browser calls the file that it saves.
pub fn download_name(kind: JobKind, job_id: i64, file: &ResultFile) -> String {
    match kind {
        JobKind::VoiceConversion if is_recombined(file.role) => {
            format!("conversion-{job_id}-recombined.{}", extension(&file.key))
        }
        JobKind::VoiceConversion => format!("conversion-{job_id}.{}", extension(&file.key)),
        JobKind::VocalSeparation => format!("separation-{job_id}-{}", result_name(file)),
        JobKind::StemSplit => format!("split-{job_id}-{}", result_name(file)),
        JobKind::VoiceBlend => format!("blend-{job_id}-{}", result_name(file)),
        JobKind::VoiceTraining => format!("training-{job_id}-{}", result_name(file)),
    }
}

fn is_recombined(role: FileRole) -> bool {
    matches!(role, FileRole::Recombined | FileRole::LossyRecombined)
}

/// The extension of a file, in letters and digits: names of packages are their makers', and this one goes into headers.
pub fn extension(path: &str) -> &str {
    path.rsplit_once('.')
        .map(|(_, extension)| extension)
        .filter(|extension| extension.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        .unwrap_or("bin")
}
