use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tempfile::TempPath;
use tokio::sync::{Semaphore, watch};

use super::making::{LossyError, Making, Stage};
use crate::worker::lossy::make_in_child;
use vocalhost_files::{FileStore, FilesError};
use vocalhost_job::{FileContent, JobResult, JobState};
use vocalhost_store::{FileMade, Store, StoreError};
use vocalhost_system::disk::{Reserve, is_full};

/// The settings for making files.
#[derive(Debug, Clone)]
pub struct LossySettings {
    /// This program, which is started again for each file.
    pub program: PathBuf,
    /// Where files lie while they are made; the cleanup finds what a killed server left.
    pub folder: PathBuf,
    /// How much of the disk has to stay free.
    pub reserve: Reserve,
    /// How many are made at a time; the others wait.
    pub at_a_time: usize,
}

/// Makes the files of results that were left for later. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LossyMaker(Arc<Workshop>);

#[derive(Debug)]
struct Workshop {
    store: Store,
    files: FileStore,
    settings: LossySettings,
    slots: Semaphore,
    /// The files under way, by key.
    under_way: Mutex<BTreeMap<String, watch::Receiver<Stage>>>,
}

impl LossyMaker {
    /// Makes no file yet.
    #[must_use]
    pub fn new(store: Store, files: FileStore, settings: LossySettings) -> Self {
        Self(Arc::new(Workshop {
            store,
            files,
            slots: Semaphore::new(settings.at_a_time),
            settings,
            under_way: Mutex::default(),
        }))
    }

    /// Makes the file `key` of a job's result: joins the making that is under way, or begins one that goes on whether or not anybody waits
    /// for it.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    #[must_use]
    pub fn make(&self, job_id: i64, key: &str) -> Making {
        let mut under_way = self.0.under_way();
        if let Some(stage) = under_way.get(key) {
            return Making::new(stage.clone());
        }
        let (tell, told) = watch::channel(Stage::default());
        under_way.insert(key.to_owned(), told.clone());
        drop(under_way);
        let listed = Listed {
            workshop: self.0.clone(),
            key: key.to_owned(),
        };
        tokio::spawn(async move {
            let end = listed.workshop.make(job_id, &listed.key, &tell).await;
            if let Err(error) = &end {
                tracing::warn!(job = job_id, key = listed.key, %error, "a lossy file was not made");
            }
            // From now on a new request looks for the file again, or tries again to make it.
            drop(listed);
            tell.send_modify(|stage| stage.end = Some(end));
        });
        Making::new(told)
    }
}

/// The entry of a file in the list of those under way, until this is dropped.
struct Listed {
    workshop: Arc<Workshop>,
    key: String,
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.workshop.under_way().remove(&self.key);
    }
}

impl Workshop {
    fn under_way(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, watch::Receiver<Stage>>> {
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    async fn make(
        &self,
        job_id: i64,
        key: &str,
        tell: &watch::Sender<Stage>,
    ) -> Result<FileContent, LossyError> {
        let slot = self.slots.acquire().await;
        let _slot = slot.map_err(failed)?;
        let began = Instant::now();
        let result = self.result_of(job_id).await?;
        let named = result.files.iter().find(|file| file.key == key);
        if let Some(content) = named.and_then(|file| file.content.clone()) {
            return Ok(content);
        }
        let source = result.source_of(key).ok_or(LossyError::Gone)?;
        if !self.settings.reserve.is_kept() {
            return Err(LossyError::NoRoom);
        }
        let lossless = self.empty_file()?;
        self.files
            .fetch_to(&source.key, &lossless)
            .await
            .map_err(files_failed)?;
        let growing = Arc::new(self.empty_file()?);
        tell.send_modify(|stage| stage.growing = Some(growing.clone()));
        let made = make_in_child(&self.settings.program, &lossless, &growing).await;
        let content = made.map_err(failed)?;
        drop(lossless);
        tell.send_modify(|stage| stage.made = Some(content.clone()));
        self.keep(job_id, key, (growing.as_ref(), &content)).await?;
        let took_ms = began.elapsed().as_millis() as u64;
        tracing::info!(job = job_id, key, took_ms, "a lossy file was made");
        Ok(content)
    }

    async fn result_of(&self, job_id: i64) -> Result<JobResult, LossyError> {
        let job = self.store.any_job(job_id).await.map_err(store_failed)?;
        match job.map(|job| job.state) {
            Some(JobState::Succeeded { result, .. }) => Ok(*result),
            _ => Err(LossyError::Gone),
        }
    }

    /// Keeps the file, in the file store first, so that every file in the record is there. Of a deleted job nothing is kept.
    async fn keep(
        &self,
        job_id: i64,
        key: &str,
        (path, content): (&TempPath, &FileContent),
    ) -> Result<(), LossyError> {
        self.files.publish(path, key).await.map_err(files_failed)?;
        match self.store.file_made(job_id, key, content).await {
            Ok(FileMade::Kept) => Ok(()),
            Ok(FileMade::Unwanted) => {
                self.files.delete(key).await.map_err(files_failed)?;
                Err(LossyError::Gone)
            }
            Err(error) => Err(store_failed(error)),
        }
    }

    fn empty_file(&self) -> Result<TempPath, LossyError> {
        let file = tempfile::Builder::new()
            .prefix("lossy-")
            .tempfile_in(&self.settings.folder);
        Ok(file.map_err(failed)?.into_temp_path())
    }
}

fn files_failed(error: FilesError) -> LossyError {
    match error {
        FilesError::NotFound { .. } => LossyError::Gone,
        error if is_full(&error) => LossyError::NoRoom,
        error if error.may_pass() => {
            tracing::error!(%error, "cannot get at the files of a result");
            LossyError::NoFiles
        }
        error => failed(error),
    }
}

fn store_failed(error: StoreError) -> LossyError {
    if error.may_pass() {
        tracing::error!(%error, "cannot get at the record of a result");
        return LossyError::NoDatabase;
    }
    failed(error)
}

fn failed(error: impl std::fmt::Display) -> LossyError {
    LossyError::Failed(error.to_string())
}
