use vocalhost_job::{CleanStep, JobSpec};
use vocalhost_model::{Catalog, FileRole, Package, Runtime, Separator, Task};
use vocalhost_pipeline::{Cleaning, PipelineError};

/// The most pieces that are processed in parallel. Each needs a copy of the network and its arena, some 85 MB with the separators that come
/// along, and a worker's memory is limited.
const MOST_THREADS: usize = 4;

/// The most bytes that the graphs of all copies may have together, unless a single copy has more: networks that people import are up to a
/// hundred times as large as ours, and their arenas grow with them.
const MOST_GRAPH_BYTES: u64 = 256 << 20;

/// The tasks whose separators a job needs, each once. Which of several separators does a step depends on the installed models and on the
/// settings: `named` are ids that are preferred to newer ones.
#[must_use]
pub fn separator_tasks(spec: &JobSpec, models: &Catalog, named: &[String]) -> Vec<Task> {
    let singing = |isolated: bool| isolated.then_some(Task::Vocals);
    let (first, steps): (Option<Task>, &[CleanStep]) = match spec {
        JobSpec::VocalSeparation(spec) if spec.wants_lead() => {
            (Some(Task::Vocals), &[CleanStep::Lead, CleanStep::Dereverb])
        }
        JobSpec::VocalSeparation(_) => (Some(Task::Vocals), &[]),
        JobSpec::StemSplit(_) => (Some(Task::Stems), &[]),
        JobSpec::VoiceConversion(spec) => (singing(spec.isolate_vocals), &spec.clean),
        JobSpec::VoiceTraining(spec) => (singing(spec.isolate_vocals), &spec.clean),
        JobSpec::VoiceBlend(_) => (None, &[]),
    };
    tasks_of(first, steps, (models, named))
}

/// The task that comes first and those of the steps, each once.
fn tasks_of(
    first: Option<Task>,
    steps: &[CleanStep],
    (models, named): (&Catalog, &[String]),
) -> Vec<Task> {
    let steps = steps.iter().map(|step| step_task(*step, models, named));
    let mut tasks = Vec::new();
    for task in first.into_iter().chain(steps) {
        if !tasks.contains(&task) {
            tasks.push(task);
        }
    }
    tasks
}

/// The task whose separator does a step. A separator of singing finds harmony and reverb as well as those of one purpose do: one that is
/// named is used, otherwise the newest.
#[must_use]
pub fn step_task(step: CleanStep, models: &Catalog, named: &[String]) -> Task {
    let of_one_purpose = match step {
        CleanStep::Lead => Task::Karaoke,
        CleanStep::Dereverb => Task::Dereverb,
        CleanStep::Deecho => return Task::Deecho,
        CleanStep::Denoise => return Task::Denoise,
    };
    let package = models.first_of(&[of_one_purpose, Task::Lead], named);
    let facts = package.and_then(|package| package.manifest().separator.as_ref());
    facts.map_or(Task::Lead, |facts| facts.task)
}

/// The separator of the vocals, if they are isolated, and those that clean them.
pub type Steps<'a> = (Option<&'a Separator>, Vec<Cleaning<'a>>);

/// The separators that a worker has loaded for its present job.
pub struct WorkerSeparators {
    /// Ids of packages that are preferred to newer ones.
    named: Vec<String>,
    loaded: Vec<(Task, Separator)>,
}

impl WorkerSeparators {
    /// None yet; later those that are named, or else the newest.
    #[must_use]
    pub fn new(named: &[String]) -> Self {
        Self {
            named: named.to_vec(),
            loaded: Vec::new(),
        }
    }

    /// Loads the separators of a job unless they are loaded, and unloads all others.
    pub(super) fn load(
        &mut self,
        spec: &JobSpec,
        runtime: &Runtime,
        models: &Catalog,
        threads: usize,
    ) -> Result<(), PipelineError> {
        let tasks = separator_tasks(spec, models, &self.named);
        self.load_tasks(tasks, (runtime, models), threads)
    }

    /// Loads the separators of these steps, and that of the vocals if it `isolates` them.
    pub fn load_steps(
        &mut self,
        (isolates, steps): (bool, &[CleanStep]),
        (runtime, models): (&Runtime, &Catalog),
        threads: usize,
    ) -> Result<(), PipelineError> {
        let first = isolates.then_some(Task::Vocals);
        let tasks = tasks_of(first, steps, (models, &self.named));
        self.load_tasks(tasks, (runtime, models), threads)
    }

    fn load_tasks(
        &mut self,
        tasks: Vec<Task>,
        (runtime, models): (&Runtime, &Catalog),
        threads: usize,
    ) -> Result<(), PipelineError> {
        self.loaded.retain(|(loaded, _)| tasks.contains(loaded));
        for task in tasks {
            if self.get(task).is_ok() {
                continue;
            }
            let package = models
                .separator(task, &self.named)
                .ok_or_else(|| missing(task))?;
            let threads = threads.min(copies(graph_bytes(package, models)));
            let separator = Separator::load(runtime, package, models, threads)
                .map_err(PipelineError::Separator)?;
            self.loaded.push((task, separator));
        }
        Ok(())
    }

    /// Unloads all of them; their graphs stay for as long as there is room.
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

    /// The separator that does a step, of those that were loaded.
    pub(super) fn of_step(
        &self,
        step: CleanStep,
        models: &Catalog,
    ) -> Result<&Separator, PipelineError> {
        self.get(step_task(step, models, &self.named))
    }

    /// The loaded separators of these steps, and that of the vocals if it `isolates` them.
    pub fn steps(
        &self,
        (isolates, steps): (bool, &[CleanStep]),
        models: &Catalog,
    ) -> Result<Steps<'_>, PipelineError> {
        let isolating = isolates.then(|| self.get(Task::Vocals)).transpose()?;
        let cleaning = steps.iter().map(|step| {
            let separator = self.of_step(*step, models)?;
            Ok(Cleaning {
                step: *step,
                separator,
            })
        });
        Ok((isolating, cleaning.collect::<Result<_, PipelineError>>()?))
    }
}

/// The bytes of the graphs that a separator loads, those of an ensemble's members included.
fn graph_bytes(package: &Package, models: &Catalog) -> u64 {
    let manifest = package.manifest();
    let own = manifest.files.values();
    let own = own.filter(|entry| entry.role == FileRole::Graph);
    let members = manifest.ensemble.iter().flat_map(|facts| &facts.members);
    let members = members.filter_map(|id| models.find(id));
    own.map(|entry| entry.bytes).sum::<u64>()
        + members
            .map(|member| graph_bytes(member, models))
            .sum::<u64>()
}

/// How many copies of a separator a worker has room for.
fn copies(bytes: u64) -> usize {
    let fit = MOST_GRAPH_BYTES / bytes.max(1);
    usize::try_from(fit)
        .unwrap_or(MOST_THREADS)
        .clamp(1, MOST_THREADS)
}

fn missing(task: Task) -> PipelineError {
    PipelineError::SeparatorMissing {
        task: task.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_networks_are_copied_less_often() {
        // The starter pack's, an MDX-Net, a Demucs, a bag of four.
        let copies: Vec<usize> = [3_u64 << 20, 64 << 20, 168 << 20, 672 << 20]
            .into_iter()
            .map(copies)
            .collect();
        assert_eq!(copies, [4, 4, 1, 1]);
    }
}
