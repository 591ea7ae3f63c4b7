use crate::ConvolutionReverb;
use vocalhost_effect::dsp::{RealFft, Spectrum};
use vocalhost_effect::testing::{assert_conforms, config, level, noise, render};
use vocalhost_effect::{Running, Tail};

/// The room alone, without latency: the answer to a click on all channels.
fn room(rate_hz: u32, channels: u32, settings: &[(&str, f64)], seconds: f64) -> Vec<Vec<f32>> {
    let mut all = vec![
        ("wet_level", 1.0),
        ("dry_level", 0.0),
        ("pre_delay_ms", 0.0),
    ];
    all.extend_from_slice(settings);
    let config = config(rate_hz, channels, &all);
    let running = Running::<ConvolutionReverb>::new(&config).expect("it runs");
    let latency = running.latency() as usize;
    let mut click = vec![0.0; (seconds * f64::from(rate_hz)) as usize + latency];
    click[0] = 1.0;
    let output = render::<ConvolutionReverb>(&config, &vec![click; channels as usize], &[4096]);
    output
        .iter()
        .map(|channel| channel[latency..].to_vec())
        .collect()
}

/// Time for 60 dB in a third of an octave, from −5 to −30 dB of the backward integral
/// (M. R. Schroeder, J. Acoust. Soc. Am. 37, 1965).
fn decay_s(answer: &[f32], rate_hz: f64, frequency_hz: f64) -> f64 {
    // Twice as long, so that what the filter rings ahead of the start ends up behind the answer.
    let size = (2 * answer.len()).next_power_of_two();
    let mut fft = RealFft::new(size);
    let mut spectrum = Spectrum::silent(fft.bins());
    let mut samples = answer.to_vec();
    samples.resize(size, 0.0);
    fft.forward(&samples, &mut spectrum);
    for bin in 0..fft.bins() {
        let octaves = (bin as f64 * rate_hz / size as f64 / frequency_hz).log2();
        let gain = (-(octaves * 5.0).powi(2)).exp() as f32;
        spectrum.re[bin] *= gain;
        spectrum.im[bin] *= gain;
    }
    fft.inverse(&spectrum, &mut samples);
    samples.truncate(answer.len());
    let mut left: f64 = samples.iter().map(|&s| f64::from(s).powi(2)).sum();
    let total = left;
    let mut crossed = [0.0, 0.0];
    for (frame, &sample) in samples.iter().enumerate() {
        left -= f64::from(sample).powi(2);
        for (place, limit) in crossed.iter_mut().zip([0.316_2, 1e-3]) {
            if left > limit * total {
                *place = frame as f64 / rate_hz;
            }
        }
    }
    (crossed[1] - crossed[0]) * 60.0 / 25.0
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    let short = [("decay_s", 0.2), ("size", 0.0), ("damping", 1.0)];
    assert_conforms::<ConvolutionReverb>(&config(8_000, 2, &short));
    assert_conforms::<ConvolutionReverb>(&config(192_000, 1, &short));
    let bright = [("brightness", 1.0), ("width", 0.3), ("pre_delay_ms", 250.0)];
    assert_conforms::<ConvolutionReverb>(&config(44_100, 2, &bright));
}

#[test]
fn the_longest_room_at_the_highest_rate_fits() {
    let longest = [
        ("decay_s", 5.0),
        ("bass_ratio", 1.25),
        ("pre_delay_ms", 250.0),
    ];
    let running =
        Running::<ConvolutionReverb>::new(&config(192_000, 2, &longest)).expect("it runs");
    // Two rooms and the history of the sound, eight bytes per frame each: 32 MB.
    assert!(matches!(
        running.tail(),
        Tail::Frames(1_360_000..=1_370_000)
    ));
}

