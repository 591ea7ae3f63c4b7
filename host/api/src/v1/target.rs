use std::collections::BTreeSet;

use super::live;
use super::served::{Served, Source};
use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_job::{FileRole, JobKind, JobState, ResultFile};
use vocalhost_store::{JobRecord, ModelRecord, StoredPackageFile};

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

/// What a link to a voice's file points at: `voice-models/3/picture.png`.
#[must_use]
pub fn voice_target(voice_id: i64, file: &PackageFile) -> String {
    format!("voice-models/{voice_id}/{}", file.name)
}

/// What a link to all of a job's files points at, when it has any: `voice-conversions/7/files.zip`.
#[must_use]
pub fn archive_target(job: &JobRecord) -> Option<String> {
    let has_files = !files_of(job).is_empty();
    has_files.then(|| format!("{}/{}/{ARCHIVE_NAME}", collection_of(job.kind), job.id))
}

/// The files that a job has made: its result, or while a voice is trained its tests.
fn made_of(job: &JobRecord) -> impl Iterator<Item = &ResultFile> {
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

/// What a signed link points at.
pub enum Found {
    /// A file that is there.
    There(Served),
    /// A file of a result that is made when it is first asked for.
    Unmade(Unmade),
}

/// A file of a result that is still to be made.
pub struct Unmade {
    /// The job.
    pub job_id: i64,
    /// Where it will lie in the file store.
    pub key: String,
    /// The name under which a browser keeps it, with its extension.
    pub name: String,
}

/// What a signed link points at; `None` when it is gone.
pub async fn find(api: &Api, target: &str) -> Result<Option<Found>, Problem> {
    let parts: Vec<&str> = target.split('/').collect();
    let [resource, id, name] = parts[..] else {
        return Ok(None);
    };
    let Ok(id) = id.parse() else {
        return Ok(None);
    };
    if resource == live::COLLECTION {
        let file = live::served(api, id, name).await?;
        return Ok(file.map(Found::There));
    }
    if resource == "voice-models" {
        let file = voice_file(api, id, name).await?;
        return Ok(file.map(Found::There));
    }
    let mut kinds = JobKind::ALL.into_iter();
    match kinds.find(|kind| collection_of(*kind) == resource) {
        Some(kind) => result_file(api, kind, id, name).await,
        None => Ok(None),
    }
}

/// The job whose files all together a link points at, if it is such a link.
pub async fn archived(api: &Api, target: &str) -> Result<Option<JobRecord>, Problem> {
    let parts: Vec<&str> = target.split('/').collect();
    let [collection, id, ARCHIVE_NAME] = parts[..] else {
        return Ok(None);
    };
    let mut kinds = JobKind::ALL.into_iter();
    let kind = kinds.find(|kind| collection_of(*kind) == collection);
    match (kind, id.parse()) {
        (Some(kind), Ok(id)) => Ok(api.store.job(kind, id).await?),
        _ => Ok(None),
    }
}

/// The extension of a file, in letters and digits: names of packages are their makers', and this one goes into headers.
fn extension(path: &str) -> &str {
    path.rsplit_once('.')
        .map(|(_, extension)| extension)
        .filter(|extension| extension.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        .unwrap_or("bin")
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

async fn result_file(
    api: &Api,
    kind: JobKind,
    job_id: i64,
    name: &str,
) -> Result<Option<Found>, Problem> {
    let job = api.store.job(kind, job_id).await?;
    let Some(job) = job else {
        return Ok(None);
    };
    let mut files = made_of(&job);
    let file = files.find(|file| file.role != FileRole::Package && result_name(file) == name);
    Ok(file.cloned().map(|file| {
        let name = download_name(kind, job_id, &file);
        match file.content {
            Some(content) => Found::There(Served {
                name,
                size_bytes: content.bytes,
                sha256: content.sha256,
                source: Source::Stored(file.key),
                inline: false,
            }),
            None => Found::Unmade(Unmade {
                job_id,
                key: file.key,
                name,
            }),
        }
    }))
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

/// A file of a voice's package that clients may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageFile {
    /// Its name in links.
    pub name: String,
    source: Source,
    sha256: String,
    bytes: u64,
}

/// The file with this role in a voice's package, if it has one.
pub fn package_file(
    api: &Api,
    voice: &ModelRecord,
    role: vocalhost_model::FileRole,
) -> Option<PackageFile> {
    let word = match role {
        vocalhost_model::FileRole::Picture => "picture",
        vocalhost_model::FileRole::Demo => "demo",
        // Graphs and indices are the voice itself and are not handed out; the others travel with the package.
        vocalhost_model::FileRole::Graph
        | vocalhost_model::FileRole::Index
        | vocalhost_model::FileRole::Card
        | vocalhost_model::FileRole::Notice
        | vocalhost_model::FileRole::Metrics => return None,
    };
    let beside = match role {
        vocalhost_model::FileRole::Picture => &voice.picture,
        _ => &voice.demo,
    };
    if let Some(file) = beside {
        return Some(stored(word, file));
    }
    let models = api.library.known();
    let Some(package) = models.find(&voice.package_id) else {
        return stored_package_file(voice, word);
    };
    let (name, entry) = package.manifest().file(role)?;
    Some(PackageFile {
        name: format!("{word}.{}", extension(name)),
        source: Source::Package(package.file(role)?),
        sha256: entry.sha256.clone(),
        bytes: entry.bytes,
    })
}

/// A file of a package in the file store; its picture and its demo are called so. One that might be a page with scripts, which a
/// browser would run in the name of this server, is not shown: such packages come from anybody.
fn stored_package_file(voice: &ModelRecord, word: &str) -> Option<PackageFile> {
    let called = |name: &str| name.split('.').next() == Some(word) && extension(name) != "svg";
    let file = voice.package.iter().find(|file| called(&file.name))?;
    Some(stored(word, file))
}

fn stored(word: &str, file: &StoredPackageFile) -> PackageFile {
    PackageFile {
        name: format!("{word}.{}", extension(&file.name)),
        source: Source::Stored(file.key.clone()),
        sha256: file.sha256.clone(),
        bytes: file.bytes,
    }
}

async fn voice_file(api: &Api, voice_id: i64, name: &str) -> Result<Option<Served>, Problem> {
    let Some(voice) = api.store.model(voice_id).await? else {
        return Ok(None);
    };
    let roles = [
        vocalhost_model::FileRole::Picture,
        vocalhost_model::FileRole::Demo,
    ];
    let mut files = roles
        .into_iter()
        .filter_map(|role| package_file(api, &voice, role));
    let file = files.find(|file| file.name == name);
    Ok(file.map(|file| Served {
        name: format!("voice-{voice_id}-{}", file.name),
        size_bytes: file.bytes,
        sha256: file.sha256,
        source: file.source,
        inline: true,
    }))
}
