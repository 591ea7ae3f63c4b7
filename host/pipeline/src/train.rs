//! A voice of one's own: from recordings and the weights of a voice that is there.

mod checkpoint;
mod findings;
mod hearing;
mod intake;
mod learn;
mod making;
mod who;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::PipelineError;
use super::clean::{self, Cleaning};
use super::publish::model_used;
use super::writing::described;
use checkpoint::State;
pub use checkpoint::is_checkpoint;
use hearing::hear;
use intake::Taken;
use learn::{Judge, Learned, Learning, Widening, key};
use making::Maker;
use vocalhost_audio::AudioLimits;
use vocalhost_job::{
    CleanStep, Consent, FileRole, JobResult, JobStage, Preset, Progress, TrainingFinding,
    TrainingSpec, TrainingStep,
};
use vocalhost_model::{Catalog, Family, Listener, Package, Runtime, Separator, decoder_weights};
use vocalhost_training::{Batches, CONTENT, Order, Sizes};
pub use who::protected_recordings;

/// Where the parts of a training are on its way, in percent.
const TAKEN_PERCENT: f64 = 8.0;
const HEARD_PERCENT: f64 = 30.0;
const LEARNED_PERCENT: f64 = 94.0;

/// A recording that a voice is trained on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recording {
    /// Where it is.
    pub path: PathBuf,
    /// As the user calls it.
    pub name: String,
}

/// Everything a training works with.
pub struct Train<'a> {
    /// The title of the new voice.
    pub title: &'a str,
    /// Words to find it by.
    pub tags: &'a [String],
    /// The id of its package.
    pub package_id: &'a str,
    /// The number of the voice to start from; the nearest of `bases` without it.
    pub base: Option<i64>,
    /// The folders of the voices that a training may start from, by number. Those that are no voices of our own family are passed over.
    pub bases: &'a BTreeMap<i64, PathBuf>,
    /// The recordings.
    pub recordings: &'a [Recording],
    /// The separator that takes what is sung out of them, when they have music.
    pub isolating: Option<&'a Separator>,
    /// What is taken out of the voice then.
    pub cleaning: &'a [Cleaning<'a>],
    /// How long it is trained.
    pub preset: Preset,
    /// Where chance begins: the same seed, the same voice.
    pub seed: u64,
    /// What was declared about the voice.
    pub consent: &'a Consent,
    /// Recordings of voices that are not to be trained.
    pub protected: &'a [PathBuf],
    /// The recording in which the consent is said, where there is one.
    pub spoken: Option<&'a Path>,
    /// Where an earlier attempt stood, if there was one.
    pub checkpoint: Option<&'a Path>,
    /// Whether it is an error when that is no checkpoint of this very training, instead of no checkpoint.
    pub goes_on_only: bool,
    /// A folder for the new package's files; the caller removes it.
    pub scratch: &'a Path,
    /// The inference library.
    pub runtime: &'a Runtime,
    /// Where the content encoder and the F0 estimator are.
    pub models: &'a Catalog,
    /// Threads of the analysis; the steps run on one.
    pub threads: usize,
    /// The longest recording to accept.
    pub limits: AudioLimits,
    /// Minutes of sound that are used of all recordings together.
    pub most_minutes: u64,
}

/// What happens during a training.
pub enum TrainingReport<'a> {
    /// How far it is.
    Progress(Progress),
    /// After every ten steps.
    Step(TrainingStep),
    /// A file to go on from, in the scratch folder; whoever is told may move it away.
    Checkpoint(&'a Path),
    /// A test conversion, in the scratch folder.
    Heard {
        /// After how many steps.
        step: u32,
        /// The recording.
        path: &'a Path,
    },
}

