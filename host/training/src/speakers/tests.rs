use super::*;

/// Noise through two resonances that depend on the kind of what is said, and its content. `size` is that of whoever says it: how far the
/// resonances of each kind are moved.
fn said(seconds: usize, seed: u64, size: [f32; 3], dull: f32) -> (Vec<f32>, Vec<f32>) {
    let mut state = seed;
    let mut draw = || {
        state = (state * 1_103_515_245 + 12_345) % (1 << 31);
        state as f32 / (1_u64 << 30) as f32 - 1.0
    };
    let (mut samples, mut content) = (Vec::new(), Vec::new());
    let mut last = [[0.0_f32; 2]; 2];
    let mut before = 0.0;
    for _ in 0..seconds * 5 {
        let kind = (draw().abs() * 2.99) as usize;
        let middles = [[500.0, 1_500.0], [300.0, 2_300.0], [700.0, 1_100.0]][kind];
        // No sound is said twice in the same way.
        let size = size[kind] * (1.0 + 0.1 * draw());
        let angles = middles.map(|hz| std::f32::consts::TAU * hz * size / 32_000.0);
        for _ in 0..6_400 {
            let noise = 0.01 * draw();
            let mut sound = 0.0;
            for (angle, last) in angles.iter().zip(&mut last) {
                let one = noise + 1.94 * angle.cos() * last[0] - 0.94 * last[1];
                *last = [one, last[0]];
                sound += one;
            }
            // A microphone.
            before = sound + dull * before;
            samples.push(before);
        }
        for _ in 0..10 {
            let mut vector = [0.0; CONTENT].map(|_: f32| 0.05 * draw());
            vector[kind] += 1.0;
            content.extend(vector);
        }
    }
    (samples, content)
}

fn apart(parts: &[(Vec<f32>, Vec<f32>)]) -> Apart {
    let mut speakers = Speakers::default();
    for (samples, content) in parts {
        speakers.hear(samples, content);
    }
    speakers.apart()
}

const ONE: [f32; 3] = [1.0, 1.0, 1.0];
const OTHER: [f32; 3] = [1.25, 1.0, 0.85];

#[test]
fn who_forms_the_same_sounds_differently_is_another_and_a_microphone_is_none() {
    let first = said(20, 1, ONE, 0.0);
    let figure = |size, dull| {
        let found = apart(&[first.clone(), said(20, 2, size, dull)]);
        let (recordings, figure) = found.recordings.expect("they are long");
        assert_eq!(recordings, [0, 1]);
        figure
    };
    let (again, dull, other) = (figure(ONE, 0.0), figure(ONE, 0.6), figure(OTHER, 0.0));
    assert!(again.abs() < 0.05 && dull.abs() < 0.05, "{again} {dull}");
    assert!(other > 0.2, "{other}");
}

#[test]
fn two_that_take_turns_in_one_recording_are_found() {
    let turns = |other: [f32; 3]| {
        let (mut samples, mut content) = (Vec::new(), Vec::new());
        for turn in 0..8 {
            let size = if turn % 2 == 0 { ONE } else { other };
            let (more, vectors) = said(8, turn, size, 0.0);
            samples.extend(more);
            content.extend(vectors);
        }
        let found = apart(&[(samples, content)]);
        assert_eq!(found.recordings, None);
        found.parts.expect("it is long")
    };
    let (one, two) = (turns(ONE), turns(OTHER));
    assert!(one < 0.1 && two > 0.15, "{one} {two}");
}

#[test]
fn what_is_short_or_silent_is_not_compared() {
    assert_eq!(apart(&[]), Apart::default());
    assert_eq!(
        apart(&[said(4, 1, ONE, 0.0), said(4, 2, OTHER, 0.0)]),
        Apart::default()
    );
    let silent = (vec![0.0; 32_000 * 20], vec![0.0; 50 * 20 * CONTENT]);
    assert_eq!(apart(&[silent.clone(), silent]), Apart::default());
    // Content of another width.
    let (samples, _) = said(20, 1, ONE, 0.0);
    assert_eq!(apart(&[(samples, Vec::new())]), Apart::default());
}
