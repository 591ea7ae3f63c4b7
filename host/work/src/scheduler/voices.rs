use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::staging::{StagingError, plain_name};
use super::voice_cache::{VoicesInUse, make_room, used_now};
use super::workbench::Workbench;
use crate::worker::Beside;
use vocalhost_files::FilesError;
use vocalhost_job::JobSpec;
use vocalhost_store::{ClaimedJob, StoredPackageFile};

/// Held while a package is put into the cache: of two attempts that do so at the same time, the slower one would delete a package that the
/// faster one has put there and a worker is loading already. No other process writes there.
static PUTTING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Returns the folder of each voice's package that the job works with. Packages in model folders are used in place; those in the file store
/// are copied into the voice cache once. On the way their content is compared with what was stored, and it is checked again when they are
/// loaded. They stay there for as long as the returned [`VoicesInUse`] lives.
pub(super) async fn stage_voices(
    bench: &Workbench,
    job: &ClaimedJob,
) -> Result<(BTreeMap<i64, PathBuf>, VoicesInUse), StagingError> {
    let mut voices = BTreeMap::new();
    let mut in_use = VoicesInUse::default();
    let spec = &job.record.spec;
    for id in spec.voice_models() {
        let gone = || StagingError::VoiceGone { id };
        let deleted = || StagingError::VoiceDeleted { id };
        let Some(package_id) = job.packages.get(&id) else {
            if spec.needs_any_voice() && !job.packages.is_empty() {
                continue;
            }
            // What cannot be used may come back; what was deleted does not.
            let voice = bench.store.model(id).await?;
            return Err(voice.map_or_else(deleted, |_| gone()));
        };
        let folder = stage_voice(bench, (id, package_id), &job.lease.token, &mut in_use).await?;
        voices.insert(id, folder);
    }
    Ok((voices, in_use))
}

/// Returns the folder of one voice's package, which stays for as long as `in_use` lives. `token` is unique.
pub(crate) async fn stage_voice(
    bench: &Workbench,
    (id, package_id): (i64, &str),
    token: &str,
    in_use: &mut VoicesInUse,
) -> Result<PathBuf, StagingError> {
    if let Some(folder) = bench.settings.voice_folders.find(package_id) {
        return Ok(folder);
    }
    let voice = bench.store.model(id).await?;
    let voice = voice.ok_or(StagingError::VoiceDeleted { id })?;
    if voice.package.is_empty() {
        return Err(StagingError::VoiceGone { id });
    }
    let cached = bench.settings.voice_cache.join(plain_name(package_id)?);
    in_use.take(&cached);
    if !is_there(&cached, &voice.package).await {
        make_room(bench, voice.package.iter().map(|file| file.bytes).sum()).await;
        fetch_package(bench, token, (id, &cached), &voice.package).await?;
    }
    used_now(&cached);
    Ok(cached)
}

/// Deletes the cached copies of a job's voices: a model could not be loaded, and if one of them was the cause, it is fetched anew.
pub(super) async fn forget_voices(bench: &Workbench, job: &ClaimedJob) {
    let _alone = PUTTING.lock().await;
    for package_id in job.packages.values() {
        let Ok(name) = plain_name(package_id) else {
            continue;
        };
        let cached = bench.settings.voice_cache.join(name);
        if let Err(error) = remove(&cached).await {
            tracing::warn!(folder = %cached.display(), %error, "cannot delete the copy of a voice");
        }
    }
}

