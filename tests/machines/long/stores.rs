//! The database and the bucket.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use vocalhost_testing::s3::{Fault, by_chance, drawn};

use super::super::checker::all_is_well;
use super::super::place::Place;
use super::{COUNT, SEED, SHORT_S, figures, node, number, sleep, until_all_ended};

#[test]
#[ignore = "takes ten minutes"]
fn a_database_is_stopped_hard_again_and_again() {
    let (seed, count) = (number(SEED, 1), number(COUNT, 20));
    let mut place = Place::new();
    // Longer than it is ever away.
    place.lease_s = 60;
    let address = place.postgres.address.clone();
    let api = node(&place, "api", &address);
    let _worker = node(&place, "worker", &address);
    let key = place.key.clone();
    let over = AtomicBool::new(false);
    let (jobs, recovered) = std::thread::scope(|scope| {
        let given = scope.spawn(|| {
            let mut jobs = Vec::new();
            while !over.load(Ordering::Relaxed) {
                let name = format!("long {}", jobs.len());
                // The same name until it is accepted, however long that takes: a job that was accepted unheard is told of then.
                if let Ok(Ok(id)) = api.give_in(SHORT_S, &key, &name) {
                    jobs.push(id);
                }
                sleep(0.5);
            }
            jobs
        });
        let mut recovered = Vec::new();
        for round in 0..count {
            sleep(8.0);
            place.postgres.stop_hard();
            sleep(5.0 + (drawn(seed, round) % 26) as f64);
            place.postgres.start_again().expect("it recovers");
            let since = Instant::now();
            let last = place.ask("SELECT COALESCE(MAX(id), 0) FROM jobs");
            let done = format!("SELECT COUNT(*) FROM jobs WHERE id > {last} AND ended_at_us > 0");
            while place.ask(&done) == 0 {
                sleep(0.05);
            }
            recovered.push(since.elapsed().as_secs_f64());
        }
        over.store(true, Ordering::Relaxed);
        (given.join().expect("no panic"), recovered)
    });
    until_all_ended(&place);
    let most = recovered.iter().copied().fold(0.0, f64::max);
    let deaths = place.ask("SELECT CAST(SUM(deaths) AS BIGINT) FROM jobs");
    eprintln!(
        "seed {seed}: {} jobs, stopped {count} times, a new job accepted and done {}; {deaths} deaths",
        jobs.len(),
        figures(recovered)
    );
    all_is_well(&place, &jobs);
    assert!(most <= 10.0, "{most} s");
    assert_eq!(deaths, 0, "a job is not to blame");
}

#[test]
#[ignore = "takes three minutes"]
fn listeners_are_killed_again_and_again() {
    let count = number(COUNT, 50);
    let place = Place::new();
    let address = place.postgres.address.clone();
    let api = node(&place, "api", &address);
    let _worker = node(&place, "worker", &address);
    let (mut jobs, mut begun) = (Vec::new(), Vec::new());
    for round in 0..count {
        let killed = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'vocalhost-listen'";
        assert!(place.ask(killed) > 0, "nobody listens");
        let id = api.give_in_surely(SHORT_S, &place.key, &format!("long {round}"));
        jobs.push(id);
        let since = Instant::now();
        let started =
            format!("SELECT COUNT(*) FROM jobs WHERE id = {id} AND started_at_us IS NOT NULL");
        while place.ask(&started) == 0 {
            sleep(0.02);
        }
        begun.push(since.elapsed().as_secs_f64());
        until_all_ended(&place);
        let listening =
            "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'vocalhost-listen'";
        while place.ask(listening) < 2 {
            sleep(0.1);
        }
    }
    let most = begun.iter().copied().fold(0.0, f64::max);
    eprintln!("listeners killed, job begun {}", figures(begun));
    all_is_well(&place, &jobs);
    assert!(most <= 5.0, "{most} s");
}

#[test]
#[ignore = "takes ten minutes"]
fn a_bucket_fails_now_and_then() {
    let (seed, count) = (number(SEED, 1), number(COUNT, 500));
    let place = Place::new();
    let address = place.postgres.address.clone();
    let nodes = [(); 2].map(|()| node(&place, "all", &address));
    let faults = [
        (50, Fault::Unavailable),
        (20, Fault::Reset),
        (20, Fault::Lost),
        (20, Fault::Cut),
        (5, Fault::Stall(Duration::from_secs(10))),
    ];
    place.s3.fail(by_chance(seed, &faults));
    let began = Instant::now();
    let mut jobs = Vec::new();
    for (number, node) in (0..count).zip(nodes.iter().cycle()) {
        jobs.push(node.give_in_surely(SHORT_S, &place.key, &format!("long {number}")));
    }
    until_all_ended(&place);
    let asked = place.s3.seen().len();
    place.s3.recover();
    eprintln!(
        "seed {seed}: {count} jobs, {asked} requests, {:.0} s",
        began.elapsed().as_secs_f64()
    );
    all_is_well(&place, &jobs);
}
