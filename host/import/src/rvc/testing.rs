//! Voices of RVC held to what torch said of the same weights.

use serde_json::Value;

use vocalhost_model::once::{Given, run_once};
use vocalhost_model::{Package, TensorRole};

/// `sin(a n) cos(b n)`, as in `tests/parity/checkpoints/variants.py`.
fn wave(count: usize, a: f64, b: f64, scale: f64) -> Given {
    let numbers = (0..count).map(|n| n as f64);
    let numbers = numbers.map(|n| (scale * ((a * n).sin() * (b * n).cos())) as f32);
    Given::Singles(numbers.collect())
}

/// The inputs of `tests/parity/checkpoints/variants.py`.
fn inputs(
    package: &Package,
    (frames, length, inter): (usize, i64, usize),
) -> Vec<(TensorRole, Vec<usize>, Given)> {
    let voice = package.manifest().voice.as_ref().expect("a voice");
    let (content, upp) = (voice.content_dim as usize, voice.upp as usize);
    let voiced = |n: usize| if n % 7 == 3 { 0.0 } else { 1.0 };
    let pitch = (0..frames).map(|n| 1 + (n as i64 * 13) % 255);
    let pitchf = (0..frames).map(|n| (voiced(n) * (180.0 + 9.5 * n as f64)) as f32);
    vec![
        (
            TensorRole::Content,
            vec![1, frames, content],
            wave(frames * content, 0.37, 0.011, 1.0),
        ),
        (TensorRole::Length, vec![1], Given::Integers(vec![length])),
        (
            TensorRole::Pitch,
            vec![1, frames],
            Given::Integers(pitch.collect()),
        ),
        (
            TensorRole::Pitchf,
            vec![1, frames],
            Given::Singles(pitchf.collect()),
        ),
        (TensorRole::Speaker, vec![1], Given::Integers(vec![1])),
        (
            TensorRole::PriorNoise,
            vec![1, inter, frames],
            wave(inter * frames, 1.7, 0.3, voice.noise_scale),
        ),
        (
            TensorRole::SourceNoise,
            vec![1, frames * upp, 1],
            wave(frames * upp, 2.1, 0.7, 1.0),
        ),
    ]
}

/// The largest difference between a voice and a variant of what a `golden.py` wrote down.
pub(crate) fn largest_difference(package: &Package, golden: &Value, name: &str) -> f64 {
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let each = number(&golden["about"]["each"]);
    let mut largest = 0.0_f64;
    let runs = golden["variants"][name].as_array().expect("the runs");
    assert!(!runs.is_empty(), "{name}");
    for run in runs {
        let [frames, length, inter] = ["frames", "length", "inter"].map(|key| number(&run[key]));
        let inputs = inputs(package, (frames, length as i64, inter));
        let audio = run_once(package, inputs).expect("the graph runs");
        assert_eq!(audio.len(), number(&run["samples"]), "{name}");
        let expected = run["every"].as_array().expect("samples").iter();
        let expected = expected.map(|sample| sample.as_f64().expect("a number"));
        for (found, expected) in audio.iter().step_by(each).zip(expected) {
            largest = largest.max((f64::from(*found) - expected).abs());
        }
    }
    largest
}
