use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use futures_util::TryStreamExt as _;

use super::voice_cache::make_room;
use super::workbench::Workbench;
use vocalhost_files::{FilesError, upload_prefix};
use vocalhost_store::StoreError;

/// How often the cleanup runs: retention is counted in hours and days.
pub(super) const CLEANUP_EVERY: Duration = Duration::from_hours(1);

/// How often one of the servers that share a database looks for orphaned files: the whole file store is listed for it.
const ORPHANS_EVERY: Duration = Duration::from_hours(24);

/// How many jobs one transaction of the cleanup touches, so that it never delays a claim for long.
const BATCH: u64 = 100;

/// A file that no job names is deleted when it is this old: younger ones may belong to a request or an attempt that is
/// still under way.
const ORPHAN_AGE: Duration = Duration::from_hours(6);

/// A server that has been silent for so long is not coming back, or registers again when it does.
const NODE_AGE: Duration = Duration::from_hours(1);

/// Why the cleanup stopped early; the next one goes on.
#[derive(Debug, thiserror::Error)]
pub enum CleanupError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// Deletes what is old: results, recordings and records by the settings' retention, removed effects that no job will run any more, uploads
/// that have expired, requests that nobody can repeat any more, then files that nothing names, requests and imports that were never
/// finished and compiled code of effects that are gone. The store forgets first, so that no record ever names a file that is gone.
///
/// Of the servers that share a database, one does this in the database; each cleans the folders of its own machine.
pub async fn clean_up(bench: &Workbench, now_us: i64) -> Result<(), CleanupError> {
    let is_ours = |name, every| bench.store.take_chore(name, every, now_us);
    if is_ours("cleanup", CLEANUP_EVERY).await? {
        forget_old(bench, now_us).await?;
    }
    if is_ours("orphans", ORPHANS_EVERY).await? {
        delete_orphans(bench, ago(now_us, ORPHAN_AGE)).await?;
    }
    if let Some(folder) = &bench.settings.effect_cache {
        delete_compiled(bench, folder).await?;
    }
    delete_cached_voices(bench).await?;
    make_room(bench, 0).await;
    if let Some(folder) = &bench.settings.upload_folder {
        delete_old_uploads(folder).await;
    }
    if let Some(folder) = &bench.settings.import_folder {
        delete_old_imports(folder).await;
    }
    if let Some(folder) = &bench.settings.resumable_folder {
        delete_earlier_uploads(bench, folder, now_us).await?;
    }
    Ok(())
}

/// Expires rows in the store, and deletes their files.
async fn forget_old(bench: &Workbench, now_us: i64) -> Result<(), CleanupError> {
    let keep = bench.settings.retention;
    loop {
        let before_us = ago(now_us, keep.results);
        let expired = bench.store.expire_results(before_us, BATCH, now_us).await?;
        for one in &expired {
            bench.files.delete_job(one.job_id, &one.input_keys).await?;
        }
        if expired.is_empty() {
            break;
        }
    }
    loop {
        // A recording that another job still needs is not returned, so the number of recordings does not tell whether there are more.
        let before_us = ago(now_us, keep.inputs);
        let (expired, more) = bench.store.expire_inputs(before_us, BATCH, now_us).await?;
        for key in expired.iter().flat_map(|one| &one.input_keys) {
            bench.files.delete(key).await?;
        }
        if !more {
            break;
        }
    }
    loop {
        let before_us = ago(now_us, keep.records);
        let expired = bench.store.expire_records(before_us, BATCH).await?;
        for one in &expired {
            bench.files.delete_job(one.job_id, &one.input_keys).await?;
        }
        if expired.is_empty() {
            break;
        }
    }
    for upload in bench.store.expire_uploads(now_us).await? {
        bench.files.delete_prefix(&upload_prefix(&upload)).await?;
    }
    bench.store.forget_requests(now_us).await?;
    while bench
        .store
        .expire_audit(ago(now_us, keep.audit), BATCH)
        .await?
        > 0
    {}
    // A request that saw the effect before its removal has made its job, or was refused, long before that.
    let before_us = ago(now_us, ORPHAN_AGE);
    bench.store.forget_removed_effects(before_us).await?;
    bench.store.forget_nodes(ago(now_us, NODE_AGE)).await?;
    bench.store.forget_request_limits(now_us).await?;
    loop {
        let before_us = ago(now_us, keep.results);
        let expired = bench.store.expire_live_files(before_us, BATCH).await?;
        for key in &expired {
            bench.files.delete(key).await?;
        }
        if expired.is_empty() {
            break;
        }
    }
    for key in bench.store.forget_lives(ago(now_us, keep.records)).await? {
        bench.files.delete(&key).await?;
    }
    Ok(())
}

async fn delete_orphans(bench: &Workbench, before_us: i64) -> Result<(), CleanupError> {
    for prefix in [
        "inputs", "results", "training", "effects", "voices", "imports", "uploads", "live",
    ] {
        match delete_orphans_in(bench, prefix, before_us).await {
            // A folder that cannot be listed does not stop the other folders, or the steps after them.
            Err(CleanupError::Files(error)) => {
                tracing::error!(folder = prefix, %error, "cannot look for files that nothing names");
            }
            looked => looked?,
        }
    }
    Ok(())
}

async fn delete_orphans_in(
    bench: &Workbench,
    prefix: &str,
    before_us: i64,
) -> Result<(), CleanupError> {
    let mut files = bench.files.list(prefix)?;
    while let Some(file) = files.try_next().await? {
        if file.published_at_us < before_us && !is_needed(bench, &file.key).await? {
            tracing::info!(key = file.key, "deleting a file that nothing names");
            bench.files.delete(&file.key).await?;
        }
    }
    Ok(())
}

