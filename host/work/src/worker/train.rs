use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::protocol::{MadeFile, Milestone, Report, TrainingFiles, WorkOrder};
use super::separators::Steps;
use vocalhost_audio::AudioLimits;
use vocalhost_job::{JobResult, TrainingSpec};
use vocalhost_model::{Catalog, Runtime};
use vocalhost_pipeline::{PipelineError, Recording, Train, TrainingReport, content_of, train};

/// What a worker trains with.
pub(super) struct Trainer<'a> {
    /// What takes the voice out of the recordings.
    pub(super) steps: Steps<'a>,
    /// The inference library.
    pub(super) runtime: &'a Runtime,
    /// Where the content encoder and the F0 estimator are.
    pub(super) models: &'a Catalog,
    /// Threads of one model run.
    pub(super) threads: usize,
    /// The longest recording to accept.
    pub(super) limits: AudioLimits,
    /// Minutes of sound that are used of a training's recordings.
    pub(super) most_minutes: u64,
}

impl Trainer<'_> {
    /// Trains a voice and leaves the files of its package in the scratch folder.
    pub(super) fn run(
        &self,
        order: &WorkOrder,
        spec: &TrainingSpec,
        report: &mut dyn FnMut(Report),
    ) -> Result<JobResult, PipelineError> {
        let files = order.training.clone().unwrap_or_default();
        let recordings = recordings(&files, spec);
        let mut step = 0;
        let mut made = 0;
        let job = Train {
            title: &spec.title,
            tags: &spec.tags,
            package_id: &spec.output_package_id,
            base: spec.base,
            bases: &order.voices,
            recordings: &recordings,
            isolating: self.steps.0,
            cleaning: &self.steps.1,
            preset: spec.preset,
            seed: spec.seed,
            consent: &spec.consent,
            protected: &files.protected,
            spoken: spoken(&files, spec),
            checkpoint: files.checkpoint.as_deref(),
            goes_on_only: false,
            scratch: &order.scratch,
            runtime: self.runtime,
            models: self.models,
            threads: self.threads,
            limits: self.limits,
            most_minutes: self.most_minutes,
        };
        train(&job, &mut |said| {
            let milestone = match said {
                TrainingReport::Progress(progress) => return report(Report::Progress(progress)),
                TrainingReport::Step(taken) => {
                    step = taken.step;
                    Milestone::Step(taken)
                }
                TrainingReport::Checkpoint(path) => {
                    made += 1;
                    let name = format!("kept-{made}");
                    match put_aside(path, &order.scratch, name) {
                        Ok(file) => Milestone::Checkpoint { step, file },
                        Err(error) => return lost(&error),
                    }
                }
                TrainingReport::Heard { step, path } => {
                    let name = named("heard", step, path);
                    match put_aside(path, &order.scratch, name) {
                        Ok(file) => Milestone::Heard { step, file },
                        Err(error) => return lost(&error),
                    }
                }
            };
            let news = Box::new(milestone);
            report(Report::Milestone { news });
        })
    }
}

/// The recording of the consent, which follows those that have names.
fn spoken<'f>(files: &'f TrainingFiles, spec: &TrainingSpec) -> Option<&'f Path> {
    spec.consent.spoken.as_ref()?;
    let last = files.recordings.get(spec.recordings.len());
    last.map(PathBuf::as_path)
}

/// The recordings under the names that their owner gave them.
fn recordings(files: &TrainingFiles, spec: &TrainingSpec) -> Vec<Recording> {
    let names = spec.recordings.iter().cloned();
    let paths = files.recordings.iter().cloned();
    paths
        .zip(names)
        .map(|(path, name)| Recording { path, name })
        .collect()
}

/// The name of a file after a step, with its extension.
fn named(word: &str, step: u32, path: &Path) -> String {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let extension = extension.unwrap_or("bin");
    format!("{word}-{step}.{extension}")
}

/// Renames a file, so that it is not overwritten.
fn put_aside(path: &Path, scratch: &Path, name: String) -> io::Result<MadeFile> {
    let place = scratch.join(&name);
    fs::rename(path, &place)?;
    let content = content_of(&place)?;
    Ok(MadeFile { name, content })
}

/// The training goes on without it.
fn lost(error: &io::Error) {
    tracing::warn!(%error, "a file of a training is lost");
}
