use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempPath;

use super::KitError;
use super::levels::Levels;
use super::output::{check_extension, keep, unfinished};
use super::settings::Settings;
use vocalhost_audio::{AudioLimits, Block, DecodeError, Decoder, Stage as _, WavWriter};
use vocalhost_effects::{Effect, EffectStage, MAX_FRAMES, StreamConfig};

/// What counts as silence in the tail, as a magnitude: -120 dBFS, a hundredth of a step of 16 bits.
const SILENCE: f32 = 1e-6;
/// Seconds without sound after which a tail is over: longer than the ten seconds that an echo may take to come.
const SILENT_S: u64 = 11;
/// Seconds of tail at most; a feedback at unity has no end.
const MAX_TAIL_S: u64 = 60;

/// What is to be listened to.
pub struct Listening<'a> {
    /// The recording: wav, mp3 or flac.
    pub input: &'a Path,
    /// Where the result goes, a WAV file of 24 bits.
    pub output: &'a Path,
    /// Whether the result goes on after the recording's end until it has faded out.
    pub with_tail: bool,
    /// The longest recording.
    pub limits: AudioLimits,
}

/// A result that is written but not yet in its place: dropping it deletes it.
#[derive(Debug)]
pub struct Listened {
    report: RunReport,
    written: TempPath,
    output: PathBuf,
}

/// What a run did.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    /// Frames per second of recording and result.
    pub sample_rate_hz: u32,
    /// Channels of recording and result.
    pub channels: usize,
    /// Frames of the recording.
    pub frames: u64,
    /// Frames of the result beyond the recording's end.
    pub tail_frames: u64,
    /// Frames by which the effect lags, which are taken out.
    pub latency_frames: usize,
    /// The recording.
    pub before: Levels,
    /// The result.
    pub after: Levels,
    /// Time that the effect took, without decoding and writing.
    pub work: Duration,
}

impl RunReport {
    /// Seconds of a number of frames.
    #[must_use]
    pub fn seconds(&self, frames: u64) -> f64 {
        frames as f64 / f64::from(self.sample_rate_hz)
    }

    /// Seconds of sound per second of work.
    #[must_use]
    pub fn times_real_time(&self) -> f64 {
        self.seconds(self.frames + self.tail_frames) / self.work.as_secs_f64().max(1e-9)
    }
}

/// Sends a recording through an effect as a job would: at its own rate, with its own channels, aligned to the frame.
///
/// `progress` gets the share that is done, if the length is known beforehand.
pub fn listen(
    effect: &Effect,
    settings: &Settings,
    listening: &Listening<'_>,
    progress: &mut dyn FnMut(f64),
) -> Result<Listened, KitError> {
    check_names(listening)?;
    let unreadable = |source: DecodeError| KitError::Decode {
        path: listening.input.to_owned(),
        source,
    };
    let mut decoder = Decoder::open(listening.input, &listening.limits).map_err(unreadable)?;
    let info = decoder.info().clone();
    let stage = effect.start(&StreamConfig {
        sample_rate_hz: info.sample_rate_hz,
        channels: info.channels,
        settings: settings.clone(),
    })?;
    let mut run = Run::begin(stage, listening, info.channels, info.sample_rate_hz)?;
    while let Some(block) = decoder.next_block().map_err(unreadable)? {
        run.process(block)?;
        if let Some(duration_s) = info.duration_s {
            progress((decoder.position_s() / duration_s).min(1.0));
        }
    }
    run.finish(listening)
}

/// A stream on its way into a file.
struct Run {
    stage: EffectStage,
    writer: WavWriter,
    written: TempPath,
    output: PathBuf,
    report: RunReport,
}

impl Run {
    fn begin(
        stage: EffectStage,
        listening: &Listening<'_>,
        channels: usize,
        sample_rate_hz: u32,
    ) -> Result<Self, KitError> {
        let output = listening.output.to_owned();
        let written = unfinished(&output)?;
        let writer = WavWriter::create(&written, channels, sample_rate_hz).map_err(|source| {
            KitError::Encode {
                path: output.clone(),
                source,
            }
        })?;
        Ok(Self {
            report: RunReport {
                sample_rate_hz,
                channels,
                frames: 0,
                tail_frames: 0,
                latency_frames: stage.latency(),
                before: Levels::default(),
                after: Levels::default(),
                work: Duration::ZERO,
            },
            stage,
            writer,
            written,
            output,
        })
    }

