//! Components that were made to misbehave: the hostile one with a deed written into its binary, and the bare one, which
//! is text.

use std::ffi::OsStr;
use std::sync::LazyLock;

use crate::repository;

#[path = "../../../host/effects/build/components.rs"]
mod components;

/// The bare effect; `(;NAME;)` marks the places for instructions.
const BARE: &str = include_str!("../../fixtures/bare_effect.wat");

/// The component of the hostile effect, built as the built-in effects are.
pub static HOSTILE_COMPONENT: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let workspace = repository("");
    let outer = std::env::var_os("CARGO_TARGET_DIR");
    let target = components::target_folder(&workspace, outer.as_deref());
    let package = "hostile-effect".to_owned();
    let built =
        components::build_command(OsStr::new(env!("CARGO")), &workspace, &target, &[package])
            .output()
            .expect("cargo runs");
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    std::fs::read(components::component_path(&target, "hostile_effect")).expect("it was built")
});

/// The hostile component that does `deed` when it is asked what it is.
pub fn describing(deed: &str) -> Vec<u8> {
    told(b"when describing: ...........", deed)
}

/// The hostile component that does `deed` with its default settings, and has no parameter for it.
pub fn hostile(deed: &str) -> Vec<u8> {
    told(b"what by default: ...........", deed)
}

/// The hostile component with a deed written over the dots of a mark.
fn told(mark: &[u8], deed: &str) -> Vec<u8> {
    let word = mark.iter().rposition(|letter| *letter != b'.');
    let dots = mark.len() - 1 - word.expect("the mark begins with words");
    assert!(deed.len() <= dots, "{deed} fits");
    let mut component = HOSTILE_COMPONENT.clone();
    let place = component
        .windows(mark.len())
        .position(|window| window == mark)
        .expect("the mark is in the binary");
    let word = place + mark.len() - dots;
    component[word..word + deed.len()].copy_from_slice(deed.as_bytes());
    component
}

/// The bare effect with instructions in these places.
pub fn bare(places: &[(&str, &str)]) -> Vec<u8> {
    let mut text = BARE.to_owned();
    for (place, instructions) in places {
        let mark = format!("(;{place};)");
        assert_eq!(text.matches(&mark).count(), 1, "{place} is a place");
        text = text.replace(&mark, instructions);
    }
    wat::parse_str(text).expect("the text is WebAssembly")
}

/// Instructions for the bare effect that make a table larger without end.
pub const GROW_TABLE: &str =
    "(loop $more ref.null func i32.const 100 table.grow $table drop br $more)";
/// The same of its memory.
pub const GROW_MEMORY: &str = "(loop $more i32.const 16 memory.grow drop br $more)";
/// Instructions that ask for handle after handle.
pub const MAKE_HANDLES: &str = "(loop $more i32.const 1 call $new-handle drop br $more)";
/// Instructions that never end.
pub const LOOP: &str = "(loop $more br $more)";
/// The instruction that ends an instance.
pub const TRAP: &str = "unreachable";