/// Trains a voice and leaves the files of its package in the scratch folder.
pub fn train(
    job: &Train<'_>,
    report: &mut dyn FnMut(TrainingReport<'_>),
) -> Result<JobResult, PipelineError> {
    train_steps(job, job.preset.steps(), report)
}

/// [`train`] with another number of steps.
fn train_steps(
    job: &Train<'_>,
    steps: u32,
    report: &mut dyn FnMut(TrainingReport<'_>),
) -> Result<JobResult, PipelineError> {
    let mut at = |stage, percent| {
        report(TrainingReport::Progress(Progress { stage, percent }));
    };
    at(JobStage::Decoding, 0.0);
    let bases = bases(job)?;
    let taking = if separators(job).next().is_some() {
        JobStage::Inference
    } else {
        JobStage::Decoding
    };
    let taken = take(job, &mut |share| at(taking, TAKEN_PERCENT * share))?;
    let listener = Listener::load(job.runtime, &bases[0], job.models, job.threads);
    let listener = listener.map_err(PipelineError::Load)?;
    let (takes, found) = hear(job, &listener, &taken, &mut |share| {
        at(
            JobStage::Inference,
            TAKEN_PERCENT + (HEARD_PERCENT - TAKEN_PERCENT) * share,
        );
    })?;
    let mut silence = [0.0; CONTENT];
    for (to, from) in silence.iter_mut().zip(listener.silence()?) {
        *to = from;
    }
    drop(listener);
    let order = Order::default();
    let batches = Batches::new(
        &takes,
        silence,
        (order.batch as usize, order.frames as usize),
    );
    let mut judge = Judge::new(job.runtime, &order, &batches)?;
    let (base, weights) = nearest(&bases, &mut judge)?;
    let maker = Maker::new(job, base, (&taken, &takes))?;
    let learning = Learning {
        order: &order,
        batches: &batches,
        seed: job.seed,
        steps,
        key: key_of(job, steps, (base, &taken)),
    };
    if job.goes_on_only
        && let Some(path) = job.checkpoint
        && State::read(path, &learning.key, weights.len()).is_none()
    {
        return Err(PipelineError::Checkpoint);
    }
    let mut widening = Widening::new(job.runtime, &order, &batches)?;
    let start = (weights, job.checkpoint);
    let state = learning.run(
        job.runtime,
        &mut judge,
        start,
        &mut |learned| match learned {
            Learned::Step(step) => {
                let share = f64::from(step.step) / f64::from(step.steps);
                let percent = HEARD_PERCENT + (LEARNED_PERCENT - HEARD_PERCENT) * share;
                let stage = JobStage::Inference;
                report(TrainingReport::Progress(Progress { stage, percent }));
                report(TrainingReport::Step(step));
                Ok(())
            }
            Learned::Kept(state) => {
                let weights = widening.widened(&state.rows[3])?;
                keep(job, &maker, (state, &learning.key, &weights), report)
            }
        },
    )?;
    report(TrainingReport::Progress(Progress {
        stage: JobStage::Encoding,
        percent: LEARNED_PERCENT,
    }));
    let weights = widening.widened(&state.rows[3])?;
    publish(job, &maker, (base, &state, &weights), &found)
}

/// Writes a checkpoint, and lets what has been learned be heard.
fn keep(
    job: &Train<'_>,
    maker: &Maker<'_>,
    (state, key, weights): (&State, &[u8; 32], &[f32]),
    report: &mut dyn FnMut(TrainingReport<'_>),
) -> Result<(), PipelineError> {
    let path = job.scratch.join(format!("checkpoint-{}", state.step));
    state.write(&path, key)?;
    report(TrainingReport::Checkpoint(&path));
    let folder = job.scratch.join(format!("heard-{}", state.step));
    fs::create_dir_all(&folder)?;
    let made = maker.make(weights, &folder, (&[], "{}"), &mut |_| {})?;
    if let (_, _, Some(name)) = made {
        let path = folder.join(name);
        report(TrainingReport::Heard {
            step: state.step,
            path: &path,
        });
    }
    Ok(fs::remove_dir_all(&folder)?)
}

fn publish(
    job: &Train<'_>,
    maker: &Maker<'_>,
    (base, state, weights): (&Package, &State, &[f32]),
    found: &[TrainingFinding],
) -> Result<JobResult, PipelineError> {
    let [before, after] = state.losses;
    let figures = [
        ("steps taken", state.step.to_string()),
        (
            "step of the weights that are kept",
            state.best_step.to_string(),
        ),
        (
            "error of what was held out before, in nepers",
            format!("{before:.3}"),
        ),
        (
            "error of what was held out at the end, in nepers",
            format!("{after:.3}"),
        ),
    ];
    let steps = cleared_steps(job);
    let cleared = ("taken out of the recordings first", steps.join(", "));
    let cleared = Some(cleared).filter(|_| !steps.is_empty());
    let figures = figures.into_iter().chain(cleared);
    let figures: Vec<(String, String)> = figures
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let metrics = format!(
        "{{\"figures\": {{\"steps\": {}, \"best_step\": {}, \"held_out_loss_before\": {before:.4}, \"held_out_loss\": {after:.4}}}}}\n",
        state.step, state.best_step
    );
    let made = maker.make(weights, job.scratch, (&figures, &metrics), &mut |_| {})?;
    let (package, provider, _) = made;
    let names = package.manifest().files.keys().map(String::as_str);
    let files = names
        .chain([Package::MANIFEST_NAME])
        .map(|name| described(job.scratch, name, FileRole::Package));
    Ok(JobResult {
        files: files.collect::<io::Result<_>>()?,
        models: separators(job)
            .flat_map(Separator::packages)
            .chain([&base.manifest().package_version()])
            .map(model_used)
            .collect(),
        provider,
        warnings: findings::warnings(found),
        ..JobResult::default()
    })
}

/// The voices that it may start from.
fn bases(job: &Train<'_>) -> Result<Vec<Package>, PipelineError> {
    let nothing = |reason: &str| io::Error::new(io::ErrorKind::NotFound, reason.to_owned());
    if let Some(number) = job.base {
        let folder = job.bases.get(&number);
        let folder = folder.ok_or_else(|| nothing("the order does not say where a voice is"))?;
        return Ok(vec![Package::open(folder).map_err(PipelineError::Load)?]);
    }
    let opened = job.bases.values().map(|folder| Package::open(folder));
    let opened: Vec<Package> = opened
        .collect::<Result<_, _>>()
        .map_err(PipelineError::Load)?;
    let is_one = |package: &Package| {
        let manifest = package.manifest();
        manifest.family == Family::DdspRvc
            && decoder_weights(package, &Sizes::default().weights()).is_ok()
    };
    let found: Vec<Package> = opened.into_iter().filter(is_one).collect();
    if found.is_empty() {
        return Err(nothing("there is no voice to start from").into());
    }
    // They listen with the same packages as the first.
    let heard = |package: &Package| {
        let voice = package.manifest().voice.clone();
        voice.map(|voice| (voice.content, voice.f0))
    };
    let first = heard(&found[0]);
    Ok(found
        .into_iter()
        .filter(|package| heard(package) == first)
        .collect())
}

/// The voice that draws what is held out best, and its weights.
fn nearest<'b>(
    bases: &'b [Package],
    judge: &mut Judge,
) -> Result<(&'b Package, Vec<f32>), PipelineError> {
    let names = Sizes::default().weights();
    let mut best: Option<(f32, &Package, Vec<f32>)> = None;
    for base in bases {
        let weights = decoder_weights(base, &names)?;
        let loss = if bases.len() > 1 {
            judge.loss(&weights)?
        } else {
            0.0
        };
        if best.as_ref().is_none_or(|(least, ..)| loss < *least) {
            best = Some((loss, base, weights));
        }
    }
    let best = best.map(|(_, base, weights)| (base, weights));
    best.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound).into())
}

