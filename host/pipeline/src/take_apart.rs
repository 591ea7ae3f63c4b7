use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::PipelineError;
use super::apart::{Bench, apart};
use super::intake::{Intake, take_in_to_separate};
use super::output::Steps;
use super::sound::Sound;
use vocalhost_audio::{AudioLimits, WavSamples, WavWriter};
use vocalhost_job::{Chain, InputWarning};
use vocalhost_model::Separator;

/// The share of the time that decoding takes, for the progress.
const DECODED_PERCENT: f64 = 5.0;

/// A recording to be separated by one separator outside of any job.
pub struct TakeApart<'a> {
    /// What takes it apart.
    pub separator: &'a Separator,
    /// The recording.
    pub input: &'a Path,
    /// A folder for spools; the caller removes it.
    pub scratch: &'a Path,
    /// The folder for the stems, made if it is missing; files of the same names are overwritten.
    pub output: &'a Path,
    /// The longest recording to accept.
    pub limits: AudioLimits,
    /// Threads that decode and measure.
    pub threads: usize,
}

/// What came of a recording.
pub struct Stems {
    /// The files, in the order of the stems.
    pub files: Vec<PathBuf>,
    /// What was wrong with the recording that was taken all the same.
    pub warnings: Vec<InputWarning>,
}

/// Writes every stem of the separator's task as a WAV file of 32-bit floats, at the recording's rate and length and in at most two
/// channels: what the graph gives, and the residual, the rest of the recording without that. No gain is applied. `progress` gets the share
/// that is done.
pub fn take_apart(
    job: &TakeApart<'_>,
    progress: &mut dyn FnMut(f64),
) -> Result<Stems, PipelineError> {
    let intake = Intake {
        input: job.input,
        limits: job.limits,
        strict: false,
        pre: &Chain::default(),
        effects: &vocalhost_effects::Catalog::of(Vec::new()),
        spool: job.scratch.join("mix.f32"),
        // Whoever runs a command watches over the disk.
        min_free_bytes: 0,
        percent: DECODED_PERCENT,
        threads: job.threads,
    };
    let taken = take_in_to_separate(&intake, &mut |report| {
        progress(report.percent / 100.0);
    })?;
    let mix = Arc::new(Sound::plain(taken.spool));
    let bench = Bench {
        scratch: job.scratch,
        steps: Steps::Of24Bits,
    };
    let mut separated = |share: f64| {
        let decoded = DECODED_PERCENT / 100.0;
        progress(decoded + (1.0 - decoded) * share);
    };
    let parts = apart(bench, job.separator, &mix, &mut separated)?;
    fs::create_dir_all(job.output)?;
    let mut files = Vec::with_capacity(parts.len());
    for part in &parts {
        let path = job.output.join(format!("{}.wav", part.name));
        let (channels, rate) = (part.sound.channels(), part.sound.sample_rate_hz());
        let mut writer = WavWriter::create_as(WavSamples::Float32, &path, channels, rate)?;
        for block in part.sound.blocks(1.0) {
            writer.write(&*block?)?;
        }
        writer.finish()?;
        files.push(path);
    }
    Ok(Stems {
        files,
        warnings: taken.warnings,
    })
}
