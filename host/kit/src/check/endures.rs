use vocalhost_effects::Processor;

use super::report::Verdict;
use super::signals::{difference, ordinary};
use super::subject::{RATE_HZ, Stop, Subject, defaults};

/// Seconds of sound.
const DURATION_S: usize = 90;
/// Frames of the sound that is played over and over: no multiple of a block, so that calls fall differently on it.
const PHRASE_FRAMES: usize = 5 * RATE_HZ as usize + 1_234;
/// Parts of the whole after which the memory is looked at.
const PARTS: usize = 4;
/// Frames compared after the reset at the end.
const AFTER_FRAMES: usize = 24_000;
/// Minutes for which growth at a constant pace must leave room.
const ROOM_MINUTES: f64 = 60.0;

/// A minute and a half of sound in a job's blocks, then a reset, after which all must be as in the first second.
pub(super) fn endurance(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    let setup = defaults(RATE_HZ, subject.layout());
    let inputs = setup.config.layout.inputs;
    let opening = ordinary(inputs, AFTER_FRAMES, 5);
    let fresh = subject.start(&setup)?.play_whole(&opening)?;

    let mut line = subject.start(&setup)?;
    let phrase = ordinary(inputs, PHRASE_FRAMES, 1);
    let phrases = (DURATION_S * RATE_HZ as usize).div_ceil(PHRASE_FRAMES);
    let latency = line.ask(Processor::latency)?;
    let mut memory = Vec::new();
    for count in 1..=phrases {
        let played = line.play_whole(&phrase);
        if matches!(played, Err(Stop::Exhausted)) {
            verdict.note(format!(
                "only {} s of sound were played: the work allowed for one check was done",
                count * PHRASE_FRAMES / RATE_HZ as usize
            ));
            return Ok(());
        }
        played?;
        if count.is_multiple_of(phrases / PARTS) {
            memory.push(line.processor.memory_bytes());
        }
    }
    growth(&memory, subject, verdict);
    if line.ask(Processor::latency)? != latency {
        verdict.fail("its latency changes in the course of a minute; it must stay constant");
    }
    line.ask(Processor::reset)?;
    if let Some(place) = difference(&fresh, &line.play_whole(&opening)?) {
        verdict.fail(format!(
            "{setup}: from fresh and after {DURATION_S} s of sound and a reset {place}; clear counters and phases too"
        ));
    }
    Ok(())
}

/// Memory that grows in every part of the test will run out in the end.
fn growth(memory: &[usize], subject: &Subject, verdict: &mut Verdict) {
    let steady = memory.windows(2).all(|pair| pair[1] > pair[0]);
    let (Some(first), Some(last)) = (memory.first(), memory.last()) else {
        return;
    };
    if !steady || memory.len() < PARTS {
        return;
    }
    let minutes = DURATION_S as f64 / 60.0 * (PARTS - 1) as f64 / PARTS as f64;
    let per_minute = (last - first) as f64 / minutes;
    let left = (subject.limits.memory_bytes - last) as f64 / per_minute;
    let sentence = format!(
        "its memory grows by {:.0} KiB a minute and is full after {left:.0} minutes; free what each call allocates",
        per_minute / 1024.0
    );
    if left < ROOM_MINUTES {
        verdict.fail(sentence);
    } else {
        verdict.note(sentence);
    }
}

/// The most memory that any check saw.
#[allow(clippy::unnecessary_wraps, reason = "every check has this signature")]
pub(super) fn memory(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    const MIB: f64 = 1_048_576.0;
    let (peak, place) = subject.memory_peak();
    let limit = subject.limits.memory_bytes;
    verdict.measured = Some(format!(
        "at most {:.1} of {:.0} MiB",
        peak as f64 / MIB,
        limit as f64 / MIB
    ));
    if peak > limit {
        verdict.fail(format!(
            "{place}: {peak} bytes, at most {limit}; allocate less"
        ));
    } else if peak > limit / 2 {
        verdict.note(format!(
            "{place}: {:.1} MiB, more than half of what an effect may have; a recording with more channels may not fit",
            peak as f64 / MIB
        ));
    }
    Ok(())
}
