//! The least that an effect must do: start, and answer with sound.

use vocalhost_effects::{EffectStage, PluginError, Processor, StreamConfig};

use super::report::Verdict;
use super::signals::ordinary;
use super::subject::{RATES_HZ, Setup, Stop, Subject, defaults};

/// The rates that it has to start at: the usual ones of recordings, and one that is in no table of rates.
const STARTS_HZ: [u32; 13] = [
    8_000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 47_999, 48_000, 88_200, 96_000, 176_400,
    192_000,
];
/// Frames of the sound that every rate and layout answers.
const FRAMES: usize = 6_000;
/// Lengths of calls: single frames, a whole block, what the end of a recording leaves.
const CUTS: [usize; 4] = [1, 4_096, 255, 2];
/// A host may promise smaller calls than this one's; an effect must not count on large ones.
const SMALL_CALLS: usize = 64;

/// Every layout at every rate, as raw processors and as jobs start it.
pub(super) fn starts(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    for layout in subject.layouts() {
        for sample_rate_hz in STARTS_HZ {
            let mut line = subject.start(&defaults(sample_rate_hz, layout))?;
            line.ask(Processor::latency)?;
            line.ask(Processor::tail)?;
        }
    }
    let mut small = defaults(RATES_HZ[3], subject.layout());
    small.config.max_frames = SMALL_CALLS;
    small.settings = format!("default settings and at most {SMALL_CALLS} frames a call");
    let sound = ordinary(small.config.layout.inputs, 10 * SMALL_CALLS, 1);
    // An error in `process` is reported by the next check, unless it only comes with small calls.
    let plain = defaults(RATES_HZ[3], subject.layout());
    if subject.start(&plain)?.play_whole(&sound).is_ok() {
        subject.start(&small)?.play(&sound, &[SMALL_CALLS])?;
    }
    as_jobs_do(subject, verdict);
    Ok(())
}

/// Mono and stereo recordings, with the latency that the host makes up for.
fn as_jobs_do(subject: &Subject, verdict: &mut Verdict) {
    let mut refused = 0;
    for (channels, kind) in [(1, "mono"), (2, "stereo")] {
        for sample_rate_hz in STARTS_HZ {
            let stream = StreamConfig {
                sample_rate_hz,
                channels,
                settings: std::collections::BTreeMap::new(),
            };
            match subject
                .effect
                .start(&stream)
                .map(|stage: EffectStage| stage.latency())
            {
                Ok(_) => {}
                Err(PluginError::Channels { .. }) => refused += 1,
                Err(error) => {
                    verdict.fault(
                        &format!("a {kind} recording at {sample_rate_hz} Hz"),
                        &error,
                    );
                    return;
                }
            }
        }
    }
    if refused > 0 {
        verdict.fail(
            "no job can use it: jobs keep the number of channels, so it needs the layout (1, 1) or (2, 2), or none",
        );
    }
}

/// The same combinations with sound: the right number of samples, finite, within time and memory.
pub(super) fn answers(subject: &Subject, _verdict: &mut Verdict) -> Result<(), Stop> {
    for layout in subject.layouts() {
        for sample_rate_hz in RATES_HZ {
            let setup: Setup = defaults(sample_rate_hz, layout);
            let sound = ordinary(layout.inputs, FRAMES, 1);
            subject.start(&setup)?.play(&sound, &CUTS)?;
        }
    }
    Ok(())
}
