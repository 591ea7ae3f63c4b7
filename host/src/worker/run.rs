use std::io::{self, BufReader, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::effects::WorkerEffects;
use super::frame::{self, FrameError};
use super::protocol::{Order, Report, WorkOrder, WorkTimes};
use super::separators::WorkerSeparators;
use crate::audio::AudioLimits;
use crate::job::{BlendSpec, ConversionSpec, JobResult, JobSpec, Progress, SeparationSpec};
use crate::model::{self, Package, Stamp, Task, VoiceConverter};
use crate::pipeline::{
    Blend, Conversion, PipelineError, Separation, Separators, blend, convert, separate,
};
use crate::plugin::{self, EffectLimits};

/// Voices that stay loaded: a voice and its helpers take some tens of megabytes, and users mostly repeat a few.
const VOICES_KEPT: usize = 4;

/// Progress is reported when it has moved by this much, so that a long job does not flood the pipe.
const PROGRESS_STEP_PERCENT: f64 = 0.5;

/// What a worker is started with.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// Folders of model packages, where a voice finds the encoder and the pitch model it needs.
    pub models_dirs: Vec<PathBuf>,
    /// Ids of separator packages that go before newer ones for their task.
    pub separators: Vec<String>,
    /// Where compiled effects are kept; `None` compiles them at each start.
    pub effect_cache: Option<PathBuf>,
    /// The ONNX Runtime library; `None` looks in the usual places.
    pub onnxruntime: Option<PathBuf>,
    /// Threads of one model run. The samples do not depend on it.
    pub threads: usize,
    /// Memory that one effect may use.
    pub effect_memory_bytes: usize,
    /// Seconds of work that one effect may take per second of audio.
    pub effect_work_per_audio: f64,
    /// The longest recording to accept.
    pub max_duration_s: f64,
}

