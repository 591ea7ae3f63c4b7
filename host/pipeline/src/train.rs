//! Training a voice: from recordings, starting with the weights of an existing voice.

mod checkpoint;
mod findings;
mod given;
mod hearing;
mod intake;
mod learn;
mod making;
mod who;

use std::fs;
use std::io;

use super::PipelineError;
use super::clean;
use super::publish::model_used;
use super::writing::described;
use checkpoint::State;
pub use checkpoint::is_checkpoint;
pub use given::{Recording, Train, TrainingReport};
use hearing::hear;
use intake::Taken;
use learn::{Judge, Learned, Learning, Widening, key};
use making::Maker;
use vocalhost_job::{
    CleanStep, FileRole, JobResult, JobStage, Progress, TrainingFinding, TrainingSpec,
};
use vocalhost_model::{Family, Listener, Package, Separator, decoder_weights};
use vocalhost_training::{Batches, CONTENT, Order, Sizes};
pub use who::protected_recordings;

/// The progress at the end of each part of a training, in percent.
const TAKEN_PERCENT: f64 = 8.0;
const HEARD_PERCENT: f64 = 30.0;
const LEARNED_PERCENT: f64 = 94.0;

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

/// The voice whose weights fit the held-out stretches best, and these weights.
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
