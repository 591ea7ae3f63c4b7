use vocalhost_job::{
    Failure, FailureCode, JobKind, JobStage, JobState, JobStatus, MAX_DEATHS, MAX_EXPIRIES,
    MAX_FAILURES, Progress,
};
use vocalhost_store::{CancelOutcome, EventKind, Handled};

use super::{Bench, LEASE_US, S, claim, lease, result};

async fn one_claimed(bench: &Bench, token: &str) -> i64 {
    let user = bench.user("ann").await;
    let id = bench.job(user, S).await.id;
    bench.claim(token, S).await.expect("a job is due");
    id
}

fn progress(percent: f64) -> Progress {
    Progress {
        stage: JobStage::Inference,
        percent,
    }
}

#[tokio::test]
async fn a_completion_is_recorded_once() {
    let bench = Bench::new().await;
    let id = one_claimed(&bench, "a").await;
    let lease = lease(id, "a");
    let made = result(&lease);
    let first = bench.store.complete(&lease, &made, 2 * S).await;
    assert_eq!(first.expect("the store answers"), Handled::Recorded);
    let ended = bench.read(id).await;
    assert_eq!(
        ended.state,
        JobState::Succeeded {
            result: Box::new(made.clone()),
            at_us: 2 * S
        }
    );
    assert_eq!(
        (ended.progress.stage, ended.progress.percent),
        (JobStage::Done, 100.0)
    );
    let second = bench.store.complete(&lease, &made, 3 * S).await;
    assert_eq!(second.expect("the store answers"), Handled::LeaseLost);
    assert_eq!(bench.read(id).await, ended);
}

#[tokio::test]
async fn a_worker_that_lost_its_lease_changes_nothing() {
    let bench = Bench::new().await;
    let id = one_claimed(&bench, "old").await;
    let lost = bench.store.rescue(S + LEASE_US).await;
    assert_eq!(lost.expect("the store answers"), [lease(id, "old")]);
    bench
        .claim("new", 2 * LEASE_US)
        .await
        .expect("the pause is over");
    let before = bench.read(id).await;

    let old = lease(id, "old");
    let now_us = 2 * LEASE_US + S;
    let failure = Failure::new(FailureCode::Internal, "Something broke.");
    let store = &bench.store;
    for (report, handled) in [
        (
            "complete",
            store.complete(&old, &result(&old), now_us).await,
        ),
        ("fail", store.fail(&old, &failure, now_us).await),
        ("renew", store.renew(&old, LEASE_US, now_us).await),
        (
            "progress",
            store.report_progress(&old, &progress(50.0), now_us).await,
        ),
        ("hand back", store.hand_back(&old, now_us).await),
        ("worker died", store.worker_died(&old, now_us).await),
        ("stopped", store.stopped(&old, now_us).await),
        ("look", store.look_at(&old).await),
    ] {
        assert_eq!(
            handled.expect("the store answers"),
            Handled::LeaseLost,
            "{report}"
        );
    }
    assert_eq!(bench.read(id).await, before);
}

#[tokio::test]
async fn a_renewed_lease_is_not_rescued() {
    let bench = Bench::new().await;
    let id = one_claimed(&bench, "a").await;
    let renewed = bench.store.renew(&lease(id, "a"), LEASE_US, 20 * S).await;
    assert_eq!(renewed.expect("the store answers"), Handled::Recorded);
    let lost = bench.store.rescue(S + LEASE_US).await;
    assert_eq!(lost.expect("the store answers"), []);
    let lost = bench.store.rescue(20 * S + LEASE_US).await;
    assert_eq!(lost.expect("the store answers").len(), 1);
}

#[tokio::test]
async fn a_restart_puts_running_jobs_back_and_lets_them_succeed_once() {
    let bench = Bench::new().await;
    let id = one_claimed(&bench, "before").await;
    let bench = bench.reopen().await;
    let taken = bench.store.release_all(2 * S).await;
    assert_eq!(taken.expect("the store answers"), [lease(id, "before")]);
    let job = bench
        .claim("after", 10 * S)
        .await
        .expect("the pause is over");
    let JobState::Running(run) = &job.record.state else {
        panic!("{:?}", job.record.state);
    };
    assert_eq!(run.attempt, 2);
    let made = result(&job.lease);
    let done = bench.store.complete(&job.lease, &made, 11 * S).await;
    assert_eq!(done.expect("the store answers"), Handled::Recorded);
    let events = bench.store.events(id, 0, 100).await.expect("events");
    let ends = events.iter().filter(|event| event.kind == EventKind::Ended);
    assert_eq!(ends.count(), 1);
}

