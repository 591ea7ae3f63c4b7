//! Reading the recordings of a training, with the findings that need no model.

use std::path::Path;
use std::sync::Arc;

use super::super::PipelineError;
use super::super::apart::{Bench, apart, part};
use super::super::clean::{clean, separators};
use super::super::intake::{Intake, take_in_to_separate};
use super::super::line::Line;
use super::super::output::Steps;
use super::super::sound::Sound;
use super::super::writing::content_of;
use super::given::{Recording, Train};
use vocalhost_audio::{AudioLimits, Block, Decoder, Mixdown, Resampler, Spool, SpoolWriter};
use vocalhost_job::Chain;
use vocalhost_training::{
    ANALYSIS_HOP, ANALYSIS_RATE_HZ, Bandwidth, Cut, clipped_samples, cut, signal_to_noise_db,
};

/// The rate that models listen at.
const LISTENING_RATE_HZ: u32 = 16_000;

/// The most frames of 10 ms used of a recording that nothing is learned from: two minutes tell who speaks.
const MOST_ALONE: usize = 12_000;

/// A recording without its long silences.
pub struct Taken {
    /// SHA-256 of its file.
    pub sha256: String,
    /// The share of its samples that are clipped.
    pub clipped: f64,
    /// Its signal-to-noise ratio in decibels; none where nothing sounds.
    pub signal_to_noise_db: Option<f64>,
    /// Its bandwidth in hertz.
    pub bandwidth_hz: f64,
    /// What is kept of it.
    pub cut: Cut,
    /// Whether there was more than is used.
    pub is_short: bool,
    /// What is kept, at [`ANALYSIS_RATE_HZ`].
    pub samples: Vec<f32>,
    /// The same as models hear it.
    pub heard: Spool,
}

/// Reads a recording, and isolates and cleans the voice in it. At most `most` frames of it are kept. `progress` gets
/// the share that is done.
pub fn take(
    job: &Train<'_>,
    recording: &Recording,
    (number, most): (usize, usize),
    progress: &mut dyn FnMut(f64),
) -> Result<Taken, PipelineError> {
    let named = |what: &str| job.scratch.join(format!("recording-{number}-{what}.f32"));
    let content = content_of(&recording.path)?;
    let decoded = decode(&recording.path, job.limits, &named("whole"));
    let (mut whole, clipped) = decoded.map_err(|error| match error {
        PipelineError::Decode(source) => PipelineError::Recording {
            name: recording.name.clone(),
            source,
        },
        other => other,
    })?;
    if job.isolating.is_some() || !job.cleaning.is_empty() {
        whole = cleared(job, &recording.path, &named("clear"), progress)?;
        std::fs::remove_file(named("clear"))?;
    }
    let powers = powers(&whole)?;
    let kept = cut(&powers, most);
    let all = cut(&powers, usize::MAX).frames();
    let samples = sounding(&whole, &kept)?;
    drop(whole);
    std::fs::remove_file(named("whole"))?;
    let mut bandwidth = Bandwidth::new(ANALYSIS_RATE_HZ);
    bandwidth.hear(&samples);
    Ok(Taken {
        sha256: content.sha256,
        clipped,
        signal_to_noise_db: signal_to_noise_db(&powers),
        bandwidth_hz: bandwidth.hz(),
        is_short: kept.frames() < all,
        cut: kept,
        heard: listened(&samples, &named("heard"))?,
        samples,
    })
}

/// Passes the sounding parts of a recording that nothing is learned from to `hear`, at 16 kHz.
pub fn take_alone<T>(
    job: &Train<'_>,
    path: &Path,
    hear: impl FnOnce(&Spool) -> Result<T, PipelineError>,
) -> Result<T, PipelineError> {
    let named = |what: &str| job.scratch.join(format!("alone-{what}.f32"));
    let (whole, _) = decode(path, job.limits, &named("whole"))?;
    let kept = cut(&powers(&whole)?, MOST_ALONE);
    let samples = sounding(&whole, &kept)?;
    drop(whole);
    std::fs::remove_file(named("whole"))?;
    let heard = hear(&listened(&samples, &named("heard"))?);
    std::fs::remove_file(named("heard"))?;
    heard
}

/// What is kept of a recording.
fn sounding(whole: &Spool, kept: &Cut) -> Result<Vec<f32>, PipelineError> {
    let mut samples = Vec::with_capacity(kept.frames() * ANALYSIS_HOP);
    for part in &kept.kept {
        let block = whole.read(
            (part.start * ANALYSIS_HOP) as i64,
            part.len() * ANALYSIS_HOP,
        )?;
        samples.extend_from_slice(block.channel(0));
    }
    Ok(samples)
}

