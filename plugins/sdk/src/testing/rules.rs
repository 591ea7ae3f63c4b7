//! What every effect has to hold, whatever it sounds like.

use super::descriptor::assert_descriptor_is_sound;
use super::render::{continue_render, noise, render};
use crate::{Config, Effect, Running, Tail};

/// Frames of a test signal: long enough for several blocks of every size below.
const FRAMES: usize = 6_000;

/// Block sizes that a stream is cut into, over and over.
const CUTS: [usize; 9] = [1, 64, 3, 300, 700, 1, 2, 1024, 127];

/// All the checks below, for one stream.
///
/// # Panics
/// When the effect breaks one of the rules of the interface.
pub fn assert_conforms<E: Effect>(config: &Config) {
    assert_descriptor_is_sound(&E::describe());
    assert_cuts_are_inaudible::<E>(config);
    assert_reset_forgets::<E>(config);
    assert_silence_stays_silent::<E>(config);
    assert_extremes_stay_finite::<E>(config);
    assert_tail_is_honest::<E>(config);
}

/// One call with 1000 frames equals two with 300 and 700, to the bit.
///
/// # Panics
/// When it does not.
pub fn assert_cuts_are_inaudible<E: Effect>(config: &Config) {
    let input = channels_of_noise(config);
    let whole = render::<E>(config, &input, &[4096]);
    let cut = render::<E>(config, &input, &CUTS);
    assert!(whole == cut, "the output depends on the cuts");
}

/// After a reset an effect behaves as if just made.
///
/// # Panics
/// When it does not.
pub fn assert_reset_forgets<E: Effect>(config: &Config) {
    let input = channels_of_noise(config);
    let mut running = Running::<E>::new(config).expect("the effect accepts the stream");
    let first = continue_render(&mut running, config, &input, &[1000]);
    running.reset();
    let second = continue_render(&mut running, config, &input, &[1000]);
    assert!(first == second, "the effect remembers sound after a reset");
}

/// Silence in is silence out.
///
/// # Panics
/// When it is not.
pub fn assert_silence_stays_silent<E: Effect>(config: &Config) {
    let input = vec![vec![0.0; FRAMES]; config.layout.inputs as usize];
    let output = render::<E>(config, &input, &[512]);
    assert!(output.iter().flatten().all(|&sample| sample == 0.0));
}

/// The largest finite samples, of equal and of alternating sign, do no harm.
///
/// # Panics
/// When a sample of the answer is not finite.
pub fn assert_extremes_stay_finite<E: Effect>(config: &Config) {
    let channels = config.layout.inputs as usize;
    let equal = vec![f32::MAX; FRAMES];
    let alternating = [f32::MAX, f32::MIN].repeat(FRAMES / 2);
    let tiny = vec![f32::MIN_POSITIVE / 4.0; FRAMES];
    for signal in [equal, alternating, tiny] {
        let output = render::<E>(config, &vec![signal; channels], &[4096]);
        assert!(output.iter().flatten().all(|sample| sample.is_finite()));
    }
}

/// When the tail is over, what is left lies below −100 dB of full scale. (The
/// tail is a promise for −120 dB; the margin covers input of full scale at the
/// frequency that an effect likes best.) Tails beyond 20 s are not played out.
///
/// # Panics
/// When sound is left.
#[track_caller]
pub fn assert_tail_is_honest<E: Effect>(config: &Config) {
    let mut running = Running::<E>::new(config).expect("the effect accepts the stream");
    let Tail::Frames(tail) = running.tail() else {
        return;
    };
    if tail > u64::from(config.sample_rate) * 20 {
        return;
    }
    let channels = config.layout.inputs as usize;
    let _sound = continue_render(&mut running, config, &channels_of_noise(config), &[4096]);
    let quiet = vec![vec![0.0; tail as usize + running.latency() as usize + 1]; channels];
    let _rings = continue_render(&mut running, config, &quiet, &[4096]);
    let after = vec![vec![0.0; FRAMES]; channels];
    let rest = continue_render(&mut running, config, &after, &[4096]);
    let loudest = rest
        .iter()
        .flatten()
        .fold(0.0_f32, |peak, s| peak.max(s.abs()));
    assert!(
        loudest < 1.0e-5,
        "a tail of {tail} frames is declared, but after it and the latency {:.0} dBFS are left: declare how long the sound \
         rings until it is 120 dB under full scale",
        20.0 * loudest.log10()
    );
}

fn channels_of_noise(config: &Config) -> Vec<Vec<f32>> {
    (0..config.layout.inputs)
        .map(|channel| noise(channel + 1, FRAMES))
        .collect()
}
