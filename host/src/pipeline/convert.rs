use std::path::Path;

use super::PipelineError;
use super::chain::{add_effects, between};
use super::line::Line;
use super::publish::{encode, peak_guard};
use super::sound::Sound;
use super::track::TrackWriter;
use crate::audio::{
    AudioInfo, AudioLimits, Block, Decoder, Mixdown, Resampler, Spool, SpoolWriter,
};
use crate::job::{ConversionSpec, EffectUsed, FileRole, JobResult, JobStage, Progress};
use crate::model::{ConversionParameters, VoiceConverter};
use crate::plugin;

/// Shares of a whole conversion, for the progress that its record shows: they follow the measured time of each pass.
const DECODED_PERCENT: f64 = 15.0;
const CONVERTED_PERCENT: f64 = 85.0;

/// Everything a conversion works with.
pub struct Conversion<'a> {
    /// What was asked for.
    pub spec: &'a ConversionSpec,
    /// The recording.
    pub input: &'a Path,
    /// A folder for spools and results; the caller removes it.
    pub scratch: &'a Path,
    /// The effects that a chain may name.
    pub effects: &'a plugin::Catalog,
    /// The voice, ready to run.
    pub voice: &'a VoiceConverter,
    /// The longest recording to accept.
    pub limits: AudioLimits,
}

/// Converts a recording and leaves the result files in the scratch folder.
pub fn convert(
    job: &Conversion<'_>,
    report: &mut dyn FnMut(Progress),
) -> Result<JobResult, PipelineError> {
    let source = take_in(job, report)?;
    let result = run_model(job, &source, report)?;
    let gain = peak_guard(result.peak());
    let result = Sound::plain(result);
    let roles = [FileRole::Output, FileRole::LossyOutput];
    let files = encode(&result, gain, job.scratch, "output", roles, &mut |share| {
        report(between(JobStage::Encoding, CONVERTED_PERCENT, 100.0, share));
    })?;
    Ok(JobResult {
        files,
        effects: [&job.spec.pre, &job.spec.post]
            .into_iter()
            .flatten()
            .map(EffectUsed::from)
            .collect(),
        models: Vec::new(),
        provider: job.voice.provider().to_owned(),
        gain_db: (gain < 1.0).then(|| 20.0 * f64::from(gain).log10()),
        folded_from: None,
        duration_s: result.frames() as f64 / f64::from(result.sample_rate_hz()),
    })
}

/// The recording as the model hears it, and what the result must match.
struct Source {
    info: AudioInfo,
    frames: u64,
    heard: Spool,
}

/// First pass: decode, run the effects before the model at the recording's own rate and channels, fold to mono,
/// resample to the model's rate.
fn take_in(
    job: &Conversion<'_>,
    report: &mut dyn FnMut(Progress),
) -> Result<Source, PipelineError> {
    report(between(JobStage::Decoding, 0.0, DECODED_PERCENT, 0.0));
    let stage = if job.spec.pre.is_empty() {
        JobStage::Decoding
    } else {
        JobStage::Effects
    };
    let mut decoder = Decoder::open(job.input, &job.limits)?;
    let info = decoder.info().clone();
    let mut line = Line::default();
    add_effects(
        &mut line,
        &job.spec.pre,
        job.effects,
        info.sample_rate_hz,
        info.channels,
    )?;
    line.push(Mixdown::to_mono());
    line.push(Resampler::new(
        1,
        info.sample_rate_hz,
        job.voice.source_rate_hz(),
    )?);
    let path = job.scratch.join("source.f32");
    let mut spool = SpoolWriter::create(&path, 1, job.voice.source_rate_hz())?;
    let mut keep = |block: Block| Ok(spool.write(&block)?);
    let mut frames = 0;
    while let Some(block) = decoder.next_block()? {
        frames += block.frames() as u64;
        line.process(block, &mut keep)?;
        if let Some(total) = info.frames.filter(|total| *total > 0) {
            let share = frames as f64 / total as f64;
            report(between(stage, 0.0, DECODED_PERCENT, share));
        }
    }
    line.finish::<PipelineError>(&mut keep)?;
    Ok(Source {
        info,
        frames,
        heard: spool.finish()?,
    })
}

/// Second pass: the model, back to the recording's rate, mono or stereo, the effects after the model; cut to the
/// recording's length.
fn run_model(
    job: &Conversion<'_>,
    source: &Source,
    report: &mut dyn FnMut(Progress),
) -> Result<Spool, PipelineError> {
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
        seed: job.spec.seed,
    };
    job.voice.convert(
        &source.heard,
        &parameters,
        &mut |block| line.process(block, &mut keep),
        &mut |share| {
            report(between(
                JobStage::Inference,
                DECODED_PERCENT,
                CONVERTED_PERCENT,
                share,
            ));
        },
    )?;
    line.finish(&mut keep)?;
    Ok(track.finish()?)
}
