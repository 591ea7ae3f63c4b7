use vocalhost_effects::Processor;

use super::report::Verdict;
use super::signals::{difference, hostile, ordinary};
use super::subject::{RATE_HZ, Setup, Stop, Subject, defaults};
use super::variants::offered;

/// Frames of the sound before and after.
const FRAMES: usize = 12_288;
/// Frames of sound when the reset comes in the middle of everything: no multiple of any block.
const ODD_FRAMES: usize = 7_777;

/// Sound after a reset against sound from fresh, bit for bit.
pub(super) fn check(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    for variant in offered(subject.descriptor()) {
        let setup = subject.setup(RATE_HZ, &variant.said, &variant.settings);
        compare(subject, &setup, verdict)?;
    }
    for layout in subject.layouts() {
        if layout != subject.layout() {
            compare(subject, &defaults(RATE_HZ, layout), verdict)?;
        }
    }
    Ok(())
}

fn compare(subject: &Subject, setup: &Setup, verdict: &mut Verdict) -> Result<(), Stop> {
    let inputs = setup.config.layout.inputs;
    let sound = ordinary(inputs, FRAMES, 1);
    let fresh = subject.start(setup)?.play_whole(&sound)?;

    let mut line = subject.start(setup)?;
    line.play(&ordinary(inputs, ODD_FRAMES, 2), &[1_000])?;
    line.ask(Processor::reset)?;
    let after_sound = line.play_whole(&sound)?;
    line.ask(Processor::reset)?;
    line.ask(Processor::reset)?;
    let after_two = line.play_whole(&sound)?;
    let mut answers = vec![("sound", after_sound), ("two resets", after_two)];
    // An effect that fails on hostile sound is reported by another check.
    if hostile(inputs, 1_000)
        .iter()
        .all(|(_, sound)| line.play_whole(sound).is_ok())
    {
        line.ask(Processor::reset)?;
        answers.push(("samples of 1e30", line.play_whole(&sound)?));
    }
    for (past, answer) in answers {
        if let Some(place) = difference(&fresh, &answer) {
            verdict.fail(format!(
                "{setup}: from fresh and after {past} and a reset {place}; clear every delay line, filter, envelope, phase \
                 and counter in `reset`"
            ));
            return Ok(());
        }
    }
    Ok(())
}