#[tokio::test]
async fn a_job_that_kills_its_workers_fails_at_the_third() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let id = bench.job(user, S).await.id;
    for death in 1..=MAX_DEATHS {
        assert_eq!(bench.read(id).await.state.status(), JobStatus::Running);
        let token = format!("token {death}");
        let now_us = i64::from(death) * 100 * S;
        bench
            .claim(&token, now_us)
            .await
            .expect("the pause is over");
        bench
            .store
            .worker_died(&lease(id, &token), now_us + S)
            .await
            .expect("the store answers");
        assert!(
            bench.claim("too early", now_us + S).await.is_none(),
            "a pause follows"
        );
    }
    let JobState::Failed { failure, .. } = bench.read(id).await.state else {
        panic!("it is still not over");
    };
    assert_eq!(failure.code, FailureCode::WorkerDied);
}

#[tokio::test]
async fn leases_that_ran_out_are_no_deaths_but_end_a_job_at_the_tenth() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let id = bench.job(user, S).await.id;
    for expiry in 1..=MAX_EXPIRIES {
        assert_eq!(bench.read(id).await.state.status(), JobStatus::Running);
        let now_us = i64::from(expiry) * 100 * S;
        let claimed = bench.claim(&format!("token {expiry}"), now_us).await;
        claimed.expect("the pause is over");
        let taken = bench.store.rescue(now_us + LEASE_US).await;
        assert_eq!(taken.expect("the store answers").len(), 1);
        let listed = bench.store.listed_job(id).await.expect("it answers");
        assert_eq!(listed.map(|job| job.deaths), Some(0));
    }
    let JobState::Failed { failure, .. } = bench.read(id).await.state else {
        panic!("it is still not over");
    };
    assert_eq!(failure.code, FailureCode::WorkerDied);
}

#[tokio::test]
async fn a_server_that_starts_again_takes_back_what_it_had_itself() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let servers = ["first", "second"].map(|name| bench.store.clone().named(name));
    let mut ids = Vec::new();
    for (server, token) in servers.iter().zip(["a", "b"]) {
        bench.job(user, S).await;
        let claimed = server.claim(&claim(token), S).await.expect("it answers");
        ids.push(claimed.expect("a job is due").record.id);
    }
    let taken = servers[0].release_own(2 * S).await;
    assert_eq!(taken.expect("it answers"), [lease(ids[0], "a")]);
    let seen = servers[1].look_at(&lease(ids[1], "b")).await;
    assert_eq!(seen.expect("it answers"), Handled::Recorded);
    let listed = bench.store.listed_job(ids[0]).await.expect("it answers");
    assert_eq!(listed.map(|job| (job.deaths, job.failures)), Some((0, 0)));
}

#[tokio::test]
async fn a_renewal_that_comes_late_shortens_nothing() {
    let bench = Bench::new().await;
    let id = one_claimed(&bench, "a").await;
    for now_us in [20 * S, 10 * S] {
        let renewed = bench.store.renew(&lease(id, "a"), LEASE_US, now_us).await;
        assert_eq!(renewed.expect("the store answers"), Handled::Recorded);
    }
    let lost = bench.store.rescue(49 * S).await;
    assert_eq!(lost.expect("the store answers"), []);
}

#[tokio::test]
async fn a_hand_back_counts_as_no_mishap() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let id = bench.job(user, S).await.id;
    for number in 0..2 * MAX_DEATHS.max(MAX_FAILURES) {
        let token = format!("token {number}");
        let now_us = i64::from(number + 1) * S;
        bench
            .claim(&token, now_us)
            .await
            .expect("it is due at once");
        let handled = bench.store.hand_back(&lease(id, &token), now_us).await;
        assert_eq!(handled.expect("the store answers"), Handled::Recorded);
    }
    assert!(matches!(
        bench.read(id).await.state,
        JobState::Queued { .. }
    ));
}

#[tokio::test]
async fn a_fault_of_ours_is_tried_again_and_a_fault_of_the_input_is_not() {
    let bench = Bench::new().await;
    let id = one_claimed(&bench, "a").await;
    let ours = Failure::new(FailureCode::Internal, "Something broke.");
    let handled = bench.store.fail(&lease(id, "a"), &ours, 2 * S).await;
    handled.expect("the store answers");
    assert_eq!(bench.read(id).await.state.status(), JobStatus::Running);
    bench.claim("b", 10 * S).await.expect("the pause is over");
    let theirs = Failure::new(FailureCode::InputDamaged, "Damaged at 1 s.");
    let handled = bench.store.fail(&lease(id, "b"), &theirs, 11 * S).await;
    handled.expect("the store answers");
    assert_eq!(bench.read(id).await.state.status(), JobStatus::Error);
}

