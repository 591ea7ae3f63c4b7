use crate::model::{Catalog, Runtime, Separator, Task};
use crate::pipeline::PipelineError;

/// The most pieces that are worked on side by side. Each costs a copy of the network and its arena, some 85 MB with the
/// separators that come along, and a worker's memory is limited.
const MOST_THREADS: usize = 4;

/// The separators that a worker has at hand: those of the last job that had any.
pub(super) struct WorkerSeparators {
    /// Ids of packages that go before newer ones.
    named: Vec<String>,
    loaded: Vec<(Task, Separator)>,
}

impl WorkerSeparators {
    /// None yet; later those that are named, or else the newest.
    pub(super) fn new(named: &[String]) -> Self {
        Self {
            named: named.to_vec(),
            loaded: Vec::new(),
        }
    }

    /// Loads the separators of tasks unless they are there, and lets all others go.
    pub(super) fn load(
        &mut self,
        tasks: &[Task],
        runtime: &Runtime,
        models: &Catalog,
        threads: usize,
    ) -> Result<(), PipelineError> {
        self.loaded.retain(|(loaded, _)| tasks.contains(loaded));
        for task in tasks {
            if self.get(*task).is_ok() {
                continue;
            }
            let package = models
                .separator(*task, &self.named)
                .ok_or_else(|| missing(*task))?;
            let separator = Separator::load(runtime, package, models, threads.min(MOST_THREADS))
                .map_err(PipelineError::Separator)?;
            self.loaded.push((*task, separator));
        }
        Ok(())
    }

    /// Lets all of them go.
    pub(super) fn let_go(&mut self) {
        self.loaded.clear();
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