/// Why a worker stopped.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The effects cannot be made ready.
    #[error("cannot load the effects: {0}")]
    Effects(#[from] plugin::PluginError),
    /// ONNX Runtime cannot be loaded.
    #[error(transparent)]
    Runtime(#[from] model::ModelError),
    /// The supervisor cannot be heard or told.
    #[error("lost the supervisor: {0}")]
    Pipe(#[from] FrameError),
}

/// Works for the supervisor at the other end of standard input and output until it closes them.
pub fn run(options: &WorkerOptions) -> Result<(), WorkerError> {
    super::die_with_parent();
    let mut worker = Worker::open(options)?;
    let orders = listen();
    let mut reports = io::stdout();
    frame::write(&mut reports, &Report::Ready)?;
    while let Ok(Order::Run(order)) = orders.recv() {
        let before = spent();
        let began = Instant::now();
        let report = worker.answer(&order, &mut reports);
        let took = took(before, began.elapsed());
        frame::write(&mut reports, &Report::Took(took))?;
        frame::write(&mut reports, &report)?;
    }
    Ok(())
}

/// Time in models and in effects since this process started.
fn spent() -> (Duration, Duration) {
    (model::time_spent(), plugin::time_spent())
}

fn took((model, effects): (Duration, Duration), whole: Duration) -> WorkTimes {
    let now = spent();
    WorkTimes {
        model_s: now.0.saturating_sub(model).as_secs_f64(),
        effects_s: now.1.saturating_sub(effects).as_secs_f64(),
        whole_s: whole.as_secs_f64(),
    }
}

/// Reads orders on a thread of its own, so that the end of the supervisor ends a worker in the middle of a job too.
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
    runtime: model::Runtime,
    models_dirs: Vec<PathBuf>,
    models: model::Catalog,
    /// What the model folders looked like when they were read.
    stamp: Stamp,
    effects: WorkerEffects,
    /// Most recently used last.
    voices: Vec<(VoiceKey, VoiceConverter)>,
    separators: WorkerSeparators,
    threads: usize,
    limits: AudioLimits,
}

/// What makes two voices the same: the id and the hashes of the files. A package that was replaced has files with other
/// hashes; one of the file store is in another folder for each job.
type VoiceKey = (String, Vec<String>);

impl Worker {
    fn open(options: &WorkerOptions) -> Result<Self, WorkerError> {
        let limits = EffectLimits::of(options.effect_memory_bytes, options.effect_work_per_audio);
        // Taken first: what changes while they are read shows at the next job.
        let stamp = Stamp::of(&options.models_dirs);
        let models = model::Catalog::open(&options.models_dirs);
        Ok(Self {
            models_dirs: options.models_dirs.clone(),
            stamp,
            effects: WorkerEffects::open(options.effect_cache.as_deref(), limits)?,
            runtime: model::Runtime::load(options.onnxruntime.as_deref())?,
            separators: WorkerSeparators::new(&options.separators),
            models,
            voices: Vec::new(),
            threads: options.threads,
            limits: AudioLimits {
                max_duration_s: options.max_duration_s,
            },
        })
    }

    /// Does one job. Whatever goes wrong becomes the report.
    fn answer(&mut self, order: &WorkOrder, reports: &mut Stdout) -> Report {
        let span = tracing::info_span!(
            "job", id = order.job_id, request_id = %order.request_id, trace = order.trace_parent
        );
        let _entered = span.enter();
        match self.perform(order, reports) {
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
        reports: &mut Stdout,
    ) -> Result<JobResult, PipelineError> {
        self.look_for_models();
        let mut last = None;
        let mut report = |progress| tell(reports, &mut last, progress);
        match &order.spec {
            JobSpec::VoiceConversion(spec) => self.convert(order, spec, &mut report),
            JobSpec::VocalSeparation(spec) => self.separate(order, spec, true, &mut report),
            JobSpec::StemSplit(spec) => self.separate(order, spec, false, &mut report),
            JobSpec::VoiceBlend(spec) => self.blend(order, spec, &mut report),
        }
    }

    /// Reads the model folders again when packages have come or gone, and lets everything go that was loaded: it may be
    /// what has gone.
    fn look_for_models(&mut self) {
        let stamp = Stamp::of(&self.models_dirs);
        if stamp != self.stamp {
            self.models = model::Catalog::open(&self.models_dirs);
            self.stamp = stamp;
            self.voices.clear();
            self.separators.let_go();
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
        let position = self.voice(folder).map_err(PipelineError::Load)?;
        convert(
            &Conversion {
                spec,
                input: recording(order)?,
                backing: order.backing.as_deref(),
                scratch: &order.scratch,
                effects: &effects,
                voice: &self.voices[position].1,
                limits: self.limits,
            },
            report,
        )
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
        let tasks: &[Task] = match (is_vocal, spec.wants_lead()) {
            (true, true) => &[Task::Vocals, Task::Lead],
            (true, false) => &[Task::Vocals],
            (false, _) => &[Task::Stems],
        };
        self.separators
            .load(tasks, &self.runtime, &self.models, self.threads)?;
        let separators = if is_vocal {
            Separators::Vocals {
                vocals: self.separators.get(Task::Vocals)?,
                lead: spec
                    .wants_lead()
                    .then(|| self.separators.get(Task::Lead))
                    .transpose()?,
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
            },
            report,
        )
    }

    /// The position of the voice in `folder` among those that are loaded, loading it when it is not.
    fn voice(&mut self, folder: &Path) -> Result<usize, model::ModelError> {
        let package = Package::open(folder)?;
        let hashes = package
            .manifest()
            .files
            .values()
            .map(|file| file.sha256.clone());
        let key = (package.manifest().id.clone(), hashes.collect());
        if let Some(position) = self.voices.iter().position(|(loaded, _)| *loaded == key) {
            let voice = self.voices.remove(position);
            self.voices.push(voice);
        } else {
            let voice = VoiceConverter::load(&self.runtime, &package, &self.models, self.threads)?;
            if self.voices.len() == VOICES_KEPT {
                self.voices.remove(0);
            }
            self.voices.push((key, voice));
        }
        Ok(self.voices.len() - 1)
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

/// Reports progress when the stage is another one or the share has moved enough. A pipe that is gone is noticed when
/// the job's end is reported.
fn tell(reports: &mut impl Write, last: &mut Option<Progress>, progress: Progress) {
    let moved = last.is_none_or(|last| {
        last.stage != progress.stage || progress.percent - last.percent >= PROGRESS_STEP_PERCENT
    });
    if moved {
        *last = Some(progress);
        if let Err(error) = frame::write(reports, &Report::Progress(progress)) {
            tracing::warn!(%error, "cannot report progress");
        }
    }
}

/// An error and its causes in one line, for the log.
fn chain_of(error: &dyn std::error::Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        line.push_str(": ");
        line.push_str(&error.to_string());
        cause = error.source();
    }
    line
}
