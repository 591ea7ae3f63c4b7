//! `vocalhost live`, between two pipes.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Output, Stdio};
use std::thread;

use vocalhost_testing::repository;
use vocalhost_testing::sound::sung;

const RATE_HZ: u32 = 48_000;

fn started(models: &str, voice: &str, more: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_vocalhost"))
        .args(["live", "--voice", voice, "--models-dir"])
        .arg(repository(models))
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

fn live(models: &str, voice: &str, sound: Vec<u8>, more: &[&str]) -> Output {
    let mut process = started(models, voice, &[&["--json"], more].concat());
    let mut input = process.stdin.take().expect("a pipe");
    // What is refused is not read to its end.
    let giving = thread::spawn(move || drop(input.write_all(&sound)));
    let output = process.wait_with_output().expect("it ends");
    giving.join().expect("no panic");
    output
}

fn pcm(samples: &[f32]) -> Vec<u8> {
    let whole = samples.iter().map(|sample| (sample * 32_767.0) as i16);
    whole.flat_map(i16::to_le_bytes).collect()
}

#[test]
fn another_voice_comes_out_as_long_as_what_went_in() {
    let sound = pcm(&sung(2.0, RATE_HZ, 180.0));
    // Half a sample at the end is none.
    let given = [&sound[..], &[7]].concat();
    let told = live("models", "Oak", given, &["--pitch", "-5"]);
    assert!(told.status.success(), "{told:?}");
    assert_eq!(told.stdout.len(), sound.len());
    let loudest = told.stdout.chunks_exact(2);
    let loudest = loudest.map(|two| i16::from_le_bytes([two[0], two[1]]).unsigned_abs());
    assert!(loudest.max() > Some(2_000));
    let said = String::from_utf8(told.stderr).expect("text");
    let said: serde_json::Value =
        serde_json::from_str(said.lines().last().expect("a line")).expect("JSON");
    assert_eq!(said["seconds"], 2.0);
    let latency = said["latencyMs"].as_f64().expect("a number");
    assert!((160.0..220.0).contains(&latency), "{said}");
    assert!(said["inputRms"].as_f64().expect("a level") > 0.01);
}

#[test]
fn with_a_microphone_nothing_is_heard_that_was_said_before_the_voice_was_loaded() {
    let mut process = started("models", "Oak", &["--real-time"]);
    let mut input = process.stdin.take().expect("a pipe");
    let sound = pcm(&sung(0.25, RATE_HZ, 180.0));
    let told = BufReader::new(process.stderr.take().expect("a pipe"));
    let mut told = told.lines().map(|line| line.expect("text"));
    input.write_all(&sound.repeat(8)).expect("it is taken");
    assert!(told.by_ref().any(|line| line == "Oak hears you"));
    input.write_all(&sound).expect("it is taken");
    drop(input);
    let output = process.wait_with_output().expect("it ends");
    assert_eq!(output.stdout.len(), sound.len());
    let said: Vec<String> = told.collect();
    let dropped = said
        .iter()
        .any(|line| line.starts_with("2000 ms were dropped"));
    assert!(dropped, "{said:?}");
}

#[test]
fn a_voice_that_cannot_speak_live_is_refused_with_the_reason() {
    let told = live("tests/fixtures/rvc", "test.rvc-voice", vec![0; 64], &[]);
    assert!(!told.status.success());
    let said = String::from_utf8_lossy(&told.stderr);
    assert!(
        said.contains("its encoder hears seconds at a time"),
        "{said}"
    );
    assert!(told.stdout.is_empty());
}
