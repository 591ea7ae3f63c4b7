use std::path::PathBuf;

use super::Api;
use super::files::{Served, Source};
use super::problem::Problem;
use crate::job::{FileRole, JobKind, JobState, ResultFile};
use crate::model;
use crate::store::ModelRecord;

/// What a link to a conversion's file points at: `voice-conversions/7/output.wav`.
#[must_use]
pub fn result_target(job_id: i64, file: &ResultFile) -> String {
    format!("voice-conversions/{job_id}/{}", result_name(file))
}

/// What a link to a voice's file points at: `voice-models/3/picture.png`.
#[must_use]
pub fn voice_target(voice_id: i64, file: &PackageFile) -> String {
    format!("voice-models/{voice_id}/{}", file.name)
}

/// The file that a signed link points at; `None` when it is gone.
pub async fn find(api: &Api, target: &str) -> Result<Option<Served>, Problem> {
    let parts: Vec<&str> = target.split('/').collect();
    let [resource, id, name] = parts[..] else {
        return Ok(None);
    };
    let Ok(id) = id.parse() else {
        return Ok(None);
    };
    match resource {
        "voice-conversions" => result_file(api, id, name).await,
        "voice-models" => voice_file(api, id, name).await,
        _ => Ok(None),
    }
}

fn extension(path: &str) -> &str {
    path.rsplit_once('.')
        .map_or("bin", |(_, extension)| extension)
}

fn result_name(file: &ResultFile) -> String {
    let name = match file.role {
        FileRole::Output => "output",
        FileRole::LossyOutput => "lossy-output",
    };
    format!("{name}.{}", extension(&file.key))
}

async fn result_file(api: &Api, job_id: i64, name: &str) -> Result<Option<Served>, Problem> {
    let job = api.store.job(JobKind::VoiceConversion, job_id).await?;
    let Some(JobState::Succeeded { result, .. }) = job.map(|job| job.state) else {
        return Ok(None);
    };
    let file = result
        .files
        .into_iter()
        .find(|file| result_name(file) == name);
    Ok(file.map(|file| Served {
        name: format!("conversion-{job_id}.{}", extension(&file.key)),
        size_bytes: file.bytes,
        sha256: file.sha256,
        source: Source::Stored(file.key),
        inline: false,
    }))
}

/// A file of a voice's package that clients may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageFile {
    /// Its name in links.
    pub name: String,
    path: PathBuf,
    sha256: String,
    bytes: u64,
}

/// The file with this role in a voice's package, if it has one.
pub fn package_file(api: &Api, voice: &ModelRecord, role: model::FileRole) -> Option<PackageFile> {
    let word = match role {
        model::FileRole::Picture => "picture",
        model::FileRole::Demo => "demo",
        // Graphs and indices are the voice itself and are not handed out; cards and notices travel with the package.
        model::FileRole::Graph
        | model::FileRole::Index
        | model::FileRole::Card
        | model::FileRole::Notice => return None,
    };
    let package = api.models.find(&voice.package_id)?;
    let (name, entry) = package.manifest().file(role)?;
    Some(PackageFile {
        name: format!("{word}.{}", extension(name)),
        path: package.file(role)?,
        sha256: entry.sha256.clone(),
        bytes: entry.bytes,
    })
}

async fn voice_file(api: &Api, voice_id: i64, name: &str) -> Result<Option<Served>, Problem> {
    let Some(voice) = api.store.model(voice_id).await? else {
        return Ok(None);
    };
    let roles = [model::FileRole::Picture, model::FileRole::Demo];
    let mut files = roles
        .into_iter()
        .filter_map(|role| package_file(api, &voice, role));
    let file = files.find(|file| file.name == name);
    Ok(file.map(|file| Served {
        name: format!("voice-{voice_id}-{}", file.name),
        size_bytes: file.bytes,
        sha256: file.sha256,
        source: Source::Package(file.path),
        inline: true,
    }))
}
