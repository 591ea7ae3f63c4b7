//! Whatever an effect does wrong ends its own stream with an error that names it, soon, and nobody else's.

use vocalhost_audio::Stage as _;
use vocalhost_effects::{PluginError, SettingValue};
use vocalhost_testing::guests::hostile;

use super::rig::{CATALOG, HOST, HOSTILE, about_to, choice, sound, stream, stream_with};

/// What comes of `deed` in `process`, and that a sibling, started before and after, goes on working.
fn outcome(deed: &str) -> String {
    let sibling = CATALOG.find("highPassFilter").expect("it is built in");
    let mut before = sibling.effect.start(&stream(2)).expect("starts");
    let block = sound(2, 4096);
    let expected = before.process(block.clone()).expect("processes");

    let mut stage = about_to(deed);
    let error = stage
        .process(block.clone())
        .expect_err("the deed is noticed")
        .to_string();
    assert!(error.starts_with("effect org.example.hostile: "), "{error}");
    assert!(error.chars().count() < 600, "bounded: {error}");

    let again = stage
        .process(block.clone())
        .expect_err("the instance is poisoned")
        .to_string();
    assert!(again.ends_with("failed before and cannot go on"), "{again}");
    before.process(block.clone()).expect("the sibling goes on");
    let mut after = sibling.effect.start(&stream(2)).expect("starts");
    assert_eq!(after.process(block).expect("processes"), expected);
    error
}

#[test]
fn an_endless_loop_runs_out_of_time() {
    assert!(outcome("loop").ends_with("ran out of time in process"));
}

#[test]
fn pestering_the_host_runs_out_of_time_too() {
    assert!(outcome("pester").ends_with("ran out of time in process"));
}

#[test]
fn growth_without_end_runs_out_of_memory() {
    let error = outcome("grow");
    assert!(
        error.contains("ran out of memory in process: it wanted"),
        "{error}"
    );
    assert!(error.ends_with("at most 67108864"), "{error}");
}

#[test]
fn a_panic_is_told_in_its_own_words() {
    let error = outcome("panic");
    assert!(
        error.contains("the flux capacitor is out of tune"),
        "{error}"
    );
    assert!(error.contains("deeds.rs"), "{error}");
}

#[test]
fn a_panic_with_a_flood_of_words_is_cut() {
    let error = outcome("flood");
    assert!(error.contains("very loud words"), "{error}");
    assert!(error.contains('…'), "{error}");
}

#[test]
fn endless_recursion_exhausts_its_own_stack_only() {
    let error = outcome("recurse");
    assert!(
        error.contains("call stack exhausted") || error.contains("out of bounds"),
        "{error}"
    );
}

#[test]
fn ending_itself_ends_nothing_else() {
    assert!(outcome("exit").ends_with("ended itself in process"));
}

#[test]
fn sleeping_is_not_allowed() {
    assert!(outcome("sleep").ends_with("wanted to wait in process, which effects may not"));
}

#[test]
fn an_answer_of_the_wrong_length_is_refused() {
    assert!(outcome("shorten").ends_with("answered with 8191 samples instead of 8192"));
    assert!(outcome("lengthen").ends_with("answered with 8193 samples instead of 8192"));
}

#[test]
fn an_enormous_answer_is_refused_before_it_is_copied() {
    let error = outcome("hoard");
    assert!(error.contains("failed in process"), "{error}");
}

#[test]
fn samples_that_are_not_finite_are_refused_with_their_place() {
    for deed in ["nan", "infinity"] {
        let error = outcome(deed);
        assert!(
            error.ends_with("not finite, at frame 4095 of the stream"),
            "{error}"
        );
    }
}

#[test]
fn a_flood_of_standard_error_is_swallowed() {
    let mut stage = about_to("babble");
    let block = sound(2, 256);
    assert_eq!(stage.process(block.clone()).expect("it only talks"), block);
}

#[test]
fn deeds_in_the_constructor_are_told_as_such() {
    let early = |deed: &str| {
        let settings = [
            ("deed", choice(deed)),
            ("early", SettingValue::Toggle(true)),
        ];
        let Err(error) = HOSTILE.start(&stream_with(2, &settings)) else {
            panic!("{deed} is noticed");
        };
        assert_eq!(error.effect(), Some("org.example.hostile"), "{error}");
        error
    };
    assert!(matches!(
        early("loop"),
        PluginError::OutOfTime {
            call: "constructor",
            ..
        }
    ));
    assert!(matches!(
        early("grow"),
        PluginError::OutOfMemory {
            call: "constructor",
            ..
        }
    ));
    assert!(matches!(
        early("sleep"),
        PluginError::Waited {
            call: "constructor",
            ..
        }
    ));
    let panic = early("panic");
    assert!(panic.to_string().contains("flux capacitor"), "{panic}");
}

#[test]
fn an_effect_may_refuse_its_settings() {
    let Err(error) = HOSTILE.start(&stream_with(2, &[("deed", choice("refuse"))])) else {
        panic!("it refuses");
    };
    assert_eq!(
        error.to_string(),
        "org.example.hostile refused its settings: it does not feel like it"
    );
}

#[test]
fn wrong_settings_never_reach_the_effect() {
    let start = |id: &str, value: SettingValue| match HOSTILE.start(&stream_with(2, &[(id, value)]))
    {
        Ok(_) => panic!("{id} is wrong"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        start("volume", SettingValue::Number(1.0)),
        "org.example.hostile: volume: the effect has no such parameter"
    );
    assert_eq!(
        start("early", SettingValue::Number(1.0)),
        "org.example.hostile: early: must be true or false"
    );
    assert_eq!(
        start("latency", SettingValue::Number(-1.0)),
        "org.example.hostile: latency: must be between 0 and 1000000"
    );
    assert_eq!(
        start("latency", SettingValue::Number(0.5)),
        "org.example.hostile: latency: must be 0 plus a multiple of 1"
    );
}

#[test]
fn a_minute_of_good_behaviour_changes_nothing() {
    for (deed, words) in [
        ("minute", "a minute is over"),
        ("minute-nan", "not finite, at frame 26"),
        ("minute-loop", "ran out of time in process"),
    ] {
        let effect = HOST.load(&hostile(deed)).expect("it loads");
        let mut stage = effect.start(&stream(2)).expect("it starts");
        let block = sound(2, 44_100);
        for second in 0..60 {
            stage
                .process(block.clone())
                .unwrap_or_else(|error| panic!("{deed} in second {second}: {error}"));
        }
        let error = stage
            .process(block)
            .expect_err("a minute is over")
            .to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn denormal_numbers_are_no_weapon() {
    let mut stage = about_to("denormals");
    let block = sound(2, 4_096);
    assert_eq!(
        stage.process(block.clone()).expect("it only computes"),
        block
    );
}
