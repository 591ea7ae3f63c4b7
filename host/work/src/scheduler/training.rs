//! What a training needs beyond other jobs: several recordings, checkpoints to go on from, and reports on the way.

use std::io;
use std::path::{Path, PathBuf};

use tokio::sync::{mpsc, oneshot, watch};

use super::staging::{Scratch, StagingError, plain_name};
use super::workbench::Workbench;
use crate::worker::protocol::{MadeFile, Milestone, TrainingFiles};
use vocalhost_files::{FileStore, heard_prefix, training_prefix};
use vocalhost_job::{FileRole, JobSpec, JobState, ResultFile};
use vocalhost_pipeline::protected_recordings;
use vocalhost_store::{Checkpoint, ClaimedJob, Lease, TrainingNews, TrainingState};
use vocalhost_system::clock;

/// A milestone of a worker, the folder with its file, and the channel that confirms that it was taken.
pub(super) type Told = (Milestone, PathBuf, oneshot::Sender<()>);

/// Copies the last checkpoint of a training into the scratch folder, and returns the places of all files for the training; `None` for other
/// jobs.
pub(super) async fn stage_training(
    files: &FileStore,
    (scratch, protected): (&Scratch, Option<&Path>),
    job: &ClaimedJob,
) -> Result<Option<TrainingFiles>, StagingError> {
    if !matches!(job.record.spec, JobSpec::VoiceTraining(_)) {
        return Ok(None);
    }
    let known = job.record.training.iter();
    let checkpoints = known.flat_map(|training| training.checkpoints.iter().rev());
    let mut staged = TrainingFiles {
        recordings: scratch.recordings.clone(),
        protected: match protected {
            Some(folder) => stage_protected(folder, &scratch.folder)
                .await
                .map_err(|source| StagingError::Protected {
                    folder: folder.to_owned(),
                    source,
                })?,
            None => Vec::new(),
        },
        checkpoint: None,
    };
    for checkpoint in checkpoints {
        let path = scratch.folder.join("checkpoint");
        match files.fetch_hashed(&checkpoint.key, &path).await {
            Ok(sha256) if sha256 == checkpoint.content.sha256 => {
                staged.checkpoint = Some(path);
                break;
            }
            Ok(_) => tracing::warn!(job = job.lease.job_id, "a checkpoint is damaged"),
            Err(error) if error.may_pass() => return Err(error.into()),
            Err(error) => tracing::warn!(job = job.lease.job_id, %error, "a checkpoint is gone"),
        }
    }
    Ok(Some(staged))
}

/// Copies the recordings of protected voices into the scratch folder: a worker sees nothing else.
async fn stage_protected(folder: &Path, scratch: &Path) -> io::Result<Vec<PathBuf>> {
    let (folder, scratch) = (folder.to_owned(), scratch.to_owned());
    let copying = tokio::task::spawn_blocking(move || {
        let found = protected_recordings(&folder)?.into_iter().enumerate();
        let copied = found.map(|(number, path)| {
            let mut place = scratch.join(format!("protected-{number}"));
            if let Some(extension) = path.extension() {
                place.set_extension(extension);
            }
            std::fs::copy(path, &place).map(|_| place)
        });
        copied.collect()
    });
    copying.await.map_err(io::Error::other)?
}

/// Stores a worker's milestones, for the training's record and for the next attempt.
pub(super) struct Keeper<'a> {
    bench: &'a Workbench,
    files: FileStore,
    lease: &'a Lease,
    stopped: watch::Receiver<bool>,
    state: TrainingState,
}

impl<'a> Keeper<'a> {
    /// Goes on with what earlier attempts of the job have left.
    pub(super) fn new(
        bench: &'a Workbench,
        job: &'a ClaimedJob,
        stopped: &watch::Receiver<bool>,
    ) -> Self {
        Self {
            bench,
            files: bench.files.patient(),
            lease: &job.lease,
            stopped: stopped.clone(),
            state: job.record.training.clone().unwrap_or_default(),
        }
    }

    /// Stores every milestone until the sender is gone; returns the tests of the voice.
    pub(super) async fn run(mut self, mut told: mpsc::Receiver<Told>) -> Vec<ResultFile> {
        while let Some((milestone, folder, taken)) = told.recv().await {
            if let Err(error) = self.keep(milestone, &folder).await {
                // The training itself goes on: at worst the next attempt resumes from an earlier checkpoint.
                tracing::warn!(job = self.lease.job_id, %error, "cannot keep how far a training is");
            }
            // Nobody waits any more when the job was stopped.
            let _waited = taken.send(()).is_ok();
        }
        self.state.heard
    }

    async fn keep(&mut self, milestone: Milestone, folder: &Path) -> Result<(), StagingError> {
        let news = match milestone {
            Milestone::Step(step) => TrainingNews::Step(step),
            Milestone::Checkpoint { step, file } => {
                let key = self.key(&training_prefix(self.lease.job_id), (step, &file))?;
                if !self.publish(folder, &file, &key).await? {
                    return Ok(());
                }
                let content = file.content;
                TrainingNews::Checkpoint(Checkpoint { step, key, content })
            }
            Milestone::Heard { step, file } => {
                let key = self.key(&heard_prefix(self.lease.job_id), (step, &file))?;
                if !self.publish(folder, &file, &key).await? {
                    return Ok(());
                }
                TrainingNews::Heard(ResultFile {
                    role: FileRole::Heard(step),
                    key,
                    content: Some(file.content),
                })
            }
        };
        self.state.note(news.clone());
        let report = self
            .bench
            .store
            .report_training(self.lease, news, clock::now_us());
        let (_, unneeded) = report.await?;
        for key in unneeded {
            self.files.delete(&key).await?;
        }
        Ok(())
    }

    /// The key of a file made after a step: with the lease's token in it, so that no attempt overwrites what another reads.
    fn key(&self, prefix: &str, (step, file): (u32, &MadeFile)) -> Result<String, StagingError> {
        let name = plain_name(&file.name)?;
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let extension = extension.map_or_else(String::new, |extension| format!(".{extension}"));
        Ok(format!("{prefix}/{step}-{}{extension}", self.lease.token))
    }

    /// Returns whether the file is there, which it is not when the attempt is to stop.
    async fn publish(
        &self,
        folder: &Path,
        file: &MadeFile,
        key: &str,
    ) -> Result<bool, StagingError> {
        let path = folder.join(plain_name(&file.name)?);
        let is_stopped = || *self.stopped.borrow();
        Ok(self.files.publish_unless(&path, key, &is_stopped).await?)
    }
}

/// Deletes what an ended training leaves behind: checkpoints always, recordings and tests depending on how it ended.
pub(super) async fn clear_up(bench: &Workbench, job: &ClaimedJob) {
    let JobSpec::VoiceTraining(spec) = &job.record.spec else {
        return;
    };
    let id = job.lease.job_id;
    let cleared = async {
        let Some(record) = bench.store.any_job(id).await? else {
            return Ok(());
        };
        if record.ended_at_us.is_none() {
            return Ok(());
        }
        bench.files.delete_prefix(&training_prefix(id)).await?;
        if !matches!(record.state, JobState::Succeeded { .. }) {
            bench.files.delete_prefix(&heard_prefix(id)).await?;
        } else if !spec.keep_recordings {
            for key in bench.store.forget_recordings(id, clock::now_us()).await? {
                bench.files.delete(&key).await?;
            }
        }
        Ok::<(), StagingError>(())
    };
    if let Err(error) = cleared.await {
        tracing::warn!(job = id, %error, "cannot clear up after a training; the cleanup will");
    }
}
