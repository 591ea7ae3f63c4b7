//! Whether an effect has the latency that it declares.
//!
//! The host drops as many frames from the front as an effect declares as its latency, so that all effects stay aligned. From outside,
//! latency can be measured only if the answer resembles the input. So that no honest effect fails, the rule applies only when the answer is
//! a shifted copy of the input, except for about a tenth of its amplitude (a correlation of at least [`ALIKE`]). The shift must then lie
//! between the latency (a smaller one would mean that the effect knows the future) and the end of the tail. An effect that answers with an
//! echo alone therefore passes, and so does a filter that rings before the sound; one that delays everything without declaring it does not.

use vocalhost_audio::Block;
use vocalhost_effects::{Processor, Tail};

use super::report::Verdict;
use super::signals::{ordinary, white};
use super::spectrum::likeness;
use super::subject::{RATE_HZ, Setup, Stop, Subject};
use super::variants::offered;

/// Frames of noise that are looked for in the answer.
const NOISE_FRAMES: usize = 32_768;
/// Frames beyond the latency in which they are looked for.
const SEARCHED_FRAMES: usize = RATE_HZ as usize;
/// Correlation from which the answer counts as the input moved.
const ALIKE: f64 = 0.9;
/// Frames by which a filter's phase may move the peak of the correlation.
const SLACK: usize = 2;
/// Latencies beyond the host's own limit are not searched for.
const LONGEST: usize = 2 * RATE_HZ as usize;

pub(super) fn check(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    for variant in offered(subject.descriptor()) {
        let setup = subject.setup(RATE_HZ, &variant.said, &variant.settings);
        let found = measure(subject, &setup, verdict)?;
        verdict.measured.get_or_insert(found);
    }
    Ok(())
}

/// Fails what does not fit, and says what was measured.
fn measure(subject: &Subject, setup: &Setup, verdict: &mut Verdict) -> Result<String, Stop> {
    let inputs = setup.config.layout.inputs;
    let mut line = subject.start(setup)?;
    let latency = line.ask(Processor::latency)?;
    let tail = line.ask(Processor::tail)?;
    if latency as usize > LONGEST {
        return Ok(format!("{latency} frames"));
    }
    let length = NOISE_FRAMES + latency as usize + SEARCHED_FRAMES;
    let mut sound = Block::silent(inputs as usize, length);
    let noise = white(inputs, NOISE_FRAMES);
    for channel in 0..noise.channels() {
        // Below full scale, so that limiters and gates leave it as it is.
        let quiet = noise.channel(channel).iter().map(|sample| 0.25 * sample);
        for (target, sample) in sound.channel_mut(channel).iter_mut().zip(quiet) {
            *target = sample;
        }
    }
    let answer = line.play_whole(&sound)?;
    line.play_whole(&ordinary(inputs, RATE_HZ as usize / 2, 1))?;
    let later = line.ask(Processor::latency)?;
    line.ask(Processor::reset)?;
    if later != latency || line.ask(Processor::latency)? != latency {
        verdict.fail(format!(
            "{setup}: its latency was {latency} and then {later} frames; it must stay constant for a processor's life"
        ));
    }
    Ok(compare(setup, (latency, tail), (&sound, &answer), verdict))
}

fn compare(
    setup: &Setup,
    (latency, tail): (u32, Tail),
    (sound, answer): (&Block, &Block),
    verdict: &mut Verdict,
) -> String {
    let (lag, alike) = likeness(&sound.channel(0)[..NOISE_FRAMES], answer.channel(0));
    let latency = latency as usize;
    if alike < ALIKE {
        return format!(
            "{latency} frames as declared; the answer is too unlike the sound to measure it"
        );
    }
    let latest = match tail {
        Tail::Frames(frames) => {
            latency.saturating_add(usize::try_from(frames).unwrap_or(usize::MAX))
        }
        Tail::Unbounded => usize::MAX,
    };
    if lag + SLACK < latency || lag > latest.saturating_add(SLACK) {
        verdict.fail(format!(
            "{setup}: it declares a latency of {latency} frames, and the sound comes back after {lag}; declare what the \
             algorithm delays the sound by"
        ));
    } else if lag > latency + SLACK {
        verdict.note(format!(
            "{setup}: it declares a latency of {latency} frames, and the sound comes back after {lag}; right if that is an \
             echo, wrong if it is the algorithm's own delay"
        ));
    }
    format!("{latency} frames declared, {lag} measured")
}
