//! A backup by the means of the database and the bucket, as operations tells it.

use std::fs::File;
use std::process::Stdio;

use reqwest::blocking::Client;
use serde_json::Value;
use vocalhost_testing::poll;

use super::faults::until_running;
use super::node::Node;
use super::place::Place;

#[test]
fn a_dump_that_was_taken_while_jobs_ran_goes_on_where_it_was() {
    let place = Place::new();
    let node = place.node();
    let ended = node.give_in_surely(0.5, &place.key, "ended");
    let path = |id: i64| format!("/voice-conversions/{id}");
    node.until_ended(&path(ended), &place.key);
    let running = node.give_in_surely(20.0, &place.key, "running");
    until_running(&place, 1);
    let dump = tempfile::NamedTempFile::new().expect("a temporary file");
    let into = File::create(dump.path()).expect("it can be written");
    let mut program = place.postgres.program("pg_dump");
    let dumped = program.arg(&place.postgres.address).stdout(into).status();
    assert!(dumped.expect("it is there").success());
    let unknown = node.give_in_surely(0.5, &place.key, "unknown");
    for id in [running, unknown] {
        node.until_ended(&path(id), &place.key);
    }
    drop(node);

    let restored = place.database("restored");
    let from = File::open(dump.path()).expect("it is there");
    let mut program = place.postgres.program("psql");
    program.args(["--quiet", "--set=ON_ERROR_STOP=1", &restored]);
    let read = program.stdin(from).stdout(Stdio::null()).status();
    assert!(read.expect("it is there").success());
    let node = Node::start(place.flags(&restored));
    let client = Client::builder().no_proxy().timeout(poll::PATIENCE).build();
    let client = client.expect("a client can be made");
    // The lease in the dump runs out, and the job that ran is done again.
    for id in [ended, running] {
        node.until_ended(&path(id), &place.key);
        let record = node.get_surely(&path(id), &place.key);
        let record: Value = record.json().expect("it is JSON");
        let link = record["outputFileUrl"].as_str().expect("it has a result");
        let result = client.get(link).send().expect("the store answers");
        assert_eq!(result.status(), 200, "{link}");
    }
    let gone = node.get_surely(&path(unknown), &place.key);
    assert_eq!(gone.status(), 404);
    poll::until("the server to be ready", || node.is_ready().then_some(()));
}
