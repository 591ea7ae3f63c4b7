//! Streams of effects as links of the chain: aligned, of the same length, however the blocks are cut.

use vocalhost_audio::{Block, Stage as _};
use vocalhost_effects::{CatalogEntry, Kind, PluginError, SettingValue, StreamConfig};

use super::rig::{CATALOG, HOSTILE, run, sound, stream, stream_with};

#[test]
fn where_the_stream_is_cut_cannot_be_heard() {
    let sound = sound(2, 20_000);
    for entry in CATALOG.entries() {
        let through = |lengths: &[usize]| {
            let mut stage = entry.effect.start(&stream(2)).expect("starts");
            run(&mut stage, &sound, lengths).expect("runs")
        };
        let whole = through(&[20_000]);
        assert_eq!(whole[0].len(), 20_000, "{}", entry.descriptor.id);
        for lengths in [&[4096][..], &[1, 999, 0, 37], &[5_000]] {
            assert_eq!(
                through(lengths),
                whole,
                "{} in {lengths:?}",
                entry.descriptor.id
            );
        }
    }
}

#[test]
fn a_latency_is_made_up_for_at_both_ends() {
    for latency in [1, 700, 5_000] {
        for frames in [300, 9_000] {
            let sound = sound(2, frames);
            let settings = [("latency", SettingValue::Number(f64::from(latency)))];
            let mut stage = HOSTILE.start(&stream_with(2, &settings)).expect("starts");
            assert_eq!(stage.latency(), latency as usize);
            let out = run(&mut stage, &sound, &[256]).expect("runs");
            assert_eq!(
                out[0],
                sound.channel(0),
                "latency {latency}, {frames} frames"
            );
            assert_eq!(
                out[1],
                sound.channel(1),
                "latency {latency}, {frames} frames"
            );
        }
    }
}

#[test]
fn a_latency_of_seconds_is_refused() {
    let settings = [("latency", SettingValue::Number(500_000.0))];
    let Err(error) = HOSTILE.start(&stream_with(2, &settings)) else {
        panic!("it lags too far behind");
    };
    assert!(
        matches!(
            error,
            PluginError::Latency {
                frames: 500_000,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn every_effect_runs_at_every_number_of_channels_and_every_rate() {
    for entry in CATALOG.entries() {
        for (channels, sample_rate_hz) in [(1, 8_000), (2, 48_000), (3, 44_100), (8, 192_000)] {
            let config = StreamConfig {
                sample_rate_hz,
                ..stream(channels)
            };
            let mut stage = entry.effect.start(&config).expect("starts");
            let out = run(&mut stage, &sound(channels, 6_000), &[4096]).expect("runs");
            assert!(out.iter().all(|channel| channel.len() == 6_000));
            assert!(out.iter().flatten().all(|sample| sample.is_finite()));
        }
    }
}

#[test]
fn a_rate_or_channels_outside_the_contract_are_refused() {
    let start = |sample_rate_hz, channels| {
        let config = StreamConfig {
            sample_rate_hz,
            ..stream(channels)
        };
        HOSTILE.start(&config).err().map(|error| error.to_string())
    };
    assert!(start(7_999, 2).is_some_and(|error| error.contains("7999")));
    assert!(start(192_001, 2).is_some());
    assert!(start(44_100, 0).is_some());
    assert!(start(44_100, 9).is_some());
}

#[test]
fn a_sample_that_is_not_finite_reaches_no_effect() {
    let mut stage = HOSTILE.start(&stream(1)).expect("starts");
    let block = Block::from_planar(1, vec![0.5, f32::NAN, f32::INFINITY, -0.5]);
    let answer = stage.process(block).expect("processes");
    assert_eq!(answer.channel(0), [0.5, 0.0, 0.0, -0.5]);
}

#[test]
fn effects_run_on_many_threads_at_once() {
    let sound = sound(2, 8_192);
    let entry = CATALOG.find("highPassFilter").expect("it is built in");
    let once = || {
        let mut stage = entry.effect.start(&stream(2)).expect("starts");
        run(&mut stage, &sound, &[4096]).expect("runs")
    };
    let expected = once();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(once)).collect();
        for thread in threads {
            assert_eq!(thread.join().expect("no panic"), expected);
        }
    });
}

#[test]
fn a_call_leaves_the_thread_s_float_mode_as_it_was() {
    let denormal = || std::hint::black_box(std::hint::black_box(f32::MIN_POSITIVE) / 4.0);
    let mut stage = HOSTILE.start(&stream(1)).expect("starts");
    stage.process(sound(1, 64)).expect("processes");
    assert!(denormal() > 0.0);
    let mut stage = super::rig::about_to("panic");
    assert!(stage.process(sound(2, 64)).is_err());
    assert!(denormal() > 0.0);
}

/// The settings that put each parameter at each of its edges, one at a time, and all numbers at their upper ones.
fn edges(entry: &CatalogEntry) -> Vec<Vec<(&str, SettingValue)>> {
    let mut all_up = Vec::new();
    let mut edges = Vec::new();
    for parameter in &entry.descriptor.parameters {
        let id = parameter.id.as_str();
        let values = match &parameter.kind {
            Kind::Number { min, max, .. } => {
                all_up.push((id, SettingValue::Number(*max)));
                vec![SettingValue::Number(*min), SettingValue::Number(*max)]
            }
            Kind::Toggle { .. } => [false, true].map(SettingValue::Toggle).into(),
            Kind::Choice { options, .. } => options
                .iter()
                .map(|option| SettingValue::Choice(option.id.clone()))
                .collect(),
        };
        edges.extend(values.into_iter().map(|value| vec![(id, value)]));
    }
    edges.push(all_up);
    edges
}

#[test]
fn every_effect_keeps_to_its_limits_at_the_edges_of_its_parameters() {
    let sound = sound(2, 9_000);
    for entry in CATALOG.entries() {
        for settings in edges(entry) {
            let config = StreamConfig {
                sample_rate_hz: 192_000,
                ..stream_with(2, &settings)
            };
            let out = entry
                .effect
                .start(&config)
                .map_err(|error| error.to_string())
                .and_then(|mut stage| {
                    run(&mut stage, &sound, &[4096]).map_err(|error| error.to_string())
                });
            let out = out.unwrap_or_else(|error| panic!("{settings:?}: {error}"));
            assert_eq!(out[0].len(), 9_000, "{}", entry.descriptor.id);
        }
    }
}
