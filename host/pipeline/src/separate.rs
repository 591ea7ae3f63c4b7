use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::PipelineError;
use super::abreast::peak_of;
use super::apart::{Bench, Part, apart, on_disk, part, without};
use super::chain::{add_effects, between};
use super::clean::{self, Cleaning, clean};
use super::intake::{Intake, Taken, take_in_to_separate};
use super::line::Line;
use super::output::OutputFiles;
use super::publish::{from_db, gain_db, gain_to, measured, model_used, peak_guard};
use super::sound::Sound;
use super::track::TrackWriter;
use super::writing::{Encoding, encode};
use vocalhost_audio::{AudioLimits, Block, Spool};
use vocalhost_job::{
    CleanStep, EffectUsed, FileRole, JobResult, JobStage, Measured, Progress, ResultFile,
    SeparationSpec, Stem,
};
use vocalhost_model::Separator;

/// Shares of a whole separation, for the progress that its record shows: they follow the measured time of each pass.
const DECODED_PERCENT: f64 = 5.0;
const SEPARATED_PERCENT: f64 = 55.0;
const EFFECTS_PERCENT: f64 = 70.0;

/// How many steps below full scale the peak guard stays where files add up, so that rounding them again cannot clip.
const GUARD_STEPS: f32 = 8.0;

/// Everything a separation works with.
pub struct Separation<'a> {
    /// What was asked for.
    pub spec: &'a SeparationSpec,
    /// The recording.
    pub input: &'a Path,
    /// A folder for spools and results; the caller removes it.
    pub scratch: &'a Path,
    /// The effects that a chain may name.
    pub effects: &'a vocalhost_effects::Catalog,
    /// The separators, ready to run.
    pub separators: Separators<'a>,
    /// The longest recording to accept.
    pub limits: AudioLimits,
    /// How much has to stay free on the disk of `scratch`; 0 is no limit.
    pub min_free_bytes: u64,
    /// Threads that decode, measure and write. The files do not depend on their number.
    pub threads: usize,
}

/// The separators, which decide what a recording is separated into.
#[derive(Clone, Copy)]
pub enum Separators<'a> {
    /// Into vocals and the rest, and the vocals into lead, harmony and reverb.
    Vocals {
        /// For the task `vocals`.
        vocals: &'a Separator,
        /// Separates the vocals further; none when no stem is wanted that needs it.
        singing: Option<Singing<'a>>,
    },
    /// Into vocals, drums, bass and other.
    Stems(&'a Separator),
}

/// What separates singing: one separator for both, or two in succession.
#[derive(Clone, Copy)]
pub struct Singing<'a> {
    /// Tells the lead from its harmonies.
    pub lead: &'a Separator,
    /// Tells the lead from its reverb.
    pub reverb: &'a Separator,
}

impl<'a> Singing<'a> {
    fn steps(self) -> [Cleaning<'a>; 2] {
        [
            Cleaning {
                step: CleanStep::Lead,
                separator: self.lead,
            },
            Cleaning {
                step: CleanStep::Dereverb,
                separator: self.reverb,
            },
        ]
    }
}

/// A file of the result.
struct File {
    /// The part that it holds.
    part: &'static str,
    /// Its name, without the extension.
    name: &'static str,
    /// Its roles besides that of a stem, lossless and lossy.
    whole: Option<[FileRole; 2]>,
    /// The stem that it is.
    stem: Option<Stem>,
}

/// Separates a recording and leaves the result files in the scratch folder.
pub fn separate(
    job: &Separation<'_>,
    report: &mut dyn FnMut(Progress),
) -> Result<JobResult, PipelineError> {
    let taken = hear(job, report)?;
    let channels = taken.info.channels;
    let mix = Arc::new(Sound::plain(taken.spool));
    let bench = Bench {
        scratch: job.scratch,
        steps: OutputFiles::of(job.spec.output).steps(),
    };
    let (parts, models) = estimates(job, bench, &mix, report)?;
    let written = write(job, &parts, report)?;
    Ok(JobResult {
        files: written.files,
        effects: [&job.spec.pre, &job.spec.post]
            .into_iter()
            .flatten()
            .map(EffectUsed::from)
            .collect(),
        provider: models
            .iter()
            .map(|model| model.provider())
            .take(1)
            .collect(),
        models: models
            .iter()
            .flat_map(|model| model.packages())
            .map(model_used)
            .collect(),
        gain_db: written.gain_db,
        folded_from: (channels > 2).then_some(channels as u32),
        duration_s: mix.frames() as f64 / f64::from(mix.sample_rate_hz()),
        input_loudness: Some(measured(taken.loudness)),
        loudness: written.loudness,
        warnings: taken.warnings,
        ..JobResult::default()
    })
}

