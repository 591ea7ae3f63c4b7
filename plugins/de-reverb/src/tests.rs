use crate::DeReverb;
use vocalhost_effect::testing::{assert_conforms, config, level, noise, render};
use vocalhost_effect::{Config, Running};

const RATE_HZ: u32 = 16_000;

/// A syllable of 150 ms begins every 400 ms.
const SYLLABLE: usize = 2_400;
const PACE: usize = 6_400;

/// The answer without latency, as long as the input.
fn aligned(config: &Config, input: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let running = Running::<DeReverb>::new(config).expect("it runs");
    let latency = running.latency() as usize;
    let mut longer = input.to_vec();
    for channel in &mut longer {
        channel.resize(channel.len() + latency, 0.0);
    }
    let output = render::<DeReverb>(config, &longer, &[4096]);
    output
        .iter()
        .map(|channel| channel[latency..].to_vec())
        .collect()
}

/// Syllables of harmonics of changing pitch with a little breath, with gaps between them.
fn speech_like() -> Vec<f32> {
    let breath = noise(5, 10 * PACE);
    let sample = |frame: usize| {
        let (syllable, within) = (frame / PACE, frame % PACE);
        if within >= SYLLABLE {
            return 0.0;
        }
        let pitch_hz = 110.0 + 23.0 * (syllable % 4) as f64;
        let phase = std::f64::consts::TAU * pitch_hz * within as f64 / f64::from(RATE_HZ);
        let voice: f64 = (1..20)
            .map(|n| (phase * f64::from(n)).sin() / f64::from(n))
            .sum();
        let swell = (std::f64::consts::PI * within as f64 / SYLLABLE as f64).sin();
        (swell * (0.2 * voice + 0.05 * f64::from(breath[frame]))) as f32
    };
    (0..10 * PACE).map(sample).collect()
}

/// The sound in a room: the sound itself and noise that decays from 5 ms on, as loud as it.
fn in_a_room(dry: &[f32], decay_s: f64) -> Vec<f32> {
    let rate = f64::from(RATE_HZ);
    let mut room: Vec<f32> = noise(9, (decay_s * rate) as usize)
        .iter()
        .enumerate()
        .map(|(frame, sample)| {
            let fall = 10_f64.powf(-3.0 * frame as f64 / rate / decay_s) as f32;
            if frame < 80 { 0.0 } else { sample * fall }
        })
        .collect();
    let energy: f32 = room.iter().map(|sample| sample * sample).sum();
    for sample in &mut room {
        *sample /= energy.sqrt();
    }
    room[0] = 1.0;
    (0..dry.len())
        .map(|frame| {
            let reach = room.len().min(frame + 1);
            let past = dry[frame + 1 - reach..=frame].iter().rev();
            room[..reach]
                .iter()
                .zip(past)
                .map(|(one, other)| one * other)
                .sum()
        })
        .collect()
}

/// Scale-invariant ratio of signal to distortion (J. Le Roux et al., ICASSP 2019).
fn si_sdr_db(estimate: &[f32], target: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(&a, &b)| f64::from(a) * f64::from(b))
            .sum()
    };
    let scale = product(estimate, target) / product(target, target);
    let wanted = scale * scale * product(target, target);
    10.0 * (wanted / (product(estimate, estimate) - wanted)).log10()
}

/// Level of the gaps, from 80 ms after each syllable on, against that of the syllables.
fn gaps_db(samples: &[f32]) -> f64 {
    let part = |from: usize, to: usize| -> Vec<f32> {
        let paces = samples.chunks(PACE).skip(1);
        paces.flat_map(|pace| pace[from..to].to_vec()).collect()
    };
    20.0 * (level(&part(SYLLABLE + 1_280, PACE)) / level(&part(0, SYLLABLE))).log10()
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    let most = [
        ("amount", 1.0),
        ("decay_s", 5.0),
        ("floor_db", -40.0),
        ("late_after_ms", 20.0),
    ];
    assert_conforms::<DeReverb>(&config(8_000, 1, &most));
    assert_conforms::<DeReverb>(&config(192_000, 2, &[("late_after_ms", 150.0)]));
    assert_conforms::<DeReverb>(&config(44_100, 3, &[("amount", 0.0)]));
}

#[test]
fn an_amount_of_0_changes_nothing_but_the_delay() {
    let input = [noise(1, 9_000)];
    let output = aligned(&config(48_000, 1, &[("amount", 0.0)]), &input);
    for (one, other) in output[0].iter().zip(&input[0]) {
        assert!((one - other).abs() < 1e-5);
    }
}

#[test]
fn dry_sound_after_silence_comes_through() {
    let dry = speech_like();
    let output = aligned(
        &config(RATE_HZ, 1, &[("decay_s", 0.3)]),
        std::slice::from_ref(&dry),
    );
    let loss_db = 20.0 * (level(&output[0]) / level(&dry)).log10();
    assert!(loss_db > -1.5, "{loss_db} dB");
    assert!(
        si_sdr_db(&output[0], &dry) > 12.0,
        "{}",
        si_sdr_db(&output[0], &dry)
    );
}

#[test]
fn it_lowers_the_late_sound_and_comes_closer_to_the_dry_sound() {
    let dry = speech_like();
    for decay_s in [0.4, 0.8] {
        let wet = in_a_room(&dry, decay_s);
        let settings = [("decay_s", decay_s), ("amount", 1.0), ("floor_db", -20.0)];
        let output = aligned(&config(RATE_HZ, 1, &settings), std::slice::from_ref(&wet));
        let lowered_db = gaps_db(&wet) - gaps_db(&output[0]);
        let closer_db = si_sdr_db(&output[0], &dry) - si_sdr_db(&wet, &dry);
        assert!(lowered_db > 6.0, "{decay_s} s: gaps {lowered_db} dB lower");
        assert!(closer_db > 1.0, "{decay_s} s: {closer_db} dB closer");
    }
}

#[test]
fn more_amount_takes_more_out_and_the_floor_holds() {
    let wet = in_a_room(&speech_like(), 0.6);
    let lowered = |amount: f64, floor_db: f64| {
        let settings = [("amount", amount), ("floor_db", floor_db), ("decay_s", 0.6)];
        let output = aligned(&config(RATE_HZ, 1, &settings), std::slice::from_ref(&wet));
        let gaps = |samples: &[f32]| level(&samples[PACE * 4 + SYLLABLE + 1_280..PACE * 5]);
        20.0 * (gaps(&wet) / gaps(&output[0])).log10()
    };
    assert!(lowered(1.0, -40.0) > lowered(0.4, -40.0) + 1.0);
    assert!(lowered(1.0, -6.0) < 6.1 && lowered(1.0, -6.0) > 3.0);
}

#[test]
fn the_stereo_image_stays() {
    let left = in_a_room(&speech_like(), 0.4);
    let right: Vec<f32> = left.iter().map(|sample| -0.25 * sample).collect();
    let output = aligned(&config(RATE_HZ, 2, &[]), &[left, right]);
    for (left, right) in output[0].iter().zip(&output[1]) {
        assert!((0.25 * left + right).abs() < 1e-5);
    }
}
