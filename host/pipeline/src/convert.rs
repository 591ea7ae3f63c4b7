use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use super::PipelineError;
use super::abreast::peak_of;
use super::chain::{add_effects, between};
use super::clean::{self, Cleaning};
use super::intake::{Intake, Taken, take_in};
use super::isolate::{ISOLATED_PERCENT, Song, isolate};
use super::line::Line;
use super::named::{Named, write};
use super::output::OutputFiles;
use super::publish::{from_db, gain_db, gain_to, measured, model_used, peak_guard};
use super::sound::Sound;
use super::track::TrackWriter;
use super::warnings::warnings_of;
use super::writing::Encoding;
use vocalhost_audio::{AudioInfo, AudioLimits, Block, Decoder, Mixdown, Resampler, Spool};
use vocalhost_job::{
    ConversionSpec, EffectUsed, FileRole, InputWarning, JobResult, JobStage, Progress, Stem,
};
use vocalhost_model::{ConversionParameters, Converted, Separator, VoiceConverter};

/// Shares of a whole conversion, for the progress that its record shows: they follow the measured time of each pass.
const DECODED_PERCENT: f64 = 15.0;
const CONVERTED_PERCENT: f64 = 85.0;

/// What is heard of the recording, in the scratch folder.
const SOURCE: &str = "source.f32";

/// Everything a conversion works with.
pub struct Conversion<'a> {
    /// What was asked for.
    pub spec: &'a ConversionSpec,
    /// The recording.
    pub input: &'a Path,
    /// The recording that goes under the converted voice, if there is one.
    pub backing: Option<&'a Path>,
    /// Takes the vocals out of the recording, when only they are to be converted and the rest goes under the result.
    pub isolating: Option<&'a Separator>,
    /// What is taken out of the voice before it is converted, in this order.
    pub cleaning: &'a [Cleaning<'a>],
    /// A folder for spools and results; the caller removes it.
    pub scratch: &'a Path,
    /// The effects that a chain may name.
    pub effects: &'a vocalhost_effects::Catalog,
    /// The voice, ready to run.
    pub voice: &'a VoiceConverter,
    /// The longest recording to accept.
    pub limits: AudioLimits,
    /// How many bytes have to stay free on the disk of `scratch`; 0 means no limit.
    pub min_free_bytes: u64,
    /// Threads that decode, measure and write. The files do not depend on their number.
    pub threads: usize,
}

/// Converts a recording and leaves the result files in the scratch folder.
pub fn convert(
    job: &Conversion<'_>,
    report: &mut dyn FnMut(Progress),
) -> Result<JobResult, PipelineError> {
    let is_isolated = job.isolating.is_some() || !job.cleaning.is_empty();
    let (source, song) = if is_isolated {
        let isolated = isolate(job, &job.scratch.join(SOURCE), report)?;
        (isolated.source, isolated.song)
    } else {
        (hear(job, report)?, None)
    };
    let (result, converted) = run_model(job, &source, is_isolated, report)?;
    let result = Arc::new(Sound::plain(result));
    let (sounds, found) = sounds_of(job, &result, song)?;
    let output = OutputFiles::of(job.spec.output);
    // What a listener hears is the whole song where there is one.
    let whole = sounds.last().map_or(&result, |named| &named.sound);
    let all = sounds.iter().map(|named| Arc::clone(&named.sound));
    let all: Vec<Arc<Sound>> = all.collect();
    let asked_db = gain_to(job.spec.output.loudness_lufs, whole, &all)?;
    let gain = match asked_db {
        Some(asked_db) => from_db(asked_db),
        None => peak_guard(peak_of(&all, job.threads)?, output.steps()),
    };
    let encoding = Encoding {
        output,
        gain,
        scratch: job.scratch,
        threads: job.threads,
    };
    let (files, loudness) = write(&sounds, &encoding, &mut |share| {
        report(between(JobStage::Encoding, CONVERTED_PERCENT, 100.0, share));
    })?;
    let chains = [&job.spec.pre, &job.spec.post].into_iter().flatten();
    let separators = job.isolating.into_iter();
    let separators = separators.chain(clean::separators(job.cleaning));
    let packages = separators.flat_map(Separator::packages);
    let packages = packages.chain(job.voice.packages());
    Ok(JobResult {
        files,
        effects: chains.map(EffectUsed::from).collect(),
        models: packages.map(model_used).collect(),
        provider: job.voice.provider(),
        gain_db: gain_db(gain, asked_db),
        duration_s: result.frames() as f64 / f64::from(result.sample_rate_hz()),
        input_loudness: Some(measured(source.loudness)),
        loudness,
        warnings: source.warnings.iter().cloned().chain(found).collect(),
        suggested_pitch_shift: converted.suggested_pitch_shift,
        ..JobResult::default()
    })
}

