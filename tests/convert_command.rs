//! `vocalhost convert`, as a person calls it: what it refuses before it begins, and what is left when it is interrupted.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use vocalhost_audio::{Block, WavSamples, WavWriter};
use vocalhost_testing::poll::until;
use vocalhost_testing::repository;
use vocalhost_testing::sound::sung;

const RATE_HZ: u32 = 16_000;

fn recording(path: &Path, seconds: f64) {
    let block = Block::from_planar(1, sung(seconds, RATE_HZ, 180.0));
    let mut writer = WavWriter::create_as(WavSamples::Int16, path, 1, RATE_HZ).expect("made");
    writer.write(&block).expect("written");
    writer.finish().expect("finished");
}

fn convert(input: &Path, output: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vocalhost"));
    command
        .arg("convert")
        .args([input, output])
        .args(["--voice", "Oak", "--models-dir"])
        .arg(repository("models"))
        .args(more);
    command
}

fn refused(output: &Output) -> String {
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_result_that_can_be_nowhere_is_refused_before_anything_is_done() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let input = place.path().join("in.wav");
    recording(&input, 1.0);
    let said = |name: &str, more: &[&str]| {
        let output = convert(&input, &place.path().join(name), more).output();
        refused(&output.expect("the program starts"))
    };
    let folder = place.path().join("none").display().to_string();
    assert!(said("none/out.wav", &[]).contains(&format!("there is no folder {folder}")));
    assert!(said("none/", &[]).contains(&format!("there is no folder {folder}")));
    for name in ["out.m4a", "out", "-"] {
        let said = said(name, &[]);
        assert!(said.contains(&format!("{name} says no format")), "{said}");
    }
    let said = said("out.wav", &["--f0-method", "harvest"]);
    assert!(
        said.contains("must be one of auto, pyin, vocalhost.f0"),
        "{said}"
    );
    let left = fs::read_dir(place.path()).expect("it is there").count();
    assert_eq!(left, 1, "the recording alone");
}

#[test]
fn an_interrupted_command_takes_along_what_nobody_else_could_read() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (input, scratch) = (place.path().join("in.wav"), place.path().join("scratch"));
    recording(&input, 90.0);
    fs::create_dir(&scratch).expect("it is new");
    let mut running = convert(&input, &place.path().join("out.wav"), &[])
        .env("TMPDIR", &scratch)
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .collect()
    };
    let folder = until("it has begun", || {
        let found = entries(&scratch).into_iter().next()?;
        (!entries(&found).is_empty()).then_some(found)
    });
    let mode = folder.metadata().expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let pid = Pid::from_child(&running);
    kill_process(pid, Signal::INT).expect("it is there");
    let status = running.wait().expect("it ends");
    assert_eq!(status.signal(), Some(Signal::INT.as_raw()), "{status}");
    assert!(entries(&scratch).is_empty(), "it has left something");
    assert!(!place.path().join("out.wav").exists());
}
