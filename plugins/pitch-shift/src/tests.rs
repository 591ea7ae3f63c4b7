use crate::PitchShift;
use vocalhost_effect::testing::{assert_conforms, config, level, noise, render};
use vocalhost_effect::{Config, Running, Setting, Value};

const TAU: f64 = std::f64::consts::TAU;

fn shift(rate_hz: u32, channels: u32, semitones: f64, keep: bool) -> Config {
    let mut config = config(rate_hz, channels, &[("semitones", semitones)]);
    let keep = Value::Toggle(keep);
    config
        .settings
        .push(Setting::new("preserve_formants", keep));
    config
}

/// The answer without latency, as long as the input.
fn aligned(config: &Config, input: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let running = Running::<PitchShift>::new(config).expect("it runs");
    let latency = running.latency() as usize;
    let mut longer = input.to_vec();
    for channel in &mut longer {
        channel.resize(channel.len() + latency, 0.0);
    }
    let output = render::<PitchShift>(config, &longer, &[4096]);
    output
        .iter()
        .map(|channel| channel[latency..].to_vec())
        .collect()
}

fn tone(rate_hz: f64, frequency_hz: f64, frames: usize) -> Vec<f32> {
    let step = TAU * frequency_hz / rate_hz;
    (0..frames)
        .map(|frame| (0.5 * (step * frame as f64).sin()) as f32)
        .collect()
}

/// Amplitude and phase of a frequency under a Hann window.
fn part(samples: &[f32], rate_hz: f64, frequency_hz: f64) -> (f64, f64) {
    let (mut re, mut im) = (0.0, 0.0);
    let length = samples.len() as f64;
    for (frame, &sample) in samples.iter().enumerate() {
        let window = 1.0 - (TAU * frame as f64 / length).cos();
        let (sin, cos) = (TAU * frequency_hz / rate_hz * frame as f64).sin_cos();
        re += f64::from(sample) * window * cos;
        im -= f64::from(sample) * window * sin;
    }
    (2.0 * f64::hypot(re, im) / length, im.atan2(re))
}

/// The frequency of a tone close to `near_hz`, by the phase between two halves.
fn frequency_hz(samples: &[f32], rate_hz: f64, near_hz: f64) -> f64 {
    let half = samples.len() / 2;
    let (_, one) = part(&samples[..half], rate_hz, near_hz);
    let (_, other) = part(&samples[half..2 * half], rate_hz, near_hz);
    let turns = (other - one) / TAU;
    let whole = (near_hz * half as f64 / rate_hz - turns).round();
    (turns + whole) * rate_hz / half as f64
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    assert_conforms::<PitchShift>(&shift(8_000, 2, -24.0, true));
    assert_conforms::<PitchShift>(&shift(192_000, 1, 24.0, false));
    assert_conforms::<PitchShift>(&shift(44_100, 3, 3.7, true));
    assert_conforms::<PitchShift>(&shift(48_000, 1, 0.0, true));
}

#[test]
fn no_shift_changes_nothing_and_has_no_latency() {
    let input = [noise(1, 5_000)];
    assert!(aligned(&shift(48_000, 1, 0.0, true), &input) == input);
}

#[test]
fn a_tone_moves_by_the_semitones_and_keeps_its_level() {
    for rate_hz in [16_000, 44_100] {
        for semitones in [-24.0, -12.0, -7.3, -0.5, 1.0, 5.5, 12.0, 24.0] {
            for plain_hz in [220.0, 1_234.5] {
                let rate = f64::from(rate_hz);
                let input = [tone(rate, plain_hz, 2 * rate_hz as usize)];
                let output = aligned(&shift(rate_hz, 1, semitones, false), &input);
                let middle = &output[0][rate_hz as usize / 2..rate_hz as usize * 3 / 2];
                let expected = plain_hz * 2_f64.powf(semitones / 12.0);
                let measured = frequency_hz(middle, rate, expected);
                let cents = 1_200.0 * (measured / expected).log2();
                let level_db = 20.0 * (level(middle) / level(&input[0])).log10();
                let (amplitude, phase) = part(middle, rate, measured);
                assert!(cents.abs() < 5.0, "{plain_hz} {semitones}: {cents} cents");
                assert!(
                    level_db.abs() < 1.0,
                    "{plain_hz} {semitones}: {level_db} dB"
                );
                // What is not the tone: noise of the phases, echoes of the windows, images.
                let rest: Vec<f32> = middle
                    .iter()
                    .enumerate()
                    .map(|(frame, sample)| {
                        let angle = TAU * measured / rate * frame as f64 + phase;
                        sample - (amplitude * angle.cos()) as f32
                    })
                    .collect();
                let rest_db = 20.0 * (level(&rest) / level(middle)).log10();
                assert!(rest_db < -50.0, "{plain_hz} {semitones}: {rest_db} dB");
            }
        }
    }
}

