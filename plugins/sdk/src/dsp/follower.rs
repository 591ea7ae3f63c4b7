//! The envelope follower of dynamics effects.

use std::f64::consts::TAU;

use super::STRETCH_FRAMES;

/// Times below this, in milliseconds, act at once: the formula would divide by 0.
const INSTANT_MS: f64 = 1.0e-3;

/// A one-pole smoother with one time for rising and one for falling values, also
/// known as a ballistics filter:
/// y ← v + c (y − v), c = exp(−2π · 1000 / (`rate_hz` · `time_ms`))
/// (for one-pole envelope detectors see D. Giannoulis, M. Massberg and J. D. Reiss,
/// "Digital Dynamic Range Compressor Design", J. Audio Eng. Soc. 60 (6), 2012).
///
/// With this constant a step has come to 1 − e^(−2π) = 99.8 % after `time_ms`.
/// It runs in `f64`, because with seconds at 192 kHz the steps are too small for `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Follower {
    rising: f64,
    falling: f64,
    value: f64,
}

impl Follower {
    /// A follower at rest, for `rate_hz` values per second.
    #[must_use]
    pub fn new(rate_hz: f64, attack_ms: f64, release_ms: f64) -> Self {
        Self {
            rising: keep(rate_hz, attack_ms),
            falling: keep(rate_hz, release_ms),
            value: 0.0,
        }
    }

    /// Replaces every value, which must not be negative, by the envelope there.
    pub fn follow(&mut self, values: &mut [f32]) {
        let mut state = self.value;
        for value in values {
            state = self.next(state, *value);
            *value = state as f32;
        }
        self.value = state;
    }

    /// Like [`Self::follow`] for the first `frames` values of every channel, each with
    /// its own follower.
    ///
    /// Two channels run in one loop: each value waits for the one before, so that two
    /// at a time cost little more than one.
    pub fn follow_channels(
        followers: &mut [Self],
        channels: &mut [[f32; STRETCH_FRAMES]],
        frames: usize,
    ) {
        let mut pairs = followers
            .chunks_exact_mut(2)
            .zip(channels.chunks_exact_mut(2));
        for pair in &mut pairs {
            if let ([one, two], [first, second]) = pair {
                let mut states = [one.value, two.value];
                for (first, second) in first[..frames].iter_mut().zip(&mut second[..frames]) {
                    states = [one.next(states[0], *first), two.next(states[1], *second)];
                    *first = states[0] as f32;
                    *second = states[1] as f32;
                }
                [one.value, two.value] = states;
            }
        }
        if followers.len() % 2 == 1
            && let (Some(follower), Some(values)) = (followers.last_mut(), channels.last_mut())
        {
            follower.follow(&mut values[..frames]);
        }
    }

    #[inline]
    fn next(&self, state: f64, value: f32) -> f64 {
        let target = f64::from(value);
        // Both outcomes are computed and one is chosen: it keeps the comparison out
        // of the chain of operations that each value waits for.
        let risen = state * self.rising + target * (1.0 - self.rising);
        let fallen = state * self.falling + target * (1.0 - self.falling);
        if target > state { risen } else { fallen }
    }

    /// Back to rest.
    pub fn forget(&mut self) {
        self.value = 0.0;
    }
}

/// The share of the old value that one step keeps.
fn keep(rate_hz: f64, time_ms: f64) -> f64 {
    if time_ms < INSTANT_MS {
        0.0
    } else {
        (-TAU * 1000.0 / (rate_hz * time_ms)).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::{Follower, STRETCH_FRAMES};

    #[test]
    fn a_step_has_settled_by_a_factor_of_e_to_the_two_pi_after_the_attack() {
        let mut follower = Follower::new(48_000.0, 10.0, 100.0);
        let mut values = [1.0_f32; 480];
        follower.follow(&mut values);
        let missing = 1.0 - f64::from(values[479]);
        assert!(
            (missing / (-std::f64::consts::TAU).exp() - 1.0).abs() < 1e-3,
            "{missing}"
        );
    }

    #[test]
    fn a_falling_value_takes_the_release_time() {
        let mut follower = Follower::new(48_000.0, 0.0, 10.0);
        let mut values = [0.0_f32; 481];
        values[0] = 1.0;
        follower.follow(&mut values);
        assert!((values[0] - 1.0).abs() < 1e-7);
        let left = f64::from(values[480]);
        assert!(
            (left / (-std::f64::consts::TAU).exp() - 1.0).abs() < 1e-3,
            "{left}"
        );
    }

    #[test]
    fn no_time_at_all_follows_at_once() {
        let mut follower = Follower::new(8_000.0, 0.0, 0.0);
        let mut values = [0.25_f32, 0.75, 0.0, 0.5];
        follower.follow(&mut values);
        assert_eq!(
            values.map(f32::to_bits),
            [0.25, 0.75, 0.0, 0.5].map(f32::to_bits)
        );
    }

    #[test]
    fn channels_side_by_side_come_out_as_if_alone() {
        for count in 1..=3 {
            let mut followers = vec![Follower::new(48_000.0, 0.1, 0.5); count];
            let mut channels = vec![[0.0_f32; STRETCH_FRAMES]; count];
            for (channel, values) in channels.iter_mut().enumerate() {
                for (frame, value) in values.iter_mut().enumerate() {
                    *value = ((frame * 7 + channel * 3) % 11) as f32;
                }
            }
            let mut alone = channels.clone();
            Follower::follow_channels(&mut followers, &mut channels, 50);
            for values in &mut alone {
                Follower::new(48_000.0, 0.1, 0.5).follow(&mut values[..50]);
            }
            assert!(channels == alone);
        }
    }
}