    fn process(&mut self, block: Block) -> Result<(), KitError> {
        self.report.frames += block.frames() as u64;
        self.report.before.add(&block);
        let answer = self.work(|stage| stage.process(block))?;
        self.write(&answer)
    }

    fn finish(mut self, listening: &Listening<'_>) -> Result<Listened, KitError> {
        let rest = self.work(EffectStage::flush)?;
        self.write(&rest)?;
        if listening.with_tail {
            self.follow_tail()?;
        }
        self.writer.finish().map_err(|source| KitError::Encode {
            path: self.output.clone(),
            source,
        })?;
        Ok(Listened {
            report: self.report,
            written: self.written,
            output: self.output,
        })
    }

    /// Feeds silence until nothing was audible for [`SILENT_S`], and keeps everything up to the last audible frame.
    fn follow_tail(&mut self) -> Result<(), KitError> {
        let rate = u64::from(self.report.sample_rate_hz);
        let mut unheard: Vec<Block> = Vec::new();
        let mut unheard_frames = 0;
        while self.report.tail_frames < MAX_TAIL_S * rate && unheard_frames < SILENT_S * rate {
            let silence = Block::silent(self.report.channels, MAX_FRAMES);
            let block = self.work(|stage| stage.process(silence))?;
            let Some(end) = audible_frames(&block) else {
                unheard_frames += block.frames() as u64;
                unheard.push(block);
                continue;
            };
            for earlier in unheard.drain(..) {
                self.report.tail_frames += earlier.frames() as u64;
                self.write(&earlier)?;
            }
            // The rest of the block is faint, and is held back in case more follows.
            let (heard, rest) = split(&block, end);
            self.report.tail_frames += heard.frames() as u64;
            self.write(&heard)?;
            unheard_frames = rest.frames() as u64;
            unheard.push(rest);
        }
        Ok(())
    }

    fn work<E>(
        &mut self,
        work: impl FnOnce(&mut EffectStage) -> Result<Block, E>,
    ) -> Result<Block, E> {
        let begun = Instant::now();
        let answer = work(&mut self.stage);
        self.report.work += begun.elapsed();
        answer
    }

    fn write(&mut self, block: &Block) -> Result<(), KitError> {
        if block.is_empty() {
            return Ok(());
        }
        self.report.after.add(block);
        self.writer.write(block).map_err(|source| KitError::Encode {
            path: self.output.clone(),
            source,
        })
    }
}

impl Listened {
    /// What happened.
    #[must_use]
    pub fn report(&self) -> &RunReport {
        &self.report
    }

    /// The file with the result, until it is put in its place.
    #[must_use]
    pub fn written(&self) -> &Path {
        &self.written
    }

    /// Puts the result in its place, whole.
    pub fn keep(self) -> Result<RunReport, KitError> {
        keep(self.written, &self.output)?;
        Ok(self.report)
    }
}

fn check_names(listening: &Listening<'_>) -> Result<(), KitError> {
    check_extension(listening.output, "wav")?;
    let same = |path: &Path| std::fs::canonicalize(path).ok();
    if same(listening.input).is_some_and(|input| same(listening.output) == Some(input)) {
        return Err(KitError::OwnInput {
            path: listening.output.to_owned(),
        });
    }
    Ok(())
}

/// How many frames of the block there are up to its last audible one.
fn audible_frames(block: &Block) -> Option<usize> {
    let last = |channel| {
        let samples: &[f32] = block.channel(channel);
        samples.iter().rposition(|sample| sample.abs() >= SILENCE)
    };
    (0..block.channels())
        .filter_map(last)
        .max()
        .map(|frame| frame + 1)
}

fn split(block: &Block, frame: usize) -> (Block, Block) {
    let part = |frames: std::ops::Range<usize>| {
        let channels = (0..block.channels()).map(|channel| &block.channel(channel)[frames.clone()]);
        Block::from_planar(block.channels(), channels.flatten().copied().collect())
    };
    (part(0..frame), part(frame..block.frames()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_cut_behind_its_last_audible_frame() {
        let block = Block::from_planar(2, vec![0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1e-5, 1e-7]);
        assert_eq!(audible_frames(&block), Some(3));
        let (heard, rest) = split(&block, 3);
        assert_eq!(heard.as_planar(), [0.0, 0.5, 0.0, 0.0, 0.0, 1e-5]);
        assert_eq!(rest.as_planar(), [0.0, 1e-7]);
        assert_eq!(audible_frames(&rest), None);
    }
}