#[test]
fn what_would_land_above_half_the_sample_rate_is_gone() {
    let output = aligned(
        &shift(44_100, 1, 12.0, false),
        &[tone(44_100.0, 15_000.0, 44_100)],
    );
    let left_db = 20.0 * level(&output[0][8_000..36_000]).max(1e-12).log10();
    assert!(left_db < -80.0, "{left_db} dB");
}

#[test]
fn a_burst_stays_in_its_place_and_as_long_as_it_was() {
    for semitones in [-12.0, -3.0, 4.0, 12.0] {
        let mut input = vec![0.0; 20_000];
        input.extend(tone(48_000.0, 500.0, 24_000));
        input.resize(64_000, 0.0);
        let output = aligned(&shift(48_000, 1, semitones, false), &[input]).remove(0);
        let energy: f64 = output.iter().map(|&s| f64::from(s).powi(2)).sum();
        let moment = |power: i32, around: f64| {
            let weighted = output.iter().enumerate();
            weighted
                .map(|(frame, &s)| (frame as f64 - around).powi(power) * f64::from(s).powi(2))
                .sum::<f64>()
                / energy
        };
        let middle = moment(1, 0.0);
        // An even burst of length l has a variance of l²/12.
        let length = (12.0 * moment(2, middle)).sqrt();
        assert!((middle - 32_000.0).abs() < 480.0, "{semitones}: {middle}");
        assert!(
            (length / 24_000.0 - 1.0).abs() < 0.05,
            "{semitones}: {length}"
        );
    }
}

/// The envelope of an "a": three formants (G. E. Peterson and H. L. Barney, 1952).
fn vowel_db(frequency_hz: f64) -> f64 {
    let formants = [(730.0, 90.0), (1_090.0, 110.0), (2_440.0, 170.0)];
    let resonance = |(centre, width): (f64, f64)| {
        let away = (frequency_hz - centre) / width;
        1.0 / (1.0 + away * away)
    };
    10.0 * formants.map(resonance).iter().sum::<f64>().log10()
}

fn vowel(pitch_hz: f64) -> Vec<f32> {
    let mut samples = vec![0.0; 48_000];
    for harmonic in 1..=80 {
        let hz = f64::from(harmonic) * pitch_hz;
        let amplitude = 0.1 * 10_f64.powf(vowel_db(hz) / 20.0);
        for (frame, sample) in samples.iter_mut().enumerate() {
            let phase = TAU * hz / 48_000.0 * frame as f64 + f64::from(harmonic * harmonic);
            *sample += (amplitude * phase.sin()) as f32;
        }
    }
    samples
}

/// Mean distance in decibels between the harmonics of the shifted vowel and its envelope.
fn distance_from_the_vowel_db(semitones: f64, keep: bool) -> f64 {
    let output = aligned(&shift(48_000, 1, semitones, keep), &[vowel(120.0)]).remove(0);
    let pitch_hz = 120.0 * 2_f64.powf(semitones / 12.0);
    let errors: Vec<f64> = (1..100)
        .map(|harmonic| f64::from(harmonic) * pitch_hz)
        .take_while(|&hz| hz < 2_800.0)
        .map(|hz| {
            let (amplitude, _) = part(&output[12_000..36_000], 48_000.0, hz);
            20.0 * (amplitude / 0.1).log10() - vowel_db(hz)
        })
        .collect();
    let count = errors.len() as f64;
    let mean = errors.iter().sum::<f64>() / count;
    (errors
        .iter()
        .map(|error| (error - mean).powi(2))
        .sum::<f64>()
        / count)
        .sqrt()
}

#[test]
fn kept_formants_stay_where_they_were() {
    for semitones in [-7.0, 5.0, 9.0] {
        let kept = distance_from_the_vowel_db(semitones, true);
        let moved = distance_from_the_vowel_db(semitones, false);
        assert!(
            kept < 4.0 && kept < 0.5 * moved,
            "{semitones}: {kept} dB, {moved} dB"
        );
    }
}

#[test]
fn the_stereo_image_stays() {
    let left = noise(1, 48_000);
    let right: Vec<f32> = left.iter().map(|sample| -0.5 * sample).collect();
    let output = aligned(&shift(48_000, 2, 5.0, true), &[left, right]);
    for (left, right) in output[0].iter().zip(&output[1]) {
        assert!((0.5 * left + right).abs() < 1e-5);
    }
}
