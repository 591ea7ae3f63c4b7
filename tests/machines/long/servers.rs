//! The servers.

use std::time::{Duration, Instant};

use reqwest::Method;
use rustix::process::Signal;
use vocalhost_testing::proxy::{Proxy, Way};
use vocalhost_testing::s3::drawn;

use super::super::checker::all_is_well;
use super::super::place::Place;
use super::{COUNT, SEED, figures, node, number, running, sleep, until_all_ended};

/// A recording that takes a worker about half a second beside three others on two cores: many kills hit a job, and hardly one is hit three
/// times, after which a job counts as what kills its workers.
const KILLED_S: f64 = 1.5;

#[test]
#[ignore = "takes a quarter of an hour"]
fn jobs_outlive_a_kill_every_two_seconds() {
    let (seed, count) = (number(SEED, 1), number(COUNT, 1_000));
    let place = Place::new();
    let address = place.postgres.address.clone();
    let api = node(&place, "api", &address);
    // All of them wait before the first worker comes, or most would be done before the first kill.
    let jobs: Vec<i64> = (0..count)
        .map(|number| api.give_in_surely(KILLED_S, &place.key, &format!("long {number}")))
        .collect();
    let mut workers = [(); 4].map(|()| node(&place, "worker", &address));
    let began = Instant::now();
    // A job that was hit before waits the longer.
    let (mut kills, mut lost, mut first, mut later) = (0, Vec::new(), Vec::new(), Vec::new());
    while place.ask("SELECT COUNT(*) FROM jobs WHERE ended_at_us IS NULL") > 0 {
        let chance = drawn(seed, kills);
        let victim = &mut workers[(chance % 4) as usize];
        let before = running(&place);
        if (chance / 4).is_multiple_of(2) {
            for worker in victim.workers() {
                let _ = rustix::process::kill_process(worker, Signal::KILL);
            }
        } else {
            // A whole server: its jobs wait for their leases to end.
            let node = victim.id();
            victim.signal(Signal::KILL, false);
            let of_it = before.into_iter().filter(|(_, (_, of))| *of == node);
            lost.extend(of_it.map(|(id, (attempt, _))| (id, attempt, Instant::now())));
            victim.start_again();
        }
        kills += 1;
        let next = began + Duration::from_secs(2 * kills);
        while Instant::now() < next {
            lost.retain(|(id, attempt, at)| {
                let gone_on = format!(
                    "SELECT COUNT(*) FROM jobs WHERE id = {id} AND (attempt > {attempt} OR ended_at_us IS NOT NULL)"
                );
                let waits = place.ask(&gone_on) == 0;
                if !waits {
                    let times = if *attempt == 1 { &mut first } else { &mut later };
                    times.push(at.elapsed().as_secs_f64());
                }
                waits
            });
            sleep(0.1);
        }
    }
    eprintln!(
        "seed {seed}: {count} jobs, {kills} kills, {:.0} s; with a lease of {} s claimed again {}; after more than one hit {}",
        began.elapsed().as_secs_f64(),
        place.lease_s,
        figures(first),
        figures(later)
    );
    all_is_well(&place, &jobs);
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn jobs_are_cancelled_at_another_server() {
    let count = number(COUNT, 500);
    let place = Place::new();
    let address = place.postgres.address.clone();
    let apis = [(); 2].map(|()| node(&place, "api", &address));
    let _worker = node(&place, "worker", &address);
    let mut stopped = Vec::new();
    for round in 0..count {
        let id = apis[0].give_in_surely(60.0, &place.key, &format!("long {round}"));
        while running(&place).is_empty() {
            sleep(0.02);
        }
        let since = Instant::now();
        let path = format!("/voice-conversions/{id}/cancel");
        let cancelled = apis[1].request_with(Method::POST, &path, &place.key).send();
        let status = cancelled.expect("it answers").status();
        assert!(status.is_success(), "{status}");
        let over = format!("SELECT COUNT(*) FROM jobs WHERE id = {id} AND ended_at_us IS NOT NULL");
        while place.ask(&over) == 0 {
            sleep(0.02);
        }
        stopped.push(since.elapsed().as_secs_f64());
    }
    eprintln!("cancelled at another server, over {}", figures(stopped));
    let cancelled = place.ask("SELECT COUNT(*) FROM jobs WHERE state = 'cancelled'");
    assert_eq!(cancelled, count.cast_signed());
}

#[test]
#[ignore = "takes twenty minutes"]
fn a_server_is_cut_off_from_the_database_again_and_again() {
    let count = number(COUNT, 20);
    let place = Place::new();
    let proxy = Proxy::to(&place.postgres.place());
    let by_proxy = place.postgres.address_by(&proxy.address(), "postgres");
    let api = node(&place, "api", &place.postgres.address);
    let cut_off = node(&place, "worker", &by_proxy);
    let other = node(&place, "worker", &place.postgres.address);
    let (mut jobs, mut taken) = (Vec::new(), Vec::new());
    for round in 0..count {
        for one in 0..6 {
            let name = format!("long {round} {one}");
            jobs.push(api.give_in_surely(6.0, &place.key, &name));
        }
        let mine = loop {
            let mine = running(&place);
            let mine = mine.into_iter().find(|(_, (_, of))| *of == cut_off.id());
            if let Some((id, (attempt, _))) = mine {
                break (id, attempt);
            }
            sleep(0.05);
        };
        proxy.turn(Way::Hole);
        let since = Instant::now();
        let again = format!(
            "SELECT COUNT(*) FROM jobs WHERE id = {} AND attempt > {}",
            mine.0, mine.1
        );
        while since.elapsed() < Duration::from_mins(1) {
            if taken.len() as u64 == round && place.ask(&again) == 1 {
                taken.push(since.elapsed().as_secs_f64());
            }
            sleep(0.1);
        }
        proxy.turn(Way::Open);
        cut_off.until_ready();
        until_all_ended(&place);
    }
    drop(other);
    eprintln!(
        "cut off {count} times for 60 s, {} jobs; with a lease of {} s the other had its job after: {}",
        jobs.len(),
        place.lease_s,
        figures(taken)
    );
    all_is_well(&place, &jobs);
}

#[test]
#[ignore = "takes half an hour"]
fn a_server_is_frozen_again_and_again() {
    let count = number(COUNT, 100);
    let mut place = Place::new();
    place.lease_s = 5;
    let address = place.postgres.address.clone();
    let api = node(&place, "api", &address);
    let both = [(); 2].map(|()| node(&place, "worker", &address));
    let mut jobs = Vec::new();
    for round in 0..count {
        let name = format!("long {round}");
        let id = api.give_in_surely(4.0, &place.key, &name);
        jobs.push(id);
        let (attempt, frozen) = loop {
            if let Some((attempt, of)) = running(&place).remove(&id) {
                let frozen = both.iter().find(|node| node.id() == of);
                break (attempt, frozen.expect("one of the two"));
            }
            sleep(0.02);
        };
        assert_eq!(attempt, 1);
        frozen.signal(Signal::STOP, true);
        sleep(3.0 * f64::from(place.lease_s));
        frozen.signal(Signal::CONT, true);
        until_all_ended(&place);
    }
    let again = place.ask("SELECT COUNT(*) FROM jobs WHERE attempt > 1");
    eprintln!("frozen {count} times for three leases: {again} jobs were done by the other");
    assert_eq!(again, count.cast_signed());
    all_is_well(&place, &jobs);
}
