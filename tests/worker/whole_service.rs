//! The whole service, a real server and real workers, while parts of it are killed.

use serde_json::Value;
use vocalhost_testing::server::{Server, kill};
use vocalhost_testing::{poll, sound};

/// Long enough to be caught in the middle of the model's work.
fn long_recording() -> Vec<u8> {
    sound::wav_of(1, 16_000, &sound::sung(150.0, 16_000, 220.0))
}

fn assert_succeeded_once(server: &Server, id: i64) {
    let record = server.ended(id);
    assert_eq!(record["status"], "success", "{record:#}");
    assert_eq!(record["progress"], 100.0);
    let file = server.fetch(record["outputFileUrl"].as_str().expect("there is a link"));
    assert_eq!(&file[..4], b"RIFF");
    let jobs = server.get("/voice-conversions");
    assert_eq!(jobs["meta"]["total"], 1);
    let ended: Vec<&Value> = jobs["data"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|job| job["status"] == "success")
        .collect();
    assert_eq!(ended.len(), 1);
}

#[test]
fn a_job_whose_worker_is_killed_still_succeeds_once() {
    let server = Server::start(&[]);
    let id = server.accepted(long_recording());
    server.until_inference(id);
    for worker in server.workers() {
        kill(worker);
    }
    assert_succeeded_once(&server, id);
}

#[test]
fn a_job_whose_server_is_killed_still_succeeds_once_after_a_restart() {
    let mut server = Server::start(&[]);
    let id = server.accepted(long_recording());
    server.until_inference(id);
    let workers = server.workers();
    assert!(!workers.is_empty());
    server.kill();
    poll::until("the workers to die with their server", || {
        server.workers().is_empty().then_some(())
    });
    server.start_again();
    assert_succeeded_once(&server, id);
}
