//! `vocalhost effect wrap`.

use std::fs;

use vocalhost_testing::repository;

use super::projects::{error_of, expected_gain, gains_of, vocalhost_effect};

/// What the compiler made of the C template when version 0.1.0 of the interface was frozen.
const CORE: &str = "tests/fixtures/frozen-effects/0.1.0/ring.core.wasm";

#[test]
fn a_core_module_of_the_c_template_becomes_an_effect_that_sounds_like_the_rust_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let component = folder.path().join("ring.wasm");
    let module = repository(CORE);
    let wrapped = vocalhost_effect(&[
        "wrap",
        module.to_str().expect("text"),
        component.to_str().expect("text"),
    ]);
    assert!(wrapped.status.success(), "{}", error_of(&wrapped));
    let component = fs::read(component).expect("it is there");
    for (frame, gain) in gains_of(&component, 20_000).iter().enumerate() {
        assert!((gain - expected_gain(frame)).abs() < 1e-5, "frame {frame}");
    }
}

#[test]
fn what_is_no_module_of_an_effect_is_refused_and_nothing_is_written() {
    let module = |text: &str| wat::parse_str(text).expect("it is WebAssembly");
    let cases = [
        (
            b"RIFF".to_vec(),
            "only a core WebAssembly module can be wrapped",
        ),
        (
            module("(component)"),
            "only a core WebAssembly module can be wrapped",
        ),
        (module("(module)"), "function `[constructor]processor`"),
        (
            module(r#"(module (import "env" "open" (func)))"#),
            "does not fit the interface",
        ),
    ];
    for (bytes, reason) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        let (module, component) = (
            folder.path().join("in.wasm"),
            folder.path().join("out.wasm"),
        );
        fs::write(&module, bytes).expect("written");
        let refused = vocalhost_effect(&[
            "wrap",
            module.to_str().expect("text"),
            component.to_str().expect("text"),
        ]);
        assert_eq!(refused.status.code(), Some(1));
        let error = error_of(&refused);
        assert!(error.contains(reason), "{error}");
        assert!(!component.exists());
    }
}
