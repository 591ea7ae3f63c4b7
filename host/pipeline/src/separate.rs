use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::PipelineError;
use super::abreast::peak_of;
use super::chain::{add_effects, between};
use super::intake::{Intake, Taken, take_in_to_separate};
use super::line::Line;
use super::output::{OutputFiles, Steps};
use super::publish::{from_db, gain_db, gain_to, measured, model_used, peak_guard};
use super::sound::{Sound, stepped};
use super::track::TrackWriter;
use super::writing::{Encoding, encode};
use vocalhost_audio::{AudioLimits, Block, FlipSecond, Lost, Resampler, Spool, SpoolWriter};
use vocalhost_job::{
    EffectUsed, FileRole, JobResult, JobStage, Measured, Progress, ResultFile, SeparationSpec, Stem,
};
use vocalhost_model::Separator;

/// Shares of a whole separation, for the progress that its record shows: they follow the measured time of each pass.
const DECODED_PERCENT: f64 = 5.0;
const SEPARATED_PERCENT: f64 = 55.0;
const EFFECTS_PERCENT: f64 = 70.0;

/// How many steps the peak guard stays below full scale where files add up, so that rounding them anew cannot clip.
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

/// What separates a recording, which decides what it is separated into.
#[derive(Clone, Copy)]
pub enum Separators<'a> {
    /// Into what is sung and the rest, and what is sung into lead, harmony and reverb.
    Vocals {
        /// For the task `vocals`.
        vocals: &'a Separator,
        /// For the task `lead`; none when no stem is wanted that it gives.
        lead: Option<&'a Separator>,
    },
    /// Into vocals, drums, bass and other.
    Stems(&'a Separator),
}

/// A sound of the result, and what it is.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) sound: Arc<Sound>,
}

/// Where sounds are taken apart.
#[derive(Clone, Copy)]
pub(super) struct Bench<'a> {
    /// A folder for spools.
    pub(super) scratch: &'a Path,
    /// The steps that estimates are rounded to.
    pub(super) steps: Steps,
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

/// The parts that the models estimate and what is left of the mix beside them, and which models those are.
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
        Separators::Vocals { vocals, lead: None } => {
            let parts = apart(bench, vocals, mix, &mut |share| inference(0.0, 1.0, share))?;
            (parts, vec![vocals])
        }
        Separators::Vocals {
            vocals,
            lead: Some(lead),
        } => {
            let mut parts = apart(bench, vocals, mix, &mut |share| inference(0.0, 0.5, share))?;
            let sung = part(&parts, "vocals")?;
            let sung = on_disk(job, &sung)?;
            for part in parts.iter_mut().filter(|part| part.name == "vocals") {
                part.sound = Arc::clone(&sung);
            }
            parts.extend(apart(bench, lead, &sung, &mut |share| {
                inference(0.5, 1.0, share);
            })?);
            (parts, vec![vocals, lead])
        }
        Separators::Stems(stems) => {
            let mut parts = apart(bench, stems, mix, &mut |share| inference(0.0, 1.0, share))?;
            let vocals = part(&parts, "vocals")?;
            parts.push(Part {
                name: "backing",
                sound: Arc::new(Sound::Left {
                    whole: Arc::clone(mix),
                    others: vec![vocals],
                }),
            });
            (parts, vec![stems])
        }
    })
}

/// The recording behind the effects before the model, at its own rate and in at most two channels.
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

