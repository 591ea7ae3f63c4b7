//! What breaks again and again, for as long as it takes to be sure. Each prints its figures, is run by itself, and goes by a seed that can be given:
//! `cargo test -p vocalhost --test machines long -- --ignored --nocapture --test-threads 1`.

mod rates;
mod servers;
mod stores;
mod uploads;

use std::collections::BTreeMap;
use std::time::Duration;

use super::node::Node;
use super::place::Place;

/// What chance goes by.
const SEED: &str = "VOCALHOST_SEED";

/// How often it breaks, or how many jobs there are, instead of what each test says.
const COUNT: &str = "VOCALHOST_COUNT";

/// A recording that takes a worker less than a second.
const SHORT_S: f64 = 0.3;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

/// A server that gives work in, or takes it from elsewhere, with room for all of a test's jobs.
fn node(place: &Place, role: &str, database: &str) -> Node {
    let mut flags = place.flags(database);
    let more = ["--role", role, "--max-queued-per-user", "100000"];
    flags.extend(more.map(str::to_owned));
    Node::start(flags)
}

fn sleep(seconds: f64) {
    std::thread::sleep(Duration::from_secs_f64(seconds));
}

/// Waits as long as it takes until every job has ended.
fn until_all_ended(place: &Place) {
    while place.ask("SELECT COUNT(*) FROM jobs WHERE ended_at_us IS NULL") > 0 {
        sleep(0.5);
    }
}

/// The middle, the 99th percentile and the most of what was measured, in seconds.
fn figures(mut measured: Vec<f64>) -> String {
    measured.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = (measured.len() as f64 * share).ceil() as usize;
        measured.get(place.max(1) - 1).copied().unwrap_or_default()
    };
    let (middle, p99, most) = (at(0.5), at(0.99), at(1.0));
    format!(
        "{} times, median {middle:.1} s, p99 {p99:.1} s, at most {most:.1} s",
        measured.len()
    )
}

/// The attempts that run: their jobs with the number of the attempt and the server.
fn running(place: &Place) -> BTreeMap<i64, (i64, String)> {
    let rows = "SELECT id || ' ' || attempt || ' ' || COALESCE(node, '') FROM jobs WHERE state = 'running'";
    let parsed = place.texts(rows).into_iter().map(|row| {
        let mut words = row.splitn(3, ' ');
        let mut word = || words.next().expect("three words").to_owned();
        let (id, attempt, node) = (word(), word(), word());
        let number = |text: String| text.parse().expect("a number");
        (number(id), (number(attempt), node))
    });
    parsed.collect()
}
