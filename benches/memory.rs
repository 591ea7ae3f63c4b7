//! The peak memory of a worker for recordings of 10 seconds and of 60 minutes: it must not grow with the length.
//!
//! Not a matter of time, so not criterion's: each recording goes to a real worker process, whose high-water mark the
//! kernel keeps (`VmHWM`).

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use vocalhost_job::JobSpec;
use vocalhost_testing::job::conversion;
use vocalhost_testing::memory::memory_bytes;
use vocalhost_testing::repository;
use vocalhost_work::worker::frame;
use vocalhost_work::worker::protocol::{Order, Report, WorkOrder};

const SAMPLE_RATE_HZ: u32 = 44_100;

fn main() {
    // `cargo test --benches` and `cargo bench -- --list` only want to know that it starts.
    if std::env::args().any(|argument| argument == "--test" || argument == "--list") {
        return;
    }
    let mut out = std::io::stdout();
    writeln!(
        out,
        "| recording | peak memory of the worker (MiB) |\n|---|---|"
    )
    .expect("writes");
    for (name, seconds) in [("10 s", 10), ("10 min", 600), ("60 min", 3_600)] {
        writeln!(out, "| {name} | {} |", peak_mib(seconds)).expect("writes");
    }
}

/// Converts a recording of that length in a fresh worker and gives its peak resident memory in MiB.
fn peak_mib(seconds: u32) -> u64 {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let input = scratch.path().join("input.wav");
    write_recording(&input, seconds);
    let models = repository("models");
    let mut worker = Command::new(env!("CARGO_BIN_EXE_vocalhost"))
        .arg("worker")
        .arg("--models-dir")
        .arg(&models)
        // Its walls leave it the folder that it is in.
        .current_dir(scratch.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the worker starts");
    let mut orders = worker.stdin.take().expect("it is piped");
    let mut reports = BufReader::new(worker.stdout.take().expect("it is piped"));
    assert_eq!(
        frame::read::<Report>(&mut reports).expect("it speaks"),
        Report::Ready
    );
    let spec = JobSpec::VoiceConversion(conversion());
    let catalog = vocalhost_model::Catalog::open(&[models]);
    let voice = catalog
        .voices()
        .next()
        .expect("the starter pack has voices");
    let order = WorkOrder {
        job_id: 1,
        request_id: "memory".to_owned(),
        trace_parent: None,
        spec,
        input: Some(input),
        backing: None,
        scratch: scratch.path().to_path_buf(),
        voices: [(1, voice.folder().to_path_buf())].into(),
        beside: [].into(),
        training: None,
        effects: Vec::new(),
    };
    frame::write(&mut orders, &Order::Run(Box::new(order))).expect("it listens");
    loop {
        match frame::read(&mut reports).expect("it speaks") {
            Report::Done(_) => break,
            Report::Failed { failure, detail } => panic!("{failure:?}: {detail}"),
            _ => {}
        }
    }
    let peak = memory_bytes(worker.id(), "VmHWM:");
    drop(orders);
    worker.wait().expect("it ends");
    peak >> 20
}

/// A stereo 16-bit WAV file of a repeating sung scale, written as it is made.
fn write_recording(path: &Path, seconds: u32) {
    let frames = seconds * SAMPLE_RATE_HZ;
    let data_bytes = frames * 4;
    let mut file = BufWriter::new(File::create(path).expect("creates"));
    let mut header = Vec::new();
    header.extend_from_slice(b"RIFF");
    header.extend_from_slice(&(36 + data_bytes).to_le_bytes());
    header.extend_from_slice(b"WAVEfmt \x10\0\0\0\x01\0\x02\0");
    header.extend_from_slice(&SAMPLE_RATE_HZ.to_le_bytes());
    header.extend_from_slice(&(SAMPLE_RATE_HZ * 4).to_le_bytes());
    header.extend_from_slice(b"\x04\0\x10\0data");
    header.extend_from_slice(&data_bytes.to_le_bytes());
    file.write_all(&header).expect("writes");
    let mut phase = 0.0_f64;
    for frame in 0..frames {
        let step = frame / (SAMPLE_RATE_HZ / 2) % 8;
        phase += 130.0 * (f64::from(step) / 12.0).exp2() / f64::from(SAMPLE_RATE_HZ);
        let sound: f64 = (1..=8)
            .map(|n| (std::f64::consts::TAU * f64::from(n) * phase).sin() / f64::from(n))
            .sum();
        let sample = ((sound * 6_000.0) as i16).to_le_bytes();
        file.write_all(&sample).expect("writes");
        file.write_all(&sample).expect("writes");
    }
    file.flush().expect("writes");
}
