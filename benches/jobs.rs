//! Whole jobs by `vocalhost bench`: how much faster two threads are than one, and what a job costs beside its networks.
//!
//! The second is measured with networks that cost nothing, `tests/fixtures/free`: packages of the same shapes whose graphs pass their
//! input on. Not criterion's: the program says itself where the time of its threads went.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use sha2::{Digest, Sha256};
use vocalhost_testing::repository;

/// A song in short.
const SECONDS: u32 = 120;
/// Jobs of each kind, of which the fastest counts.
const RUNS: u32 = 3;
/// Kinds of job, and how much faster two threads are to be than one.
const KINDS: [(&str, f64); 3] = [("split", 1.8), ("separation", 1.75), ("conversion", 1.6)];
/// Packages that jobs need: how the folder's name begins, the package's graph, and what takes its place. The vocals of the stems have
/// no graph of their own.
const FREE: [(&str, Option<(&str, &str)>); 7] = [
    ("vocalhost.stems-", Some(("separator.onnx", "stems.onnx"))),
    (
        "vocalhost.vocals-1",
        Some(("separator.onnx", "vocals.onnx")),
    ),
    ("vocalhost.vocals-2", None),
    ("vocalhost.lead-", Some(("separator.onnx", "lead.onnx"))),
    ("vocalhost.content-", Some(("content.onnx", "content.onnx"))),
    ("vocalhost.f0-", Some(("f0.onnx", "f0.onnx"))),
    ("vocalhost.amber-", Some(("decoder.onnx", "decoder.onnx"))),
];

fn main() {
    // `cargo test --benches` and `cargo bench -- --list` only want to know that it starts.
    if std::env::args().any(|argument| argument == "--test" || argument == "--list") {
        return;
    }
    let free = tempfile::tempdir().expect("a temporary folder");
    free_packages(free.path());
    let mut out = std::io::stdout();
    let kept = with_networks(&mut out);
    beside_networks(&mut out, free.path());
    if !kept {
        std::process::exit(1);
    }
}

/// A table of times on one thread and on two; whether all are as much faster as they are to be.
fn with_networks(out: &mut impl Write) -> bool {
    let jobs = bench(&repository("models"), "1,2", "with-job");
    writeln!(
        out,
        "| {SECONDS} s, the networks of the release | 1 thread (s) | of real time | 2 threads (s) | times as fast | wanted |\n\
         |---|--:|--:|--:|--:|--:|"
    )
    .expect("writes");
    let mut kept = true;
    for (kind, wanted) in KINDS {
        let [one, two] = [1, 2].map(|threads| wall_s(job(&jobs, kind, threads)));
        let times = one / two;
        kept &= times >= wanted;
        writeln!(
            out,
            "| {kind} | {one:.2} | {:.3} | {two:.2} | {times:.2} | {wanted} |",
            one / f64::from(SECONDS)
        )
        .expect("writes");
    }
    kept
}

/// A table of where the time of the threads goes when the networks cost nothing.
fn beside_networks(out: &mut impl Write, free: &Path) {
    let mut names: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for lossy in ["with-job", "on-demand"] {
        let jobs = bench(free, "1,2,16", lossy);
        for kind in ["split", "conversion"] {
            for threads in [1, 2, 16] {
                let found = job(&jobs, kind, threads);
                let parts = found["threadSeconds"].as_object().expect("parts");
                for name in parts.keys().filter(|name| *name != "wait") {
                    if !names.contains(name) {
                        names.push(name.clone());
                    }
                }
                rows.push((kind, lossy, threads, found.clone()));
            }
        }
    }
    let head: Vec<String> = names.iter().map(|name| format!(" {name} |")).collect();
    let rule = "--:|".repeat(names.len());
    writeln!(
        out,
        "| {SECONDS} s, networks that cost nothing | MP3 files | threads | time (s) | thread seconds |{}\n|---|---|--:|--:|--:|{rule}",
        head.concat()
    )
    .expect("writes");
    for (kind, lossy, threads, found) in rows {
        let part = |name: &String| found["threadSeconds"][name].as_f64().unwrap_or(0.0);
        let all: f64 = names.iter().map(part).sum();
        let cells: Vec<String> = names
            .iter()
            .map(|name| format!(" {:.2} |", part(name)))
            .collect();
        writeln!(
            out,
            "| {kind} | {lossy} | {threads} | {:.2} | {all:.2} |{}",
            wall_s(&found),
            cells.concat()
        )
        .expect("writes");
    }
}

/// What `vocalhost bench` says of jobs with these models.
fn bench(models: &Path, threads: &str, lossy: &str) -> Vec<Value> {
    let kinds = KINDS.map(|(kind, _)| kind).join(",");
    let output = Command::new(env!("CARGO_BIN_EXE_vocalhost"))
        .args(["bench", "--json", "--kinds", &kinds, "--threads", threads])
        .args([
            "--seconds",
            &SECONDS.to_string(),
            "--runs",
            &RUNS.to_string(),
            "--lossy",
            lossy,
        ])
        .arg("--models-dir")
        .arg(models)
        .stderr(std::process::Stdio::inherit())
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", output.status);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    report["jobs"].as_array().expect("a list").clone()
}

fn job<'j>(jobs: &'j [Value], kind: &str, threads: u64) -> &'j Value {
    jobs.iter()
        .find(|job| job["kind"] == kind && job["threads"] == threads)
        .expect("it was measured")
}

fn wall_s(job: &Value) -> f64 {
    job["wallSeconds"].as_f64().expect("a number")
}

/// Copies the packages that jobs need, with graphs in the place of the networks.
fn free_packages(target: &Path) {
    let packages = fs::read_dir(repository("models")).expect("the repository has models");
    for package in packages {
        let package = package.expect("reads");
        let name = package.file_name().to_string_lossy().into_owned();
        let free = FREE.iter().find(|(start, _)| name.starts_with(start));
        // Those of live conversions have other shapes, and no job needs them.
        let Some((_, graph)) = free.filter(|_| !name.contains("-live-")) else {
            continue;
        };
        let folder = target.join(&name);
        fs::create_dir(&folder).expect("creates");
        for file in fs::read_dir(package.path()).expect("reads") {
            let file = file.expect("reads");
            fs::copy(file.path(), folder.join(file.file_name())).expect("copies");
        }
        if let Some((graph, instead)) = graph {
            exchange(
                &folder,
                graph,
                &repository("tests/fixtures/free").join(instead),
            );
        }
    }
}

/// Puts a graph in the place of another, and its digest and length into the manifest.
fn exchange(folder: &Path, graph: &str, instead: &Path) {
    let bytes = fs::read(instead).expect("the fixture is there");
    let manifest = folder.join("package.toml");
    let text = fs::read_to_string(&manifest).expect("a package has a manifest");
    let mut table: toml::Table = text.parse().expect("TOML");
    let file = &mut table["files"][graph];
    file["sha256"] = base16ct::lower::encode_string(&Sha256::digest(&bytes)).into();
    file["bytes"] = (bytes.len() as i64).into();
    fs::write(&manifest, table.to_string()).expect("writes");
    fs::write(folder.join(graph), bytes).expect("writes");
}
