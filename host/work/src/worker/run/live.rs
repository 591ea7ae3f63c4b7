use std::io::Stdout;
use std::sync::mpsc::Receiver;
use std::time::Instant;

use super::super::frame::{self, FrameError};
use super::super::protocol::{LiveChange, LiveOrder, Order, Report, of_text, to_text};
use super::{Worker, chain_of};
use vocalhost_job::{Failure, FailureCode, LiveKnobs, LiveSpec};
use vocalhost_model::{ConversionParameters, Live, LiveTimes, VoiceConverter, VoiceKnobs};
use vocalhost_pipeline::{LiveLine, PipelineError};

/// Converts sound as it comes, until the orders end it. Errors of the conversion are reported; only a lost pipe is returned as an error.
pub(super) fn serve(
    worker: &mut Worker,
    order: &LiveOrder,
    (orders, reports): (&Receiver<Order>, &mut Stdout),
) -> Result<(), FrameError> {
    let span = tracing::info_span!("live", id = order.id, request_id = %order.request_id);
    let _entered = span.enter();
    worker.runtime = worker.runtime.anew();
    worker.look_for_models();
    let knobs = VoiceKnobs {
        live: true,
        ..VoiceKnobs::default()
    };
    let voice = match worker.voice(&order.voice, &knobs) {
        Ok(voice) => voice,
        Err(error) => return frame::write(reports, &failed(&PipelineError::Load(error))),
    };
    let mut line = match begun(worker, order, &voice) {
        Ok(Some(line)) => line,
        Ok(None) => return frame::write(reports, &not_live()),
        Err(error) => return frame::write(reports, &failed(&error)),
    };
    frame::write(reports, &Report::Listening(line.latency()))?;
    while let Ok(order_now) = orders.recv() {
        let report = match order_now {
            Order::Hear(sound) => {
                let began = Instant::now();
                match line.push(of_text(&sound).unwrap_or_default()) {
                    Ok(ready) => Report::Spoken {
                        took_us: (!ready.is_empty()).then(|| began.elapsed().as_micros() as u64),
                        sound: to_text(&ready),
                        input_rms: line.input_rms(),
                    },
                    Err(error) => return frame::write(reports, &failed(&error)),
                }
            }
            Order::Change(change) => {
                let refused = changed(worker, &mut line, (&order.spec, &change)).err();
                Report::Changed {
                    refused: refused.map(|error| error.failure().message),
                    delay: line.latency(),
                }
            }
            Order::EndLive => {
                let report = match line.finish() {
                    Ok(rest) => Report::Over {
                        sound: to_text(&rest),
                    },
                    Err(error) => failed(&error),
                };
                return frame::write(reports, &report);
            }
            Order::Run(_) | Order::Live(_) => {
                let failure = Failure::new(FailureCode::Internal, "the worker is busy");
                Report::Failed {
                    failure,
                    detail: "an order came in the middle of a live conversion".to_owned(),
                }
            }
        };
        frame::write(reports, &report)?;
    }
    Ok(())
}

/// Sets up a live conversion and runs everything in it once: the first run of a graph takes longer, and nobody is to wait for that while
/// they speak. None for a voice that cannot be used live.
fn begun<'v>(
    worker: &mut Worker,
    order: &LiveOrder,
    voice: &'v VoiceConverter,
) -> Result<Option<LiveLine<'v>>, PipelineError> {
    let spec = &order.spec;
    let begin = || -> Option<Live<'v>> {
        let (block_ms, look_ahead_ms) = spec.pace.block_and_look_ahead_ms();
        let times = LiveTimes::new(block_ms, look_ahead_ms)?;
        voice.live(times, parameters(spec, spec.knobs), spec.input_rms)
    };
    let (Some(mut first), Some(live)) = (begin(), begin()) else {
        return Ok(None);
    };
    let second = vec![0.0; voice.source_rate_hz() as usize];
    first.push(&second.repeat(2))?;
    let rates = (voice.source_rate_hz(), voice.output_rate_hz());
    let mut line = LiveLine::new(live, rates, spec.sample_rate_hz)?;
    let effects = worker
        .effects
        .of_job(spec.pre.iter().chain(&spec.post), &order.effects)?;
    line.set_effects((Some(&spec.pre), Some(&spec.post)), &effects)?;
    Ok(Some(line))
}

fn changed(
    worker: &mut Worker,
    line: &mut LiveLine<'_>,
    (spec, change): (&LiveSpec, &LiveChange),
) -> Result<(), PipelineError> {
    let chains = [&change.pre, &change.post];
    let items = chains.into_iter().flatten().flatten();
    let effects = worker.effects.of_job(items, &change.effects)?;
    line.set_effects((change.pre.as_ref(), change.post.as_ref()), &effects)?;
    if let Some(knobs) = change.knobs {
        line.set_parameters(parameters(spec, knobs));
    }
    Ok(())
}

fn parameters(spec: &LiveSpec, knobs: LiveKnobs) -> ConversionParameters {
    ConversionParameters {
        conversion_strength: knobs.conversion_strength,
        model_volume_mix: knobs.model_volume_mix,
        pitch_shift: knobs.pitch_shift,
        auto_pitch: false,
        seed: spec.seed,
    }
}

fn failed(error: &PipelineError) -> Report {
    Report::Failed {
        failure: error.failure(),
        detail: chain_of(error),
    }
}

fn not_live() -> Report {
    let message = "this voice cannot speak live";
    Report::Failed {
        failure: Failure::new(FailureCode::ModelUnavailable, message),
        detail: "its family has no live conversion".to_owned(),
    }
}