fn take(job: &Train<'_>, progress: &mut dyn FnMut(f64)) -> Result<Vec<Taken>, PipelineError> {
    let mut taken = Vec::new();
    let mut room = usize::try_from(job.most_minutes * 6_000).unwrap_or(usize::MAX);
    for (number, recording) in job
        .recordings
        .iter()
        .take(TrainingSpec::MAX_RECORDINGS)
        .enumerate()
    {
        let count = job.recordings.len() as f64;
        let one = intake::take(job, recording, (number, room), &mut |share| {
            progress((number as f64 + share) / count);
        })?;
        room -= one.cut.frames();
        taken.push(one);
        progress((number + 1) as f64 / count);
    }
    Ok(taken)
}

/// The separators that take the voice out of the recordings, each once.
fn separators<'a>(job: &Train<'a>) -> impl Iterator<Item = &'a Separator> {
    let cleaning = clean::separators(job.cleaning);
    job.isolating.into_iter().chain(cleaning)
}

/// The words for what was done with the recordings first.
fn cleared_steps(job: &Train<'_>) -> Vec<&'static str> {
    let steps = job.cleaning.iter().map(|one| match one.step {
        CleanStep::Lead => "the voices behind it",
        CleanStep::Dereverb => "room",
        CleanStep::Deecho => "echo",
        CleanStep::Denoise => "noise",
    });
    let music = job.isolating.map(|_| "music");
    music.into_iter().chain(steps).collect()
}

/// What was taken out of the recordings, and by which packages.
fn cleared(job: &Train<'_>) -> String {
    let steps = cleared_steps(job);
    let packages: Vec<String> = separators(job)
        .flat_map(Separator::packages)
        .map(|package| format!("{package:?}"))
        .collect();
    [steps.join(" "), packages.join(" ")].join("\n")
}

/// What a checkpoint has to agree with.
fn key_of(job: &Train<'_>, steps: u32, (base, taken): (&Package, &[Taken])) -> [u8; 32] {
    let sums: Vec<&str> = taken.iter().map(|taken| &*taken.sha256).collect();
    let manifest = base.manifest();
    let graph = manifest.file(vocalhost_model::FileRole::Graph);
    key(&[
        env!("CARGO_PKG_VERSION").as_bytes(),
        &steps.to_le_bytes(),
        &job.seed.to_le_bytes(),
        manifest.id.as_bytes(),
        graph.map_or("", |(_, file)| &file.sha256).as_bytes(),
        sums.join(" ").as_bytes(),
        cleared(job).as_bytes(),
    ])
}

#[cfg(test)]
mod tests;
