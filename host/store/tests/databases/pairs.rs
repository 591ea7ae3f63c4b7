//! How many jobs a second servers get through a long queue, apart from the work itself: `cargo test -p vocalhost-store --release --test
//! databases pairs -- --ignored --nocapture`, with the address of a server in `VOCALHOST_TEST_POSTGRES`.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use vocalhost_store::Store;

use super::{Bench, S, claim, result};

/// Of one user, and then so many of each of the others: more than are done before the last round ends, for a single user has one turn at a time.
const MANY: [&str; 3] = [
    "INSERT INTO users (name, created_at_us) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
     WHERE i < 199) SELECT CAST(i AS TEXT), 0 FROM n",
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70000) INSERT INTO jobs (user_id, \
     kind, spec, request_id, state, queued_since_us, not_before_us, stage, percent, created_at_us, started_at_us) \
     SELECT j.user_id, j.kind, j.spec, j.request_id, 'queued', j.queued_since_us, j.not_before_us, 'queued', 0.0, \
     j.created_at_us, j.started_at_us FROM jobs j, n WHERE j.id = 1",
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150) INSERT INTO jobs (user_id, \
     kind, spec, request_id, state, queued_since_us, not_before_us, stage, percent, created_at_us, started_at_us) \
     SELECT u.id, j.kind, j.spec, j.request_id, 'queued', j.queued_since_us, j.not_before_us, 'queued', 0.0, \
     j.created_at_us, j.started_at_us FROM jobs j, users u, n WHERE j.id = 1 AND u.id <> j.user_id",
];

/// Row by row a counter that is one row would have as many versions as there are jobs, all in one transaction.
const UNCOUNTED: &str = "ALTER TABLE jobs DISABLE TRIGGER jobs_counted";
const COUNTED: [&str; 3] = [
    "ALTER TABLE jobs ENABLE TRIGGER jobs_counted",
    "DELETE FROM lines",
    "INSERT INTO lines (kind, user_id, waiting, began_with) SELECT kind, user_id, COUNT(*), MIN(id) FROM jobs \
     WHERE state = 'queued' GROUP BY kind, user_id",
];

const ROUND: Duration = Duration::from_secs(8);

/// Claimers of one server.
const OF_ONE_SERVER: usize = 16;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a minute, and says something only on a machine that does nothing else"]
#[expect(clippy::print_stdout, reason = "it is asked for the figures")]
async fn pairs_of_a_claim_and_a_completion_in_a_second() {
    let bench = Bench::new().await;
    let user = bench.user("many").await;
    bench.job(user, S).await;
    if bench.store.is_shared() {
        bench.execute(UNCOUNTED).await;
    }
    for statement in MANY {
        bench.execute(statement).await;
    }
    if bench.store.is_shared() {
        for statement in COUNTED {
            bench.execute(statement).await;
        }
        // A server does so by itself after a while; a file has no such figures.
        bench.execute("ANALYZE").await;
    }
    let mut all = BTreeSet::new();
    for claimers in [1, 4, 16, 64_usize] {
        let mut servers = Vec::new();
        for _ in 0..claimers.div_ceil(OF_ONE_SERVER) {
            let store = Store::open(bench.address.clone()).await;
            servers.push(store.expect("it opens"));
        }
        let began = Instant::now();
        let tasks: Vec<_> = (0..claimers)
            .map(|number| {
                let store = servers[number / OF_ONE_SERVER].clone();
                tokio::spawn(async move {
                    let (mut done, mut empty) = (Vec::new(), 0);
                    while began.elapsed() < ROUND {
                        let token = format!("token {claimers} {number} {} {empty}", done.len());
                        let now_us = S + i64::try_from(began.elapsed().as_micros()).unwrap_or(0);
                        let claimed = store.claim(&claim(&token), now_us).await;
                        let Some(job) = claimed.expect("it answers") else {
                            empty += 1;
                            continue;
                        };
                        let made = result(&job.lease);
                        let ended = store.complete(&job.lease, &made, now_us);
                        ended.await.expect("it answers");
                        done.push(job.record.id);
                    }
                    (done, empty)
                })
            })
            .collect();
        let (mut pairs, mut empty) = (0, 0);
        for task in tasks {
            let (done, without) = task.await.expect("all went well");
            pairs += done.len();
            empty += without;
            for id in done {
                assert!(all.insert(id), "job {id} was done twice");
            }
        }
        let rate = pairs as f64 / began.elapsed().as_secs_f64();
        println!("{claimers} claimers: {rate:.0} pairs a second, {empty} claims found nothing");
    }
}
