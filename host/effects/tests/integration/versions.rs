//! The versions of the interface: what was published runs for ever, and what is not known is refused by name.

use std::collections::BTreeMap;
use std::fs;

use vocalhost_audio::Block;
use vocalhost_effects::{Effect, EffectHost, EffectLimits, PluginError, SettingValue};
use vocalhost_testing::repository;

use super::rig::{choice, run, stream, stream_with};

/// What was published, each with the component that was frozen then.
const FROZEN: &str = "tests/fixtures/frozen-effects";

fn frozen_echo() -> Effect {
    let component = fs::read(repository(FROZEN).join("0.1.0/echo.wasm")).expect("it is there");
    let host = EffectHost::open(None, EffectLimits::default()).expect("the host opens");
    host.load(&component).expect("a frozen component loads")
}

#[test]
fn a_published_text_of_the_interface_stays_as_it_was() {
    let frozen = fs::read_to_string(repository(FROZEN).join("0.1.0/effect.wit"));
    let current = fs::read_to_string(repository("wit/effect.wit"));
    let (frozen, current) = (frozen.expect("frozen"), current.expect("current"));
    assert!(
        !current.contains("package vocalhost:effect@0.1.0;") || current == frozen,
        "wit/effect.wit differs from the published 0.1.0; docs/decisions/0005 says how the interface evolves"
    );
}

#[test]
fn a_frozen_component_says_what_it_said_then() {
    let effect = frozen_echo();
    let now = serde_json::to_value(effect.descriptor()).expect("it has a form in JSON");
    let then = fs::read_to_string(repository(FROZEN).join("0.1.0/echo.json"));
    let then: serde_json::Value =
        serde_json::from_str(&then.expect("it is there")).expect("it is JSON");
    assert_eq!(now, then, "{now:#}");
}

/// Stereo noise that any language makes to the bit: a linear congruential generator (Numerical Recipes' constants) whose
/// upper 16 bits are a sample.
fn noise(frames: usize) -> Block {
    let mut state = 1_u32;
    let samples = (0..2 * frames).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as f32 / 65_536.0 - 0.5
    });
    Block::from_planar(2, samples.collect())
}

/// One case of the recording: its settings and a frame's samples, left and right.
#[derive(serde::Deserialize)]
struct Case {
    settings: BTreeMap<String, SettingValue>,
    latency: usize,
    /// Every 500th frame.
    samples: Vec<[f32; 2]>,
}

#[test]
fn a_frozen_component_sounds_as_it_sounded_then() {
    let effect = frozen_echo();
    let recording = fs::read_to_string(repository(FROZEN).join("0.1.0/echo.sound.json"));
    let cases: Vec<Case> =
        serde_json::from_str(&recording.expect("it is there")).expect("it is a recording");
    assert_eq!(cases.len(), 4);
    for case in cases {
        let mut config = stream(2);
        config.settings.clone_from(&case.settings);
        let mut stage = effect.start(&config).expect("it starts");
        assert_eq!(stage.latency(), case.latency);
        let out = run(&mut stage, &noise(6_000), &[4096, 1, 300]).expect("it runs");
        let samples: Vec<[f32; 2]> = (0..6_000)
            .step_by(500)
            .map(|frame| [out[0][frame], out[1][frame]])
            .collect();
        assert_eq!(samples, case.samples, "{:?}: {samples:?}", case.settings);
    }
}

#[test]
fn a_frozen_component_refuses_in_its_own_words() {
    let nothing = SettingValue::Number(0.0);
    let settings = [("order", choice("before")), ("delay_frames", nothing)];
    let Err(PluginError::Refused { reason, .. }) = frozen_echo().start(&stream_with(2, &settings))
    else {
        panic!("it refuses");
    };
    assert_eq!(reason, "Without a delay there is no echo before the sound.");
}

#[test]
fn a_component_of_a_later_0_1_runs() {
    let mut component = fs::read(repository(FROZEN).join("0.1.0/echo.wasm")).expect("it is there");
    let (published, later) = (b"effect/effect@0.1.0", b"effect/effect@0.1.7");
    let mut count = 0;
    for start in 0..component.len() - published.len() {
        if component[start..].starts_with(published) {
            component[start..start + later.len()].copy_from_slice(later);
            count += 1;
        }
    }
    assert!(count > 0);
    let host = EffectHost::open(None, EffectLimits::default()).expect("the host opens");
    let effect = host.load(&component).expect("it loads");
    let mut stage = effect.start(&stream(2)).expect("it starts");
    run(&mut stage, &noise(1_000), &[1_000]).expect("it runs");
}

fn refusal(text: &str) -> String {
    let host = EffectHost::open(None, EffectLimits::default()).expect("the host opens");
    let component = wat::parse_str(text).expect("it is WebAssembly");
    match host.load(&component) {
        Ok(_) => panic!("it is refused"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_component_of_a_version_to_come_is_refused_with_the_versions_that_are_spoken() {
    for version in ["0.2.0", "1.0.0", "0.2.0-rc.1"] {
        let error = refusal(&format!(
            r#"(component
                (instance $empty)
                (export "vocalhost:effect/effect@{version}" (instance $empty)))"#
        ));
        assert!(
            error.contains(&format!("it speaks version {version} of the interface")),
            "{error}"
        );
        assert!(error.contains("this host speaks 0.1.0"), "{error}");
    }
}

#[test]
fn a_component_of_several_versions_is_taken_at_the_one_that_is_spoken() {
    let error = refusal(
        r#"(component
            (instance $empty)
            (export "vocalhost:effect/effect@0.2.0" (instance $empty))
            (export "vocalhost:effect/effect@0.1.0" (instance $empty)))"#,
    );
    assert!(!error.contains("0.2.0"), "{error}");
}