/// The parts that the models estimate, the rest of the mix, and which models ran.
fn estimates<'s>(
    job: &Separation<'s>,
    bench: Bench<'_>,
    mix: &Arc<Sound>,
    report: &mut dyn FnMut(Progress),
) -> Result<(Vec<Part>, Vec<&'s Separator>), PipelineError> {
    let mut inference = |from: f64, to: f64, share: f64| {
        let all = SEPARATED_PERCENT - DECODED_PERCENT;
        let (from, to) = (DECODED_PERCENT + from * all, DECODED_PERCENT + to * all);
        report(between(JobStage::Inference, from, to, share));
    };
    Ok(match job.separators {
        Separators::Vocals {
            vocals,
            singing: None,
        } => {
            let parts = apart(bench, vocals, mix, &mut |share| inference(0.0, 1.0, share))?;
            (parts, vec![vocals])
        }
        Separators::Vocals {
            vocals,
            singing: Some(singing),
        } => {
            let steps = singing.steps();
            let behind = clean::separators(&steps);
            let first = 1.0 / (1.0 + behind.len() as f64);
            let mut parts = apart(bench, vocals, mix, &mut |share| {
                inference(0.0, first, share);
            })?;
            let sung = part(&parts, "vocals")?;
            let sung = on_disk(job.scratch, &sung)?;
            for part in parts.iter_mut().filter(|part| part.name == "vocals") {
                part.sound = Arc::clone(&sung);
            }
            let cleaned = clean(bench, &steps, &sung, &mut |share| {
                inference(first, 1.0, share);
            })?;
            parts.extend(
                [
                    ("harmony", cleaned.taken_by(CleanStep::Lead)),
                    ("reverb", cleaned.taken_by(CleanStep::Dereverb)),
                    ("lead", Some(cleaned.voice)),
                ]
                .into_iter()
                .filter_map(|(name, sound)| {
                    Some(Part {
                        name,
                        sound: sound?,
                    })
                }),
            );
            (parts, [vec![vocals], behind].concat())
        }
        Separators::Stems(stems) => {
            let mut parts = apart(bench, stems, mix, &mut |share| inference(0.0, 1.0, share))?;
            let vocals = part(&parts, "vocals")?;
            parts.push(Part {
                name: "backing",
                sound: without(mix, vec![vocals]),
            });
            (parts, vec![stems])
        }
    })
}

/// The recording after the effects before the model, at its own rate and in at most two channels.
fn hear(job: &Separation<'_>, report: &mut dyn FnMut(Progress)) -> Result<Taken, PipelineError> {
    let intake = Intake {
        input: job.input,
        limits: job.limits,
        strict: job.spec.strict_input,
        pre: &job.spec.pre,
        effects: job.effects,
        spool: job.scratch.join("mix.f32"),
        min_free_bytes: job.min_free_bytes,
        percent: DECODED_PERCENT,
        threads: job.threads,
    };
    take_in_to_separate(&intake, report)
}

/// A sound after the effects after the model, cut to its length.
fn with_effects(
    job: &Separation<'_>,
    sound: &Arc<Sound>,
    progress: &mut dyn FnMut(f64),
) -> Result<Spool, PipelineError> {
    let (channels, rate) = (sound.channels(), sound.sample_rate_hz());
    let mut line = Line::default();
    add_effects(&mut line, &job.spec.post, job.effects, rate, channels)?;
    let path = job.scratch.join("post.f32");
    let mut track = TrackWriter::create(&path, channels, rate, sound.frames())?;
    let mut keep = |block: Block| -> Result<(), PipelineError> { Ok(track.write(&block)?) };
    let mut done = 0;
    for block in sound.blocks(1.0) {
        let block = block?;
        done += block.frames();
        line.process(Arc::unwrap_or_clone(block), &mut keep)?;
        progress(done as f64 / sound.frames().max(1) as f64);
    }
    line.finish(&mut keep)?;
    let spool = track.finish()?;
    fs::remove_file(path)?;
    Ok(spool)
}

/// What was written of a separation.
struct Written {
    files: Vec<ResultFile>,
    loudness: Vec<(FileRole, Measured)>,
    gain_db: Option<f64>,
}

