//! Finds what a signed link points at.

use super::names::{ARCHIVE_NAME, collection_of, download_name, made_of, result_name};
use super::served::{Served, Source};
use super::{live, voice_files};
use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_job::{FileRole, JobKind};
use vocalhost_store::JobRecord;

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
        let file = voice_files::served(api, id, name).await?;
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
