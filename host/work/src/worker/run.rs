mod live;
mod reach;

use std::io::{self, BufReader, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::effects::WorkerEffects;
use super::frame::{self, FrameError};
use super::protocol::{ModelUse, Order, Report, WorkOrder, WorkTimes};
use super::separators::WorkerSeparators;
use super::train::Trainer;
use super::walls;
use vocalhost_audio::AudioLimits;
use vocalhost_effects::{EffectHost, EffectLimits};
use vocalhost_job::{
    BlendSpec, CleanStep, ConversionSpec, JobResult, JobSpec, Progress, SeparationSpec, Timings,
    TrainingSpec,
};
use vocalhost_model::{Package, ProviderChoice, Stamp, Task, VoiceConverter, VoiceKnobs};
use vocalhost_pipeline::{
    Blend, Conversion, PipelineError, Separation, Separators, Singing, blend, convert, separate,
};
use vocalhost_sandbox::SandboxError;
use vocalhost_system::work::Spent;

/// Progress is reported when it has moved by this much, so that a long job does not flood the pipe.
const PROGRESS_STEP_PERCENT: f64 = 0.5;

/// What a worker is started with.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// Folders of model packages, where a voice finds the encoder and the pitch model it needs.
    pub models_dirs: Vec<PathBuf>,
    /// Ids of separator packages that are preferred to newer ones for their task.
    pub separators: Vec<String>,
    /// Ids of content encoders and F0 estimators that are preferred to newer ones for voices that name none.
    pub voice_parts: Vec<String>,
    /// Where compiled effects are kept; `None` compiles them at each start.
    pub effect_cache: Option<PathBuf>,
    /// Where voices of the file store are copied before jobs; `None` means that there are none.
    pub voice_cache: Option<PathBuf>,
    /// The ONNX Runtime library; `None` looks in the usual places.
    pub onnxruntime: Option<PathBuf>,
    /// Where models run.
    pub providers: ProviderChoice,
    /// Memory that this process may hold between jobs while models stay loaded.
    pub model_memory_bytes: u64,
    /// Threads of one model run. On a CPU the samples do not depend on it.
    pub threads: usize,
    /// Memory that one effect may use.
    pub effect_memory_bytes: usize,
    /// Seconds of work that one effect may take per second of audio.
    pub effect_work_per_audio: f64,
    /// The longest recording to accept.
    pub max_duration_s: f64,
    /// Minutes of sound that are used of a training's recordings.
    pub max_training_minutes: u64,
    /// How much has to stay free on the disk of the scratch folders.
    pub min_free_bytes: u64,
}

