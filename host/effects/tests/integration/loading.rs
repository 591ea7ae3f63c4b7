//! Bytes that are no effect, and what is said about them.

use vocalhost_effects::{EffectHost, EffectLimits, PluginError};
use vocalhost_testing::guests::HOSTILE_COMPONENT;

use super::rig::HOST;

fn refusal(bytes: &[u8]) -> PluginError {
    match HOST.load(bytes) {
        Ok(_) => panic!("it is refused"),
        Err(error) => error,
    }
}

fn component(text: &str) -> Vec<u8> {
    wat::parse_str(text).expect("the text is WebAssembly")
}

#[test]
fn bytes_that_are_not_webassembly_are_refused() {
    for bytes in [&b""[..], b"RIFF\x24\0\0\0WAVE", &[0; 64]] {
        let error = refusal(bytes).to_string();
        assert!(error.ends_with("is not a WebAssembly component: it does not begin like one"));
    }
}

#[test]
fn a_core_module_is_refused_with_advice() {
    let error = refusal(&component("(module)")).to_string();
    assert!(
        error.contains("it is a core module; build for wasm32-wasip2"),
        "{error}"
    );
}

#[test]
fn a_truncated_component_is_refused() {
    let whole = &HOSTILE_COMPONENT;
    for length in [8 + 3, whole.len() / 2, whole.len() - 1] {
        let error = refusal(&whole[..length]);
        assert!(
            matches!(
                error,
                PluginError::NotAComponent { .. } | PluginError::NotAnEffect { .. }
            ),
            "{length} bytes: {error}"
        );
    }
}

#[test]
fn an_empty_component_is_not_an_effect() {
    let error = refusal(&component("(component)")).to_string();
    assert!(error.contains("is not an effect: "), "{error}");
    assert!(error.contains("vocalhost:effect/effect@0.1.0"), "{error}");
}

#[test]
fn an_export_of_another_shape_is_not_an_effect() {
    let text = r#"(component
        (instance $empty)
        (export "vocalhost:effect/effect@0.1.0" (instance $empty)))"#;
    let error = refusal(&component(text)).to_string();
    assert!(error.contains("is not an effect: "), "{error}");
}

#[test]
fn an_import_that_effects_are_not_given_is_named() {
    let cases = [
        (
            "evil:host/backdoor@1.0.0",
            r#"(import "evil:host/backdoor@1.0.0" (instance (export "open" (func))))"#,
        ),
        ("open-sesame", r#"(import "open-sesame" (func))"#),
        (
            "wasi:http/types@0.2.0",
            r#"(import "wasi:http/types@0.2.0" (instance))"#,
        ),
        (
            "teleport",
            r#"(import "wasi:random/random@0.2.0" (instance (export "teleport" (func))))"#,
        ),
    ];
    for (import, text) in cases {
        let error = refusal(&component(&format!("(component {text})")));
        assert!(
            matches!(error, PluginError::UnknownImport { .. }),
            "{error}"
        );
        assert!(error.to_string().contains(import), "{error}");
    }
}

#[test]
fn a_component_over_the_size_limit_is_not_compiled() {
    let limits = EffectLimits {
        component_bytes: HOSTILE_COMPONENT.len() - 1,
        ..EffectLimits::default()
    };
    let host = EffectHost::open(None, limits).expect("opens");
    let Err(error) = host.load(&HOSTILE_COMPONENT) else {
        panic!("it is too large");
    };
    assert!(matches!(error, PluginError::TooLarge { .. }), "{error}");
}

#[test]
fn a_memory_that_is_too_large_from_the_start_is_refused() {
    let text = r#"(component
        (core module $greedy (memory 2000))
        (core instance (instantiate $greedy))
        (instance $empty)
        (export "vocalhost:effect/effect@0.1.0" (instance $empty)))"#;
    let error = refusal(&component(text)).to_string();
    assert!(error.contains("is not an effect"), "{error}");
}
