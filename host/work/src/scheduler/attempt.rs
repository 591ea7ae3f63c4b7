use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::{mpsc, watch};

use super::staging::{self, StagingError};
use super::training::{Keeper, clear_up, stage_training};
use super::voices::{forget_voices, stage_beside, stage_voices};
use super::watch_over::{StopReason, told, watch_over};
use super::workbench::Workbench;
use crate::worker::protocol::{WorkOrder, WorkTimes};
use crate::worker::{Supervisor, WorkEnd};
use vocalhost_job::{
    Failure, FailureCode, JobKind, JobResult, JobSpec, Progress, Succession, Timings,
};
use vocalhost_observe::traces::{OpenSpan, SpanKind};
use vocalhost_store::{ClaimedJob, Handled, Lease, StoreError};
use vocalhost_system::clock;
use vocalhost_system::work::{Part, REST};

/// The assumed recording length of a job without a recording: a blend converts a demo of at most this length.
const DEMO_S: f64 = 30.0;

/// The most that a step of a training may take on the slowest machine worth using: ten times as much as on one of today.
const TRAINING_STEP: Duration = Duration::from_secs(3);

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
    /// The job no longer belonged to this attempt.
    LeaseLost,
    /// The end could not be recorded; the rescue will find the job.
    Unrecorded,
}

impl AttemptEnd {
    /// Its name in metrics.
    fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::WorkerDied => "worker_died",
            Self::Cancelled => "cancelled",
            Self::HandedBack => "handed_back",
            Self::LeaseLost => "lease_lost",
            Self::Unrecorded => "unrecorded",
        }
    }
}

/// Why there is no result.
enum Trouble {
    Failed {
        failure: Failure,
        detail: String,
    },
    Died {
        detail: String,
    },
    NoWorker {
        detail: String,
    },
    /// The file store failed, by its own fault.
    NoFiles {
        failure: Failure,
        detail: String,
    },
    Stopped,
}

impl From<StagingError> for Trouble {
    fn from(error: StagingError) -> Self {
        let (failure, detail) = (error.failure(), error.to_string());
        if error.may_pass() {
            return Self::NoFiles { failure, detail };
        }
        Self::Failed { failure, detail }
    }
}

