//! The child process that does the work, the protocol between it and the server, and how the server supervises it.
//! Nothing here knows of the store: the scheduler decides what the end of a job means.

mod child;
mod compiled;
mod disk;
mod effects;
mod encoder;
pub mod frame;
pub mod glance;
pub mod import;
pub mod inspect;
pub mod lossy;
mod memory;
mod niceness;
mod parent;
pub mod portrait;
pub mod probe;
mod process;
pub mod protocol;
mod run;
mod separators;
mod supervisor;
mod train;
mod trial;
pub mod walls;

pub(crate) use memory::exceeds;
pub(crate) use niceness::renice;
use parent::die_with_parent;
pub(crate) use process::{LiveProcess, WorkerProcess};
pub use process::{StartError, WorkerCommand};
pub use run::{WorkerError, WorkerHere, WorkerOptions, run};
pub use separators::{WorkerSeparators, separator_tasks, step_task};
pub use supervisor::{Supervisor, SupervisorSettings, WorkEnd};
pub use vocalhost_pipeline::Beside;
