//! What the API adds to its statements: requests per second and the slowest hundredth, with 100,000 jobs stored, beside a
//! bare hyper handler that runs the same statements on the same database and sends an answer of the same length.
//!
//! `cargo bench --bench api`. Both servers are processes of their own, asked in turns over 16 kept connections; the figure is
//! the ratio of the medians of the turns. The exit status is 1 when it falls below what is promised.

#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]

mod bare;
mod load;
mod stored;

use std::path::Path;
use std::process::{Child, ExitCode, Stdio};
use std::time::{Duration, Instant};

use vocalhost_testing::process::serve;

/// Turns of each server, and how long one lasts.
const TURNS: usize = 5;
const TURN: Duration = Duration::from_secs(3);

/// The share of the bare handler's requests per second that the API must reach.
const PROMISED: f64 = 0.6;

/// Processor time of a second in which a server counts as idle, in hundredths of a second.
const IDLE_TICKS: u64 = 2;

/// The paths that are asked, and which statements each stands for.
const ASKED: [(&str, bare::Work); 4] = [
    ("/voice-conversions/70002", bare::Work::One),
    ("/voice-conversions", bare::Work::Page { descending: false }),
    (
        "/voice-conversions?order=desc&page=40",
        bare::Work::Page { descending: true },
    ),
    (
        "/vocal-separations?status=success",
        bare::Work::PageOfStatus,
    ),
];

fn main() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime starts");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [bare::ARGUMENT, data, asked, length] =
        arguments.iter().map(String::as_str).collect::<Vec<_>>()[..]
    {
        let (_, work) = ASKED[asked.parse::<usize>().expect("a place")];
        let length = length.parse().expect("a number of bytes");
        runtime.block_on(bare::serve(Path::new(data), work, length));
        return ExitCode::SUCCESS;
    }
    let data = tempfile::tempdir().expect("a temporary folder");
    let key = runtime.block_on(stored::fill(data.path()));
    let server = Server::start(data.path());
    runtime.block_on(load::until_ready(&server.address));
    runtime.block_on(server.until_idle());
    let kept = runtime.block_on(measure(&server.address, data.path(), &key));
    if kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

async fn measure(address: &str, data: &Path, key: &str) -> bool {
    println!("| path | API, requests/s | p99 | bare handler | p99 | ratio |");
    println!("|---|--:|--:|--:|--:|--:|");
    let mut kept = true;
    for (asked, (path, _)) in ASKED.into_iter().enumerate() {
        let target = format!("/api/v1{path}");
        let length = load::answer_length(address, &target, key).await;
        let bare = bare::Bare::start(data, asked, length);
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..TURNS {
            ours.push(load::ask(address, &target, key, TURN).await);
            theirs.push(load::ask(&bare.address, &target, key, TURN).await);
        }
        let (ours, theirs) = (load::median(ours), load::median(theirs));
        let ratio = ours.per_second / theirs.per_second;
        println!(
            "| `{path}` | {:.0} | {:.1} ms | {:.0} | {:.1} ms | {ratio:.2} |",
            ours.per_second,
            ours.slowest_hundredth.as_secs_f64() * 1e3,
            theirs.per_second,
            theirs.slowest_hundredth.as_secs_f64() * 1e3,
        );
        kept &= ratio >= PROMISED;
    }
    kept
}

/// The real server, ended with the bench.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(data: &Path) -> Self {
        let (process, address) = serve(data, &[], Stdio::inherit());
        Self { process, address }
    }

    /// Waits until the server has done what it does after its start: it compiles effects and looks at its models.
    async fn until_idle(&self) {
        let deadline = Instant::now() + Duration::from_mins(3);
        loop {
            let before = self.ticks();
            tokio::time::sleep(Duration::from_secs(1)).await;
            if self.ticks() - before <= IDLE_TICKS {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "the server does not come to rest"
            );
        }
    }

    /// Processor time so far, in ticks of a hundredth of a second: the 14th and 15th field of `/proc/PID/stat`, whose second field,
    /// the name in brackets, may have spaces.
    fn ticks(&self) -> u64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()));
        let stat = stat.expect("the server runs");
        let fields = stat.rsplit(") ").next().unwrap_or_default();
        let times = fields.split(' ').skip(11).take(2);
        times
            .map(|ticks| ticks.parse::<u64>().expect("a number"))
            .sum()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