#[tokio::test]
async fn progress_never_falls_within_an_attempt_and_is_told_in_good_steps() {
    let bench = Bench::new().await;
    let id = one_claimed(&bench, "a").await;
    for percent in [10.0, 11.0, 12.0, 9.0, 30.0] {
        let handled = bench
            .store
            .report_progress(&lease(id, "a"), &progress(percent), 2 * S)
            .await;
        assert_eq!(handled.expect("the store answers"), Handled::Recorded);
        assert!(bench.read(id).await.progress.percent >= percent);
    }
    assert_eq!(bench.read(id).await.progress, progress(30.0));
    let events = bench.store.events(id, 0, 100).await.expect("events");
    let steps = events
        .iter()
        .filter(|event| event.kind == EventKind::Progress);
    assert_eq!(steps.count(), 2);
}

async fn cancel(bench: &Bench, id: i64, now_us: i64) -> CancelOutcome {
    bench
        .store
        .cancel(JobKind::VoiceConversion, id, now_us)
        .await
        .expect("the store answers")
}

#[tokio::test]
async fn a_waiting_job_is_cancelled_at_once() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let id = bench.job(user, S).await.id;
    let CancelOutcome::Accepted(record) = cancel(&bench, id, 2 * S).await else {
        panic!("a waiting job can be cancelled");
    };
    assert_eq!(record.state, JobState::Cancelled { at_us: 2 * S });
    assert!(bench.claim("a", 3 * S).await.is_none());
    assert_eq!(cancel(&bench, id, 3 * S).await, CancelOutcome::Ended);
    assert_eq!(cancel(&bench, id + 1, 3 * S).await, CancelOutcome::Unknown);
}

#[tokio::test]
async fn a_running_job_that_is_cancelled_never_succeeds() {
    let bench = Bench::new().await;
    let id = one_claimed(&bench, "a").await;
    let CancelOutcome::Accepted(record) = cancel(&bench, id, 2 * S).await else {
        panic!("a running job can be cancelled");
    };
    assert_eq!(record.state.status(), JobStatus::Running);
    let lease = lease(id, "a");
    let seen = bench.store.look_at(&lease).await;
    assert_eq!(seen.expect("the store answers"), Handled::Cancelling);
    let seen = bench.store.renew(&lease, LEASE_US, 3 * S).await;
    assert_eq!(seen.expect("the store answers"), Handled::Cancelling);
    let handled = bench.store.complete(&lease, &result(&lease), 4 * S).await;
    assert_eq!(handled.expect("the store answers"), Handled::Cancelling);
    assert_eq!(
        bench.read(id).await.state,
        JobState::Cancelled { at_us: 4 * S }
    );
}

/// A killed process leaves the files as they are at that moment, so a copy of them stands for that moment.
#[tokio::test]
async fn whatever_moment_the_server_is_killed_at_the_job_ends_once() {
    let bench = Bench::of_file().await;
    let user = bench.user("ann").await;
    let id = bench.job(user, S).await.id;
    let accepted = bench.killed_now().await;
    bench.claim("a", S).await.expect("a job is due");
    let claimed = bench.killed_now().await;
    let handled = bench
        .store
        .report_progress(&lease(id, "a"), &progress(50.0), 2 * S)
        .await;
    handled.expect("the store answers");
    let half_way = bench.killed_now().await;
    let made = result(&lease(id, "a"));
    let handled = bench.store.complete(&lease(id, "a"), &made, 3 * S).await;
    handled.expect("the store answers");
    let completed = bench.killed_now().await;

    for (moment, unfinished, after) in [
        ("accepted", true, accepted),
        ("claimed", true, claimed),
        ("half way", true, half_way),
        ("completed", false, completed),
    ] {
        after.store.release_all(10 * S).await.expect("it answers");
        let job = after.claim("z", 20 * S).await;
        assert_eq!(job.is_some(), unfinished, "{moment}");
        if let Some(job) = job {
            let made = result(&job.lease);
            let handled = after.store.complete(&job.lease, &made, 21 * S).await;
            assert_eq!(handled.expect("it answers"), Handled::Recorded, "{moment}");
        }
        assert_eq!(
            after.read(id).await.state.status(),
            JobStatus::Success,
            "{moment}"
        );
        let events = after.store.events(id, 0, 100).await.expect("events");
        let ends = events.iter().filter(|event| event.kind == EventKind::Ended);
        assert_eq!(ends.count(), 1, "{moment}");
    }
}