#[test]
fn every_band_decays_in_the_time_asked_for() {
    for (decay, damping, bass) in [(0.8, 0.0, 1.0), (1.5, 1.0, 0.5), (2.5, 0.5, 1.25)] {
        let settings = [
            ("decay_s", decay),
            ("damping", damping),
            ("bass_ratio", bass),
        ];
        let answer = room(48_000, 1, &settings, decay * 1.5).remove(0);
        let treble = 1.0 - 0.75 * damping;
        for (hz, expected) in [
            (110.0, decay * bass),
            (700.0, decay),
            (9_000.0, decay * treble),
        ] {
            let measured = decay_s(&answer, 48_000.0, hz);
            assert!(
                (measured / expected - 1.0).abs() < 0.1,
                "{hz} Hz: {measured} s, not {expected} s"
            );
        }
    }
}

#[test]
fn the_decay_is_the_same_at_other_rates() {
    for rate_hz in [8_000, 96_000] {
        let answer = room(rate_hz, 1, &[("decay_s", 1.0)], 1.5).remove(0);
        let measured = decay_s(&answer, f64::from(rate_hz), 700.0);
        assert!((measured - 1.0).abs() < 0.1, "{rate_hz}: {measured} s");
    }
}

#[test]
fn noise_is_as_loud_in_the_room_as_outside() {
    for channels in [1, 2] {
        for width in [0.0, 0.5, 1.0] {
            let answers = room(48_000, channels, &[("width", width)], 2.0);
            for answer in answers {
                let energy = level(&answer).powi(2) * answer.len() as f64;
                assert!((energy - 1.0).abs() < 0.1, "{channels}, {width}: {energy}");
            }
        }
    }
}

#[test]
fn the_width_makes_the_sides_differ() {
    let alike = |width: f64| {
        let sides = room(48_000, 2, &[("width", width)], 2.0);
        sides[0]
            .iter()
            .zip(&sides[1])
            .map(|(l, r)| f64::from(l * r))
            .sum::<f64>()
    };
    assert!(alike(0.0) > 0.99 && alike(1.0).abs() < 0.1);
}

#[test]
fn the_room_waits_for_the_pre_delay_and_starts_later_when_it_is_larger() {
    let start = |settings: &[(&str, f64)]| {
        let answer = room(48_000, 1, settings, 1.0).remove(0);
        let peak = answer.iter().fold(0.0_f32, |peak, s| peak.max(s.abs()));
        answer
            .iter()
            .position(|s| s.abs() > 0.25 * peak)
            .expect("there is sound")
    };
    let early = start(&[("early_level", 1.0), ("size", 0.5)]);
    let delayed = start(&[("early_level", 1.0), ("size", 0.5), ("pre_delay_ms", 100.0)]);
    assert_eq!(delayed - early, 4_800);
    assert!(start(&[("early_level", 1.0), ("size", 1.0)]) > early + 500);
}

#[test]
fn brightness_tilts_the_spectrum() {
    // The difference of successive samples weighs the treble.
    let treble = |brightness: f64| {
        let answer = room(
            48_000,
            1,
            &[("brightness", brightness), ("damping", 0.0)],
            2.0,
        )
        .remove(0);
        let steps: Vec<f32> = answer.windows(2).map(|pair| pair[1] - pair[0]).collect();
        level(&steps) / level(&answer)
    };
    let [dark, even, bright] = [-1.0, 0.0, 1.0].map(treble);
    assert!(
        bright > 1.1 * even && even > 2.0 * dark,
        "{dark}, {even}, {bright}"
    );
}

#[test]
fn the_plain_sound_comes_out_after_the_latency_to_the_bit() {
    let input = [noise(1, 20_000), noise(2, 20_000)];
    let config = config(48_000, 2, &[("wet_level", 0.0), ("dry_level", 1.0)]);
    let latency = Running::<ConvolutionReverb>::new(&config)
        .expect("it runs")
        .latency() as usize;
    let output = render::<ConvolutionReverb>(&config, &input, &[777]);
    for (channel, plain) in output.iter().zip(&input) {
        assert!(channel[latency..] == plain[..20_000 - latency]);
    }
}
