//! The envelope follower of dynamics effects.

use std::f64::consts::TAU;

use super::constants::STRETCH_FRAMES;

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
    rising: Step,
    falling: Step,
    value: f64,
}

/// What one step keeps of the old value and takes of the new one.
#[derive(Clone, Copy, Debug)]
struct Step {
    keep: f64,
    take: f64,
}

impl Follower {
    /// A follower at rest, for `rate_hz` values per second.
    #[must_use]
    pub fn new(rate_hz: f64, attack_ms: f64, release_ms: f64) -> Self {
        Self {
            rising: Step::new(rate_hz, attack_ms),
            falling: Step::new(rate_hz, release_ms),
            value: 0.0,
        }
    }

    /// Replaces every value, which must not be negative, by the envelope there.
    pub fn follow(&mut self, values: &mut [f32]) {
        if self.rises_faster() {
            Self::follow_each([self], [values], larger);
        } else {
            Self::follow_each([self], [values], smaller);
        }
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
        for (followers, channels) in followers.chunks_mut(2).zip(channels.chunks_mut(2)) {
            match (followers, channels) {
                ([one, two], [first, second]) if one.rises_faster() == two.rises_faster() => {
                    let values = [&mut first[..frames], &mut second[..frames]];
                    if one.rises_faster() {
                        Self::follow_each([one, two], values, larger);
                    } else {
                        Self::follow_each([one, two], values, smaller);
                    }
                }
                (followers, channels) => {
                    for (follower, values) in followers.iter_mut().zip(channels) {
                        follower.follow(&mut values[..frames]);
                    }
                }
            }
        }
    }

    /// Follows `N` channels of equal length in one loop, where `choose` is the right
    /// choice for all of them.
    #[inline]
    #[allow(
        clippy::needless_range_loop,
        reason = "one index into four arrays reads better than four iterators"
    )]
    fn follow_each<const N: usize>(
        followers: [&mut Self; N],
        values: [&mut [f32]; N],
        choose: impl Fn(f64, f64) -> f64,
    ) {
        let rising = followers.each_ref().map(|follower| follower.rising);
        let falling = followers.each_ref().map(|follower| follower.falling);
        let mut states = followers.each_ref().map(|follower| follower.value);
        let frames = values[0].len();
        let values = values.map(|values| &mut values[..frames]);
        for frame in 0..frames {
            for channel in 0..N {
                let target = f64::from(values[channel][frame]);
                let state = states[channel];
                let (risen, fallen) = (&rising[channel], &falling[channel]);
                states[channel] = choose(risen.next(state, target), fallen.next(state, target));
                values[channel][frame] = states[channel] as f32;
            }
        }
        for (follower, state) in followers.into_iter().zip(states) {
            follower.value = state;
        }
    }

    /// Whether a rising value is followed faster than a falling one.
    ///
    /// Then the right one of the two steps is the larger one, whichever way the value
    /// goes: the faster step is nearer to the new value, above the slower one when
    /// that is higher and below it when it is lower. Otherwise it is the smaller one.
    /// To choose by size needs no comparison of the values themselves, which would be
    /// a branch in the middle of the loop.
    fn rises_faster(&self) -> bool {
        self.rising.keep <= self.falling.keep
    }

    /// Back to rest.
    pub fn forget(&mut self) {
        self.value = 0.0;
    }
}

impl Step {
    fn new(rate_hz: f64, time_ms: f64) -> Self {
        let keep = if time_ms < INSTANT_MS {
            0.0
        } else {
            (-TAU * 1000.0 / (rate_hz * time_ms)).exp()
        };
        Self {
            keep,
            take: 1.0 - keep,
        }
    }

    #[inline]
    fn next(&self, state: f64, target: f64) -> f64 {
        state * self.keep + target * self.take
    }
}

/// Not `f64::max`, which is a call on WebAssembly because of how it treats NaN.
#[inline]
fn larger(one: f64, two: f64) -> f64 {
    if one > two { one } else { two }
}

#[inline]
fn smaller(one: f64, two: f64) -> f64 {
    if one < two { one } else { two }
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
