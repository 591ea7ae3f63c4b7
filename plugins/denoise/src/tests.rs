use crate::Denoise;
use vocalhost_effect::testing::{assert_conforms, config, level, noise, render};
use vocalhost_effect::{Config, Running};

/// The answer without latency, as long as the input.
fn aligned(config: &Config, input: &[f32]) -> Vec<f32> {
    let running = Running::<Denoise>::new(config).expect("it runs");
    let latency = running.latency() as usize;
    let mut longer = input.to_vec();
    longer.resize(input.len() + latency, 0.0);
    let output = render::<Denoise>(config, &[longer], &[4096]);
    output[0][latency..].to_vec()
}

/// Two seconds of a voice: harmonics of a falling pitch, in syllables of 0.3 s with gaps of 0.1 s.
fn voice(rate_hz: u32) -> Vec<f32> {
    let rate = f64::from(rate_hz);
    let mut phase = 0.0;
    (0..2 * rate_hz)
        .map(|frame| {
            let time = f64::from(frame) / rate;
            let within = time % 0.4 / 0.3;
            phase += (160.0 - 40.0 * within) / rate;
            let swell = if within < 1.0 {
                (std::f64::consts::PI * within).sin()
            } else {
                0.0
            };
            // Formants near 700, 1,200 and 2,600 Hz.
            let harmonics = (1..25).map(|n| {
                let at_hz = 140.0 * f64::from(n);
                let near = |middle_hz: f64| 1.0 / (1.0 + ((at_hz - middle_hz) / 150.0).powi(2));
                let strength = near(700.0) + 0.6 * near(1_200.0) + 0.3 * near(2_600.0);
                strength * (std::f64::consts::TAU * phase * f64::from(n)).sin()
            });
            (0.12 * swell * harmonics.sum::<f64>()) as f32
        })
        .collect()
}

/// The noise of a room: white noise that falls by 6 dB per octave from 80 Hz on, at -34 dBFS.
fn room(rate_hz: u32, frames: usize) -> Vec<f32> {
    let keep = (-std::f64::consts::TAU * 80.0 / f64::from(rate_hz)).exp();
    let mut last = 0.0;
    let sound: Vec<f32> = noise(3, frames)
        .iter()
        .map(|sample| {
            last = keep * last + f64::from(*sample);
            last as f32
        })
        .collect();
    let scale = 0.02 / level(&sound) as f32;
    sound.iter().map(|sample| scale * sample).collect()
}

fn db(ratio: f64) -> f64 {
    20.0 * ratio.log10()
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    assert_conforms::<Denoise>(&config(48_000, 2, &[("amount", 1.0)]));
    assert_conforms::<Denoise>(&config(8_000, 1, &[]));
    assert_conforms::<Denoise>(&config(44_100, 1, &[]));
}

#[test]
fn an_amount_of_0_gives_the_very_samples() {
    for rate_hz in [44_100, 48_000, 192_000] {
        let input = noise(1, 9_000);
        let output = aligned(&config(rate_hz, 1, &[("amount", 0.0)]), &input);
        assert_eq!(output, input, "{rate_hz}");
    }
}

#[test]
fn steady_noise_goes_at_every_rate() {
    for rate_hz in [8_000, 16_000, 44_100, 48_000, 47_999, 96_000] {
        let noise = room(rate_hz, 2 * rate_hz as usize);
        let output = aligned(&config(rate_hz, 1, &[("amount", 1.0)]), &noise);
        // The network takes a while to be sure.
        let half = noise.len() / 2;
        let lowered_db = db(level(&noise[half..]) / level(&output[half..]));
        assert!(lowered_db > 20.0, "{rate_hz} Hz: {lowered_db} dB");
    }
}

#[test]
fn a_voice_stays_and_the_noise_around_it_goes() {
    for rate_hz in [8_000, 44_100, 48_000, 96_000] {
        let voice = voice(rate_hz);
        let noise = room(rate_hz, voice.len());
        let noisy: Vec<f32> = voice
            .iter()
            .zip(&noise)
            .map(|(voice, noise)| voice + noise)
            .collect();
        let clean = aligned(&config(rate_hz, 1, &[("amount", 1.0)]), &noisy);
        let half = voice.len() / 2;
        let distance = |samples: &[f32]| {
            let pairs = samples[half..].iter().zip(&voice[half..]);
            level(&pairs.map(|(one, other)| one - other).collect::<Vec<_>>())
        };
        let closer_db = db(distance(&noisy) / distance(&clean));
        let loss_db = db(level(&voice[half..]) / level(&clean[half..]));
        assert!(closer_db > 4.0, "{rate_hz} Hz: {closer_db} dB closer");
        assert!(loss_db.abs() < 0.5, "{rate_hz} Hz: {loss_db} dB lost");
    }
}

#[test]
fn a_smaller_amount_leaves_its_share() {
    let noise = room(48_000, 96_000);
    let left = |amount: f64| {
        let output = aligned(&config(48_000, 1, &[("amount", amount)]), &noise);
        level(&output[48_000..]) / level(&noise[48_000..])
    };
    assert!((left(0.5) - 0.5).abs() < 0.05, "{}", left(0.5));
    assert!(left(1.0) < left(0.9) && left(0.9) < 0.15, "{}", left(0.9));
}
