use crate::model::{Catalog, Runtime, Separator, Task};
use crate::pipeline::PipelineError;

/// The separators that a worker has at hand, one for each task that earlier jobs had.
#[derive(Default)]
pub(super) struct WorkerSeparators {
    loaded: Vec<(Task, Separator)>,
}

impl WorkerSeparators {
    /// Loads the separator of a task unless it is there.
    pub(super) fn load(
        &mut self,
        task: Task,
        runtime: &Runtime,
        models: &Catalog,
        threads: usize,
    ) -> Result<(), PipelineError> {
        if self.loaded.iter().any(|(loaded, _)| *loaded == task) {
            return Ok(());
        }
        let package = models.newest_separator(task).ok_or_else(|| missing(task))?;
        let separator =
            Separator::load(runtime, package, threads).map_err(PipelineError::Separator)?;
        self.loaded.push((task, separator));
        Ok(())
    }

    /// The separator of a task that was loaded.
    pub(super) fn get(&self, task: Task) -> Result<&Separator, PipelineError> {
        let found = self.loaded.iter().find(|(loaded, _)| *loaded == task);
        found
            .map(|(_, separator)| separator)
            .ok_or_else(|| missing(task))
    }
}

fn missing(task: Task) -> PipelineError {
    PipelineError::SeparatorMissing {
        task: task.as_str(),
    }
}
