//! The queue's rule at a size that nobody can start here: a million users and ten thousand workers for an hour, in virtual time.
//! What it says is who waits how long, whatever the database takes for a claim.

use std::io::Write;

use vocalhost_testing::queue::{Load, serve};

const WORKERS: usize = 10_000;
const USERS: usize = 1_000_000;

/// Where chance begins.
const SEED: u64 = 1;

fn main() {
    // `cargo test --benches` and `cargo bench -- --list` only want to know that it starts.
    if std::env::args().any(|argument| argument == "--test" || argument == "--list") {
        return;
    }
    let mut out = std::io::stdout();
    writeln!(
        out,
        "| load of an hour, {WORKERS} workers, 30 s a job, seed {SEED} | jobs taken | workers busy | wait of single jobs: median, 99 %, longest (s) \
         | most users waiting | fairness |\n|---|--:|--:|--:|--:|--:|"
    )
    .expect("writes");
    let calm = Load {
        workers: WORKERS,
        max_running_per_user: 2,
        single: USERS,
        many: Vec::new(),
        mean_s: 30.0,
        seed: SEED,
    };
    let few = Load {
        many: vec![10_000; 20],
        max_running_per_user: 200,
        ..calm.clone()
    };
    let too_much = Load {
        single: USERS + USERS / 2,
        ..few.clone()
    };
    let only_many = Load {
        single: 0,
        many: vec![5_000; 400],
        ..few.clone()
    };
    for (name, load) in [
        ("1,000,000 users with a job each", &calm),
        ("the same, and 20 users with 10,000 jobs each", &few),
        (
            "1,500,000 users with a job each, more than there are workers for, and the 20",
            &too_much,
        ),
        ("400 users with 5,000 jobs each", &only_many),
    ] {
        let outcome = serve(load);
        let waits = match load.single {
            0 => "–".to_owned(),
            _ => [0.5, 0.99, 1.0]
                .map(|at| format!("{:.1}", outcome.wait_s(at)))
                .join(", "),
        };
        let fairness = match load.many.len() {
            0 => "–".to_owned(),
            _ => format!("{:.4}", outcome.fairness()),
        };
        writeln!(
            out,
            "| {name} | {} | {:.0} % | {waits} | {} | {fairness} |",
            outcome.claims,
            outcome.busy * 100.0,
            outcome.longest_line,
        )
        .expect("writes");
    }
}
