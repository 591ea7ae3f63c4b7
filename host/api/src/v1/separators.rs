//! Whether the separators that a job needs are installed.

use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_job::{JobSpec, Stem};
use vocalhost_model::Task;
use vocalhost_system::clock;
use vocalhost_work::worker::separator_tasks;

/// Refuses a job that no installed separator can do: it would only be accepted to fail.
pub async fn are_there(api: &Api, spec: &JobSpec) -> Result<(), Problem> {
    let needed = separator_tasks(spec);
    if needed.is_empty() {
        return Ok(());
    }
    let models = api.library.current(clock::now_us()).await?;
    let mut missing = needed.iter().copied();
    match missing.find(|task| models.separators(*task).next().is_none()) {
        None => Ok(()),
        Some(task) => Err(Problem::Unavailable {
            detail: format!(
                "No separator for the task {} is installed on this server.{}",
                task.as_str(),
                way_out(task)
            ),
        }),
    }
}

/// What can be asked instead.
fn way_out(task: Task) -> String {
    match task {
        Task::Lead => format!(
            " Without it there are the vocals as a whole and the rest: ask for `stems={}`.",
            Stem::Backing.as_str()
        ),
        _ => String::new(),
    }
}