/// Copies pictures and demo recordings into `scratch` that people have given the voices of a blend since their packages were made.
pub(super) async fn stage_beside(
    bench: &Workbench,
    job: &ClaimedJob,
    scratch: &Path,
) -> Result<BTreeMap<i64, Beside>, StagingError> {
    let mut beside = BTreeMap::new();
    if !matches!(job.record.spec, JobSpec::VoiceBlend(_)) {
        return Ok(beside);
    }
    for id in job.record.spec.voice_models() {
        let voice = bench.store.model(id).await?;
        let voice = voice.ok_or(StagingError::VoiceDeleted { id })?;
        let fetch = async |file: Option<StoredPackageFile>| -> Result<_, StagingError> {
            let Some(file) = file else {
                return Ok(None);
            };
            let path = scratch.join(format!("voice-{id}-{}", plain_name(&file.name)?));
            bench.files.fetch_to(&file.key, &path).await?;
            Ok(Some(path))
        };
        let given = Beside {
            picture: fetch(voice.picture).await?,
            demo: fetch(voice.demo).await?,
        };
        beside.insert(id, given);
    }
    Ok(beside)
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

/// Fetches a package beside `cached` and moves it there in one step, so that no worker ever sees half of it.
///
/// A missing or altered file is noted as the voice's fault; the voice is not offered until its files have been checked again.
async fn fetch_package(
    bench: &Workbench,
    token: &str,
    (id, cached): (i64, &Path),
    files: &[StoredPackageFile],
) -> Result<(), StagingError> {
    let arriving = cached.with_extension(format!("part-{token}"));
    let failed = |source| StagingError::Folder {
        folder: arriving.clone(),
        source,
    };
    tokio::fs::create_dir_all(&arriving).await.map_err(failed)?;
    let store = bench.files.patient();
    for file in files {
        let name = plain_name(&file.name)?;
        let path = arriving.join(name);
        let fault = match store.fetch_hashed(&file.key, &path).await {
            Ok(sha256) if sha256 == file.sha256 => continue,
            Ok(_) => format!("its {name} is damaged"),
            Err(FilesError::NotFound { .. }) => format!("its {name} is gone"),
            Err(error) => return Err(error.into()),
        };
        remove(&arriving).await.map_err(failed)?;
        tracing::error!(voice = id, fault, "a stored voice cannot be used");
        bench.store.set_fault(id, Some(&fault)).await?;
        return Err(StagingError::VoiceDamaged { id, fault });
    }
    put(&arriving, cached, files).await.map_err(failed)
}

/// Puts a package that has arrived into its place, unless another attempt was faster.
async fn put(arriving: &Path, cached: &Path, files: &[StoredPackageFile]) -> std::io::Result<()> {
    let _alone = PUTTING.lock().await;
    if is_there(cached, files).await {
        return remove(arriving).await;
    }
    // What lies there is incomplete: nobody can have loaded it.
    remove(cached).await?;
    match tokio::fs::rename(arriving, cached).await {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists
            ) =>
        {
            remove(arriving).await
        }
        renamed => renamed,
    }
}

async fn remove(folder: &Path) -> std::io::Result<()> {
    match tokio::fs::remove_dir_all(folder).await {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[tokio::test]
    async fn the_slower_of_two_attempts_leaves_the_package_that_is_there() {
        let cache = tempfile::tempdir().expect("a temporary folder");
        let cached = cache.path().join("import.1");
        let files = [StoredPackageFile {
            name: "graph.onnx".to_owned(),
            key: "imports/import.1/graph.onnx".to_owned(),
            bytes: 5,
            sha256: String::new(),
        }];
        let arrived = |name: &str, content: &str| {
            let arriving = cache.path().join(name);
            fs::create_dir(&arriving).expect("a folder");
            fs::write(arriving.join("graph.onnx"), content).expect("written");
            arriving
        };
        // Half a package, which must go.
        arrived("import.1", "one");
        let (first, second) = (arrived("part-1", "first"), arrived("part-2", "other"));
        put(&first, &cached, &files).await.expect("it is put there");
        let loaded = fs::File::open(cached.join("graph.onnx")).expect("a worker opens it");
        put(&second, &cached, &files).await.expect("it is dropped");
        let content = fs::read(cached.join("graph.onnx")).expect("it is there");
        assert_eq!(content, b"first");
        assert_eq!(loaded.metadata().expect("it is open").len(), 5);
        assert!(!first.exists() && !second.exists());
    }
}
