use std::sync::Arc;

use tokio::sync::watch;

use super::settings::SchedulerSettings;
use super::staging::{self, StagingError};
use super::voices::stage_voices;
use super::watch_over::{StopReason, told, watch_over};
use crate::clock;
use crate::files::FileStore;
use crate::job::{Failure, JobResult, Progress};
use crate::store::{ClaimedJob, Handled, Lease, Store, StoreError};
use crate::worker::protocol::WorkOrder;
use crate::worker::{Supervisor, WorkEnd};

/// What stands for the length of the recording of a job that has none: a blend converts a demo of at most this length.
const DEMO_S: f64 = 30.0;

/// What an attempt works with. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Workbench {
    /// Where jobs are.
    pub store: Store,
    /// Where recordings and results are.
    pub files: FileStore,
    /// How to work.
    pub settings: Arc<SchedulerSettings>,
}

/// How an attempt ended, for the log and for tests; the store has what counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptEnd {
    /// The result was recorded.
    Completed,
    /// A failure was counted.
    Failed,
    /// A death of the worker was counted.
    WorkerDied,
    /// The job was cancelled.
    Cancelled,
    /// The job is back in the queue, as if this attempt had never been.
    HandedBack,
    /// The job was not ours any more.
    LeaseLost,
    /// The store could not be told; the rescue will find the job.
    Unrecorded,
}

/// Why there is no result.
enum Trouble {
    Failed { failure: Failure, detail: String },
    Died { detail: String },
    Stopped,
}

impl Workbench {
    /// Takes a claimed job as far as it goes: one attempt.
    ///
    /// 1. Make a scratch folder and bring the recording, the packages of stored voices and the components of installed
    ///    effects into it.
    /// 2. Have the worker do the job.
    /// 3. Publish the files that it made, under this lease.
    /// 4. Record the result in one transaction, guarded by the lease.
    /// 5. Delete what is not part of a recorded result, and the scratch folder.
    ///
    /// Meanwhile the lease is renewed; whoever takes it away, cancels the job or ends the server stops the attempt.
    pub async fn attempt(
        &self,
        supervisor: &mut Supervisor,
        job: ClaimedJob,
        server_ends: watch::Receiver<bool>,
    ) -> AttemptEnd {
        let lease = job.lease.clone();
        let (progress, progress_seen) = watch::channel(None);
        let (stop, stopped) = watch::channel(false);
        let making = self.make(supervisor, &job, &progress, stopped);
        tokio::pin!(making);
        let (made, reason) = tokio::select! {
            made = &mut making => (made, None),
            reason = watch_over(&self.store, &self.settings, &lease, progress_seen, server_ends) => {
                stop.send_replace(true);
                (making.await, Some(reason))
            }
        };
        let end = match made {
            Ok(result) => self.complete(&lease, &result).await,
            Err(trouble) => self.give_up(&lease, trouble, reason).await,
        };
        staging::remove_scratch(&self.settings.scratch_folder, &lease).await;
        tracing::info!(
            job = lease.job_id, request = job.record.request_id, end = ?end, "attempt ended"
        );
        end
    }

