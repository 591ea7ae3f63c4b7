use std::path::PathBuf;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};

use super::disk;
use super::frame::FrameError;
use super::memory;
use super::niceness::renice;
use super::process::{StartError, WorkerCommand, WorkerProcess};
use super::protocol::{Milestone, Order, Report, WorkOrder, WorkTimes};
use vocalhost_job::{Failure, FailureCode, JobKind, JobResult, Progress};
use vocalhost_system::disk::Reserve;

/// What a supervisor needs to know.
#[derive(Debug, Clone)]
pub struct SupervisorSettings {
    /// How to start a worker.
    pub command: WorkerCommand,
    /// How much memory a worker may hold.
    pub memory_bytes: u64,
    /// How much has to stay free on the disk of the scratch folder.
    pub free_bytes: u64,
    /// A worker is replaced after so many jobs, so that a leak cannot grow for ever.
    pub jobs_per_worker: u32,
    /// Whether its workers yield the processor to the workers of live conversions, whose sound somebody waits for.
    pub gives_way: bool,
}

/// How much higher the niceness of a worker is that trains a voice: a training takes minutes, and nobody waits for its next second.
const NICENESS_OF_TRAININGS: i32 = 5;

/// How much higher the niceness of a worker is that gives way: if both want a whole core, the live conversion gets three quarters of it,
/// and nine tenths where its own niceness may be lowered.
const NICENESS_OF_JOBS: i32 = 5;

/// Where a worker's milestones go, each with the folder that its file lies in. The supervisor reads no further report until the receiver
/// has answered or is gone; until then the file stays.
type Milestones = mpsc::Sender<(Milestone, PathBuf, oneshot::Sender<()>)>;

/// How work on a job ended.
#[derive(Debug, Clone, PartialEq)]
pub enum WorkEnd {
    /// The worker made the result; keys are file names in the scratch folder.
    Done(Box<JobResult>),
    /// The job failed.
    Failed {
        /// What the record shows.
        failure: Failure,
        /// What the log shows.
        detail: String,
    },
    /// The worker died under it.
    Died {
        /// What the log shows.
        detail: String,
    },
    /// It was stopped because the caller asked.
    Stopped,
    /// No worker could be started, which says nothing about the job.
    NotStarted {
        /// What the log shows.
        detail: String,
    },
}

/// Keeps one worker warm and has it do one job at a time. Whatever happens to the worker, the next job gets one that works: a worker in any
/// doubt is killed and replaced.
#[derive(Debug)]
pub struct Supervisor {
    settings: SupervisorSettings,
    worker: Option<WorkerProcess>,
    times: Option<WorkTimes>,
    milestones: Option<Milestones>,
    can_start: bool,
}

impl Supervisor {
    /// A supervisor without a worker yet.
    #[must_use]
    pub fn new(settings: SupervisorSettings) -> Self {
        Self {
            settings,
            worker: None,
            times: None,
            milestones: None,
            can_start: true,
        }
    }

    /// Starts a worker unless one is running, so that the next job need not wait for it.
    pub async fn warm_up(&mut self) -> Result<(), StartError> {
        let worker = self.take_worker().await?;
        self.worker = Some(worker);
        Ok(())
    }

    /// Whether the last start of a worker succeeded.
    #[must_use]
    pub fn can_start(&self) -> bool {
        self.can_start
    }

    /// Ends the worker.
    pub async fn shut_down(mut self) {
        if let Some(worker) = self.worker.take() {
            worker.kill().await;
        }
    }

    /// The process id of the warm worker.
    #[must_use]
    pub fn worker_pid(&self) -> Option<u32> {
        self.worker.as_ref().map(|worker| worker.pid)
    }

    /// The cost of the last job, if its worker reported it; only once for each job.
    pub(crate) fn take_times(&mut self) -> Option<WorkTimes> {
        self.times.take()
    }

    /// Sends the next job's milestones to this receiver.
    pub(crate) fn telling(&mut self, milestones: Milestones) {
        self.milestones = Some(milestones);
    }

    /// Has the worker do the job, for at most `limit`, and reports its progress to `progress`. When `stop` resolves, the worker is killed.
    /// When this returns, nobody writes into the scratch folder any more.
    pub async fn run(
        &mut self,
        order: WorkOrder,
        limit: Duration,
        progress: &watch::Sender<Option<Progress>>,
        stop: impl Future<Output = ()> + Send,
    ) -> WorkEnd {
        tokio::pin!(stop);
        let milestones = self.milestones.take();
        let started = tokio::select! {
            () = &mut stop => return WorkEnd::Stopped,
            started = self.take_worker() => started,
        };
        let mut worker = match started {
            Ok(worker) => worker,
            Err(error) => {
                return WorkEnd::NotStarted {
                    detail: error.to_string(),
                };
            }
        };
        let order = match worker.lend(order) {
            Ok(order) => order,
            Err(error) => {
                worker.kill().await;
                return WorkEnd::NotStarted {
                    detail: format!("cannot give the worker its folder: {error}"),
                };
            }
        };
        worker.jobs += 1;
        let pid = worker.pid;
        if order.spec.kind() == JobKind::VoiceTraining {
            renice(pid, NICENESS_OF_TRAININGS);
            // Its niceness stays raised, which does not suit jobs that somebody waits for, so it is replaced afterwards.
            worker.jobs = self.settings.jobs_per_worker;
        }
        let reserve = Reserve::new(&order.scratch, self.settings.free_bytes);
        self.times = None;
        let times = &mut self.times;
        let verdict = tokio::select! {
            biased;
            () = &mut stop => Verdict::Stopped,
            said = converse(&mut worker, order, (progress, milestones), times) => Verdict::Said(said),
            () = memory::exceeds(pid, self.settings.memory_bytes) => Verdict::TooLarge,
            () = disk::runs_short(&reserve) => Verdict::DiskFull,
            () = tokio::time::sleep(limit) => Verdict::TooSlow,
        };
        self.settle(worker, verdict, limit).await
    }

