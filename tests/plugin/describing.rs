//! Components that misbehave already when they are asked what they are.

use vocalhost::plugin::{EffectHost, PluginError};

use super::rig::{HOSTILE_COMPONENT, brisk_limits};

/// The hostile component with a deed written over the mark that its `describe` reads.
fn told(deed: &str) -> Vec<u8> {
    const MARK: &[u8] = b"when describing: ...........";
    let mut component = HOSTILE_COMPONENT.clone();
    let place = component
        .windows(MARK.len())
        .position(|window| window == MARK)
        .expect("the mark is in the binary");
    let word = place + MARK.len() - 11;
    component[word..word + deed.len()].copy_from_slice(deed.as_bytes());
    component
}

/// What loading it ends in; without a cache, because nothing of it may be kept.
fn loading(deed: &str) -> PluginError {
    let host = EffectHost::open(None, brisk_limits()).expect("opens");
    let Err(error) = host.load(&told(deed)) else {
        panic!("{deed} is noticed");
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
