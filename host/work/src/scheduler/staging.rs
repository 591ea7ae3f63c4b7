use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tokio::sync::watch;

use crate::worker::protocol::OrderedEffect;
use vocalhost_effects::Catalog;
use vocalhost_files::{
    FileStore, FilesError, component_key, is_plain_name, packages_prefix, results_prefix,
};
use vocalhost_job::{ChainItem, Failure, FailureCode, FileRole, JobResult};
use vocalhost_store::{ClaimedJob, EffectOrigin, Lease, PinnedEffect, Store, StoreError};

/// The folder of one attempt. Whoever made it removes it; a killed server's folders are removed at the next start.
#[derive(Debug)]
pub(super) struct Scratch {
    /// The folder.
    pub(super) folder: PathBuf,
    /// The recording in it, if the job has one.
    pub(super) input: Option<PathBuf>,
    /// The recording in it that goes under the result, if there is one.
    pub(super) backing: Option<PathBuf>,
    /// The recordings in it that a voice is trained on.
    pub(super) recordings: Vec<PathBuf>,
}

/// Why files could not be brought to the worker or away from it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StagingError {
    /// The scratch folder could not be made.
    #[error("cannot make the scratch folder {folder}: {source}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The recordings of protected voices could not be read.
    #[error("cannot read the protected voices in {folder}: {source}")]
    Protected {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The store could not be asked for the effects.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The component of an effect is not in the store any more.
    #[error("effect {id} {version} is not installed any more")]
    EffectGone {
        /// The effect's id.
        id: String,
        /// The version that the job was pinned to.
        version: String,
    },
    /// A voice cannot be used any more.
    #[error("voice {id} cannot be used any more")]
    VoiceGone {
        /// The voice's number.
        id: i64,
    },
    /// A file of a voice is not what was stored.
    #[error("voice {id} cannot be used: {fault}")]
    VoiceDamaged {
        /// The voice's number.
        id: i64,
        /// Which file, and what is wrong with it.
        fault: String,
    },
    /// A voice was deleted.
    #[error("voice {id} was deleted")]
    VoiceDeleted {
        /// The voice's number.
        id: i64,
    },
    /// A stored file could not be read or written.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The worker reported a file that is not a plain name in its scratch folder.
    #[error("the worker reported a file named {0:?}")]
    Name(String),
    /// The worker reported a size that the file does not have.
    #[error("the worker reported {reported} bytes of {name:?}, but there are {found}")]
    Size {
        /// The file's name.
        name: String,
        /// What the worker said.
        reported: u64,
        /// What is stored.
        found: u64,
    },
}

impl StagingError {
    /// Whether the file store failed and may work later.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self, Self::Files(error) if error.may_pass())
    }

    /// What the job's record shows.
    pub(crate) fn failure(&self) -> Failure {
        match self {
            Self::EffectGone { .. } => Failure::new(FailureCode::EffectFailed, self.to_string()),
            Self::VoiceGone { .. } => Failure::new(
                FailureCode::ModelUnavailable,
                "The voice model cannot be used any more.",
            ),
            Self::VoiceDamaged { fault, .. } => Failure::new(
                FailureCode::ModelUnavailable,
                format!("The voice model cannot be used: {fault}."),
            ),
            Self::VoiceDeleted { .. } => Failure {
                retryable: false,
                ..Failure::new(
                    FailureCode::ModelUnavailable,
                    "The voice model was deleted.",
                )
            },
            Self::Folder { .. }
            | Self::Protected { .. }
            | Self::Store(_)
            | Self::Files(_)
            | Self::Name(_)
            | Self::Size { .. } => Failure::new(
                FailureCode::Internal,
                "The server could not read or write the job's files.",
            ),
        }
    }
}

/// Makes the scratch folder of an attempt and copies the recordings into it.
pub(super) async fn stage_in(
    files: &FileStore,
    scratch_folder: &Path,
    job: &ClaimedJob,
) -> Result<Scratch, StagingError> {
    let folder = folder_of(scratch_folder, &job.lease);
    tokio::fs::create_dir_all(&folder)
        .await
        .map_err(|source| StagingError::Folder {
            folder: folder.clone(),
            source,
        })?;
    let mut scratch = Scratch {
        folder,
        input: None,
        backing: None,
        recordings: Vec::new(),
    };
    let Some(recording) = &job.record.input else {
        return Ok(scratch);
    };
    for (place, part) in recording.parts.iter().enumerate() {
        let name = format!("recording-{place}.{}", part.format);
        let path = scratch.folder.join(name);
        files.fetch_to(&part.key, &path).await?;
        scratch.recordings.push(path);
    }
    if recording.parts.is_empty() {
        let path = scratch.folder.join(format!("input.{}", recording.format));
        files.fetch_to(&recording.key, &path).await?;
        scratch.input = Some(path);
        if let Some(backing) = &recording.backing {
            let path = scratch
                .folder
                .join(format!("backing-input.{}", backing.format));
            files.fetch_to(&backing.key, &path).await?;
            scratch.backing = Some(path);
        }
    }
    Ok(scratch)
}

