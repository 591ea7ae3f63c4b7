//! How much several servers do, and how soon one hears of another's work.

use std::time::Duration;

use vocalhost_testing::s3::Fault;

use super::super::checker::all_is_well;
use super::super::place::Place;
use super::super::roles::read_on;
use super::{COUNT, SHORT_S, figures, node, number, until_all_ended};

/// How long the bucket takes to give a recording: less than the silence after which a server asks again.
const WAIT: Duration = Duration::from_millis(1_500);

#[test]
#[ignore = "takes four minutes"]
fn jobs_that_wait_are_done_by_as_many_servers_as_there_are() {
    let each = number(COUNT, 30);
    let place = Place::new();
    let address = place.postgres.address.clone();
    let api = node(&place, "api", &address);
    // Jobs that wait for their recording need next to no processor: two cores do not limit four servers.
    place.s3.fail(|asked| {
        let others = ["/results/", "/effects/", "/voices/", "/checks/"];
        let is_recording =
            asked.method == "GET" && !others.iter().any(|one| asked.path.contains(one));
        is_recording.then_some(Fault::Stall(WAIT))
    });
    let (mut workers, mut jobs, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    for servers in [1, 2, 4] {
        while workers.len() < servers {
            workers.push(node(&place, "worker", &address));
        }
        // The first job of a worker loads the voice; the second round is counted.
        for count in [2 * servers as u64, each * servers as u64] {
            let before = jobs.len();
            for _ in 0..count {
                let name = format!("long {}", jobs.len());
                jobs.push(api.give_in_surely(SHORT_S, &place.key, &name));
            }
            until_all_ended(&place);
            let took_us = place.ask(&format!(
                "SELECT MAX(ended_at_us) - MIN(started_at_us) FROM jobs WHERE id >= {}",
                jobs[before]
            ));
            rates.push(count as f64 * 1e6 / took_us as f64);
        }
    }
    let [one, two, four] = [rates[1], rates[3], rates[5]];
    eprintln!(
        "jobs a second by 1, 2 and 4 servers: {one:.2}, {two:.2} ({:.2} of twice as many), {four:.2} ({:.2} of four times)",
        two / (2.0 * one),
        four / (4.0 * one)
    );
    place.s3.recover();
    all_is_well(&place, &jobs);
    assert!(one < 1.0 / WAIT.as_secs_f64(), "they wait");
    assert!(two >= 0.95 * 2.0 * one && four >= 0.95 * 4.0 * one);
}

#[test]
#[ignore = "takes three minutes"]
fn events_come_from_another_server() {
    let count = number(COUNT, 200);
    let place = Place::new();
    let address = place.postgres.address.clone();
    let apis = [(); 2].map(|()| node(&place, "api", &address));
    let _worker = node(&place, "worker", &address);
    let (mut jobs, mut heard) = (Vec::new(), Vec::new());
    for round in 0..count {
        let id = apis[0].give_in_surely(SHORT_S, &place.key, &format!("long {round}"));
        let path = format!("/voice-conversions/{id}/events");
        let mut events = apis[1].get_surely(&path, &place.key);
        let mut text = String::new();
        for kind in ["started", "ended"] {
            let is_there = text.contains(&format!("event: {kind}"));
            read_on(&mut events, &mut text, &format!("event: {kind}"));
            // What had happened before the stream was opened says nothing of how soon it comes.
            if !is_there {
                let since = format!(
                    "SELECT now_us() - at_us FROM job_events WHERE job_id = {id} AND kind = '{kind}'"
                );
                heard.push(place.ask(&since) as f64 / 1e6);
            }
        }
        jobs.push(id);
    }
    let most = heard.iter().copied().fold(0.0, f64::max);
    eprintln!("events from another server, after {}", figures(heard));
    all_is_well(&place, &jobs);
    assert!(most <= 1.0, "{most} s");
}