/// Encodes every part that is wanted once under one gain, and lists the files in the order of the record.
fn write(
    job: &Separation<'_>,
    parts: &[Part],
    report: &mut dyn FnMut(Progress),
) -> Result<Written, PipelineError> {
    let files = files_of(job.separators, job.spec);
    let mut sounds = Vec::new();
    let mut ready_percent = SEPARATED_PERCENT;
    for (index, file) in files.iter().enumerate() {
        let sound = part(parts, file.part)?;
        if job.spec.post.is_empty() {
            sounds.push(sound);
            continue;
        }
        ready_percent = EFFECTS_PERCENT;
        let progress = &mut |share: f64| {
            let done = (index as f64 + share) / files.len() as f64;
            let (from, to) = (SEPARATED_PERCENT, EFFECTS_PERCENT);
            report(between(JobStage::Effects, from, to, done));
        };
        sounds.push(Arc::new(Sound::plain(with_effects(job, &sound, progress)?)));
    }
    let output = OutputFiles::of(job.spec.output);
    let steps = output.steps();
    let wholes = files
        .iter()
        .zip(&sounds)
        .filter(|(file, _)| file.whole.is_some());
    let whole = Arc::new(Sound::Mixed {
        parts: wholes.map(|(_, sound)| Arc::clone(sound)).collect(),
    });
    let asked_db = gain_to(job.spec.output.loudness_lufs, &whole, &sounds)?;
    let gain = match asked_db {
        Some(asked_db) => from_db(asked_db),
        None => match peak_guard(peak_of(&sounds, job.threads)?, steps) {
            gain if gain < 1.0 => gain * (1.0 - GUARD_STEPS * steps.size()),
            gain => gain,
        },
    };
    let encoding = Encoding {
        output,
        gain,
        scratch: job.scratch,
        threads: job.threads,
    };
    // Which role an entry has is settled when all are listed.
    let roles = [FileRole::Vocal, FileRole::LossyVocal];
    let named = files.iter().zip(&sounds);
    let named = named.map(|(file, sound)| (Arc::clone(sound), file.name, roles));
    let encoded = encode(&named.collect::<Vec<_>>(), &encoding, &mut |share| {
        report(between(JobStage::Encoding, ready_percent, 100.0, share));
    })?;
    let mut written: Vec<Vec<ResultFile>> = Vec::new();
    let mut loudness = Vec::new();
    for (file, encoded) in files.iter().zip(encoded) {
        let whole = file.whole.map(|[main, _]| main);
        let roles = whole.into_iter().chain(file.stem.map(FileRole::Stem));
        loudness.extend(roles.map(|role| (role, measured(encoded.loudness))));
        written.push(encoded.files);
    }
    Ok(Written {
        files: listed(&files, &written),
        loudness,
        gain_db: gain_db(gain, asked_db),
    })
}

/// Every sound of the result is one file, whatever the number of its roles. Stems are in the order of the record; those
/// that are not wanted are left out.
fn files_of(separators: Separators<'_>, spec: &SeparationSpec) -> Vec<File> {
    let vocal = Some([FileRole::Vocal, FileRole::LossyVocal]);
    let backing = Some([FileRole::Backing, FileRole::LossyBacking]);
    let file = |part, name, whole, stem: Option<Stem>| File {
        part,
        name,
        whole,
        stem: stem.filter(|stem| spec.wants(*stem)),
    };
    let mut files = match separators {
        // The stem `vocals` of a separation is the lead.
        Separators::Vocals { .. } => vec![
            file("vocals", "vocal", vocal, None),
            file("lead", "vocals", None, Some(Stem::Vocals)),
            file("harmony", "harmony", None, Some(Stem::Harmony)),
            file("reverb", "reverb", None, Some(Stem::Reverb)),
            file("backing", "backing", backing, Some(Stem::Backing)),
        ],
        Separators::Stems(_) => vec![
            file("vocals", "vocals", vocal, Some(Stem::Vocals)),
            file("drums", "drums", None, Some(Stem::Drums)),
            file("bass", "bass", None, Some(Stem::Bass)),
            file("other", "other", None, Some(Stem::Other)),
            file("backing", "backing", backing, Some(Stem::Backing)),
        ],
    };
    files.retain(|file| file.whole.is_some() || file.stem.is_some());
    files
}

/// The entries of the record in its order: the files of the whole, the stems, the stems once more, lossy.
fn listed(files: &[File], written: &[Vec<ResultFile>]) -> Vec<ResultFile> {
    let entry = |encoded: &[ResultFile], kind: usize, role: FileRole| {
        let file = encoded.get(kind)?.clone();
        Some(ResultFile { role, ..file })
    };
    let both = || files.iter().zip(written);
    let wholes = both().filter_map(|(file, encoded)| Some((file.whole?, encoded)));
    let wholes =
        wholes.flat_map(|(roles, encoded)| [0, 1].map(|kind| entry(encoded, kind, roles[kind])));
    let stems = |kind: usize| {
        both().map(move |(file, encoded)| {
            let stem = file.stem?;
            let roles = [FileRole::Stem(stem), FileRole::LossyStem(stem)];
            entry(encoded, kind, roles[kind])
        })
    };
    wholes.chain(stems(0)).chain(stems(1)).flatten().collect()
}
