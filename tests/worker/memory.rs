//! The memory that a worker has in use.

use std::collections::BTreeMap;
use std::fs;
use std::io::BufReader;
use std::path::Path;
use std::process::{Command, Stdio};

use vocalhost_job::{JobSpec, SeparationSpec};
use vocalhost_testing::memory::memory_bytes;
use vocalhost_testing::onnx::{Attribute, Graph};
use vocalhost_testing::process::program;
use vocalhost_testing::separators::{Separator, write_all, write_ensemble};
use vocalhost_testing::sound;
use vocalhost_work::worker::frame;
use vocalhost_work::worker::protocol::{Order, Report, WorkOrder};

/// How much more memory than before, in KiB, a worker has in use at the most while it separates a recording of that length.
fn growth_kib(models: &Path, seconds: usize) -> u64 {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let input = scratch.path().join("input.wav");
    fs::write(
        &input,
        sound::wav(2, 8_000, &sound::noise(5, 2 * 8_000 * seconds)),
    )
    .expect("writes");
    let mut worker = Command::new(program())
        .arg("worker")
        .arg("--models-dir")
        .arg(models)
        .args([Path::new("--effect-cache"), &models.join("compiled")])
        // It compiles effects for the next one here, which walls let nobody do but the server.
        .env("VOCALHOST_SANDBOX", "off")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the worker starts");
    let mut orders = worker.stdin.take().expect("it is piped");
    let mut reports = BufReader::new(worker.stdout.take().expect("it is piped"));
    let ready = frame::read::<Report>(&mut reports).expect("it speaks");
    assert_eq!(ready, Report::Ready);
    let before = memory_bytes(worker.id(), "VmRSS:");
    let order = WorkOrder {
        job_id: 1,
        request_id: "memory".to_owned(),
        trace_parent: None,
        spec: JobSpec::VocalSeparation(SeparationSpec::default()),
        input: Some(input),
        backing: None,
        scratch: scratch.path().to_owned(),
        voices: BTreeMap::new(),
        beside: BTreeMap::new(),
        training: None,
        effects: Vec::new(),
    };
    frame::write(&mut orders, &Order::Run(Box::new(order))).expect("it listens");
    loop {
        match frame::read::<Report>(&mut reports).expect("it speaks") {
            Report::Done(result) => {
                assert_eq!(result.files.len(), 12, "four wholes and four stems, twice");
                break;
            }
            Report::Failed { failure, detail } => panic!("{failure:?}: {detail}"),
            _ => {}
        }
    }
    let peak = memory_bytes(worker.id(), "VmHWM:");
    drop(orders);
    worker.wait().expect("it ends");
    (peak - before) >> 10
}

#[test]
fn a_workers_memory_does_not_grow_with_the_length_of_a_recording() {
    let models = tempfile::tempdir().expect("a temporary folder");
    write_all(models.path());
    // The first worker compiles the effects. What that takes and leaves behind would count as what is there before.
    growth_kib(models.path(), 1);
    // Four minutes are 15 MiB of samples, and five results of that. In half a minute all queues are full.
    let (short, long) = (
        growth_kib(models.path(), 30),
        growth_kib(models.path(), 240),
    );
    assert!(long < short + 12 * 1_024, "{short} KiB, then {long} KiB");
}

/// How many times a heavy graph holds what it is given while it runs: 32 MiB of floats.
const WIDTH: i64 = 1_048;

/// Separators of all tasks, the vocals' an ensemble of so many whose graphs take much memory while they run.
fn write_heavy(models: &Path, members: usize) {
    write_all(models);
    let ids: Vec<String> = (0..members).map(|place| format!("test.m{place}")).collect();
    for id in &ids {
        let mut member = Separator::of_shares("vocals", &[("vocals", 0.0)], "backing");
        member.graph = Graph::default()
            .input(("mix", &[Some(1), Some(2), Some(4_000)]))
            .constant("shares", &[1, WIDTH, 1, 1], &[0.6; WIDTH as usize])
            .node("Mul", &["mix", "shares"], "wide", &[])
            .node("Tanh", &["wide"], "bent", &[])
            .node(
                "ReduceMax",
                &["bent"],
                "out",
                &[("axes", Attribute::Ints(vec![1]))],
            )
            .output(("out", &[Some(1), Some(1), Some(2), Some(4_000)]));
        member.write_as(models, id);
    }
    write_ensemble(models, &format!("members = {ids:?}\nmethod = \"average\""));
}

#[test]
fn graphs_that_take_turns_do_not_keep_what_each_needs_while_it_runs() {
    let [few, many] = [2, 8].map(|members| {
        let models = tempfile::tempdir().expect("a temporary folder");
        write_heavy(models.path(), members);
        growth_kib(models.path(), 1);
        growth_kib(models.path(), 1)
    });
    // Six more would keep 192 MiB.
    assert!(many < few + 64 * 1_024, "{few} KiB, then {many} KiB");
}
