use crate::Delay;
use vocalhost_effect::testing::{assert_conforms, assert_golden, config, noise, render};
use vocalhost_effect::{Running, Tail};

fn answer_to_a_click(settings: &[(&str, f64)], frames: usize) -> Vec<f32> {
    let mut click = vec![0.0; frames];
    click[0] = 1.0;
    render::<Delay>(&config(48_000, 1, settings), &[click], &[1000]).remove(0)
}

fn tail(settings: &[(&str, f64)]) -> Tail {
    Running::<Delay>::new(&config(48_000, 1, settings))
        .expect("it runs")
        .tail()
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    let endless = [("delay_seconds", 0.000_2), ("feedback", 1.0), ("mix", 1.0)];
    assert_conforms::<Delay>(&config(8_000, 3, &endless));
    assert_conforms::<Delay>(&config(
        192_000,
        1,
        &[("delay_seconds", 0.01), ("feedback", 0.9)],
    ));
    assert_conforms::<Delay>(&config(44_100, 2, &[("delay_seconds", 0.0)]));
    assert_conforms::<Delay>(&config(44_100, 2, &[]));
}

#[test]
fn it_sounds_like_the_reference() {
    assert_golden::<Delay>(include_str!("../golden.txt"), -140.0);
}

#[test]
fn echoes_come_at_multiples_of_the_time_and_fade_by_the_feedback() {
    let settings = [("delay_seconds", 0.01), ("feedback", 0.5), ("mix", 0.25)];
    let answer = answer_to_a_click(&settings, 2_000);
    let heard: Vec<(usize, f32)> = answer
        .iter()
        .copied()
        .enumerate()
        .filter(|&(_, sample)| sample != 0.0)
        .collect();
    let expected = [
        (0, 0.75),
        (479, 0.25),
        (958, 0.125),
        (1_437, 0.062_5),
        (1_916, 0.031_25),
    ];
    assert_eq!(heard, expected);
}

#[test]
fn a_delay_of_less_than_a_sample_changes_nothing() {
    let input = noise(1, 3_000);
    let settings = [("delay_seconds", 0.000_01), ("feedback", 1.0), ("mix", 1.0)];
    let output = render::<Delay>(
        &config(48_000, 1, &settings),
        std::slice::from_ref(&input),
        &[7],
    );
    assert!(output[0] == input);
}

#[test]
fn a_mix_of_0_is_the_plain_sound() {
    let input = noise(1, 3_000);
    let settings = [("delay_seconds", 0.01), ("feedback", 0.7), ("mix", 0.0)];
    let output = render::<Delay>(
        &config(48_000, 1, &settings),
        std::slice::from_ref(&input),
        &[64],
    );
    assert!(output[0] == input);
}

#[test]
fn the_tail_is_one_echo_or_a_fading_row_or_endless() {
    assert!(matches!(tail(&[]), Tail::Frames(24_000)));
    assert!(matches!(tail(&[("feedback", 1.0)]), Tail::Unbounded));
    assert!(matches!(
        tail(&[("mix", 0.0), ("feedback", 1.0)]),
        Tail::Frames(0)
    ));
    let Tail::Frames(frames) = tail(&[("feedback", 0.5)]) else {
        panic!("echoes that fade end");
    };
    assert!((21 * 24_000..=23 * 24_000).contains(&frames), "{frames}");
}
