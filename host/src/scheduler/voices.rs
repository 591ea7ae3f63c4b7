use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::attempt::Workbench;
use super::staging::{StagingError, plain_name};
use crate::store::{ClaimedJob, StoredPackageFile};

/// Says where the package of each voice is that the job works with. Those of model folders are used where they are, those
/// of the file store are brought into the cache of voices once; their content is checked by whoever loads them, like any
/// package's.
pub(super) async fn stage_voices(
    bench: &Workbench,
    job: &ClaimedJob,
) -> Result<BTreeMap<i64, PathBuf>, StagingError> {
    let mut voices = BTreeMap::new();
    for id in job.record.spec.voice_models() {
        let gone = || StagingError::VoiceGone { id };
        let package_id = job.packages.get(&id).ok_or_else(gone)?;
        let folder = if let Some(folder) = bench.settings.voice_folders.find(package_id) {
            folder
        } else {
            let voice = bench.store.model(id).await?.ok_or_else(gone)?;
            if voice.package.is_empty() {
                return Err(gone());
            }
            let cached = bench.settings.voice_cache.join(plain_name(package_id)?);
            if !is_there(&cached, &voice.package).await {
                fetch_package(bench, job, &cached, &voice.package).await?;
            }
            cached
        };
        voices.insert(id, folder);
    }
    Ok(voices)
}

/// Whether every file of a package lies in the folder with its size.
async fn is_there(folder: &Path, files: &[StoredPackageFile]) -> bool {
    for file in files {
        let found = tokio::fs::metadata(folder.join(&file.name)).await;
        if !found.is_ok_and(|found| found.is_file() && found.len() == file.bytes) {
            return false;
        }
    }
    true
}

/// Fetches a package beside `cached` and puts it there in one step, so that no worker ever sees half of it.
async fn fetch_package(
    bench: &Workbench,
    job: &ClaimedJob,
    cached: &Path,
    files: &[StoredPackageFile],
) -> Result<(), StagingError> {
    let arriving = cached.with_extension(format!("part-{}", job.lease.token));
    let failed = |source| StagingError::Folder {
        folder: arriving.clone(),
        source,
    };
    tokio::fs::create_dir_all(&arriving).await.map_err(failed)?;
    for file in files {
        let path = arriving.join(plain_name(&file.name)?);
        bench.files.fetch_to(&file.key, &path).await?;
    }
    // What lies there is incomplete: nobody can have loaded it.
    remove(cached).await.map_err(failed)?;
    match tokio::fs::rename(&arriving, cached).await {
        Ok(()) => Ok(()),
        // Another attempt was faster.
        Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {
            remove(&arriving).await.map_err(failed)
        }
        Err(error) => Err(failed(error)),
    }
}

async fn remove(folder: &Path) -> std::io::Result<()> {
    match tokio::fs::remove_dir_all(folder).await {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