/// Copies the components of the job's effects into its scratch folder, except those that come with this program, and returns each effect's
/// limits. Removed effects, and built-in ones of another release, are still stored for jobs that pinned them.
pub(super) async fn stage_effects(
    store: &Store,
    files: &FileStore,
    scratch: &Scratch,
    job: &ClaimedJob,
) -> Result<Vec<OrderedEffect>, StagingError> {
    let chain: Vec<&ChainItem> = job.record.spec.effects().collect();
    order_effects((store, files), &scratch.folder, &chain).await
}

/// The same for the effects of a chain, whose components are copied into `folder`.
pub(crate) async fn order_effects(
    (store, files): (&Store, &FileStore),
    folder: &Path,
    chain: &[&ChainItem],
) -> Result<Vec<OrderedEffect>, StagingError> {
    let mut digests: Vec<&str> = chain.iter().map(|item| item.digest.as_str()).collect();
    digests.sort_unstable();
    digests.dedup();
    let mut ordered = Vec::with_capacity(digests.len());
    for pinned in store.pinned_effects(&digests).await? {
        let is_here =
            pinned.origin == EffectOrigin::BuiltIn && Catalog::carried(&pinned.digest).is_some();
        let component = if is_here {
            None
        } else {
            Some(fetch_component(files, folder, &pinned, chain).await?)
        };
        ordered.push(OrderedEffect {
            component,
            digest: pinned.digest,
            memory_bytes: pinned.overrides.memory_bytes,
            work_per_audio: pinned.overrides.work_per_audio,
        });
    }
    Ok(ordered)
}

async fn fetch_component(
    files: &FileStore,
    folder: &Path,
    pinned: &PinnedEffect,
    chain: &[&ChainItem],
) -> Result<PathBuf, StagingError> {
    let path = folder.join(format!("{}.wasm", pinned.digest));
    let fetched = files.fetch_to(&component_key(&pinned.digest), &path).await;
    match (
        fetched,
        chain.iter().find(|item| item.digest == pinned.digest),
    ) {
        (Err(FilesError::NotFound { .. }), Some(item)) => Err(StagingError::EffectGone {
            id: item.id.clone(),
            version: item.version.clone(),
        }),
        (fetched, _) => Ok(fetched.map(|()| path)?),
    }
}

/// Publishes the files of a result under the lease's own prefix, where no other attempt writes. Returns the result with keys of the file
/// store instead of file names, or nothing once `stopped` is true.
pub(super) async fn publish(
    files: &FileStore,
    scratch: &Scratch,
    lease: &Lease,
    mut result: JobResult,
    stopped: &watch::Receiver<bool>,
) -> Result<Option<JobResult>, StagingError> {
    let is_stopped = || *stopped.borrow();
    // One file may have several roles: what is left without the voice is the backing and a stem.
    let mut published = BTreeSet::new();
    for file in &mut result.files {
        let name = plain_name(&file.key)?;
        let prefix = match file.role {
            FileRole::Package => package_prefix_of(lease),
            _ => prefix_of(lease),
        };
        let key = format!("{prefix}/{name}");
        let Some(content) = &file.content else {
            // It is made of another one when somebody asks for it.
            file.key = key;
            continue;
        };
        if published.insert(key.clone()) {
            let path = scratch.folder.join(name);
            if !files.publish_unless(&path, &key, &is_stopped).await? {
                return Ok(None);
            }
        }
        let found = files.size(&key).await?;
        if found != content.bytes {
            return Err(StagingError::Size {
                name: name.to_owned(),
                reported: content.bytes,
                found,
            });
        }
        file.key = key;
    }
    Ok(Some(result))
}

/// Removes the scratch folder of an attempt, whether it was made or not.
pub(super) async fn remove_scratch(scratch_folder: &Path, lease: &Lease) {
    let folder = folder_of(scratch_folder, lease);
    match tokio::fs::remove_dir_all(&folder).await {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => {
            tracing::warn!(folder = %folder.display(), %error, "cannot remove a scratch folder");
        }
    }
}

/// Deletes everything that was published under a lease.
pub(super) async fn delete_published(files: &FileStore, lease: &Lease) -> Result<(), FilesError> {
    files.delete_prefix(&prefix_of(lease)).await?;
    files.delete_prefix(&package_prefix_of(lease)).await
}

/// Where the files that were made under a lease are published.
fn prefix_of(lease: &Lease) -> String {
    format!("{}/{}", results_prefix(lease.job_id), lease.token)
}

/// The prefix for the package of a voice that was made under a lease. It is not among the results, which are deleted when they are old,
/// while voices stay.
fn package_prefix_of(lease: &Lease) -> String {
    format!("{}/{}", packages_prefix(lease.job_id), lease.token)
}

fn folder_of(scratch_folder: &Path, lease: &Lease) -> PathBuf {
    scratch_folder.join(format!("{}-{}", lease.job_id, lease.token))
}

/// A worker handles hostile bytes, so its file names are checked: only a plain name stays inside the scratch folder.
pub(super) fn plain_name(name: &str) -> Result<&str, StagingError> {
    if is_plain_name(name) {
        return Ok(name);
    }
    Err(StagingError::Name(name.to_owned()))
}
