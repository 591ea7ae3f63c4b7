use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::worker::SupervisorSettings;
use vocalhost_job::JobKind;

/// Finds the folder of the package with an id, among the packages that are in model folders at that moment.
#[derive(Clone)]
pub struct VoiceFolders(Arc<FindFolder>);

type FindFolder = dyn Fn(&str) -> Option<PathBuf> + Send + Sync;

impl VoiceFolders {
    /// What `find` says.
    pub fn new(find: impl Fn(&str) -> Option<PathBuf> + Send + Sync + 'static) -> Self {
        Self(Arc::new(find))
    }

    /// The folder of this package.
    #[must_use]
    pub fn find(&self, package_id: &str) -> Option<PathBuf> {
        (self.0)(package_id)
    }
}

impl fmt::Debug for VoiceFolders {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("VoiceFolders")
    }
}

/// What the scheduler needs to know.
#[derive(Debug, Clone)]
pub struct SchedulerSettings {
    /// How many jobs run at a time; none on a server that leaves jobs to others.
    pub workers: usize,
    /// The kinds of job that are run.
    pub queues: Vec<JobKind>,
    /// How many of them are trainings of voices at a time.
    pub training_workers: usize,
    /// How to run a worker.
    pub supervisor: SupervisorSettings,
    /// Additional arguments for the workers in turn, one list each, such as the GPU to use; empty means none.
    pub in_turn: Vec<Vec<OsString>>,
    /// The folder of each voice package of the model folders, by package id.
    pub voice_folders: VoiceFolders,
    /// Where the packages of stored voices are kept for the workers, by package id; those that no voice needs any more are deleted once
    /// they are old.
    pub voice_cache: PathBuf,
    /// How many bytes they may take up together; the least recently used ones are deleted first. 0 means no limit.
    pub voice_cache_bytes: u64,
    /// Where attempts have their scratch folders, and workers folders for their own files; nothing else may lie in it.
    pub scratch_folder: PathBuf,
    /// Recordings of voices that are not to be trained.
    pub protected_voices: Option<PathBuf>,
    /// Where recordings are received; leftovers are deleted once they are old.
    pub upload_folder: Option<PathBuf>,
    /// Where models are inspected; leftovers of killed imports are deleted once they are old.
    pub import_folder: Option<PathBuf>,
    /// Where earlier releases kept uploads in several requests, before those were files of the store; finished ones are deleted.
    pub resumable_folder: Option<PathBuf>,
    /// Where compiled effects are kept; those that no effect needs any more are deleted once they are old.
    pub effect_cache: Option<PathBuf>,
    /// How many jobs of one user run at a time.
    pub max_running_per_user: u64,
    /// The longest recording; also assumed where a recording does not say how long it is.
    pub max_duration_s: f64,
    /// The time that every job may take, whatever its length; it covers loading models.
    pub job_timeout: Duration,
    /// The time that a job may take on top of that, as a multiple of its recording's length.
    pub job_timeout_per_audio: f64,
    /// How long running jobs may go on after the server was told to end.
    pub grace_period: Duration,
    /// How long a lease holds unless it is renewed. [`Self::LEASE`] is a good choice.
    pub lease: Duration,
    /// How often to look for due jobs without a notification. [`Self::POLL`] is a good choice.
    pub poll: Duration,
    /// What is deleted when.
    pub retention: Retention,
}

impl SchedulerSettings {
    /// A lease long enough to survive a disk that is slow for a moment, short enough that a job does not wait long for the rescue.
    pub const LEASE: Duration = Duration::from_secs(30);

    /// Due jobs are usually announced; polling finds those whose pause is over.
    pub const POLL: Duration = Duration::from_secs(1);

    /// How to run the worker of this number, counted from 0.
    pub(crate) fn supervisor(&self, number: usize) -> SupervisorSettings {
        let mut supervisor = self.supervisor.clone();
        if !self.in_turn.is_empty() {
            let own = &self.in_turn[number % self.in_turn.len()];
            supervisor.command.arguments.extend(own.iter().cloned());
        }
        supervisor
    }

    /// How long a job may take whose recording has this length.
    #[must_use]
    pub(crate) fn job_limit(&self, duration_s: Option<f64>) -> Duration {
        let duration_s = duration_s
            .unwrap_or(self.max_duration_s)
            .clamp(0.0, self.max_duration_s);
        self.job_timeout + Duration::from_secs_f64(self.job_timeout_per_audio * duration_s)
    }

    pub(super) fn lease_us(&self) -> i64 {
        i64::try_from(self.lease.as_micros()).unwrap_or(i64::MAX)
    }
}

/// How long things are kept, most of them after a job's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// The result's files.
    pub results: Duration,
    /// The recording.
    pub inputs: Duration,
    /// The record.
    pub records: Duration,
    /// A line of the audit log, after what it speaks of.
    pub audit: Duration,
}

const DAY: Duration = Duration::from_hours(24);

impl Default for Retention {
    /// The documented defaults: 7 days, 24 hours, 90 days, and a year of the audit log.
    fn default() -> Self {
        Self {
            results: DAY * 7,
            inputs: DAY,
            records: DAY * 90,
            audit: DAY * 365,
        }
    }
}