impl Workbench {
    /// Makes one attempt at a claimed job.
    ///
    /// 1. Make a scratch folder, bring the recording and the components of installed effects into it, and the packages of
    ///    stored voices into their cache.
    /// 2. Have the worker do the job.
    /// 3. Publish the files that it made, under this lease.
    /// 4. Record the result in one transaction, guarded by the lease.
    /// 5. Delete what is not part of a recorded result, and the scratch folder.
    ///
    /// Meanwhile the lease is renewed. The attempt stops when the lease is taken away, the job is cancelled, or the server ends.
    pub async fn attempt(
        &self,
        supervisor: &mut Supervisor,
        mut job: ClaimedJob,
        server_ends: watch::Receiver<bool>,
    ) -> AttemptEnd {
        let (lease, asked_at) = (job.lease.clone(), job.asked_at);
        let began = Instant::now();
        let parent = job.record.ties.trace_parent.as_deref();
        let span = self.tracer.begin(parent, clock::now_us());
        if let Some(span) = &span {
            // The worker's lines in the log belong to the attempt.
            job.record.ties.trace_parent = Some(span.context.header());
        }
        let (progress, progress_seen) = watch::channel(None);
        let (stop, stopped) = watch::channel(false);
        let making = self.make(supervisor, &job, &progress, stopped);
        tokio::pin!(making);
        let (made, reason) = tokio::select! {
            made = &mut making => (made, None),
            reason = watch_over(&self.store, &self.settings, (&lease, asked_at), progress_seen, server_ends) => {
                stop.send_replace(true);
                (making.await, Some(reason))
            }
        };
        let timings = made.as_ref().ok();
        let timings = timings.and_then(|result| result.timings.clone());
        let end = match made {
            Ok(result) => self.complete(&lease, &result).await,
            Err(trouble) => self.give_up(&lease, trouble, reason).await,
        };
        self.count(job.record.kind, end, began.elapsed());
        if let Some(span) = span {
            self.end_span(span, &job, (end, timings.as_deref()));
        }
        clear_up(self, &job).await;
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
        // No client waits for these requests, and a finished computation is worth some minutes of retries.
        let files = self.files.patient();
        let staging = staging::stage_in(&files, scratch_folder, job);
        let scratch = unless_stopped(&mut stopped, staging).await?;
        let staging = stage_voices(self, job);
        let (voices, _in_use) = unless_stopped(&mut stopped, staging).await?;
        let staging = stage_beside(self, job, &scratch.folder);
        let beside = unless_stopped(&mut stopped, staging).await?;
        let protected = self.settings.protected_voices.as_deref();
        let staging = stage_training(&files, (&scratch, protected), job);
        let training = unless_stopped(&mut stopped, staging).await?;
        let staging = staging::stage_effects(&self.store, &files, &scratch, job);
        let effects = unless_stopped(&mut stopped, staging).await?;
        let order = WorkOrder {
            job_id: job.lease.job_id,
            request_id: job.record.request_id.clone(),
            trace_parent: job.record.ties.trace_parent.clone(),
            spec: job.record.spec.clone(),
            input: scratch.input.clone(),
            backing: scratch.backing.clone(),
            scratch: scratch.folder.clone(),
            voices,
            beside,
            training,
            effects,
        };
        let limit = self.limit_of(job);
        let (milestones, milestones_told) = mpsc::channel(1);
        supervisor.telling(milestones);
        let keeper = Keeper::new(self, job, &stopped).run(milestones_told);
        let stop = told(&mut stopped);
        let working = supervisor.run(order, limit, progress, stop);
        let (end, heard) = tokio::join!(working, keeper);
        let times = supervisor.take_times().map(known);
        if let Some(times) = &times {
            self.count_work(job.record.kind, times);
        }
        let result = match end {
            WorkEnd::Done(result) => JobResult {
                successions: named_successions(job),
                timings: times.map(|times| Box::new(times.timings)),
                ..*result
            },
            WorkEnd::Failed { failure, detail } => {
                if failure.code == FailureCode::ModelUnavailable {
                    forget_voices(self, job).await;
                }
                return Err(Trouble::Failed { failure, detail });
            }
            WorkEnd::Died { detail } => return Err(Trouble::Died { detail }),
            WorkEnd::Stopped => return Err(Trouble::Stopped),
            WorkEnd::NotStarted { detail } => return Err(Trouble::NoWorker { detail }),
        };
        // Told to stop rather than dropped: otherwise files that are deleted next could come back.
        let published = staging::publish(&files, &scratch, &job.lease, result, &stopped).await?;
        let mut result = published.ok_or(Trouble::Stopped)?;
        result.files.extend(heard);
        Ok(result)
    }