/// Why a worker stopped.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The walls around the worker cannot be raised.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// There is no folder for it.
    #[error("cannot find the worker's own folder: {0}")]
    Folder(#[source] io::Error),
    /// The effects cannot be made ready.
    #[error("cannot load the effects: {0}")]
    Effects(#[from] vocalhost_effects::PluginError),
    /// ONNX Runtime cannot be loaded.
    #[error(transparent)]
    Runtime(#[from] vocalhost_model::ModelError),
    /// A job that was to be done here cannot be done.
    #[error(transparent)]
    Job(#[from] PipelineError),
    /// The supervisor cannot be heard or told.
    #[error("lost the supervisor: {0}")]
    Pipe(#[from] FrameError),
}

/// Works for the supervisor at the other end of standard input and output until it closes them.
pub fn run(options: &WorkerOptions) -> Result<(), WorkerError> {
    super::die_with_parent();
    if let Some(folder) = &options.effect_cache {
        EffectHost::own_cache(folder)?;
    }
    // Before another thread starts, and before anything that strangers made is read.
    walls::raise(&reach::walls_of(options)?)?;
    // Before anything that takes time: if the server died before we were tied to it, the orders are closed.
    let orders = listen();
    let mut worker = Worker::open(options)?;
    let mut reports = io::stdout();
    frame::write(&mut reports, &Report::Ready)?;
    while let Ok(order) = orders.recv() {
        match order {
            Order::Run(order) => worker.work(&order, &mut reports)?,
            Order::Live(order) => live::serve(&mut worker, &order, (&orders, &mut reports))?,
            // The remaining orders of a live conversion that has failed.
            Order::Hear(_) | Order::Change(_) | Order::EndLive => continue,
        }
        worker.settle();
    }
    Ok(())
}

/// A worker in this process, for jobs here and now. Loaded models stay for the next job.
pub struct WorkerHere(Worker);

impl WorkerHere {
    /// Gets ready.
    pub fn open(options: &WorkerOptions) -> Result<Self, WorkerError> {
        Ok(Self(Worker::open(options)?))
    }

    /// Does a job as a worker does it for its supervisor: the result files are in the order's scratch folder. The result has its timings.
    pub fn perform(
        &mut self,
        order: &WorkOrder,
        report: &mut dyn FnMut(Progress),
    ) -> Result<JobResult, WorkerError> {
        let (before, began) = (Spent::now(), Instant::now());
        self.0.runtime = self.0.runtime.anew();
        let result = self.0.perform(order, &mut |said| {
            if let Report::Progress(progress) = said {
                report(progress);
            }
        })?;
        self.0.settle();
        Ok(JobResult {
            timings: Some(Box::new(timings(&before, began.elapsed()))),
            ..result
        })
    }
}

/// What a job took, from the moment at which it began.
fn timings(before: &Spent, whole: Duration) -> Timings {
    let parts = Spent::now().since(before).into_iter();
    Timings {
        wall_s: whole.as_secs_f64(),
        parts_s: parts.map(|(part, time)| (part.to_owned(), time)).collect(),
    }
}

/// Reads orders on a thread of its own, so that a worker ends with its supervisor even in the middle of a job.
fn listen() -> mpsc::Receiver<Order> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut input = BufReader::new(io::stdin());
        loop {
            match frame::read(&mut input) {
                Ok(order) => {
                    if sender.send(order).is_err() {
                        return;
                    }
                }
                Err(FrameError::Closed) => std::process::exit(0),
                Err(error) => {
                    tracing::error!(%error, "cannot understand the supervisor");
                    std::process::exit(1);
                }
            }
        }
    });
    receiver
}

struct Worker {
    runtime: vocalhost_model::Runtime,
    models_dirs: Vec<PathBuf>,
    voice_parts: Vec<String>,
    models: vocalhost_model::Catalog,
    /// The state of the model folders when they were read.
    stamp: Stamp,
    effects: WorkerEffects,
    separators: WorkerSeparators,
    threads: usize,
    limits: AudioLimits,
    max_training_minutes: u64,
    min_free_bytes: u64,
}

impl Worker {
    fn open(options: &WorkerOptions) -> Result<Self, WorkerError> {
        let limits = EffectLimits::of(options.effect_memory_bytes, options.effect_work_per_audio);
        // Taken first, so that a change during the reading shows at the next job.
        let stamp = Stamp::of(&options.models_dirs);
        let models =
            vocalhost_model::Catalog::open(&options.models_dirs).preferring(&options.voice_parts);
        Ok(Self {
            models_dirs: options.models_dirs.clone(),
            voice_parts: options.voice_parts.clone(),
            stamp,
            effects: WorkerEffects::open(options.effect_cache.as_deref(), limits)?,
            runtime: vocalhost_model::Runtime::load(options.onnxruntime.as_deref())?
                .on(options.providers.clone())
                .keeping(options.model_memory_bytes),
            separators: WorkerSeparators::new(&options.separators),
            models,
            threads: options.threads,
            limits: AudioLimits {
                max_duration_s: options.max_duration_s,
            },
            max_training_minutes: options.max_training_minutes,
            min_free_bytes: options.min_free_bytes,
        })
    }

    /// Does one job, and reports what it took and what came of it.
    fn work(&mut self, order: &WorkOrder, reports: &mut Stdout) -> Result<(), FrameError> {
        let before = Spent::now();
        let models_before = self.models_used();
        let began = Instant::now();
        let report = self.answer(order, reports);
        let took = WorkTimes {
            timings: timings(&before, began.elapsed()),
            models: self.models_used().since(models_before),
        };
        frame::write(reports, &Report::Took(took))?;
        frame::write(reports, &report)
    }

    /// Does one job. Whatever goes wrong becomes the report.
    fn answer(&mut self, order: &WorkOrder, reports: &mut Stdout) -> Report {
        let span = tracing::info_span!(
            "job", id = order.job_id, request_id = %order.request_id, trace = order.trace_parent
        );
        let _entered = span.enter();
        // The record of what models run on is this job's, not that of the jobs before it.
        self.runtime = self.runtime.anew();
        let mut last = None;
        match self.perform(order, &mut |said| tell(reports, &mut last, &said)) {
            Ok(result) => Report::Done(Box::new(result)),
            Err(error) => Report::Failed {
                failure: error.failure(),
                detail: chain_of(&error),
            },
        }
    }

    fn perform(
        &mut self,
        order: &WorkOrder,
        tell: &mut dyn FnMut(Report),
    ) -> Result<JobResult, PipelineError> {
        self.look_for_models();
        let report = &mut |progress| tell(Report::Progress(progress));
        match &order.spec {
            JobSpec::VoiceConversion(spec) => self.convert(order, spec, report),
            JobSpec::VocalSeparation(spec) => self.separate(order, spec, true, report),
            JobSpec::StemSplit(spec) => self.separate(order, spec, false, report),
            JobSpec::VoiceBlend(spec) => self.blend(order, spec, report),
            JobSpec::VoiceTraining(spec) => self.train(order, spec, tell),
        }
    }

    /// Reads the model folders again when packages have come or gone. Loaded models are known by their content, so they may stay.
    fn look_for_models(&mut self) {
        let stamp = Stamp::of(&self.models_dirs);
        if stamp != self.stamp {
            self.models =
                vocalhost_model::Catalog::open(&self.models_dirs).preferring(&self.voice_parts);
            self.stamp = stamp;
        }
    }

    fn convert(
        &mut self,
        order: &WorkOrder,
        spec: &ConversionSpec,
        report: &mut dyn FnMut(Progress),
    ) -> Result<JobResult, PipelineError> {
        let effects = self.effects.of_job(order.spec.effects(), &order.effects)?;
        let folder = order.voices.get(&spec.voice_model_id);
        let folder = folder.ok_or_else(|| missing("the order does not say where the voice is"))?;
        let knobs = VoiceKnobs {
            f0_method: spec.f0_method.clone(),
            protect: spec.protect,
            speaker: spec.speaker,
            silence_gate: spec.silence_gate,
            ..VoiceKnobs::default()
        };
        let voice = self.voice(folder, &knobs).map_err(PipelineError::Load)?;
        self.separators
            .load(&order.spec, &self.runtime, &self.models, self.threads)?;
        let steps = (spec.isolate_vocals, &spec.clean[..]);
        let (isolating, cleaning) = self.separators.steps(steps, &self.models)?;
        convert(
            &Conversion {
                spec,
                input: recording(order)?,
                backing: order.backing.as_deref(),
                isolating,
                cleaning: &cleaning,
                scratch: &order.scratch,
                effects: &effects,
                voice: &voice,
                limits: self.limits,
                min_free_bytes: self.min_free_bytes,
                threads: self.threads,
            },
            report,
        )
    }

    fn train(
        &mut self,
        order: &WorkOrder,
        spec: &TrainingSpec,
        tell: &mut dyn FnMut(Report),
    ) -> Result<JobResult, PipelineError> {
        self.separators
            .load(&order.spec, &self.runtime, &self.models, self.threads)?;
        let steps = (spec.isolate_vocals, &spec.clean[..]);
        let trainer = Trainer {
            steps: self.separators.steps(steps, &self.models)?,
            runtime: &self.runtime,
            models: &self.models,
            threads: self.threads,
            limits: self.limits,
            most_minutes: self.max_training_minutes,
        };
        trainer.run(order, spec, tell)
    }

    fn blend(
        &self,
        order: &WorkOrder,
        spec: &BlendSpec,
        report: &mut dyn FnMut(Progress),
    ) -> Result<JobResult, PipelineError> {
        blend(
            &Blend {
                spec,
                voices: &order.voices,
                beside: &order.beside,
                scratch: &order.scratch,
                runtime: &self.runtime,
                models: &self.models,
                threads: self.threads,
                limits: self.limits,
            },
            report,
        )
    }

    fn separate(
        &mut self,
        order: &WorkOrder,
        spec: &SeparationSpec,
        is_vocal: bool,
        report: &mut dyn FnMut(Progress),
    ) -> Result<JobResult, PipelineError> {
        let effects = self.effects.of_job(order.spec.effects(), &order.effects)?;
        self.separators
            .load(&order.spec, &self.runtime, &self.models, self.threads)?;
        let separators = if is_vocal {
            let singing = |step| self.separators.of_step(step, &self.models);
            Separators::Vocals {
                vocals: self.separators.get(Task::Vocals)?,
                singing: if spec.wants_lead() {
                    Some(Singing {
                        lead: singing(CleanStep::Lead)?,
                        reverb: singing(CleanStep::Dereverb)?,
                    })
                } else {
                    None
                },
            }
        } else {
            Separators::Stems(self.separators.get(Task::Stems)?)
        };
        separate(
            &Separation {
                spec,
                input: recording(order)?,
                scratch: &order.scratch,
                effects: &effects,
                separators,
                limits: self.limits,
                min_free_bytes: self.min_free_bytes,
                threads: self.threads,
            },
            report,
        )
    }

    /// The voice in `folder`. Its parts (graphs of its own and those it shares with other voices) are mostly loaded already.
    fn voice(
        &self,
        folder: &Path,
        knobs: &VoiceKnobs,
    ) -> Result<VoiceConverter, vocalhost_model::ModelError> {
        let package = Package::open(folder)?;
        let (runtime, models) = (&self.runtime, &self.models);
        VoiceConverter::load_with(runtime, &package, models, self.threads, knobs)
    }

    /// How often models were loaded already, so far.
    fn models_used(&self) -> ModelUse {
        let figures = self.runtime.cache_figures();
        ModelUse {
            loaded: figures.loaded,
            reused: figures.reused,
            evicted: figures.evicted,
        }
    }

    /// Between jobs: unloads models that are not worth their memory.
    fn settle(&mut self) {
        self.separators.let_go();
        self.runtime.settle();
    }
}

/// An order that does not say what the job needs.
fn missing(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, what.to_owned())
}

