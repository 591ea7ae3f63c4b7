use vocalhost_job::{JobStage, JobState};

use super::{Bench, S, lease, result};

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