/// The recording as one channel at the rate of the analysis, and the share of its samples that are clipped.
fn decode(path: &Path, limits: AudioLimits, into: &Path) -> Result<(Spool, f64), PipelineError> {
    let mut decoder = Decoder::open(path, &limits)?;
    let mut line = Line::default();
    line.push(Mixdown::to_mono());
    line.push(Resampler::new(
        1,
        decoder.info().sample_rate_hz,
        ANALYSIS_RATE_HZ,
    )?);
    let mut spool = SpoolWriter::create(into, 1, ANALYSIS_RATE_HZ)?;
    let mut keep = |block: Block| -> Result<(), PipelineError> { Ok(spool.write(&block)?) };
    let (mut clipped, mut count) = (0, 0);
    while let Some(block) = decoder.next_block()? {
        count += block.as_planar().len() as u64;
        let channels = 0..block.channels();
        clipped += channels
            .map(|channel| clipped_samples(block.channel(channel)))
            .sum::<u64>();
        line.process(block, &mut keep)?;
    }
    line.finish(&mut keep)?;
    Ok((spool.finish()?, clipped as f64 / count.max(1) as f64))
}

/// The voice in a recording, as one channel at the rate of the analysis.
fn cleared(
    job: &Train<'_>,
    path: &Path,
    into: &Path,
    progress: &mut dyn FnMut(f64),
) -> Result<Spool, PipelineError> {
    let intake = Intake {
        input: path,
        limits: job.limits,
        strict: false,
        pre: &Chain::default(),
        effects: &vocalhost_effects::Catalog::of(Vec::new()),
        spool: job.scratch.join("mix.f32"),
        // It needs no more room than the recording at the analysis rate, which is on the disk already.
        min_free_bytes: 0,
        percent: 0.0,
        threads: job.threads,
    };
    let taken = take_in_to_separate(&intake, &mut |_| {})?;
    let mut voice = Arc::new(Sound::plain(taken.spool));
    let bench = Bench {
        scratch: job.scratch,
        steps: Steps::Of24Bits,
    };
    let first = f64::from(u8::from(job.isolating.is_some()));
    let passes = first + separators(job.cleaning).len() as f64;
    if let Some(separator) = job.isolating {
        let parts = apart(bench, separator, &voice, &mut |share| {
            progress(share / passes);
        })?;
        voice = part(&parts, "vocals")?;
    }
    let cleaned = clean(bench, job.cleaning, &voice, &mut |share| {
        progress((first + (passes - first) * share) / passes);
    })?;
    let mut line = Line::default();
    line.push(Mixdown::to_mono());
    let rate_hz = cleaned.voice.sample_rate_hz();
    line.push(Resampler::new(1, rate_hz, ANALYSIS_RATE_HZ)?);
    let mut spool = SpoolWriter::create(into, 1, ANALYSIS_RATE_HZ)?;
    let mut keep = |block: Block| -> Result<(), PipelineError> { Ok(spool.write(&block)?) };
    for block in cleaned.voice.blocks(1.0) {
        line.process(Arc::unwrap_or_clone(block?), &mut keep)?;
    }
    line.finish(&mut keep)?;
    Ok(spool.finish()?)
}

/// The mean square of every frame of 10 ms.
fn powers(spool: &Spool) -> Result<Vec<f64>, PipelineError> {
    /// Frames that are read at a time.
    const BLOCK: u64 = 1_000;
    let frames = spool.frames() / ANALYSIS_HOP as u64;
    let mut powers = Vec::with_capacity(frames as usize);
    for first in (0..frames).step_by(BLOCK as usize) {
        let count = BLOCK.min(frames - first) as usize * ANALYSIS_HOP;
        let block = spool.read((first * ANALYSIS_HOP as u64) as i64, count)?;
        let hops = block.channel(0).chunks_exact(ANALYSIS_HOP);
        powers.extend(hops.map(|hop| {
            let squares = hop.iter().map(|sample| f64::from(*sample).powi(2));
            squares.sum::<f64>() / ANALYSIS_HOP as f64
        }));
    }
    Ok(powers)
}

fn listened(samples: &[f32], into: &Path) -> Result<Spool, PipelineError> {
    let mut line = Line::default();
    line.push(Resampler::new(1, ANALYSIS_RATE_HZ, LISTENING_RATE_HZ)?);
    let mut spool = SpoolWriter::create(into, 1, LISTENING_RATE_HZ)?;
    let mut keep = |block: Block| -> Result<(), PipelineError> { Ok(spool.write(&block)?) };
    for piece in samples.chunks(1 << 16) {
        line.process(Block::from_planar(1, piece.to_vec()), &mut keep)?;
    }
    line.finish(&mut keep)?;
    Ok(spool.finish()?)
}