/// A sound taken apart: what the separator estimates, on the steps of the files, and what that leaves of the sound.
///
/// Where one of two sides was wired the wrong way round, what stood in the middle would be nowhere for the separator: it hears that
/// side turned, and its estimates are turned back.
pub(super) fn apart(
    bench: Bench<'_>,
    separator: &Separator,
    whole: &Arc<Sound>,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<Part>, PipelineError> {
    let spool = whole.kept().ok_or_else(|| {
        io::Error::other("a sound has to lie on disk before it can be taken apart")
    })?;
    let (channels, rate) = (whole.channels(), whole.sample_rate_hz());
    let steps = bench.steps;
    let is_opposed = is_opposed(spool)?;
    let resampled = as_heard(
        bench.scratch,
        spool,
        (separator.sample_rate_hz(), is_opposed),
    )?;
    let heard = resampled.as_ref().unwrap_or(spool);
    let mut tracks = Vec::new();
    for name in separator.estimated() {
        let path = bench.scratch.join(format!("{name}.f32"));
        let mut line = Line::default();
        line.push(Resampler::new(channels, separator.sample_rate_hz(), rate)?);
        if is_opposed {
            line.push(FlipSecond);
        }
        let track = TrackWriter::create(&path, channels, rate, whole.frames())?;
        tracks.push((line, track, path));
    }
    let mut keep = |blocks: Vec<Block>| -> Result<(), PipelineError> {
        for ((line, track, _), block) in tracks.iter_mut().zip(blocks) {
            line.process(block, &mut |block| stepwise(track, block, steps))?;
        }
        Ok(())
    };
    separator.separate(heard, &mut keep, progress)?;
    let mut parts = Vec::new();
    for ((mut line, mut track, path), name) in tracks.into_iter().zip(separator.estimated()) {
        line.finish(&mut |block| stepwise(&mut track, block, steps))?;
        let spool = track.finish()?;
        fs::remove_file(path)?;
        let sound = Arc::new(Sound::Kept {
            spool,
            steps: Some(steps),
        });
        parts.push(Part { name, sound });
    }
    let others = parts.iter().map(|part| Arc::clone(&part.sound)).collect();
    parts.push(Part {
        name: separator.residual(),
        sound: Arc::new(Sound::Left {
            whole: Arc::clone(whole),
            others,
        }),
    });
    Ok(parts)
}

fn stepwise(track: &mut TrackWriter, block: Block, steps: Steps) -> Result<(), PipelineError> {
    Ok(track.write(&stepped(block, steps))?)
}

/// Whether a spool has two sides of opposite polarity.
fn is_opposed(spool: &Spool) -> Result<bool, PipelineError> {
    let lost = Lost::default();
    if spool.channels() == 2 {
        for block in spool.blocks() {
            lost.note(&block?);
        }
    }
    Ok(lost.is_nearly_all())
}

/// A spool at another rate, or with its second side turned; none when nothing is to be done.
fn as_heard(
    scratch: &Path,
    spool: &Spool,
    (rate_hz, turned): (u32, bool),
) -> Result<Option<Spool>, PipelineError> {
    if spool.sample_rate_hz() == rate_hz && !turned {
        return Ok(None);
    }
    let path = scratch.join("heard.f32");
    let mut writer = SpoolWriter::create(&path, spool.channels(), rate_hz)?;
    let mut line = Line::default();
    line.push(Resampler::new(
        spool.channels(),
        spool.sample_rate_hz(),
        rate_hz,
    )?);
    if turned {
        line.push(FlipSecond);
    }
    let mut keep = |block: Block| -> Result<(), PipelineError> { Ok(writer.write(&block)?) };
    for block in spool.blocks() {
        line.process(block?, &mut keep)?;
    }
    line.finish(&mut keep)?;
    Ok(Some(opened(writer, &path)?))
}

/// The same sound on disk, where it is not there yet.
fn on_disk(job: &Separation<'_>, sound: &Arc<Sound>) -> Result<Arc<Sound>, PipelineError> {
    if sound.kept().is_some() {
        return Ok(Arc::clone(sound));
    }
    let path = job.scratch.join("sung.f32");
    let mut writer = SpoolWriter::create(&path, sound.channels(), sound.sample_rate_hz())?;
    for block in sound.blocks(1.0) {
        writer.write(&*block?)?;
    }
    Ok(Arc::new(Sound::plain(opened(writer, &path)?)))
}

/// A sound behind the effects after the model, cut to its length.
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

/// Ends a spool and takes its name away: the space is free as soon as nobody reads it any more.
fn opened(writer: SpoolWriter, path: &Path) -> io::Result<Spool> {
    let spool = writer.finish()?;
    fs::remove_file(path)?;
    Ok(spool)
}

pub(super) fn part(parts: &[Part], name: &str) -> Result<Arc<Sound>, PipelineError> {
    let found = parts.iter().find(|part| part.name == name);
    let found = found.ok_or_else(|| io::Error::other(format!("no separator gave {name}")))?;
    Ok(Arc::clone(&found.sound))
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
        None => match peak_guard(peak_of(&sounds)?, steps) {
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
