//! What breaks, and what must not come of it: accepted jobs are neither lost nor done twice.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use vocalhost_testing::poll;
use vocalhost_testing::proxy::{Proxy, Way};
use vocalhost_testing::s3::{Fault, by_chance};

use super::checker::all_is_well;
use super::node::Node;
use super::place::Place;

/// Three leases of the place.
const THREE_LEASES: Duration = Duration::from_secs(18);

/// A recording that takes a worker some seconds.
const LONG_S: f64 = 8.0;

/// Jobs given in to the nodes in turn.
fn given_in(nodes: &[&Node], key: &str, (count, seconds): (usize, f64)) -> Vec<i64> {
    let numbers = (0..count).zip(nodes.iter().cycle());
    let give_in = |(number, node): (usize, &&Node)| {
        node.give_in_surely(seconds, key, &format!("{seconds} {number}"))
    };
    numbers.map(give_in).collect()
}

/// Waits until as many jobs run.
pub fn until_running(place: &Place, count: i64) {
    poll::until("jobs to run", || {
        let running = place.ask("SELECT COUNT(*) FROM jobs WHERE state = 'running'");
        (running >= count).then_some(())
    });
}

#[test]
fn jobs_outlive_workers_and_servers_that_are_killed() {
    let place = Place::new();
    let (mut first, second) = (place.node(), place.node());
    let jobs = given_in(&[&first, &second], &place.key, (4, LONG_S));
    until_running(&place, 2);
    // A child, whose server sees it at once; then a whole server.
    for worker in second.workers() {
        rustix::process::kill_process(worker, Signal::KILL).expect("it is there");
    }
    until_running(&place, 2);
    first.signal(Signal::KILL, false);
    first.start_again();
    all_is_well(&place, &jobs);
}

#[test]
fn a_database_that_is_stopped_hard_loses_nothing() {
    let mut place = Place::new();
    // Longer than the database is away: work goes on meanwhile.
    place.lease_s = 60;
    let nodes = [place.node(), place.node()];
    let mut jobs = given_in(&[&nodes[0], &nodes[1]], &place.key, (2, LONG_S));
    until_running(&place, 2);
    place.postgres.stop_hard();
    let asked = Instant::now();
    let refused = nodes[0].give_in(0.5, &place.key, "refused");
    assert!(!matches!(refused, Ok(Ok(_))), "{refused:?}");
    assert!(
        asked.elapsed() < Duration::from_mins(1),
        "{:?}",
        asked.elapsed()
    );
    poll::until("a server to say it", || {
        (!nodes[1].is_ready()).then_some(())
    });
    place.postgres.start_again().expect("it recovers");
    jobs.extend(given_in(&[&nodes[0], &nodes[1]], &place.key, (4, 0.5)));
    for node in &nodes {
        node.until_ready();
    }
    all_is_well(&place, &jobs);
    // Nobody died: a job is not to blame.
    assert_eq!(place.ask("SELECT CAST(SUM(deaths) AS BIGINT) FROM jobs"), 0);
}

#[test]
fn a_server_that_is_cut_off_from_the_database_leaves_its_job_to_others() {
    let place = Place::new();
    let proxy = Proxy::to(&place.postgres.place());
    let by_proxy = place.postgres.address_by(&proxy.address(), "postgres");
    let cut_off = Node::start(place.flags(&by_proxy));
    let jobs = given_in(&[&cut_off], &place.key, (1, 3.0 * LONG_S));
    until_running(&place, 1);
    proxy.turn(Way::Hole);
    let other = place.node();
    let cut_off_at = Instant::now();
    poll::until("the other to have it", || {
        let again = place.ask("SELECT COUNT(*) FROM jobs WHERE attempt >= 2");
        (again == 1).then_some(())
    });
    let waited = cut_off_at.elapsed();
    assert!(waited < Duration::from_secs(100), "{waited:?}");
    proxy.turn(Way::Open);
    let more = given_in(&[&cut_off, &other], &place.key, (4, 0.5));
    all_is_well(&place, &[jobs, more].concat());
    cut_off.until_ready();
}

#[test]
fn a_server_that_is_frozen_for_three_leases_spoils_nothing() {
    let place = Place::new();
    let frozen = place.node();
    let jobs = given_in(&[&frozen], &place.key, (1, LONG_S));
    until_running(&place, 1);
    frozen.signal(Signal::STOP, true);
    let other = place.node();
    let thawing = Instant::now() + THREE_LEASES;
    poll::until("the other to have it", || {
        let again = place.ask("SELECT COUNT(*) FROM jobs WHERE attempt >= 2");
        (again == 1 && Instant::now() > thawing).then_some(())
    });
    frozen.signal(Signal::CONT, true);
    let more = given_in(&[&frozen, &other], &place.key, (2, 0.5));
    all_is_well(&place, &[jobs, more].concat());
}

#[test]
fn a_bucket_that_fails_now_and_then_spoils_no_result() {
    let place = Place::new();
    let nodes = [place.node(), place.node()];
    let faults = [
        (50, Fault::Unavailable),
        (20, Fault::Reset),
        (20, Fault::Lost),
        (20, Fault::Cut),
        (10, Fault::Stall(Duration::from_secs(3))),
    ];
    place.s3.fail(by_chance(1, &faults));
    let jobs = given_in(&[&nodes[0], &nodes[1]], &place.key, (12, 0.5));
    poll::until("all jobs to end", || {
        let going_on = "SELECT COUNT(*) FROM jobs WHERE ended_at_us IS NULL";
        (place.ask(going_on) == 0).then_some(())
    });
    place.s3.recover();
    all_is_well(&place, &jobs);
}