    async fn make(
        &self,
        supervisor: &mut Supervisor,
        job: &ClaimedJob,
        progress: &watch::Sender<Option<Progress>>,
        mut stopped: watch::Receiver<bool>,
    ) -> Result<JobResult, Trouble> {
        let scratch_folder = &self.settings.scratch_folder;
        let staging = staging::stage_in(&self.files, scratch_folder, job);
        let scratch = unless_stopped(&mut stopped, staging).await?;
        let staging = stage_voices(self, &scratch, job);
        let voices = unless_stopped(&mut stopped, staging).await?;
        let staging = staging::stage_effects(&self.store, &self.files, &scratch, job);
        let effects = unless_stopped(&mut stopped, staging).await?;
        let order = WorkOrder {
            job_id: job.lease.job_id,
            request_id: job.record.request_id.clone(),
            spec: job.record.spec.clone(),
            input: scratch.input.clone(),
            backing: scratch.backing.clone(),
            scratch: scratch.folder.clone(),
            voices,
            effects,
        };
        let recording = job.record.input.as_ref();
        let duration_s = recording.map_or(Some(DEMO_S), |recording| recording.duration_s);
        let limit = self.settings.job_limit(duration_s);
        let stop = told(&mut stopped);
        let end = supervisor.run(order, limit, progress, stop).await;
        let result = match end {
            WorkEnd::Done(result) => *result,
            WorkEnd::Failed { failure, detail } => {
                return Err(Trouble::Failed { failure, detail });
            }
            WorkEnd::Died { detail } => return Err(Trouble::Died { detail }),
            WorkEnd::Stopped => return Err(Trouble::Stopped),
        };
        let publishing = staging::publish(&self.files, &scratch, &job.lease, result);
        unless_stopped(&mut stopped, publishing).await
    }

    async fn complete(&self, lease: &Lease, result: &JobResult) -> AttemptEnd {
        match self.store.complete(lease, result, clock::now_us()).await {
            Ok(Handled::Recorded) => AttemptEnd::Completed,
            Ok(Handled::Cancelling) => {
                self.delete_files(lease).await;
                AttemptEnd::Cancelled
            }
            Ok(Handled::LeaseLost) => {
                self.delete_files(lease).await;
                AttemptEnd::LeaseLost
            }
            // The transaction may have been committed all the same, so the files stay: when the job turns out not to
            // need them the cleanup deletes them.
            Err(error) => unrecorded(lease, &error),
        }
    }

    async fn give_up(
        &self,
        lease: &Lease,
        trouble: Trouble,
        reason: Option<StopReason>,
    ) -> AttemptEnd {
        self.delete_files(lease).await;
        let now_us = clock::now_us();
        let (handled, end) = match (trouble, reason) {
            (_, Some(StopReason::LeaseLost)) => return AttemptEnd::LeaseLost,
            (_, Some(StopReason::Cancelled)) => {
                let handled = self.store.stopped(lease, now_us).await;
                (handled, AttemptEnd::Cancelled)
            }
            (Trouble::Failed { failure, detail }, _) => {
                tracing::warn!(job = lease.job_id, code = ?failure.code, detail, "job failed");
                let handled = self.store.fail(lease, &failure, now_us).await;
                (handled, AttemptEnd::Failed)
            }
            (Trouble::Died { detail }, _) => {
                tracing::warn!(job = lease.job_id, detail, "worker died");
                let handled = self.store.worker_died(lease, now_us).await;
                (handled, AttemptEnd::WorkerDied)
            }
            (Trouble::Stopped, _) => {
                let handled = self.store.hand_back(lease, now_us).await;
                (handled, AttemptEnd::HandedBack)
            }
        };
        match handled {
            Ok(Handled::Recorded) => end,
            Ok(Handled::Cancelling) => AttemptEnd::Cancelled,
            Ok(Handled::LeaseLost) => AttemptEnd::LeaseLost,
            Err(error) => unrecorded(lease, &error),
        }
    }

    async fn delete_files(&self, lease: &Lease) {
        if let Err(error) = staging::delete_published(&self.files, lease).await {
            tracing::warn!(job = lease.job_id, %error, "cannot delete the files of an attempt");
        }
    }
}

fn unrecorded(lease: &Lease, error: &StoreError) -> AttemptEnd {
    tracing::error!(job = lease.job_id, %error, "cannot record the end of an attempt");
    AttemptEnd::Unrecorded
}

async fn unless_stopped<T>(
    stopped: &mut watch::Receiver<bool>,
    staging: impl Future<Output = Result<T, StagingError>>,
) -> Result<T, Trouble> {
    tokio::select! {
        biased;
        () = told(stopped) => Err(Trouble::Stopped),
        staged = staging => staged.map_err(|error| Trouble::Failed {
            failure: error.failure(),
            detail: error.to_string(),
        }),
    }
}
