use super::periodicity::Wave;

/// Frames on each side that vote on the octave: 250 ms.
const OCTAVE_NEIGHBOURS: usize = 25;
/// How near to a whole octave a deviation must be, in octaves: 2.4 semitones, as much as speech may move in that time.
const OCTAVE_TOLERANCE: f32 = 0.2;
/// The longest unvoiced gap that may be an error of the estimator: 50 ms.
const LONGEST_GAP: usize = 5;
/// How far apart the ends of such a gap may be, in octaves: three semitones.
const GAP_OCTAVES: f32 = 0.25;
/// The share of the threshold down to which a voiced stretch is extended at its ends.
const FOLLOW_SHARE: f32 = 1.0 / 3.0;
/// How far an added frame may be from its neighbour, in octaves: one semitone.
const FOLLOW_OCTAVES: f32 = 1.0 / 12.0;
/// Periodicity from which a doubtful frame counts as voiced.
const PERIODIC: f32 = 0.6;
/// Periodicity from which the sound is trusted more than the estimator.
const TRUSTED: f32 = 0.4;
/// Voiced stretches shorter than this are noise: 30 ms.
const SHORTEST_RUN: usize = 3;

/// The estimator's output for a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    /// Its best pitch, even if it is unsure.
    pub(super) f0_hz: f32,
    /// How sure it is, 0 to 1.
    pub(super) salience: f32,
}

/// Turns an estimator's guesses into a pitch track in hertz, 0 where unvoiced.
///
/// The guesses are accurate to a bin of 20 cents and uncertain about voicing. So each voiced frame is refined against the sound itself,
/// octave errors are corrected where the sound agrees, and doubtful frames at the ends and in short gaps are voiced when the sound is
/// periodic there.
pub(super) fn repair(
    estimates: &[Estimate],
    wave: &Wave<'_>,
    threshold: f32,
    silence_rms: f32,
) -> Vec<f32> {
    let loud: Vec<bool> = (0..estimates.len())
        .map(|frame| wave.rms(frame) > silence_rms)
        .collect();
    let mut track: Vec<f32> = estimates
        .iter()
        .zip(&loud)
        .map(|(estimate, loud)| {
            if *loud && estimate.salience >= threshold {
                estimate.f0_hz
            } else {
                0.0
            }
        })
        .collect();
    undo_octave_slips(&mut track, wave);
    let doubtful = |frame: usize| {
        let estimate = estimates[frame];
        (loud[frame] && estimate.salience >= threshold * FOLLOW_SHARE).then_some(estimate.f0_hz)
    };
    let frames = 1..track.len();
    frames
        .clone()
        .for_each(|frame| follow(&mut track, frame, frame - 1, wave, doubtful(frame)));
    frames
        .rev()
        .for_each(|frame| follow(&mut track, frame - 1, frame, wave, doubtful(frame - 1)));
    bridge_gaps(&mut track, wave, &loud);
    refine(&mut track, wave);
    drop_short_runs(&mut track);
    median_of_three(&track)
}

fn octaves(a: f32, b: f32) -> f32 {
    (a / b).log2()
}

fn undo_octave_slips(track: &mut [f32], wave: &Wave<'_>) {
    let before = track.to_vec();
    for frame in 0..track.len() {
        let f0 = before[frame];
        if f0 <= 0.0 {
            continue;
        }
        let from = frame.saturating_sub(OCTAVE_NEIGHBOURS);
        let to = (frame + OCTAVE_NEIGHBOURS + 1).min(track.len());
        let mut around: Vec<f32> = before[from..to]
            .iter()
            .copied()
            .filter(|f0| *f0 > 0.0)
            .collect();
        around.sort_by(f32::total_cmp);
        let off = octaves(f0, around[around.len() / 2]);
        let slip = off.round();
        if slip == 0.0 || (off - slip).abs() > OCTAVE_TOLERANCE {
            continue;
        }
        let (Some(now), Some(other)) =
            (wave.search(frame, f0), wave.search(frame, f0 / slip.exp2()))
        else {
            continue;
        };
        // Sound repeats after two periods as well as after one, so a lower pitch must match clearly better to win.
        let needed = if slip > 0.0 { 0.1 } else { -0.05 };
        if other.periodicity > PERIODIC && other.periodicity > now.periodicity + needed {
            track[frame] = other.f0_hz;
        }
    }
}

/// Voices `frame` like its `neighbour` when the doubtful estimate continues it and the sound is periodic.
fn follow(
    track: &mut [f32],
    frame: usize,
    neighbour: usize,
    wave: &Wave<'_>,
    doubtful: Option<f32>,
) {
    let (true, true, Some(f0)) = (track[frame] <= 0.0, track[neighbour] > 0.0, doubtful) else {
        return;
    };
    if octaves(f0, track[neighbour]).abs() > FOLLOW_OCTAVES {
        return;
    }
    if wave
        .search(frame, f0)
        .is_some_and(|found| found.periodicity > PERIODIC)
    {
        track[frame] = f0;
    }
}

fn bridge_gaps(track: &mut [f32], wave: &Wave<'_>, loud: &[bool]) {
    let mut last_voiced: Option<usize> = None;
    for frame in 0..track.len() {
        if track[frame] <= 0.0 {
            continue;
        }
        if let Some(last) = last_voiced {
            let rise = octaves(track[frame], track[last]);
            let gap = last + 1..frame;
            let short = !gap.is_empty() && gap.len() <= LONGEST_GAP && rise.abs() < GAP_OCTAVES;
            if short && gap.clone().all(|inside| loud[inside]) {
                let guess = |inside: usize| {
                    let share = (inside - last) as f32 / (frame - last) as f32;
                    track[last] * (rise * share).exp2()
                };
                let found: Vec<_> = gap
                    .clone()
                    .map(|inside| wave.search(inside, guess(inside)))
                    .collect();
                let periodic = |found: &Option<_>| {
                    found.is_some_and(|found: super::periodicity::Match| {
                        found.periodicity > PERIODIC
                    })
                };
                if found.iter().all(periodic) {
                    for (inside, found) in gap.zip(found.into_iter().flatten()) {
                        track[inside] = found.f0_hz;
                    }
                }
            }
        }
        last_voiced = Some(frame);
    }
}

fn refine(track: &mut [f32], wave: &Wave<'_>) {
    for (frame, f0) in track.iter_mut().enumerate() {
        if *f0 > 0.0
            && let Some(found) = wave.measure(frame, *f0)
            && found.periodicity > TRUSTED
        {
            *f0 = found.f0_hz;
        }
    }
}

fn drop_short_runs(track: &mut [f32]) {
    let mut start = 0;
    for frame in 0..=track.len() {
        if frame == track.len() || track[frame] <= 0.0 {
            if frame - start < SHORTEST_RUN {
                track[start..frame].fill(0.0);
            }
            start = frame + 1;
        }
    }
}

/// Removes single outliers from voiced stretches.
fn median_of_three(track: &[f32]) -> Vec<f32> {
    let mut smooth = track.to_vec();
    for (frame, window) in track.windows(3).enumerate() {
        if window.iter().all(|f0| *f0 > 0.0) {
            let mut sorted = [window[0], window[1], window[2]];
            sorted.sort_by(f32::total_cmp);
            smooth[frame + 1] = sorted[1];
        }
    }
    smooth
}
