use super::periodicity::Wave;

/// From this pitch on it is followed on the sound alone. Estimators that learned from voices lose it a little above: FCPE from 1,100 Hz.
const FROM_HZ: f32 = 700.0;
/// The highest pitch that is followed, and a little more, so that vibrato there is.
const TO_HZ: f32 = 1_550.0;
/// How well the sound must repeat to be followed.
const PERIODIC: f32 = 0.9;
/// An estimate that is lower than its neighbour by this much is one of the pitch's fractions: a half or a third, in octaves.
const FRACTION_OCTAVES: f32 = 0.7;

/// Continues a high pitch over frames where an estimator says nothing or a fraction of it, as long as the sound repeats: forwards, then
/// backwards.
pub(super) fn follow(track: &mut [f32], wave: &Wave<'_>, loud: &[bool]) {
    let frames = 1..track.len();
    for frame in frames.clone() {
        take_over(track, frame, frame - 1, wave, loud);
    }
    for frame in frames.rev() {
        take_over(track, frame - 1, frame, wave, loud);
    }
}

fn take_over(track: &mut [f32], frame: usize, neighbour: usize, wave: &Wave<'_>, loud: &[bool]) {
    let (own, beside) = (track[frame], track[neighbour]);
    let is_lost = own <= 0.0 || (beside / own).log2() > FRACTION_OCTAVES;
    if beside < FROM_HZ || !is_lost || !loud[frame] {
        return;
    }
    if let Some(found) = wave.search_exactly(frame, beside)
        && found.periodicity > PERIODIC
        && found.f0_hz <= TO_HZ
    {
        track[frame] = found.f0_hz;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE_HZ: f32 = 16_000.0;

    /// The harmonics of a pitch that is given per sample, up to 7.6 kHz.
    fn sung(pitch_hz: impl Fn(usize) -> f32, count: usize) -> Vec<f32> {
        let mut phase = 0.0_f32;
        let sample = |index| {
            let hz = pitch_hz(index);
            phase = (phase + hz / RATE_HZ).fract();
            let angle = std::f32::consts::TAU * phase;
            let harmonics = (1..9).filter(|number| *number as f32 * hz < 7_600.0);
            harmonics
                .map(|number| (angle * number as f32).sin() / number as f32)
                .sum()
        };
        (0..count).map(sample).collect()
    }

    #[test]
    fn a_pitch_that_an_estimator_loses_at_the_top_is_followed_to_the_end() {
        let pitch_hz = |index: usize| 900.0 * (index as f32 / 40_000.0 * 0.64).exp2();
        let samples = sung(pitch_hz, 40_000);
        let wave = Wave::new(&samples, 0);
        // Nothing from 1,150 Hz on, and before it the half of the pitch.
        let heard = |frame: usize| match pitch_hz(frame * 160) {
            hz if hz < 1_100.0 => hz,
            hz if hz < 1_150.0 => hz / 2.0,
            _ => 0.0,
        };
        let mut track: Vec<f32> = (0..250).map(heard).collect();
        follow(&mut track, &wave, &[true; 250]);
        for (frame, found) in track.iter().enumerate().take(245).skip(5) {
            let cents = 1_200.0 * (found / pitch_hz(frame * 160)).log2();
            assert!(
                cents.abs() < 30.0,
                "frame {frame}: {found} Hz, {cents} cents off"
            );
        }
    }

    #[test]
    fn nothing_is_made_up_where_the_sound_does_not_go_on() {
        // A note breaks down by an octave, then noise follows.
        let mut samples = sung(|index| if index < 8_000 { 900.0 } else { 450.0 }, 16_000);
        let mut state = 1_u32;
        samples.extend((0..8_000).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state as f32 / u32::MAX as f32 - 0.5
        }));
        let wave = Wave::new(&samples, 0);
        let before: Vec<f32> = (0..150)
            .map(|frame| match frame {
                0..50 => 900.0,
                50..100 => 450.0,
                _ => 0.0,
            })
            .collect();
        let mut track = before.clone();
        follow(&mut track, &wave, &[true; 150]);
        let changed: Vec<usize> = (0..150)
            .filter(|frame| track[*frame] != before[*frame])
            .collect();
        assert!(
            changed.iter().all(|frame| (48..53).contains(frame)),
            "{changed:?}"
        );
    }
}