    async fn settle(
        &mut self,
        mut worker: WorkerProcess,
        verdict: Verdict,
        limit: Duration,
    ) -> WorkEnd {
        match verdict {
            Verdict::Said(Ok(end)) => {
                if self.keeps(&worker, &end) {
                    worker.give_back();
                    self.worker = Some(worker);
                } else {
                    worker.kill().await;
                }
                end
            }
            Verdict::Said(Err(error)) => WorkEnd::Died {
                detail: worker.kill_and_tell(&error).await,
            },
            Verdict::Stopped => {
                worker.kill().await;
                WorkEnd::Stopped
            }
            Verdict::TooLarge => {
                worker.kill().await;
                failed(
                    FailureCode::OutOfMemory,
                    "The job needed more memory than a worker may use.",
                    format!("more than {} bytes", self.settings.memory_bytes),
                )
            }
            Verdict::DiskFull => {
                worker.kill().await;
                WorkEnd::Failed {
                    failure: Failure::out_of_space(),
                    detail: format!("less than {} bytes are free", self.settings.free_bytes),
                }
            }
            Verdict::TooSlow => {
                worker.kill().await;
                let message = format!(
                    "The job took longer than its limit of {} s.",
                    limit.as_secs()
                );
                failed(FailureCode::Timeout, &message, message.clone())
            }
        }
    }

    async fn take_worker(&mut self) -> Result<WorkerProcess, StartError> {
        if let Some(mut worker) = self.worker.take()
            && worker.is_alive()
        {
            return Ok(worker);
        }
        let started = WorkerProcess::start(&self.settings.command).await;
        self.can_start = started.is_ok();
        let worker = started?;
        if self.settings.gives_way {
            renice(worker.pid, NICENESS_OF_JOBS);
        }
        Ok(worker)
    }

    fn keeps(&self, worker: &WorkerProcess, end: &WorkEnd) -> bool {
        let sound = match end {
            WorkEnd::Done(_) => true,
            WorkEnd::Failed { failure, .. } => match failure.code {
                FailureCode::InputDamaged
                | FailureCode::EffectFailed
                | FailureCode::EffectRefused
                | FailureCode::ModelUnavailable
                | FailureCode::ModelsDiffer
                | FailureCode::RecordingsUnfit
                // Said by the worker itself, before it wrote anything.
                | FailureCode::OutOfSpace => true,
                // The cause is too uncertain to trust the process any longer.
                FailureCode::ModelFailed
                | FailureCode::Timeout
                | FailureCode::OutOfMemory
                | FailureCode::WorkerDied
                | FailureCode::Internal => false,
            },
            WorkEnd::Died { .. } | WorkEnd::Stopped | WorkEnd::NotStarted { .. } => false,
        };
        sound && worker.jobs < self.settings.jobs_per_worker
    }
}

enum Verdict {
    Said(Result<WorkEnd, FrameError>),
    Stopped,
    TooLarge,
    DiskFull,
    TooSlow,
}

async fn converse(
    worker: &mut WorkerProcess,
    order: WorkOrder,
    (progress, milestones): (&watch::Sender<Option<Progress>>, Option<Milestones>),
    times: &mut Option<WorkTimes>,
) -> Result<WorkEnd, FrameError> {
    let folder = order.scratch.clone();
    worker.order(&Order::Run(Box::new(order))).await?;
    loop {
        match worker.report().await? {
            // A worker that departs from the protocol is not to be trusted with a job.
            Report::Ready => {
                return Ok(WorkEnd::Died {
                    detail: "it started anew in the middle of a job".to_owned(),
                });
            }
            Report::Listening(_)
            | Report::Spoken { .. }
            | Report::Changed { .. }
            | Report::Over { .. } => {
                return Ok(WorkEnd::Died {
                    detail: "it spoke of a live conversion in the middle of a job".to_owned(),
                });
            }
            Report::Progress(made) => {
                progress.send_replace(Some(made));
            }
            Report::Milestone { news } => {
                if let Some(milestones) = &milestones {
                    let (taken, is_taken) = oneshot::channel();
                    let told = milestones.send((*news, folder.clone(), taken)).await;
                    // If the receiver is gone, there is nobody to wait for.
                    let _answered = told.is_ok() && is_taken.await.is_ok();
                }
            }
            Report::Took(took) => *times = Some(took),
            Report::Done(result) => return Ok(WorkEnd::Done(result)),
            Report::Failed { failure, detail } => return Ok(WorkEnd::Failed { failure, detail }),
        }
    }
}

fn failed(code: FailureCode, message: &str, detail: String) -> WorkEnd {
    WorkEnd::Failed {
        failure: Failure::new(code, message),
        detail,
    }
}
