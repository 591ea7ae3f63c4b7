//! Whether there is a separator for every task, and no more than one that the settings name; and whether what else they name is there.

use vocalhost_model::{Catalog, Task};

/// Refuses settings that name two separators of one task.
pub fn check_named(models: &Catalog, named: &[String]) -> Result<(), String> {
    let Some((task, [one, other])) = models.rivals(named) else {
        return Ok(());
    };
    let task = task.as_str();
    Err(format!(
        "`separators` names two of the task {task}, {one} and {other}: keep the one to use"
    ))
}

/// Says what separations will miss; `named` are the separators that the settings ask for.
pub(super) fn warn_of_missing(models: &vocalhost_model::Catalog, named: &[String]) {
    for id in named {
        let package = models.find(id);
        if package.is_none_or(|package| package.manifest().separator.is_none()) {
            tracing::warn!(id, "the setting `separators` names no usable separator");
        }
    }
    for task in Task::NEEDED {
        if models.separator(task, named).is_none() {
            let task = task.as_str();
            tracing::warn!(
                task,
                "no separator for this task is installed: its jobs are refused"
            );
        }
    }
}

/// Says which of the parts that the settings name for voices are not there.
pub(super) fn warn_of_missing_parts(models: &Catalog, named: &[String]) {
    for id in named {
        let package = models.find(id);
        if package.is_none_or(|package| !package.manifest().kind.is_voice_part()) {
            tracing::warn!(
                id,
                "the setting `voice_parts` names no usable content encoder or F0 estimator"
            );
        }
    }
}
