//! Cancels at random moments: whatever a job is doing, it stops soon and leaves nothing, or it was faster.

use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

use reqwest::blocking::multipart::{Form, Part};
use serde_json::Value;
use vocalhost_testing::sound;

use super::harness::{Server, act, problem, until};

/// How many jobs are cancelled; the ordinary suite has no time for the thousand that `VOCALHOST_TEST_CANCELS=1000` asks for.
fn cancels() -> usize {
    wanted().unwrap_or(20)
}

fn wanted() -> Option<usize> {
    let wanted = std::env::var("VOCALHOST_TEST_CANCELS").ok();
    wanted.and_then(|text| text.parse().ok())
}

/// No stop may take longer, but for one in a hundred. Beside the other tests of the suite any may be late, which is for the thousand to
/// find out.
fn stop_limit() -> Duration {
    Duration::from_secs(if wanted().is_some() { 2 } else { 30 })
}

#[test]
fn a_job_that_is_cancelled_at_any_moment_stops_or_was_done() {
    let server = Server::start(&[]);
    let voice = server.voice();
    let recording = sound::wav_of(1, 16_000, &sound::sung(4.0, 16_000, 220.0));
    let create = || {
        let form = Form::new().text("voiceModelId", voice.clone());
        let part = Part::bytes(recording.clone()).file_name("a.wav");
        let answer = server.post(form.part("soundFile", part));
        let record: Value = answer.json().expect("JSON");
        record["id"].as_i64().expect("the job was accepted")
    };
    // The first waits for the worker to be warm; what the second takes is what the moments are spread over.
    server.ended(create());
    let began = Instant::now();
    server.ended(create());
    let whole = began.elapsed();
    let mut random = 7_u64;
    let mut stops = Vec::new();
    let mut done = BTreeSet::new();
    for _ in 0..cancels() {
        let id = create();
        // Numbers without a pattern that matters (the multiplier is Knuth's, for MMIX).
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let moment = Instant::now() + whole.mul_f64((random >> 33) as f64 / f64::from(1_u32 << 31));
        until("a moment chosen by chance", || {
            (Instant::now() >= moment).then_some(())
        });
        let asked_at = Instant::now();
        let answer = act(&server, &format!("/voice-conversions/{id}/cancel"));
        if answer.status() == 409 {
            assert_eq!(problem(answer).1, "E_JOB_NOT_RUNNING");
            done.insert(id);
        } else {
            assert_eq!(answer.status(), 200);
            assert_eq!(server.ended(id)["status"], "cancelled");
            stops.push(asked_at.elapsed());
        }
    }
    assert_stopped_in_time(&mut stops);
    until("the scratch folder to have only the workers' own", || {
        let mut left = fs::read_dir(server.data().join("scratch"))
            .ok()?
            .filter_map(Result::ok);
        let of_jobs = left.any(|entry| !entry.file_name().to_string_lossy().starts_with("worker-"));
        (!of_jobs).then_some(())
    });
    for id in &done {
        assert_eq!(server.job(*id)["status"], "success");
    }
    let results = server.data().join("files/results");
    let kept = fs::read_dir(results).into_iter().flatten();
    for job in kept.filter_map(Result::ok) {
        let id: i64 = job.file_name().to_string_lossy().parse().expect("a number");
        let leases = fs::read_dir(job.path()).expect("a folder");
        let files = leases
            .filter_map(Result::ok)
            .filter_map(|lease| fs::read_dir(lease.path()).ok())
            .map(Iterator::count)
            .sum::<usize>();
        let wanted = if done.contains(&id) || id <= 2 { 2 } else { 0 };
        assert_eq!(files, wanted, "job {id}");
    }
}

fn assert_stopped_in_time(stops: &mut [Duration]) {
    assert!(!stops.is_empty(), "no job was cancelled");
    stops.sort_unstable();
    let limit = stop_limit();
    let late = stops.iter().filter(|stop| **stop > limit).count();
    let (median, longest) = (stops[stops.len() / 2], stops[stops.len() - 1]);
    eprintln!(
        "{} cancels: median {median:?}, longest {longest:?}",
        stops.len()
    );
    assert!(
        late * 100 <= stops.len(),
        "{late} of {} were late, the longest took {longest:?}",
        stops.len()
    );
}
