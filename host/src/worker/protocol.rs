//! What supervisor and worker say to each other: frames of a `u32` little-endian length and that many bytes of JSON,
//! orders on the worker's standard input, reports on its standard output.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::job::{Failure, JobResult, JobSpec, Progress};

/// From the supervisor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum Order {
    /// Do this job. There is at most one at a time.
    Run(Box<WorkOrder>),
}

/// A job, and all that the worker may see of the world to do it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkOrder {
    /// For the log.
    pub job_id: i64,
    /// For the log: the request that made the job.
    pub request_id: String,
    /// What to do.
    pub spec: JobSpec,
    /// The recording, inside `scratch`.
    pub input: PathBuf,
    /// A folder of this attempt alone; spools and results go here.
    pub scratch: PathBuf,
    /// The folder of the voice's package.
    pub voice_package: PathBuf,
}

/// From the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "report", rename_all = "snake_case")]
pub enum Report {
    /// It has started and waits for an order.
    Ready,
    /// The job goes on.
    Progress(Progress),
    /// The job is done; keys are file names in the scratch folder.
    Done(Box<JobResult>),
    /// The job cannot be done. `detail` is for the log alone.
    Failed {
        /// What the record shows.
        failure: Failure,
        /// What the log shows.
        detail: String,
    },
}
