use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use super::PipelineError;
use super::chain::{add_effects, between};
use super::line::Line;
use super::room;
use super::warnings::warnings_of;
use vocalhost_audio::{
    AudioInfo, AudioLimits, Block, Decoder, Loudness, LoudnessMeter, Mixdown, Spool, SpoolWriter,
};
use vocalhost_job::{Chain, InputWarning, JobStage, Progress};
use vocalhost_system::work::Part;

/// How many blocks decoding may be ahead.
const AHEAD: usize = 16;

/// The first pass of a job on a recording: decoding, and the effects before the model.
pub struct Intake<'a> {
    /// The recording.
    pub input: &'a Path,
    /// The longest recording to accept.
    pub limits: AudioLimits,
    /// Whether a recording that is cut or damaged is an error.
    pub strict: bool,
    /// Effects on the recording, at its own rate and channels.
    pub pre: &'a Chain,
    /// The effects that the chain may name.
    pub effects: &'a vocalhost_effects::Catalog,
    /// Where the spool is written.
    pub spool: PathBuf,
    /// How many bytes have to stay free on the disk of the spool; 0 means no limit.
    pub min_free_bytes: u64,
    /// The progress of the job when this pass is over; it begins at 0.
    pub percent: f64,
    /// Threads: with more than one, decoding and measuring have one each. The result does not depend on their number.
    pub threads: usize,
}

/// A recording that was taken in.
pub struct Taken {
    /// What it is.
    pub info: AudioInfo,
    /// Its frames, counted as they were decoded.
    pub frames: u64,
    /// How loud it is, before any effect.
    pub loudness: Loudness,
    /// What was found wrong with it.
    pub warnings: Vec<InputWarning>,
    /// The sound after the effects, in the shape that was asked for.
    pub spool: Spool,
}

/// Appends to a line what brings a recording into the shape of a spool, and gives the spool's channels and rate.
pub type Shape<'a> = dyn Fn(&AudioInfo, &mut Line) -> Result<(usize, u32), PipelineError> + 'a;

/// Takes a recording in. `shape` appends what goes between the effects and the spool, and says how many channels the
/// spool has and at what rate.
pub fn take_in(
    intake: &Intake<'_>,
    shape: &Shape<'_>,
    report: &mut dyn FnMut(Progress),
) -> Result<Taken, PipelineError> {
    report(between(JobStage::Decoding, 0.0, intake.percent, 0.0));
    let stage = if intake.pre.is_empty() {
        JobStage::Decoding
    } else {
        JobStage::Effects
    };
    let decoder = Decoder::open(intake.input, &intake.limits)?.strictly(intake.strict);
    let info = decoder.info().clone();
    let (rate, channels) = (info.sample_rate_hz, info.channels);
    let mut line = Line::default();
    add_effects(&mut line, intake.pre, intake.effects, rate, channels)?;
    let shaped = shape(&info, &mut line)?;
    let folder = intake.spool.parent().unwrap_or(Path::new("."));
    room::check(folder, &info, shaped, intake.min_free_bytes)?;
    let mut spool = SpoolWriter::create(&intake.spool, shaped.0, shaped.1)?;
    let mut keep = |block: Block| -> Result<(), PipelineError> { Ok(spool.write(&block)?) };
    let meter = LoudnessMeter::new(channels, rate, info.speakers);
    let mut frames = 0;
    let hearing = Hearing { decoder, meter };
    let hearing = hearing.listen(intake.threads, &mut |block| {
        frames += block.frames() as u64;
        line.process(block, &mut keep)?;
        if let Some(total) = info.frames.filter(|total| *total > 0) {
            let share = frames as f64 / total as f64;
            report(between(stage, 0.0, intake.percent, share));
        }
        Ok(())
    })?;
    line.finish(&mut keep)?;
    Ok(Taken {
        info,
        frames,
        loudness: hearing.meter.measured(),
        warnings: warnings_of(hearing.decoder.findings()),
        spool: spool.finish()?,
    })
}

/// A recording on its way from its file.
struct Hearing {
    decoder: Decoder,
    meter: LoudnessMeter,
}

impl Hearing {
    /// Passes every block to `take`, on the caller's thread, and measures it.
    fn listen(
        mut self,
        threads: usize,
        take: &mut dyn FnMut(Block) -> Result<(), PipelineError>,
    ) -> Result<Self, PipelineError> {
        if threads <= 1 {
            while let Some(block) = Part::Decode.count(|| self.decoder.next_block())? {
                Part::Measure.count(|| self.meter.listen(&block));
                take(block)?;
            }
            return Ok(self);
        }
        let Self {
            mut decoder,
            mut meter,
        } = self;
        let (give, blocks) = mpsc::sync_channel::<Block>(AHEAD);
        let (show, shown) = mpsc::sync_channel::<Block>(AHEAD);
        thread::scope(|scope| {
            let decoding = scope.spawn(move || -> Result<Decoder, PipelineError> {
                while let Some(block) = Part::Decode.count(|| decoder.next_block())? {
                    // A receiver that is gone has failed, and its error is returned below.
                    if show.send(block.clone()).is_err() || give.send(block).is_err() {
                        break;
                    }
                }
                Ok(decoder)
            });
            let measuring = scope.spawn(move || {
                for block in shown {
                    Part::Measure.count(|| meter.listen(&block));
                }
                meter
            });
            // Taken by value, so that the decoder's thread ends when this does.
            let taken = blocks.into_iter().try_for_each(take);
            let (decoder, meter) = (joined(decoding), joined(measuring));
            taken?;
            Ok(Self {
                decoder: decoder?,
                meter,
            })
        })
    }
}

/// What a thread gave; its panic is the caller's.
fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// Takes in a recording at its own rate and in at most two channels, as separators need it. The spool's name is already deleted.
pub fn take_in_to_separate(
    intake: &Intake<'_>,
    report: &mut dyn FnMut(Progress),
) -> Result<Taken, PipelineError> {
    let shape = |info: &AudioInfo, line: &mut Line| {
        if info.channels > 2 {
            line.push(Mixdown::to_stereo_from(info.speakers));
        }
        Ok((info.channels.min(2), info.sample_rate_hz))
    };
    let taken = take_in(intake, &shape, report)?;
    fs::remove_file(&intake.spool)?;
    Ok(taken)
}