/// All sounds of the result, with the whole song last if there is one, and the warnings about a recording that goes under it.
fn sounds_of(
    job: &Conversion<'_>,
    result: &Arc<Sound>,
    song: Option<Song>,
) -> Result<(Vec<Named>, Vec<InputWarning>), PipelineError> {
    let mut sounds = vec![Named {
        name: "output",
        roles: [FileRole::Output, FileRole::LossyOutput],
        stem: None,
        sound: Arc::clone(result),
    }];
    let mut warnings = Vec::new();
    let mut under = None;
    if let Some(Song { vocals, backing }) = song {
        under = Some(Arc::clone(&backing));
        sounds.push(Named {
            name: "vocal",
            roles: [FileRole::Vocal, FileRole::LossyVocal],
            stem: Some(Stem::Vocals),
            sound: vocals,
        });
        sounds.push(Named {
            name: "backing",
            roles: [FileRole::Backing, FileRole::LossyBacking],
            stem: Some(Stem::Backing),
            sound: backing,
        });
    } else if let Some(backing) = job.backing {
        let (backing, found) = accompany(job, backing, result)?;
        warnings = found;
        under = Some(Arc::new(Sound::plain(backing)));
    }
    if let Some(backing) = under {
        let parts = vec![Arc::clone(result), backing];
        sounds.push(Named {
            name: "recombined",
            roles: [FileRole::Recombined, FileRole::LossyRecombined],
            stem: None,
            sound: Arc::new(Sound::Mixed { parts }),
        });
    }
    Ok((sounds, warnings))
}

/// First pass: the effects before the model, folded to mono, at the model's rate. Channels of opposite polarity would cancel each other, so
/// they are read a second time and folded to their difference.
fn hear(job: &Conversion<'_>, report: &mut dyn FnMut(Progress)) -> Result<Taken, PipelineError> {
    let lost = Rc::default();
    let taken = heard(job, &|| Mixdown::to_mono_noting(&lost), report)?;
    if !lost.is_nearly_all() {
        return Ok(taken);
    }
    drop(taken);
    fs::remove_file(job.scratch.join(SOURCE)).map_err(PipelineError::Scratch)?;
    heard(job, &Mixdown::to_difference, &mut |_| {})
}

fn heard(
    job: &Conversion<'_>,
    fold: &dyn Fn() -> Mixdown,
    report: &mut dyn FnMut(Progress),
) -> Result<Taken, PipelineError> {
    let intake = Intake {
        input: job.input,
        limits: job.limits,
        strict: job.spec.strict_input,
        pre: &job.spec.pre,
        effects: job.effects,
        spool: job.scratch.join(SOURCE),
        min_free_bytes: job.min_free_bytes,
        percent: DECODED_PERCENT,
        threads: job.threads,
    };
    let rate = job.voice.source_rate_hz();
    let shape = |info: &AudioInfo, line: &mut Line| {
        line.push(fold());
        line.push(Resampler::new(1, info.sample_rate_hz, rate)?);
        Ok((1, rate))
    };
    take_in(&intake, &shape, report)
}

/// Second pass: the model, back to the recording's rate, mono or stereo, the effects after the model; cut to the
/// recording's length.
fn run_model(
    job: &Conversion<'_>,
    source: &Taken,
    is_isolated: bool,
    report: &mut dyn FnMut(Progress),
) -> Result<(Spool, Converted), PipelineError> {
    let rate = source.info.sample_rate_hz;
    let channels = source.info.channels.min(2);
    let mut line = Line::default();
    line.push(Resampler::new(1, job.voice.output_rate_hz(), rate)?);
    if channels == 2 {
        line.push(Mixdown::to_stereo());
    }
    add_effects(&mut line, &job.spec.post, job.effects, rate, channels)?;
    let path = job.scratch.join("result.f32");
    let mut track = TrackWriter::create(&path, channels, rate, source.frames)?;
    let mut keep = |block: Block| -> Result<(), PipelineError> { Ok(track.write(&block)?) };
    let parameters = ConversionParameters {
        conversion_strength: job.spec.conversion_strength,
        model_volume_mix: job.spec.model_volume_mix,
        pitch_shift: job.spec.pitch_shift,
        auto_pitch: job.spec.auto_pitch,
        seed: job.spec.seed,
    };
    let converted = job.voice.convert(
        &source.spool,
        &parameters,
        &mut |block| line.process(block, &mut keep),
        &mut |share| {
            let from = if is_isolated {
                ISOLATED_PERCENT
            } else {
                DECODED_PERCENT
            };
            report(between(JobStage::Inference, from, CONVERTED_PERCENT, share));
        },
    )?;
    line.finish(&mut keep)?;
    Ok((track.finish()?, converted))
}

/// The recording that goes under the result, fitted to the result's channels, rate and length, and the warnings about it.
fn accompany(
    job: &Conversion<'_>,
    backing: &Path,
    result: &Sound,
) -> Result<(Spool, Vec<InputWarning>), PipelineError> {
    let (channels, rate) = (result.channels(), result.sample_rate_hz());
    let opened = Decoder::open(backing, &job.limits).map_err(PipelineError::Backing)?;
    let mut decoder = opened.strictly(job.spec.strict_input);
    let mut line = Line::default();
    line.push(if channels == 1 {
        Mixdown::to_mono()
    } else {
        Mixdown::to_stereo_from(decoder.info().speakers)
    });
    let given_hz = decoder.info().sample_rate_hz;
    if given_hz != rate {
        line.push(Resampler::new(channels, given_hz, rate)?);
    }
    let path = job.scratch.join("backing.f32");
    let mut track = TrackWriter::create(&path, channels, rate, result.frames())?;
    while !track.is_full()
        && let Some(block) = decoder.next_block().map_err(PipelineError::Backing)?
    {
        line.process(block, &mut |block| -> Result<(), PipelineError> {
            Ok(track.write(&block)?)
        })?;
    }
    line.finish(&mut |block| -> Result<(), PipelineError> { Ok(track.write(&block)?) })?;
    let found = warnings_of(decoder.findings()).into_iter();
    let found = found.map(|warning| InputWarning {
        of_backing: true,
        ..warning
    });
    Ok((track.finish()?, found.collect()))
}
