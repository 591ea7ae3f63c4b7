use std::time::{Duration, Instant};

use vocalhost_audio::Block;

use super::report::Verdict;
use super::signals::{ordinary, slice};
use super::subject::{Line, RATE_HZ, Stop, Subject, defaults};

/// Blocks of one measurement, about a second of sound.
const BLOCKS: usize = 12;
/// Number of measurements, of which the best counts: other work of the machine only makes them worse.
const TRIES: usize = 3;
/// The most measurements. There are more than usual while only the clock finds fault: the machine may have had other work during all of
/// them.
const MOST_TRIES: usize = 12;
/// Fuel that stands for a second of work, as the host's limits have it. Processors do several of these in a second.
const FUEL_PER_SECOND: f64 = 1e9;
/// The fraction of a job's allowance of work that the defaults may take: other settings cost more.
const ROOM: f64 = 0.5;

/// Frames per second against real time, by the clock and by what the host counts.
pub(super) fn speed(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    let setup = defaults(RATE_HZ, subject.layout());
    let frames = setup.config.max_frames;
    let sound = ordinary(setup.config.layout.inputs, BLOCKS * frames, 1);
    let mut line = subject.start(&setup)?;
    let audio_s = (BLOCKS * frames) as f64 / f64::from(RATE_HZ);
    let mut fastest = Duration::MAX;
    let mut fuel = u64::MAX;
    let allowed = ROOM * subject.limits.work_per_audio;
    let work = |fuel: u64| fuel as f64 / (FUEL_PER_SECOND * audio_s);
    for tries in 0..MOST_TRIES {
        let decided = fastest.as_secs_f64() <= audio_s || work(fuel) > allowed;
        if tries >= TRIES && decided {
            break;
        }
        let before = line.processor.fuel_used();
        let begin = Instant::now();
        match line.play_whole(&sound) {
            // The first ones have decided.
            Err(Stop::Exhausted) if tries >= TRIES => break,
            played => {
                played?;
            }
        }
        fastest = fastest.min(begin.elapsed());
        fuel = fuel.min(line.processor.fuel_used() - before);
    }
    let real_time = audio_s / fastest.as_secs_f64();
    let work = work(fuel);
    verdict.measured = Some(format!(
        "{real_time:.0} times real time, {:.0} units of fuel per frame",
        fuel as f64 / (BLOCKS * frames) as f64
    ));
    if real_time < 1.0 {
        verdict.fail(format!(
            "{setup}: a second of sound takes {:.1} s; make it cheaper: build it optimised, compute less per frame",
            1.0 / real_time
        ));
    }
    if work > allowed {
        verdict.fail(format!(
            "{setup}: a second of sound takes {:.0} million units of fuel, at most {:.0}, half of what a job allows; make it \
             cheaper: build it optimised, compute less per frame",
            1e3 * work,
            1e3 * allowed
        ));
    }
    Ok(())
}

/// Blocks of sound, and as many of the silence after it. The median of so many leaves disturbances out.
const SILENCE_BLOCKS: usize = 120;
/// Denormal numbers cost ten times as much or more; a smaller ratio is the machine's own noise.
const DEARER: f64 = 6.0;
/// The most measurements of silence, made while only the clock finds fault.
const MOST_SILENCES: usize = 4;

/// Whether what fades away becomes denormal numbers, which processors handle slowly. The host flushes them to zero, so
/// an effect can only fail here by doing more when it hears nothing.
pub(super) fn silence(subject: &Subject, verdict: &mut Verdict) -> Result<(), Stop> {
    let setup = defaults(RATE_HZ, subject.layout());
    let frames = setup.config.max_frames;
    let inputs = setup.config.layout.inputs;
    let sound = ordinary(inputs, SILENCE_BLOCKS / 4 * frames, 1);
    let silence = Block::silent(inputs as usize, SILENCE_BLOCKS * frames);
    let dearer = |loud: f64, quiet: f64| quiet / loud.max(f64::MIN_POSITIVE);
    let once = || -> Result<(f64, f64), Stop> {
        let mut line = subject.start(&setup)?;
        let loud = costs(&mut line, &sound)?;
        let quiet = costs(&mut line, &silence)?;
        Ok((dearer(loud.0, quiet.0), dearer(loud.1, quiet.1)))
    };
    let (mut by_clock, mut by_fuel) = (f64::INFINITY, f64::INFINITY);
    for tries in 0..MOST_SILENCES {
        let (clock, fuel) = match once() {
            // The first one has decided.
            Err(Stop::Exhausted) if tries > 0 => break,
            measured => measured?,
        };
        by_clock = by_clock.min(clock);
        by_fuel = by_fuel.min(fuel);
        if by_clock <= DEARER || by_fuel > DEARER {
            break;
        }
    }
    verdict.measured = Some(format!(
        "{by_clock:.2} of the time and {by_fuel:.2} of the work of sound"
    ));
    if by_clock > DEARER || by_fuel > DEARER {
        verdict.fail(format!(
            "{setup}: a block of silence after sound takes {by_clock:.1} times as long and {by_fuel:.1} times the work of \
             a block of sound; stop computing what nobody hears"
        ));
    }
    Ok(())
}

/// The median seconds and the median fuel of a block.
fn costs(line: &mut Line<'_>, sound: &Block) -> Result<(f64, f64), Stop> {
    let frames = line.setup.config.max_frames;
    let (mut times, mut fuels) = (Vec::new(), Vec::new());
    for first in (0..sound.frames()).step_by(frames) {
        let input = slice(sound, first..sound.frames().min(first + frames));
        let before = line.processor.fuel_used();
        let begin = Instant::now();
        line.ask(|processor| processor.process(&input))?;
        times.push(begin.elapsed().as_secs_f64());
        fuels.push((line.processor.fuel_used() - before) as f64);
    }
    Ok((median(times), median(fuels)))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
