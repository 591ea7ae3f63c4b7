use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use super::said;

fn effects(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vocalhost"));
    command
        .arg("effect")
        .args(arguments)
        .env_remove("VOCALHOST_CONFIG")
        .env_remove("VOCALHOST_DATA_DIR");
    command
}

#[test]
fn a_full_disk_behind_standard_output_is_said_and_no_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    let full = File::options()
        .write(true)
        .open("/dev/full")
        .expect("the system has it");
    let done = effects(&["show", "vocalhost.gain"])
        .current_dir(folder.path())
        .env("TMPDIR", folder.path())
        .stdout(full)
        .output()
        .expect("it runs");
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    assert!(said(&done).contains("cannot write to standard output"));
    assert_leaves_nothing(folder.path());
}

#[test]
fn a_reader_that_has_gone_ends_a_command_quietly() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = effects(&["list", "--json"])
        .current_dir(folder.path())
        .env("TMPDIR", folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    drop(child.stdout.take());
    let done = child.wait_with_output().expect("it ends");
    assert_eq!(done.status.code(), Some(0), "{}", said(&done));
    assert!(!said(&done).contains("panicked"), "{}", said(&done));
    assert_leaves_nothing(folder.path());
}

/// The empty data folder that a command has looked at goes with it.
fn assert_leaves_nothing(folder: &Path) {
    let left = fs::read_dir(folder).expect("the folder is there");
    assert_eq!(left.count(), 0);
}

#[test]
fn changing_an_effect_in_a_data_folder_that_is_not_there_makes_none() {
    let folder = tempfile::tempdir().expect("a folder");
    for change in ["enable", "disable", "limit", "remove"] {
        let done = effects(&[change, "vocalhost.gain", "--data-dir", "mistyped"])
            .current_dir(folder.path())
            .output()
            .expect("it runs");
        assert_eq!(done.status.code(), Some(1), "{change}: {}", said(&done));
        assert!(said(&done).contains("no database at"), "{}", said(&done));
        assert!(!folder.path().join("mistyped").exists(), "{change}");
    }
}