async fn is_needed(bench: &Workbench, key: &str) -> Result<bool, StoreError> {
    if key.starts_with("inputs/") {
        return bench.store.needs_input(key).await;
    }
    if let Some(name) = key.strip_prefix("effects/") {
        let digest = name.split('.').next().unwrap_or_default();
        return bench.store.knows_effect(digest).await;
    }
    if let Some(rest) = key.strip_prefix("uploads/") {
        let upload = rest.split('/').next().unwrap_or_default();
        return bench.store.needs_upload_piece(upload, key).await;
    }
    if let Some(rest) = key.strip_prefix("imports/") {
        let package_id = rest.split('/').next().unwrap_or_default();
        return bench.store.needs_voice_file(package_id, key).await;
    }
    match key.split('/').nth(1).and_then(|id| id.parse().ok()) {
        Some(job_id) if key.starts_with("voices/") => {
            bench.store.needs_package_file(job_id, key).await
        }
        Some(live_id) if key.starts_with("live/") => {
            bench.store.needs_live_file(live_id, key).await
        }
        Some(job_id) if key.starts_with("training/") => {
            bench.store.needs_training_file(job_id, key).await
        }
        Some(job_id) => bench.store.needs_result(job_id, key).await,
        None => Ok(false),
    }
}

/// Deletes compiled code of unknown components: effects that are gone, and files that somebody tried out.
async fn delete_compiled(bench: &Workbench, folder: &Path) -> Result<(), StoreError> {
    for path in old_entries(folder, Entry::File, ORPHAN_AGE).await {
        let name = path.file_name().and_then(|name| name.to_str());
        let digest = name.and_then(|name| name.split('-').next());
        if let Some(digest) = digest
            && !bench.store.knows_effect(digest).await?
        {
            delete_file(&path).await;
        }
    }
    Ok(())
}

/// Deletes cached packages of voices that are gone, and those that never arrived whole.
async fn delete_cached_voices(bench: &Workbench) -> Result<(), StoreError> {
    // A running job may use a voice that was deleted meanwhile. If none runs, nothing of the voice needs to stay.
    let age = if bench.store.runs_nothing().await? {
        Duration::ZERO
    } else {
        ORPHAN_AGE
    };
    for path in old_entries(&bench.settings.voice_cache, Entry::Folder, age).await {
        let package_id = path.file_name().and_then(|name| name.to_str());
        if let Some(package_id) = package_id
            && !bench.store.knows_package(package_id).await?
        {
            delete_folder(&path).await;
        }
    }
    Ok(())
}

/// Deletes what killed imports left behind: an import never takes as long as the age that is waited for.
async fn delete_old_imports(folder: &Path) {
    for path in old_entries(folder, Entry::Folder, ORPHAN_AGE).await {
        delete_folder(&path).await;
    }
    // Somebody else put these there.
    delete_old_uploads(folder).await;
}

async fn delete_old_uploads(folder: &Path) {
    for path in old_entries(folder, Entry::File, ORPHAN_AGE).await {
        delete_file(&path).await;
    }
}

/// Deletes the upload files of releases that kept no pieces in the file store, once the uploads have expired or moved there.
async fn delete_earlier_uploads(
    bench: &Workbench,
    folder: &Path,
    now_us: i64,
) -> Result<(), StoreError> {
    let Ok(mut entries) = tokio::fs::read_dir(folder).await else {
        return Ok(());
    };
    while let Ok(Some(entry)) = entries.next_entry().await {
        let name = entry.file_name();
        let upload = bench
            .store
            .upload(name.to_str().unwrap_or_default(), now_us);
        if upload.await?.is_none_or(|upload| upload.arrived > 0) {
            delete_file(&entry.path()).await;
        }
    }
    Ok(())
}

async fn delete_folder(path: &Path) {
    if let Err(error) = tokio::fs::remove_dir_all(path).await {
        tracing::warn!(folder = %path.display(), %error, "cannot delete an old folder");
    }
}

async fn delete_file(path: &Path) {
    if let Err(error) = tokio::fs::remove_file(path).await {
        tracing::warn!(file = %path.display(), %error, "cannot delete an old file");
    }
}

/// What to look for in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    File,
    Folder,
}

/// The files or folders in `folder` that are at least of this age.
async fn old_entries(folder: &Path, wanted: Entry, age: Duration) -> Vec<PathBuf> {
    let folder = folder.to_owned();
    match tokio::task::spawn_blocking(move || look_for_old(&folder, wanted, age)).await {
        Ok(Ok(files)) => files,
        Ok(Err(error)) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Ok(Err(error)) => {
            tracing::warn!(%error, "cannot look for old files");
            Vec::new()
        }
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

fn look_for_old(folder: &Path, wanted: Entry, least: Duration) -> std::io::Result<Vec<PathBuf>> {
    let mut old = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let meta = entry.metadata()?;
        let age = SystemTime::now().duration_since(meta.modified()?);
        let is_wanted = match wanted {
            Entry::File => meta.is_file(),
            Entry::Folder => meta.is_dir(),
        };
        if is_wanted && age.is_ok_and(|age| age >= least) {
            old.push(entry.path());
        }
    }
    Ok(old)
}

fn ago(now_us: i64, age: Duration) -> i64 {
    now_us.saturating_sub(i64::try_from(age.as_micros()).unwrap_or(i64::MAX))
}
