//! Tables, handles and processors without end, in the bare effect that does nothing else.

use vocalhost_audio::Stage as _;
use vocalhost_effects::{EffectHost, EffectStage, PluginError, Processor};
use vocalhost_testing::guests::{GROW_MEMORY, GROW_TABLE, LOOP, MAKE_HANDLES, TRAP, bare};

use super::processors::config;
use super::rig::{CATALOG, brisk_limits, sound, stream};

fn host() -> EffectHost {
    EffectHost::open(None, brisk_limits()).expect("opens")
}

/// What comes of these instructions in this place, beside a sibling that goes on.
fn outcome(place: &str, instructions: &str) -> String {
    let sibling = CATALOG.find("highPassFilter").expect("it is built in");
    let mut beside = sibling.effect.start(&stream(2)).expect("starts");
    let block = sound(2, 1_024);
    let loaded = host().load(&bare(&[(place, instructions)]));
    let error = loaded
        .and_then(|effect| effect.start(&stream(2)))
        .map_err(|error| error.to_string())
        .and_then(|mut stage: EffectStage| {
            stage
                .process(block.clone())
                .map_err(|error| error.to_string())
        })
        .expect_err("the deed is noticed");
    beside.process(block).expect("the sibling goes on");
    error
}

#[test]
fn the_bare_effect_hands_the_sound_back() {
    let effect = host().load(&bare(&[])).expect("loads");
    let mut stage = effect.start(&stream(2)).expect("starts");
    let block = sound(2, 4_096);
    assert_eq!(stage.process(block.clone()).expect("processes"), block);
}

#[test]
fn every_deed_is_noticed_in_every_call() {
    for (place, call) in [
        ("BEGIN", "start"),
        ("DESCRIBE", "describe"),
        ("CONSTRUCT", "constructor"),
        ("PROCESS", "process"),
    ] {
        for (deed, words) in [
            (GROW_TABLE, "asked for a table of"),
            (GROW_MEMORY, "ran out of memory"),
            (LOOP, "ran out of time"),
            (TRAP, "unreachable"),
        ] {
            let error = outcome(place, deed);
            assert!(error.contains(words), "{deed} in {place}: {error}");
            assert!(error.contains(&format!("in {call}")), "{deed}: {error}");
        }
    }
}

#[test]
fn handles_without_end_are_noticed() {
    for place in ["CONSTRUCT", "PROCESS"] {
        let error = outcome(place, MAKE_HANDLES);
        assert!(error.contains("handle"), "{error}");
    }
}

#[test]
fn processors_without_end_end_in_an_error_and_spare_their_neighbours() {
    let effect = host().load(&bare(&[])).expect("loads");
    let mut neighbour = Processor::start(&effect, &config(2)).expect("starts");
    let first = Processor::start(&effect, &config(2)).expect("starts");
    let mut crowd = Vec::new();
    let error = loop {
        match first.sibling(&config(2)) {
            Ok(processor) => crowd.push(processor),
            Err(error) => break error,
        }
        assert!(crowd.len() < 5_000, "it goes on and on");
    };
    assert!(crowd.len() > 100, "a stream with many channels has many");
    assert!(matches!(error, PluginError::Trapped { .. }), "{error}");
    assert!(error.to_string().contains("handle"), "{error}");
    assert_eq!(
        neighbour.process(&[0.5, -0.5]).expect("goes on"),
        [0.5, -0.5]
    );
}

#[test]
fn a_refusal_of_a_thousand_words_is_cut() {
    let refusal = "i32.const 4096 i32.const 1 i32.store
        i32.const 4100 i32.const 131072 i32.store
        i32.const 4104 i32.const 60000 i32.store
        i32.const 131072 i32.const 97 i32.const 60000 memory.fill
        i32.const 4096 return";
    let error = outcome("CONSTRUCT", refusal);
    assert!(error.contains("refused its settings: aaaa"), "{error}");
    assert!(error.chars().count() < 600, "bounded: {error}");
}

#[test]
fn an_answer_that_lies_elsewhere_than_in_memory_is_noticed() {
    let answer = "i32.const 4128 i32.const 0x7ffffff0 i32.store
        i32.const 4132 i32.const 2048 i32.store
        i32.const 4128 return";
    let error = outcome("PROCESS", answer);
    assert!(error.contains("failed in process"), "{error}");
}
