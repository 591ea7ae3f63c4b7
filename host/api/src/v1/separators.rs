//! Whether the separators that a job needs are installed.

use super::clean_form;
use crate::Api;
use crate::rules::problem::{FieldError, Problem};
use vocalhost_job::{CleanStep, JobSpec, Stem};
use vocalhost_model::Task;
use vocalhost_system::clock;
use vocalhost_work::worker::{separator_tasks, step_task};

/// Refuses a job that no installed separator can do: it would only be accepted to fail.
pub async fn are_there(api: &Api, spec: &JobSpec) -> Result<(), Problem> {
    if matches!(spec, JobSpec::VoiceBlend(_)) {
        return Ok(());
    }
    let models = api.library.current(clock::now_us()).await?;
    let mut needed = separator_tasks(spec, &models, api.library.named_separators()).into_iter();
    match needed.find(|task| models.separators(*task).next().is_none()) {
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

/// Notes the steps of `clean` that no installed separator can do.
pub async fn check_steps(
    api: &Api,
    steps: &[CleanStep],
    mistakes: &mut Vec<FieldError>,
) -> Result<(), Problem> {
    if steps.is_empty() {
        return Ok(());
    }
    let models = api.library.current(clock::now_us()).await?;
    let named = api.library.named_separators();
    let can = |step: &CleanStep| {
        let task = step_task(*step, &models, named);
        models.separators(task).next().is_some()
    };
    if let Some(step) = steps.iter().find(|step| !can(step)) {
        let possible = CleanStep::ALL.into_iter().filter(can);
        mistakes.push(clean_form::no_model(*step, &possible.collect::<Vec<_>>()));
    }
    Ok(())
}

/// What can be asked instead.
fn way_out(task: Task) -> String {
    if task != Task::Lead {
        return String::new();
    }
    format!(
        " Without it there are the vocals as a whole and the rest: ask for `stems={}`.",
        Stem::Backing.as_str()
    )
}