fn recording(order: &WorkOrder) -> io::Result<&Path> {
    let input = order.input.as_deref();
    input.ok_or_else(|| missing("the order names no recording"))
}

/// Sends a report; progress only when the stage has changed or the share has moved enough. A broken pipe is noticed when the end of the job
/// is reported.
fn tell(reports: &mut impl Write, last: &mut Option<Progress>, said: &Report) {
    if let Report::Progress(progress) = said {
        let moved = last.is_none_or(|last| {
            last.stage != progress.stage || progress.percent - last.percent >= PROGRESS_STEP_PERCENT
        });
        if !moved {
            return;
        }
        *last = Some(*progress);
    }
    if let Err(error) = frame::write(reports, said) {
        tracing::warn!(%error, "cannot report how far the job is");
    }
}

/// An error and its causes in one line, for the log. Most errors end in the words of their cause already.
fn chain_of(error: &dyn std::error::Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !line.ends_with(&said) {
            line.push_str(": ");
            line.push_str(&said);
        }
        cause = error.source();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot write the file")]
    struct Silent(#[source] io::Error);

    #[test]
    fn every_cause_is_in_the_log_once() {
        let inference = vocalhost_model::ModelError::Inference {
            package: "test.voice-1".to_owned(),
            reason: "no numbers".to_owned(),
        };
        let said = inference.to_string();
        let failed = PipelineError::Model(inference);
        assert_eq!(chain_of(&failed), format!("the model failed: {said}"));
        let silent = Silent(io::Error::other("the disk is full"));
        assert_eq!(chain_of(&silent), "cannot write the file: the disk is full");
    }
}
