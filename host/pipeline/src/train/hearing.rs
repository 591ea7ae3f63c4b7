//! The features that models extract from recordings, and the curves that a voice is to reproduce.

use super::super::PipelineError;
use super::super::threads::Threads;
use super::findings::{HeardOfAll, findings};
use super::given::Train;
use super::intake::Taken;
use super::who::who_speaks;
use vocalhost_job::TrainingFinding;
use vocalhost_model::{Heard, Listener};
use vocalhost_training::{ANALYSIS_RATE_HZ, Apart, CONTENT, Curves, Speakers, Take, Targets};

/// Frames whose curves are drawn at a time.
const FRAMES: usize = 400;
/// The share of the time that models listen.
const LISTENING: f64 = 0.5;

/// Less than this is not heard: a fifth of a second.
const LEAST_SAMPLES: usize = ANALYSIS_RATE_HZ as usize / 5;

/// What is heard of silence.
fn nothing() -> Heard {
    Heard {
        content: Vec::new(),
        width: CONTENT,
        f0_hz: Vec::new(),
        gain: 1.0,
    }
}

/// Extracts the features of the recordings. Returns warnings along with them; any other finding is the error.
pub fn hear(
    job: &Train<'_>,
    listener: &Listener,
    taken: &[Taken],
    progress: &mut dyn FnMut(f64),
) -> Result<(Vec<Take>, Vec<TrainingFinding>), PipelineError> {
    let all = taken
        .iter()
        .map(|taken| taken.cut.frames())
        .sum::<usize>()
        .max(1) as f64;
    let (mut heard, mut done) = (Vec::new(), 0.0);
    for taken in taken {
        let share = taken.cut.frames() as f64 / all;
        if taken.samples.len() < LEAST_SAMPLES {
            heard.push(nothing());
            continue;
        }
        heard.push(listener.hear(&taken.heard, &mut |own| {
            progress(LISTENING * (done + share * own));
        })?);
        done += share;
    }
    let pitches: Vec<Vec<f32>> = heard.iter().map(|heard| heard.f0_hz.clone()).collect();
    let together = HeardOfAll {
        pitches: &pitches,
        apart: apart(taken, &heard),
        most_minutes: job.most_minutes,
        who: who_speaks(job, taken)?,
    };
    let found = findings(job.recordings, taken, &together);
    if found.iter().any(|finding| !finding.code.is_warning()) {
        return Err(PipelineError::Unfit(found));
    }
    let threads = Threads::of(job.threads)?;
    let (mut takes, mut done) = (Vec::new(), 0.0);
    for (taken, heard) in taken.iter().zip(heard) {
        takes.push(take(taken, heard, &threads)?);
        done += taken.cut.frames() as f64 / all;
        progress(LISTENING + (1.0 - LISTENING) * done);
    }
    Ok((takes, found))
}

/// How far parts of the recordings are apart.
fn apart(taken: &[Taken], heard: &[Heard]) -> Apart {
    let mut speakers = Speakers::default();
    for (taken, heard) in taken.iter().zip(heard) {
        let content: &[f32] = match heard.width {
            CONTENT => &heard.content,
            _ => &[],
        };
        speakers.hear(&taken.samples, content);
    }
    speakers.apart()
}

fn take(taken: &Taken, heard: Heard, threads: &Threads) -> Result<Take, PipelineError> {
    let gain = heard.gain as f32;
    let samples: Vec<f32> = taken.samples.iter().map(|sample| sample * gain).collect();
    let frames = taken.cut.frames().min(heard.f0_hz.len());
    let starts: Vec<usize> = (0..frames).step_by(FRAMES).collect();
    let curves = threads.turn(starts, |start| -> Result<Vec<Curves>, PipelineError> {
        let mut targets = Targets::new(taken.bandwidth_hz);
        let part = start..(start + FRAMES).min(frames);
        let curves = part.map(|frame| targets.at(&samples, frame, f64::from(heard.f0_hz[frame])));
        Ok(curves.collect())
    })?;
    let content = match heard.width {
        CONTENT => heard.content,
        _ => Vec::new(),
    };
    Ok(Take {
        content,
        f0_hz: heard.f0_hz,
        curves: curves.concat(),
        stretches: taken.cut.stretches.clone(),
    })
}
