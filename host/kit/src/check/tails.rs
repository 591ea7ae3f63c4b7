use vocalhost_audio::Block;
use vocalhost_effects::{Processor, Tail};

use super::report::Verdict;
use super::signals::{ordinary, peak};
use super::subject::{RATE_HZ, Setup, Stop, Subject};
use super::variants::{edges, offered};

/// Frames of sound before the silence.
const SOUND_FRAMES: usize = RATE_HZ as usize / 2;
/// Frames that are listened to after the tail.
const AFTER_FRAMES: usize = RATE_HZ as usize / 4;
/// The longest tail that is played out, in frames.
const LONGEST: u64 = 20 * RATE_HZ as u64;
/// What may be left: 100 dB below full scale, or below the answer's own peak when that is louder.
const LEFT: f32 = 1.0e-5;

/// Whether the effect falls silent when its declared tail is over.
pub(super) fn check(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    let descriptor = subject.descriptor();
    for (index, variant) in offered(descriptor)
        .into_iter()
        .chain(edges(descriptor))
        .enumerate()
    {
        let setup = subject.setup(RATE_HZ, &variant.said, &variant.settings);
        match silent_in_time(subject, &setup, verdict) {
            Ok(tail) if index == 0 => verdict.measured = Some(said(tail)),
            Ok(_) => {}
            // What an edge of a parameter breaks otherwise is another check's finding.
            Err(Stop::Fault(..)) if !variant.offered => {}
            Err(stop) => return Err(stop),
        }
    }
    Ok(())
}

fn said(tail: Tail) -> String {
    match tail {
        Tail::Unbounded => "unbounded by default".to_owned(),
        Tail::Frames(frames) => format!("{:.3} s by default", frames as f64 / f64::from(RATE_HZ)),
    }
}

/// Plays sound, then the tail out, and listens; gives the tail that it declares.
fn silent_in_time(subject: &Subject, setup: &Setup, verdict: &mut Verdict) -> Result<Tail, Stop> {
    let inputs = setup.config.layout.inputs;
    let mut line = subject.start(setup)?;
    let tail = line.ask(Processor::tail)?;
    let Tail::Frames(frames) = tail else {
        return Ok(tail);
    };
    let loudest = peak(
        line.play_whole(&ordinary(inputs, SOUND_FRAMES, 1))?
            .as_planar(),
    );
    if line.ask(Processor::tail)? != tail {
        verdict.fail(format!(
            "{setup}: the tail changes while sound plays; it follows from the settings alone"
        ));
    }
    if frames > LONGEST {
        verdict.note(format!(
            "{setup}: a tail of {:.0} s is declared, which was not played out",
            frames as f64 / f64::from(RATE_HZ)
        ));
        return Ok(tail);
    }
    let latency = line.ask(Processor::latency)?;
    let mut silence = frames as usize + latency as usize;
    while silence > 0 {
        let piece = silence.min(setup.config.max_frames);
        line.play_whole(&Block::silent(inputs as usize, piece))?;
        silence -= piece;
    }
    let rest = line.play_whole(&Block::silent(inputs as usize, AFTER_FRAMES))?;
    let left = peak(rest.as_planar());
    if left > LEFT * loudest.max(1.0) {
        verdict.fail(format!(
            "{setup}: {:.0} dB of full scale are heard after its latency of {latency} frames and its tail of {frames} \
             frames; declare a longer tail, until -120 dB, or `unbounded`",
            20.0 * left.log10()
        ));
    }
    Ok(tail)
}
