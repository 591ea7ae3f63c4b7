use super::rig::SAMPLE_RATE_HZ;
use super::rig::{Rig, TONE_FRAMES, sine_amplitude, tone};
use crate::KitError;
use crate::levels::{decibels, magnitude};

/// Seconds that are shown.
pub const BURST_S: f64 = 3.0;

/// The parts of the burst, as seconds of a tone at a level in dBFS: so quiet that a gate may close, loud, quiet again
/// to show a release, then silence to show echoes and rooms.
const PARTS: [(f64, f64); 4] = [
    (0.1, -46.0),
    (0.3, -6.0),
    (0.5, -46.0),
    (2.1, f64::NEG_INFINITY),
];
/// Seconds of the quiet tone before.
const LEAD_S: f64 = 1.0;
/// Seconds between two points of the envelope.
const STEP_S: f64 = 0.005;
/// Frames around each point whose strength it is: five periods of the tone.
const WINDOW_FRAMES: usize = 5 * TONE_FRAMES;

/// Measures how strong each moment of a tone burst comes out, in s and dBFS.
pub(super) fn measure(rig: Rig) -> Result<Vec<(f64, f64)>, KitError> {
    Ok(envelope(&rig.run(&burst())?.left))
}

/// How strong each moment goes in.
#[must_use]
pub fn envelope_of_input() -> Vec<(f64, f64)> {
    envelope(&burst())
}

fn burst() -> Vec<f32> {
    let mut sound = tone(magnitude(PARTS[0].1), frames(LEAD_S));
    for (seconds, level) in PARTS {
        sound.extend(tone(magnitude(level), frames(seconds)));
    }
    sound
}

fn envelope(sound: &[f32]) -> Vec<(f64, f64)> {
    let points = (BURST_S / STEP_S).round() as usize;
    let point = |index: usize| {
        let time_s = index as f64 * STEP_S;
        let centre = frames(LEAD_S + time_s);
        let first = centre - WINDOW_FRAMES / 2;
        let end = (first + WINDOW_FRAMES).min(sound.len());
        (time_s, decibels(sine_amplitude(&sound[first..end])))
    };
    (0..=points).map(point).collect()
}

fn frames(seconds: f64) -> usize {
    (seconds * f64::from(SAMPLE_RATE_HZ)).round() as usize
}
