use tempfile::TempPath;

use super::names::role_name;
use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_audio::AudioLimits;
use vocalhost_files::{FilesError, results_prefix};
use vocalhost_job::{JobState, ResultFile};
use vocalhost_store::JobRecord;
use vocalhost_work::worker::portrait::{PortraitError, PortraitFiles, portray_in_child};

/// What the recording of a job is called here, and the one that goes under its result.
const INPUT: &str = "input";
const BACKING_INPUT: &str = "backing-input";

/// The two halves of what a recording looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// The table of its peaks, JSON.
    Peaks,
    /// Its spectrogram, PNG.
    Spectrogram,
}

impl Half {
    const ALL: [Self; 2] = [Self::Peaks, Self::Spectrogram];

    fn file_name(self) -> &'static str {
        match self {
            Self::Peaks => "peaks.json",
            Self::Spectrogram => "spectrogram.png",
        }
    }
}

/// Half of the portrait of one of a job's sounds: from the file store when it was made before, and else made now in a
/// child, since this process does not look into recordings. Both halves are kept beside the job's results and go with
/// them; the cleanup also takes them when they are some hours old, as it does with all that no record names.
pub async fn half_of(
    api: &Api,
    job: &JobRecord,
    sound: &str,
    half: Half,
) -> Result<Vec<u8>, Problem> {
    let key = key_of(job, sound).ok_or_else(|| missing(job, sound))?;
    // A sound whose file is gone has no portrait any more, even where one is left.
    found(api.files.size(&key).await)?.ok_or_else(|| gone(sound))?;
    let folder = results_prefix(job.id);
    let kept = |half: Half| format!("{folder}/portraits/{sound}-{}", half.file_name());
    if let Some(content) = found(api.files.read(&kept(half)).await)? {
        return Ok(content);
    }
    let slot = api.portrait_slots.acquire().await;
    let _slot = slot.map_err(|closed| Problem::internal(&closed))?;
    // Somebody else may have waited for the same one.
    if let Some(content) = found(api.files.read(&kept(half)).await)? {
        return Ok(content);
    }
    let recording = empty_file(api, extension(&key))?;
    found(api.files.fetch_to(&key, &recording).await)?.ok_or_else(|| gone(sound))?;
    let [peaks, spectrogram] = [empty_file(api, "json")?, empty_file(api, "png")?];
    let files = PortraitFiles {
        sound: &recording,
        peaks: &peaks,
        spectrogram: &spectrogram,
    };
    let limits = AudioLimits {
        max_duration_s: api.settings.max_duration_s,
    };
    match portray_in_child(&api.program, files, &limits).await {
        Ok(()) => {}
        Err(PortraitError::Unreadable(reason)) => {
            return Err(Problem::field("file", "decode", reason));
        }
        Err(error @ PortraitError::Broken(_)) => return Err(Problem::internal(&error)),
    }
    for (half, path) in Half::ALL.into_iter().zip([&peaks, &spectrogram]) {
        api.files.publish(path, &kept(half)).await?;
    }
    Ok(api.files.read(&kept(half)).await?)
}

/// Where the file of a sound lies: `input`, `backing-input`, or what a result is called in links.
fn key_of(job: &JobRecord, sound: &str) -> Option<String> {
    let input = job.input.as_ref();
    match sound {
        INPUT => return input.map(|input| input.key.clone()),
        BACKING_INPUT => {
            let backing = input.and_then(|input| input.backing.as_ref());
            return backing.map(|backing| backing.key.clone());
        }
        _ => {}
    }
    let JobState::Succeeded { result, .. } = &job.state else {
        return None;
    };
    let called = |name: &str| -> Option<&ResultFile> {
        result
            .files
            .iter()
            .find(|file| role_name(file.role) == name)
    };
    let file = called(sound)?;
    // Ogg is no container that is decoded here; the MP3 that goes along sounds the same.
    if extension(&file.key) == "opus" {
        return called(&format!("lossy-{sound}")).map(|file| file.key.clone());
    }
    // One that is still to be made sounds like the file that it will be made of.
    let heard = result.source_of(&file.key).unwrap_or(file);
    Some(heard.key.clone())
}

/// The job says that there was a file of this name, so that it must have been deleted since.
fn gone(name: &str) -> Problem {
    match name {
        INPUT | BACKING_INPUT => Problem::Gone {
            detail: "The recording of this job was deleted.".to_owned(),
        },
        _ => Problem::ResultExpired,
    }
}

/// Why a job does not have what is asked for under this name. A successful job without any file had them once.
pub fn missing(job: &JobRecord, name: &str) -> Problem {
    let detail = match &job.state {
        JobState::Succeeded { result, .. } if result.files.is_empty() => return gone(name),
        JobState::Succeeded { .. } => "The job has no file of this name.",
        JobState::Queued { .. } | JobState::Running(_) | JobState::Cancelling(_) => {
            "The job has no such file yet: it has not ended."
        }
        JobState::Failed { .. } | JobState::Cancelled { .. } => {
            "The job ended without results: it has no such file."
        }
    };
    Problem::FileNotFound {
        detail: detail.to_owned(),
    }
}

fn extension(key: &str) -> &str {
    key.rsplit_once('.')
        .map_or("bin", |(_, extension)| extension)
}

/// A file that goes with the value; the cleanup finds what a killed server left.
fn empty_file(api: &Api, extension: &str) -> Result<TempPath, Problem> {
    let file = tempfile::Builder::new()
        .prefix("portrait-")
        .suffix(&format!(".{extension}"))
        .tempfile_in(api.settings.uploads_path());
    let file = file.map_err(|error| Problem::internal(&error))?;
    Ok(file.into_temp_path())
}

/// What was read of a stored file; `None` when it is not there.
fn found<T>(answer: Result<T, FilesError>) -> Result<Option<T>, Problem> {
    match answer {
        Ok(value) => Ok(Some(value)),
        Err(FilesError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
