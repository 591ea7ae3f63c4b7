use vocalhost_effects::PluginError;

use super::report::Verdict;
use super::signals::hostile;
use super::subject::{RATE_HZ, RATES_HZ, Setup, Stop, Subject, defaults};
use super::variants::{Variant, edges, offered};

/// Frames of each hostile sound with the default settings, and with every other.
const LONG: usize = 6_000;
const SHORT: usize = 1_200;

/// Every hostile sound with the default settings, in every layout, at the lowest and the highest rate.
pub(super) fn inputs(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    for layout in subject.layouts() {
        for sample_rate_hz in [RATES_HZ[0], RATE_HZ, RATES_HZ[5]] {
            endure(subject, &defaults(sample_rate_hz, layout), LONG, verdict)?;
        }
    }
    Ok(())
}

/// All hostile sounds one after the other; the first that breaks the effect is a failure.
fn endure(
    subject: &Subject,
    setup: &Setup,
    frames: usize,
    verdict: &mut Verdict,
) -> Result<(), Stop> {
    let mut line = subject.start(setup)?;
    for (name, sound) in hostile(setup.config.layout.inputs, frames) {
        match line.play_whole(&sound) {
            Ok(_) => {}
            Err(Stop::Fault(place, error)) => {
                verdict.fault(&format!("{place}, on {name}"), &error);
                return Ok(());
            }
            Err(Stop::Exhausted) => return Err(Stop::Exhausted),
        }
    }
    Ok(())
}

/// Every preset and every edge of every parameter, with hostile sound at three rates.
pub(super) fn settings(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    let descriptor = subject.descriptor();
    let variants: Vec<Variant> = offered(descriptor)
        .into_iter()
        .chain(edges(descriptor))
        .collect();
    verdict.measured = Some(format!("{} settings", variants.len()));
    // Rate by rate, so that the rarest rate is the one to be left out when the allowance runs out.
    for sample_rate_hz in [RATE_HZ, RATES_HZ[0], RATES_HZ[5]] {
        for variant in &variants {
            let setup = subject.setup(sample_rate_hz, &variant.said, &variant.settings);
            match endure(subject, &setup, SHORT, verdict) {
                Ok(()) => {}
                Err(Stop::Fault(place, PluginError::Refused { reason, .. }))
                    if !variant.offered =>
                {
                    verdict.note(format!("{place}: refused with \"{reason}\""));
                }
                Err(Stop::Fault(place, error)) => verdict.fault(&place, &error),
                Err(Stop::Exhausted) => return Err(Stop::Exhausted),
            }
            if sample_rate_hz == RATE_HZ {
                as_a_job(subject, variant, verdict);
            }
        }
    }
    Ok(())
}

/// What a job checks on top: the latency that it makes up for.
fn as_a_job(subject: &Subject, variant: &Variant, verdict: &mut Verdict) {
    let stream = vocalhost_effects::StreamConfig {
        sample_rate_hz: RATE_HZ,
        channels: subject.layout().inputs as usize,
        settings: variant.settings.clone(),
    };
    if let Err(error @ PluginError::Latency { .. }) = subject.effect.start(&stream).map(|_| ()) {
        verdict.fault(&format!("{} in a job", variant.said), &error);
    }
}
