//! Components that misbehave already when they are asked what they are.

use vocalhost_effects::{EffectHost, PluginError};
use vocalhost_testing::guests::{bare, describing};

use super::rig::brisk_limits;

/// What loading it ends in; without a cache, because nothing of it may be kept.
fn loading(deed: &str) -> PluginError {
    refusal(&describing(deed))
}

fn refusal(component: &[u8]) -> PluginError {
    let host = EffectHost::open(None, brisk_limits()).expect("opens");
    let Err(error) = host.load(component) else {
        panic!("it is noticed");
    };
    let name = error.effect().expect("the component is named").to_owned();
    assert!(name.starts_with("component sha256:"), "{name}");
    error
}

#[test]
fn an_endless_describe_runs_out_of_time() {
    assert!(matches!(
        loading("loop"),
        PluginError::OutOfTime {
            call: "describe",
            ..
        }
    ));
}

#[test]
fn a_describe_that_grows_without_end_runs_out_of_memory() {
    assert!(matches!(
        loading("grow"),
        PluginError::OutOfMemory {
            call: "describe",
            ..
        }
    ));
}

#[test]
fn a_describe_that_panics_is_told_in_its_own_words() {
    let error = loading("panic").to_string();
    assert!(error.contains("failed in describe: "), "{error}");
    assert!(error.contains("flux capacitor"), "{error}");
}

#[test]
fn a_descriptor_that_breaks_a_rule_is_refused_with_the_rule() {
    let error = loading("nonsense").to_string();
    assert!(
        error.ends_with("its version is not a semantic version"),
        "{error}"
    );
    let error = loading("multiply").to_string();
    assert!(
        error.ends_with("it has 1000 parameters, at most 256"),
        "{error}"
    );
}

#[test]
fn a_descriptor_that_is_enormous_is_refused_before_it_is_copied() {
    let error = loading("shout").to_string();
    assert!(error.contains("failed in describe"), "{error}");
}

#[test]
fn lists_and_words_that_claim_more_than_there_is_are_refused() {
    // The length of the tags, then that of the summary: both beyond the end of the memory.
    for length in ["2092", "2084"] {
        let claim = format!("i32.const {length} i32.const 0x7ffffff i32.store");
        let error = refusal(&bare(&[("DESCRIBE", &claim)])).to_string();
        assert!(error.contains("failed in describe"), "{error}");
    }
}

#[test]
fn a_long_list_of_nothing_is_refused_with_the_rule() {
    let tags = "i32.const 2088 i32.const 131072 i32.store i32.const 2092 i32.const 10000 i32.store";
    let error = refusal(&bare(&[("DESCRIBE", tags)])).to_string();
    assert!(error.ends_with("it has 10000 tags, at most 32"), "{error}");
}

#[test]
fn the_same_words_a_million_times_are_refused_before_they_are_copied() {
    // 7,000 tags that all name the same 60,000 bytes would be 420 MB for the host.
    let tags = "(local $place i32)
        i32.const 131072 local.set $place
        (loop $more
            local.get $place i32.const 4096 i32.store
            local.get $place i32.const 60000 i32.store offset=4
            local.get $place i32.const 8 i32.add local.tee $place
            i32.const 187072 i32.lt_u br_if $more)
        i32.const 2088 i32.const 131072 i32.store
        i32.const 2092 i32.const 7000 i32.store";
    let error = refusal(&bare(&[("DESCRIBE", tags)])).to_string();
    assert!(error.contains("failed in describe"), "{error}");
}
