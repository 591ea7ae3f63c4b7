//! What is sung in a song, taken out of it for the voice; the rest goes under the voice afterwards.

use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use super::PipelineError;
use super::chain::{add_effects, between};
use super::convert::Conversion;
use super::intake::{Intake, Taken, take_in_to_separate};
use super::line::Line;
use super::output::OutputFiles;
use super::separate::{Bench, apart, part};
use super::sound::Sound;
use vocalhost_audio::{AudioInfo, Block, Lost, Mixdown, Resampler, Spool, SpoolWriter};
use vocalhost_job::{Chain, JobStage, Progress};
use vocalhost_model::Separator;

/// Shares of the work on a whole song, by the measured time of each pass.
const DECODED_PERCENT: f64 = 5.0;
pub const ISOLATED_PERCENT: f64 = 40.0;

/// A song taken apart.
pub struct Isolated {
    /// What is sung, as the voice hears it.
    pub source: Taken,
    /// What is sung, in the song's channels and at its rate.
    pub vocals: Arc<Sound>,
    /// The rest.
    pub backing: Arc<Sound>,
}

/// Takes the song apart, and sends what is sung through the effects before the model.
pub fn isolate(
    job: &Conversion<'_>,
    separator: &Separator,
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
    let parts = apart(bench, separator, &mix, &mut |share| {
        report(between(
            JobStage::Inference,
            DECODED_PERCENT,
            ISOLATED_PERCENT,
            share,
        ));
    })?;
    let vocals = part(&parts, "vocals")?;
    let lost = Rc::<Lost>::default();
    let mut spool = listen(job, &vocals, source, Mixdown::to_mono_noting(&lost))?;
    if lost.is_nearly_all() {
        drop(spool);
        fs::remove_file(source)?;
        spool = listen(job, &vocals, source, Mixdown::to_difference())?;
    }
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
        vocals,
        backing: part(&parts, "backing")?,
    })
}

/// A sound behind the effects before the model, folded to one channel and at the rate of the voice.
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
