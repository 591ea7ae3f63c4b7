//! Isolating the vocals of a song for the voice, cleaned if that was asked for. The rest of the song goes under the converted voice
//! afterwards.

use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use super::PipelineError;
use super::apart::{Bench, apart, part, without};
use super::chain::{add_effects, between};
use super::clean::{self, clean};
use super::convert::Conversion;
use super::intake::{Intake, Taken, take_in_to_separate};
use super::line::Line;
use super::output::OutputFiles;
use super::sound::Sound;
use vocalhost_audio::{AudioInfo, Block, Lost, Mixdown, Resampler, Spool, SpoolWriter};
use vocalhost_job::{Chain, CleanStep, JobStage, Progress};

/// Shares of the work on a whole song, by the measured time of each pass.
const DECODED_PERCENT: f64 = 5.0;
pub const ISOLATED_PERCENT: f64 = 40.0;

/// A recording with the part that the voice converts.
pub struct Isolated {
    /// That part, as the voice hears it.
    pub source: Taken,
    /// The song that it was sung in, where the recording is one.
    pub song: Option<Song>,
}

/// A song taken apart, in its channels and at its rate.
pub struct Song {
    /// The vocals as they were, without the voices that stay in the backing.
    pub vocals: Arc<Sound>,
    /// The rest.
    pub backing: Arc<Sound>,
}

/// Takes the vocals out of the recording, cleans them, and sends them through the effects before the model.
pub fn isolate(
    job: &Conversion<'_>,
    source: &Path,
    report: &mut dyn FnMut(Progress),
) -> Result<Isolated, PipelineError> {
    let intake = Intake {
        input: job.input,
        limits: job.limits,
        strict: job.spec.strict_input,
        pre: &Chain::default(),
        effects: job.effects,
        spool: job.scratch.join("mix.f32"),
        min_free_bytes: job.min_free_bytes,
        percent: DECODED_PERCENT,
        threads: job.threads,
    };
    let taken = take_in_to_separate(&intake, report)?;
    let mix = Arc::new(Sound::plain(taken.spool));
    let bench = Bench {
        scratch: job.scratch,
        steps: OutputFiles::of(job.spec.output).steps(),
    };
    let behind = clean::separators(job.cleaning).len() as f64;
    let first = f64::from(u8::from(job.isolating.is_some()));
    let mut inference = |done: f64| {
        let (from, to) = (DECODED_PERCENT, ISOLATED_PERCENT);
        let share = done / (first + behind);
        report(between(JobStage::Inference, from, to, share));
    };
    let mut song = None;
    let mut sung = Arc::clone(&mix);
    if let Some(separator) = job.isolating {
        let parts = apart(bench, separator, &mix, &mut |share| inference(share))?;
        sung = part(&parts, "vocals")?;
        song = Some(Song {
            vocals: Arc::clone(&sung),
            backing: part(&parts, "backing")?,
        });
    }
    let cleaned = clean(bench, job.cleaning, &sung, &mut |share| {
        inference(first + behind * share);
    })?;
    if let (Some(song), Some(harmony)) = (&mut song, cleaned.taken_by(CleanStep::Lead)) {
        song.vocals = without(&song.vocals, vec![Arc::clone(&harmony)]);
        song.backing = Arc::new(Sound::Mixed {
            parts: vec![Arc::clone(&song.backing), harmony],
        });
    }
    let spool = hear(job, &cleaned.voice, source)?;
    let info = AudioInfo {
        channels: mix.channels(),
        speakers: None,
        ..taken.info
    };
    Ok(Isolated {
        source: Taken {
            info,
            frames: taken.frames,
            loudness: taken.loudness,
            warnings: taken.warnings,
            spool,
        },
        song,
    })
}

/// The sound as the voice hears it. Channels of opposite polarity would cancel each other, so they are folded to their difference.
fn hear(job: &Conversion<'_>, sound: &Arc<Sound>, path: &Path) -> Result<Spool, PipelineError> {
    let lost = Rc::<Lost>::default();
    let spool = listen(job, sound, path, Mixdown::to_mono_noting(&lost))?;
    if !lost.is_nearly_all() {
        return Ok(spool);
    }
    drop(spool);
    fs::remove_file(path)?;
    listen(job, sound, path, Mixdown::to_difference())
}

/// A sound after the effects before the model, folded to one channel, at the rate of the voice.
fn listen(
    job: &Conversion<'_>,
    sound: &Arc<Sound>,
    path: &Path,
    fold: Mixdown,
) -> Result<Spool, PipelineError> {
    let (given_hz, rate) = (sound.sample_rate_hz(), job.voice.source_rate_hz());
    let mut line = Line::default();
    add_effects(
        &mut line,
        &job.spec.pre,
        job.effects,
        given_hz,
        sound.channels(),
    )?;
    line.push(fold);
    line.push(Resampler::new(1, given_hz, rate)?);
    let mut spool = SpoolWriter::create(path, 1, rate)?;
    let mut keep = |block: Block| -> Result<(), PipelineError> { Ok(spool.write(&block)?) };
    for block in sound.blocks(1.0) {
        line.process(Arc::unwrap_or_clone(block?), &mut keep)?;
    }
    line.finish(&mut keep)?;
    Ok(spool.finish()?)
}
