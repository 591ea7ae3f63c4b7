use std::collections::BTreeMap;
use std::path::PathBuf;

use super::attempt::Workbench;
use super::staging::{Scratch, StagingError, plain_name};
use crate::store::{ClaimedJob, StoredPackageFile};

/// Says where the package of each voice is that the job works with. Those of model folders are used where they are, those
/// of the file store are brought into the scratch folder; their content is checked by whoever loads them, like any
/// package's.
pub(super) async fn stage_voices(
    bench: &Workbench,
    scratch: &Scratch,
    job: &ClaimedJob,
) -> Result<BTreeMap<i64, PathBuf>, StagingError> {
    let mut voices = BTreeMap::new();
    for id in job.record.spec.voice_models() {
        let gone = || StagingError::VoiceGone { id };
        let package_id = job.packages.get(&id).ok_or_else(gone)?;
        let folder = if let Some(folder) = bench.settings.voice_folders.get(package_id) {
            folder.clone()
        } else {
            let voice = bench.store.model(id).await?.ok_or_else(gone)?;
            if voice.package.is_empty() {
                return Err(gone());
            }
            fetch_package(bench, scratch, id, &voice.package).await?
        };
        voices.insert(id, folder);
    }
    Ok(voices)
}

async fn fetch_package(
    bench: &Workbench,
    scratch: &Scratch,
    id: i64,
    files: &[StoredPackageFile],
) -> Result<PathBuf, StagingError> {
    let folder = scratch.folder.join(format!("voice-{id}"));
    tokio::fs::create_dir_all(&folder)
        .await
        .map_err(|source| StagingError::Folder {
            folder: folder.clone(),
            source,
        })?;
    for file in files {
        let path = folder.join(plain_name(&file.name)?);
        bench.files.fetch_to(&file.key, &path).await?;
    }
    Ok(folder)
}
