use std::collections::BTreeMap;

use vocalhost_job::{JobStage, JobState, Turn};

use super::{Bench, S, lease, new_job, result};

#[tokio::test]
async fn a_claim_starts_the_job_under_a_lease() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let made = bench.job(user, S).await;
    let claimed = bench.claim("token", 5 * S).await.expect("a job is due");
    assert_eq!(claimed.lease, lease(made.id, "token"));
    assert_eq!(claimed.record.started_at_us, 5 * S);
    assert_eq!(claimed.record.created_at_us, S);
    assert_eq!(claimed.record.progress.stage, JobStage::Decoding);
    let JobState::Running(run) = &claimed.record.state else {
        panic!("{:?}", claimed.record.state);
    };
    assert_eq!((run.attempt, run.lease_until_us), (1, 35 * S));
    assert_eq!(bench.read(made.id).await, claimed.record);
}

#[tokio::test]
async fn a_job_is_claimed_once() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    bench.job(user, S).await;
    assert!(bench.claim("a", S).await.is_some());
    assert!(bench.claim("b", S).await.is_none());
}

#[tokio::test]
async fn claims_at_the_same_time_never_get_the_same_job() {
    let bench = Bench::new().await;
    let mut made = Vec::new();
    for name in ["ann", "ben", "cat", "dan"] {
        let user = bench.user(name).await;
        for _ in 0..2 {
            made.push(bench.job(user, S).await.id);
        }
    }
    let claims = (0..12).map(|number| {
        let bench = &bench;
        async move { bench.claim(&format!("token {number}"), S).await }
    });
    let mut claimed: Vec<_> = futures_util::future::join_all(claims)
        .await
        .into_iter()
        .flatten()
        .map(|job| job.record.id)
        .collect();
    claimed.sort_unstable();
    assert_eq!(claimed, made);
}

#[tokio::test]
async fn a_user_runs_no_more_jobs_than_one_user_may() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    for _ in 0..3 {
        bench.job(user, S).await;
    }
    let first = bench.claim("a", S).await.expect("a job is due");
    assert!(bench.claim("b", S).await.is_some());
    assert!(bench.claim("c", S).await.is_none());
    bench
        .store
        .complete(&first.lease, &result(&first.lease), 2 * S)
        .await
        .expect("the store answers");
    assert!(bench.claim("d", 2 * S).await.is_some());
}

#[tokio::test]
async fn whoever_has_fewest_jobs_running_comes_first() {
    let bench = Bench::new().await;
    let (ann, ben) = (bench.user("ann").await, bench.user("ben").await);
    for _ in 0..3 {
        bench.job(ann, S).await;
    }
    bench.job(ben, 2 * S).await;
    let mut served = Vec::new();
    for (number, token) in ["a", "b", "c"].into_iter().enumerate() {
        let job = bench.claim(token, (3 + number as i64) * S).await;
        served.push(job.expect("a job is due").record.user_id);
    }
    assert_eq!(served, [ann, ben, ann]);
}

#[tokio::test]
async fn between_equals_whoever_waited_longest_comes_first() {
    let bench = Bench::new().await;
    let (ann, ben) = (bench.user("ann").await, bench.user("ben").await);
    for _ in 0..4 {
        bench.job(ann, S).await;
    }
    for _ in 0..4 {
        bench.job(ben, S).await;
    }
    let mut served = Vec::new();
    for number in 0..8 {
        let token = format!("token {number}");
        let job = bench.claim(&token, (2 + number) * S).await;
        let job = job.expect("a job is due");
        served.push(job.record.user_id);
        bench
            .store
            .complete(&job.lease, &result(&job.lease), (2 + number) * S)
            .await
            .expect("the store answers");
    }
    assert_eq!(served, [ann, ben, ann, ben, ann, ben, ann, ben]);
}

#[tokio::test]
async fn a_waiting_claim_is_woken_by_a_new_job() {
    let bench = Bench::new().await;
    let user = bench.user("ann").await;
    let store = bench.store.clone();
    let waiting = tokio::spawn(async move { store.job_due().await });
    bench.job(user, S).await;
    waiting.await.expect("it was woken");
}

#[tokio::test]
async fn claims_follow_the_rule_that_the_simulation_of_the_queue_follows() {
    let bench = Bench::new().await;
    let mut users = BTreeMap::new();
    for name in ["ann", "ben", "cat", "dan", "eve"] {
        users.insert(bench.user(name).await, (0, 0));
    }
    let ids: Vec<i64> = users.keys().copied().collect();
    // The jobs that wait: user, priority and number, as the rule sees them.
    let mut waiting: Vec<(i64, i64, i64)> = Vec::new();
    let mut running = Vec::new();
    let mut chance = 7_u64;
    let mut upto = |limit: usize| {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005);
        chance = chance.wrapping_add(1_442_695_040_888_963_407);
        (chance >> 33) as usize % limit
    };
    let mut claims = 0;
    for moment in 1..400 {
        let now_us = moment * S;
        match upto(3) {
            0 => {
                let mut job = new_job(ids[upto(ids.len())]);
                job.priority = upto(3) as i32 - 1;
                let made = bench.store.create_job(&job, now_us).await;
                let made = made.expect("the queue has room");
                waiting.push((job.user_id, i64::from(-job.priority), made.id));
            }
            1 if !running.is_empty() => {
                let (user_id, lease) = running.swap_remove(upto(running.len()));
                let made = result(&lease);
                let done = bench.store.complete(&lease, &made, now_us);
                done.await.expect("the store answers");
                users
                    .entry(user_id)
                    .and_modify(|(running, _)| *running -= 1);
            }
            _ => {
                let turns = users.iter().filter_map(|(id, (running, served))| {
                    let own = waiting.iter().filter(|(user_id, ..)| user_id == id);
                    let began_with = own.clone().map(|(_, _, id)| *id).min()?;
                    let (_, _, next) = own.min_by_key(|(_, behind, id)| (*behind, *id))?;
                    let turn = Turn {
                        running: *running,
                        last_served_at_us: *served,
                        job_id: began_with,
                    };
                    Some((turn, *next))
                });
                let turns: BTreeMap<Turn, i64> = turns.collect();
                let expected = Turn::next(turns.keys().copied(), 2).map(|turn| turns[&turn]);
                let claimed = bench.claim(&format!("token {moment}"), now_us).await;
                let found = claimed.as_ref().map(|job| job.record.id);
                assert_eq!(found, expected, "at {moment}");
                let Some(job) = claimed else { continue };
                claims += 1;
                waiting.retain(|(_, _, id)| *id != job.record.id);
                users.insert(job.record.user_id, {
                    let (running, _) = users[&job.record.user_id];
                    (running + 1, now_us)
                });
                running.push((job.record.user_id, job.lease));
            }
        }
    }
    assert!(claims > 50, "{claims}");
}
