//! Compiled code between two starts.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use vocalhost_audio::Stage as _;
use vocalhost_effects::{Effect, EffectHost};
use vocalhost_testing::guests::HOSTILE_COMPONENT;

use super::rig::{brisk_limits, sound, stream};

/// Loads the component with a new host, as a new process would.
fn load(folder: &Path) -> Effect {
    let host = EffectHost::open(Some(folder), brisk_limits()).expect("opens");
    host.load(&HOSTILE_COMPONENT).expect("loads")
}

fn only_entry(folder: &Path) -> PathBuf {
    let mut entries = fs::read_dir(folder).expect("lists");
    let entry = entries.next().expect("one entry").expect("lists").path();
    assert!(
        entries.next().is_none(),
        "nothing but the entry is left behind"
    );
    entry
}

#[test]
fn a_warm_start_neither_compiles_nor_describes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cold = load(folder.path());
    assert!(!cold.is_from_cache());
    let warm = load(folder.path());
    assert!(warm.is_from_cache());
    assert_eq!(warm.descriptor(), cold.descriptor());
    assert_eq!(warm.digest(), cold.digest());
    let block = sound(2, 128);
    let mut stage = warm.start(&stream(2)).expect("starts");
    assert_eq!(stage.process(block.clone()).expect("processes"), block);
}

#[test]
fn a_damaged_entry_is_compiled_anew_and_replaced() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    load(folder.path());
    let entry = only_entry(folder.path());
    let whole = fs::read(&entry).expect("reads");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for damaged in [&flipped[..], &whole[..whole.len() - 1], &whole[..20], b""] {
        fs::write(&entry, damaged).expect("writes");
        assert!(!load(folder.path()).is_from_cache());
        assert!(
            load(folder.path()).is_from_cache(),
            "the entry is whole again"
        );
    }
}

#[test]
fn an_entry_is_never_taken_for_another_component() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    load(folder.path());
    let host = EffectHost::open(Some(folder.path()), brisk_limits()).expect("opens");
    let other = wat::parse_str("(component)").expect("the text is WebAssembly");
    assert!(
        host.load(&other).is_err(),
        "it is no effect, whatever the cache holds"
    );
}

#[test]
fn the_folder_becomes_private() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let open = folder.path().join("open");
    fs::create_dir(&open).expect("creates");
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).expect("opens it to all");
    load(&open);
    let mode = fs::metadata(&open).expect("exists").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}
