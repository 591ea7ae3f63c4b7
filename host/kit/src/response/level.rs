use super::SAMPLE_RATE_HZ;
use super::rig::{Rig, TONE_FRAMES, sine_amplitude, tone};
use crate::KitError;
use crate::levels::{decibels, magnitude};

/// The faintest sine, in dBFS.
pub const LOWEST_DB: f64 = -80.0;
/// The loudest one: sound over full scale is allowed inside a chain.
pub const HIGHEST_DB: f64 = 6.0;
const STEP_DB: f64 = 2.0;

/// Frames before the measurement: half a second, longer than an attack.
const SETTLING_FRAMES: usize = SAMPLE_RATE_HZ as usize / 2;
/// Frames that are measured: two seconds, a whole turn of a modulation of half a hertz, and whole periods of the tone.
const MEASURED_FRAMES: usize = 2_000 * TONE_FRAMES;

/// Measures the level at which a sine of 1 kHz comes out, by the level at which it goes in.
///
/// Every level gets a fresh stream from `make`, so that a slow modulation is at the same point for all of them and none contains the echo
/// of another. The measured level is that of the whole output, not of the tone alone: its root mean square as the sine of the same
/// strength.
pub(super) fn measure(
    make: impl Fn() -> Result<Rig, KitError>,
) -> Result<Vec<(f64, f64)>, KitError> {
    let steps = ((HIGHEST_DB - LOWEST_DB) / STEP_DB).round() as usize;
    let measured = (0..=steps).map(|step| {
        let level = LOWEST_DB + STEP_DB * step as f64;
        let sound = tone(magnitude(level), SETTLING_FRAMES + MEASURED_FRAMES);
        let answer = make()?.run(&sound)?.left;
        Ok((level, decibels(sine_amplitude(&answer[SETTLING_FRAMES..]))))
    });
    measured.collect()
}
