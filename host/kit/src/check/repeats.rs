//! The same sound gives the same samples: however it is cut, in whatever instance, beside whatever else.

use vocalhost_audio::Block;
use vocalhost_effects::PluginError;

use super::report::Verdict;
use super::signals::{difference, ordinary};
use super::subject::{Line, RATE_HZ, RATES_HZ, Setup, Stop, Subject, defaults};
use super::variants::offered;

/// Frames of a sound: two syllables, a dozen blocks of the sizes that effects like.
const FRAMES: usize = 12_288;

/// How a stream is cut: into single frames, primes, a block less one frame, and mixtures.
const CUTS: [&[usize]; 5] = [
    &[1],
    &[2, 3, 5, 7, 11, 13, 127, 251, 1_009],
    &[4_095, 1],
    &[300, 700],
    &[64, 1, 512, 4_096, 33],
];

/// However the stream is cut, bit for bit.
pub(super) fn cuts(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    for variant in offered(subject.descriptor()) {
        let setup = subject.setup(RATE_HZ, &variant.said, &variant.settings);
        compare_cuts(subject, &setup, verdict)?;
    }
    for layout in subject.layouts() {
        if layout != subject.layout() {
            compare_cuts(subject, &defaults(RATES_HZ[2], layout), verdict)?;
        }
    }
    Ok(())
}

fn compare_cuts(subject: &Subject, setup: &Setup, verdict: &mut Verdict) -> Result<(), Stop> {
    let sound = ordinary(setup.config.layout.inputs, FRAMES, 1);
    let whole = subject.start(setup)?.play_whole(&sound)?;
    for cuts in CUTS {
        let cut = subject.start(setup)?.play(&sound, cuts)?;
        if let Some(place) = difference(&whole, &cut) {
            verdict.fail(format!(
                "{setup}: in calls of {} frames and in calls of {cuts:?} {place}; carry all state from call to call, and \
                 change nothing because a call begins or ends",
                setup.config.max_frames
            ));
            return Ok(());
        }
    }
    Ok(())
}

/// In another instance, and in one that has worked before.
pub(super) fn repeats(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    for variant in offered(subject.descriptor()) {
        let setup = subject.setup(RATE_HZ, &variant.said, &variant.settings);
        let sound = ordinary(setup.config.layout.inputs, FRAMES, 1);
        let first = subject.start(&setup)?.play_whole(&sound)?;
        let again = subject.start(&setup)?.play_whole(&sound)?;
        if let Some(place) = difference(&first, &again) {
            verdict.fail(format!(
                "{setup}: the second time {place}; take no time, no chance and no address into the sound"
            ));
        }
    }
    Ok(())
}

/// Beside another processor of the same instance that runs at another rate on another sound, and after that one's end.
pub(super) fn siblings(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    let ours = defaults(RATE_HZ, subject.layout());
    let theirs = defaults(RATES_HZ[2], subject.layout());
    let inputs = ours.config.layout.inputs;
    let (sound, other) = (ordinary(inputs, FRAMES, 1), ordinary(inputs, FRAMES, 2));
    let alone = subject.start(&ours)?.play_whole(&sound)?;
    let other_alone = subject.start(&theirs)?.play_whole(&other)?;

    let mut first = subject.start(&ours)?;
    let mut second = first.sibling(&theirs)?;
    let (mut beside, mut other_beside) = (Vec::new(), Vec::new());
    for (index, cut) in pieces(&sound, 512).zip(pieces(&other, 512)).enumerate() {
        beside.push(first.play_whole(&cut.0)?);
        other_beside.push(second.play_whole(&cut.1)?);
        if index == 2 {
            // One that comes and goes in between.
            end(first.sibling(&ours)?)?;
        }
    }
    let answers = [
        (&ours, alone, joined(&beside)),
        (&theirs, other_alone, joined(&other_beside)),
    ];
    for (setup, alone, beside) in answers {
        if let Some(place) = difference(&alone, &beside) {
            verdict.fail(format!(
                "{setup}: alone and beside another processor {place}; keep all state and all tables in the processor, none \
                 in globals"
            ));
        }
    }
    Ok(())
}

/// Processors that exist at once; far more than one stream has channels.
const AT_ONCE: usize = 8;
/// Processors that come and go one after the other.
const IN_A_ROW: usize = 64;

/// Many processors at once, and many one after the other, which must not add up.
pub(super) fn handles(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    let setup = defaults(RATE_HZ, subject.layout());
    let sound = ordinary(setup.config.layout.inputs, 256, 1);
    let first = subject.start(&setup)?;
    let mut crowd = Vec::new();
    for _ in 1..AT_ONCE {
        match first.sibling(&setup) {
            Ok(mut line) => {
                line.play_whole(&sound)?;
                crowd.push(line);
            }
            Err(Stop::Fault(_, PluginError::OutOfMemory { .. })) => {
                verdict.note(format!(
                    "{setup}: {} processors fill the memory of an instance, so a recording with more channels may fail",
                    crowd.len() + 1
                ));
                return Ok(());
            }
            Err(stop) => return Err(stop),
        }
    }
    crowd.into_iter().try_for_each(end)?;
    let before = first.processor.memory_bytes();
    for _ in 0..IN_A_ROW {
        let mut line = first.sibling(&setup)?;
        line.play_whole(&sound)?;
        end(line)?;
    }
    let grown = first.processor.memory_bytes() - before;
    if grown > 0 {
        verdict.note(format!(
            "{setup}: {IN_A_ROW} processors one after the other took {grown} bytes that they did not give back; free all \
             that a processor has when it is dropped"
        ));
    }
    Ok(())
}

fn end(line: Line<'_>) -> Result<(), Stop> {
    let place = line.setup.to_string();
    line.processor
        .end()
        .map_err(|error| Stop::Fault(place, error))
}

fn pieces(sound: &Block, frames: usize) -> impl Iterator<Item = Block> {
    (0..sound.frames()).step_by(frames).map(move |first| {
        let planar = super::signals::slice(sound, first..sound.frames().min(first + frames));
        Block::from_planar(sound.channels(), planar)
    })
}

fn joined(pieces: &[Block]) -> Block {
    let channels = pieces[0].channels();
    let planar = (0..channels)
        .flat_map(|channel| pieces.iter().flat_map(move |piece| piece.channel(channel)))
        .copied()
        .collect();
    Block::from_planar(channels, planar)
}
