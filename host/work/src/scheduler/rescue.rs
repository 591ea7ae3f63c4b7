use std::path::Path;

use super::staging::delete_published;
use super::workbench::Workbench;
use vocalhost_store::{Lease, StoreError};

/// Takes jobs whose lease has run out from workers that are gone, and deletes what those had published. Returns how many there were.
///
/// While the database was out of reach, nobody could renew a lease. So a server that was cut off gives the others the time of one lease to
/// come back before it declares them gone.
pub(super) async fn rescue(bench: &Workbench, now_us: i64) -> Result<usize, StoreError> {
    if !bench.store.has_been_reached_for(bench.settings.lease) {
        return Ok(0);
    }
    bench.store.settle_lives(now_us).await?;
    let lost = bench.store.rescue(now_us).await?;
    delete_files_of(bench, &lost).await;
    Ok(lost.len())
}

/// What a server does before its first tick: it deletes the scratch folders and unfinished copies that a killed server left, and puts the
/// jobs that it had itself back into the queue. If it holds the lock of the folder with the database, it is the only server: then it puts
/// back every running job, ends live conversions, and gives up requests and uploads that were in progress. On a shared database those of
/// other servers are left to their leases. Returns how many jobs there were.
pub(super) async fn start_afresh(bench: &Workbench, now_us: i64) -> Result<usize, StoreError> {
    let lost = if bench.store.is_shared() {
        bench.store.release_own(now_us).await?
    } else {
        bench.store.forget_reservations().await?;
        bench.store.release_uploads().await?;
        bench.store.release_lives().await?;
        bench.store.release_all(now_us).await?
    };
    delete_files_of(bench, &lost).await;
    empty_folder(&bench.settings.scratch_folder).await;
    if let Err(error) = bench.files.sweep_unfinished().await {
        tracing::warn!(%error, "cannot sweep unfinished copies away");
    }
    if !lost.is_empty() {
        tracing::warn!(
            jobs = lost.len(),
            "put back jobs that were running when the server died"
        );
    }
    Ok(lost.len())
}

async fn delete_files_of(bench: &Workbench, lost: &[Lease]) {
    for lease in lost {
        if let Err(error) = delete_published(&bench.files, lease).await {
            tracing::warn!(job = lease.job_id, %error, "cannot delete the files of a lost attempt");
        }
    }
}

async fn empty_folder(folder: &Path) {
    let emptied = async {
        match tokio::fs::remove_dir_all(folder).await {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => tokio::fs::create_dir_all(folder).await,
        }
    };
    if let Err(error) = emptied.await {
        tracing::warn!(folder = %folder.display(), %error, "cannot empty the scratch folder");
    }
}
