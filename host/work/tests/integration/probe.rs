use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use vocalhost_audio::{AudioLimits, InputFormat};
use vocalhost_work::worker::probe::{ProbeError, Seen, probe_in_child};

/// A program that answers every probe with these lines of shell. Another process writes the file: a file that this
/// one had open for writing could not be run at once, since tests beside this one start processes too.
pub(super) fn program(folder: &TempDir, lines: &str) -> PathBuf {
    let path = folder.path().join("program");
    let mut writer = Command::new("sh")
        .args(["-c", "cat > \"$0\" && chmod +x \"$0\""])
        .arg(&path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut input = writer.stdin.take().expect("it is piped");
    write!(input, "#!/bin/sh\n{lines}\n").expect("it is read");
    drop(input);
    assert!(writer.wait().expect("it ends").success());
    path
}

async fn probe(lines: &str) -> Result<Seen, ProbeError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let limits = AudioLimits {
        max_duration_s: 7_200.0,
    };
    let recording = folder.path().join("input");
    probe_in_child(&program(&folder, lines), &recording, &limits).await
}

#[tokio::test]
async fn the_answer_of_the_child_is_the_answer() {
    let answer = r#"[ "$1" = probe ] && [ "$3 $4" = "--max-duration-s 7200" ] && echo '{"ok":{"info":{"format":"flac","channels":2,"sample_rate_hz":48000,"frames":96000,"duration_s":2.0}}}'"#;
    let info = probe(answer).await.expect("the recording is good").info;
    assert_eq!(info.format, InputFormat::Flac);
    assert_eq!((info.channels, info.sample_rate_hz), (2, 48_000));

    let answer = r#"echo '{"rejected":{"rule":"channels","message":"the file has 9 channels"}}'"#;
    let Err(ProbeError::Rejected { rule, message, .. }) = probe(answer).await else {
        panic!("it was rejected");
    };
    assert_eq!(
        (rule.as_str(), message.as_str()),
        ("channels", "the file has 9 channels")
    );
}

#[tokio::test]
async fn the_child_is_in_an_empty_folder_of_its_own_that_goes_with_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let limits = AudioLimits {
        max_duration_s: 7_200.0,
    };
    let recording = folder.path().join("input");
    std::fs::write(&recording, "sound").expect("written");
    let lines = r#"[ -z "$(ls -A)" ] && [ "$(pwd)" = "$TMPDIR" ] && [ -f "$2" ] && echo left > left \
        && echo '{"rejected":{"rule":"empty","message":"seen"}}'"#;
    let program = program(&folder, lines);
    let Err(ProbeError::Rejected { message, .. }) =
        probe_in_child(&program, &recording, &limits).await
    else {
        panic!("it is somewhere else");
    };
    assert_eq!(message, "seen");
    let left = std::fs::read_dir(folder.path()).expect("it is there");
    assert_eq!(left.count(), 2, "the program and the recording");
}

#[tokio::test]
async fn a_recording_that_ends_the_child_is_rejected() {
    let Err(ProbeError::Rejected { rule, .. }) = probe("kill -9 $$").await else {
        panic!("it was rejected");
    };
    assert_eq!(rule, "decode");
}

#[tokio::test]
async fn a_child_that_cannot_answer_is_a_fault_of_ours() {
    for lines in [
        "exit 1",
        "echo nonsense",
        r#"echo '{"broken":"no limits"}'"#,
    ] {
        let probed = probe(lines).await;
        assert!(
            matches!(probed, Err(ProbeError::Broken(_))),
            "{lines}: {probed:?}"
        );
    }
}