    /// How long an attempt at a job may take.
    fn limit_of(&self, job: &ClaimedJob) -> Duration {
        let recording = job.record.input.as_ref();
        let duration_s = recording.map_or(Some(DEMO_S), |recording| recording.duration_s);
        let limit = self.settings.job_limit(duration_s);
        match &job.record.spec {
            JobSpec::VoiceTraining(spec) => limit + TRAINING_STEP * spec.preset.steps(),
            _ => limit,
        }
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
            // The transaction may have been committed all the same, so the files stay; if the job turns out not to need them, the cleanup
            // deletes them.
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
        let trouble = self.blamed(lease, trouble).await;
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
            (Trouble::NoWorker { detail }, _) => {
                tracing::error!(
                    job = lease.job_id,
                    detail,
                    "cannot start a worker; the job waits"
                );
                let handled = self.store.hand_back(lease, now_us).await;
                (handled, AttemptEnd::HandedBack)
            }
            (Trouble::NoFiles { detail, .. }, _) => {
                tracing::error!(
                    job = lease.job_id,
                    detail,
                    "the job waits for the file store"
                );
                let handled = self.store.hand_back(lease, now_us).await;
                (handled, AttemptEnd::HandedBack)
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

    /// Checks a file store that failed once more: while nothing can be written there, the job is not to blame and waits. Otherwise the
    /// store may fail because of the job's own files, which counts as a failure, so that no job goes on for ever.
    async fn blamed(&self, lease: &Lease, trouble: Trouble) -> Trouble {
        match trouble {
            Trouble::NoFiles { failure, detail }
                if self.files.check(&lease.token).await.is_ok() =>
            {
                Trouble::Failed { failure, detail }
            }
            other => other,
        }
    }

    fn count(&self, kind: JobKind, end: AttemptEnd, took: Duration) {
        let kind = kind.as_str();
        self.metrics.attempted(kind, end.as_str());
        match end {
            AttemptEnd::Completed => self.metrics.completed(kind, took),
            AttemptEnd::WorkerDied => self.metrics.crashed(),
            AttemptEnd::LeaseLost => self.metrics.came_too_late(),
            AttemptEnd::Failed
            | AttemptEnd::Cancelled
            | AttemptEnd::HandedBack
            | AttemptEnd::Unrecorded => {}
        }
    }

    fn end_span(
        &self,
        span: OpenSpan,
        job: &ClaimedJob,
        (end, timings): (AttemptEnd, Option<&Timings>),
    ) {
        let record = &job.record;
        let waited_us = span.began_us - record.created_at_us;
        let attempt = record.state.run().map(|run| run.attempt);
        let mut attributes = vec![
            ("vocalhost.job_id".into(), json!(record.id)),
            ("vocalhost.request_id".into(), json!(record.request_id)),
            ("vocalhost.attempt".into(), json!(attempt)),
            ("vocalhost.outcome".into(), json!(end.as_str())),
            ("vocalhost.waited_ms".into(), json!(waited_us / 1_000)),
        ];
        let parts = timings.into_iter().flat_map(|timings| &timings.parts_s);
        attributes.extend(parts.map(|(part, time)| {
            let name = format!("vocalhost.thread_seconds.{part}");
            (name.into(), json!(time))
        }));
        let failed = !matches!(end, AttemptEnd::Completed | AttemptEnd::Cancelled);
        let name = (record.kind.as_str().to_owned(), SpanKind::Consumer);
        self.tracer
            .end(span, name, clock::now_us(), (attributes, failed));
    }

    fn count_work(&self, kind: JobKind, times: &WorkTimes) {
        let Timings { wall_s, parts_s } = &times.timings;
        let parts = parts_s.iter().map(|(part, time)| (part.as_str(), *time));
        self.metrics.worked(kind.as_str(), *wall_s, parts);
        let models = times.models;
        for (how, parts) in [
            ("loaded", models.loaded),
            ("reused", models.reused),
            ("evicted", models.evicted),
        ] {
            self.metrics.used_models(how, parts);
        }
    }

    async fn delete_files(&self, lease: &Lease) {
        if let Err(error) = staging::delete_published(&self.files, lease).await {
            tracing::warn!(job = lease.job_id, %error, "cannot delete the files of an attempt");
        }
    }
}

/// The voices that replaced earlier ones which the job names; a job that leaves the choice to us names none.
fn named_successions(job: &ClaimedJob) -> Vec<Succession> {
    if job.record.spec.needs_any_voice() {
        return Vec::new();
    }
    job.successions.clone()
}

/// Only the times that make sense: a worker is another process, and nothing that it reports may break the server.
fn known(mut times: WorkTimes) -> WorkTimes {
    let is_time = |time: f64| time.is_finite() && time >= 0.0;
    let names = || Part::ALL.into_iter().map(Part::name).chain([REST]);
    let timings = &mut times.timings;
    timings
        .parts_s
        .retain(|name, time| is_time(*time) && names().any(|known| known == name));
    if !is_time(timings.wall_s) {
        timings.wall_s = 0.0;
    }
    times
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
        staged = staging => staged.map_err(Trouble::from),
    }
}
