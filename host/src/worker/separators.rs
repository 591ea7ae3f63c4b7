use crate::model::{Catalog, Runtime, Separator, Task};
use crate::pipeline::PipelineError;

/// The separators that a worker has at hand, one for each task that earlier jobs had.
pub(super) struct WorkerSeparators {
    /// Ids of packages that go before newer ones.
    named: Vec<String>,
    loaded: Vec<(Task, Separator)>,
}

impl WorkerSeparators {
    /// None yet; later those that are named, or else the newest.
    pub(super) fn new(named: &[String], models: &Catalog) -> Self {
        for id in named {
            let package = models.find(id);
            if package.is_none_or(|package| package.manifest().separator.is_none()) {
                tracing::warn!(id, "the setting `separators` names no usable separator");
            }
        }
        Self {
            named: named.to_vec(),
            loaded: Vec::new(),
        }
    }

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
        let package = models
            .separator(task, &self.named)
            .ok_or_else(|| missing(task))?;
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
