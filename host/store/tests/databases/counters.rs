//! What is counted where it changes, and the choice that goes by it.

use std::collections::BTreeMap;
use std::time::Instant;

use futures_util::future::join_all;
use vocalhost_job::{Failure, FailureCode, JobKind};
use vocalhost_store::{Actor, ClaimedJob, Lease, Store};

use super::{Bench, LEASE_US, S, claim, new_job, opened, result};

/// Each of them fails where a counter is wrong: no name and no kind may be empty.
const WRONG: [&str; 3] = [
    "UPDATE users SET name = NULL WHERE running <> (SELECT COUNT(*) FROM jobs j \
     WHERE j.user_id = users.id AND j.state IN ('running', 'cancelling'))",
    "UPDATE lines SET kind = NULL WHERE waiting <> (SELECT COUNT(*) FROM jobs j \
     WHERE j.user_id = lines.user_id AND j.kind = lines.kind AND j.state = 'queued')",
    "UPDATE jobs SET kind = NULL WHERE state = 'queued' AND NOT EXISTS (SELECT 1 FROM lines l \
     WHERE l.user_id = jobs.user_id AND l.kind = jobs.kind)",
];

/// Copies job 1 as often as 10,000 times.
const TEN_THOUSAND: &str = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) \
     INSERT INTO jobs (user_id, kind, spec, request_id, state, queued_since_us, not_before_us, stage, percent, \
     created_at_us, started_at_us) SELECT j.user_id, j.kind, j.spec, j.request_id, 'queued', j.queued_since_us, \
     j.not_before_us, 'queued', 0.0, j.created_at_us, j.started_at_us FROM jobs j, n WHERE j.id = 1";

async fn nothing_is_wrong(bench: &Bench) {
    for statement in WRONG {
        bench.execute(statement).await;
    }
}

/// Numbers that look drawn, by Knuth's linear congruence (MMIX).
struct Chance(u64);

impl Chance {
    fn upto(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Does things to jobs at random, as a server does.
async fn do_things(store: Store, users: Vec<i64>, seed: u64) {
    let mut chance = Chance(seed);
    let mut held: Vec<Lease> = Vec::new();
    let mut made: Vec<i64> = Vec::new();
    let actor = Actor::server();
    for moment in 1..=60 {
        let now_us = moment * S;
        let lease = (!held.is_empty()).then(|| chance.upto(held.len()));
        match (chance.upto(8), lease) {
            (0..3, _) => {
                let job = new_job(users[chance.upto(users.len())]);
                let job = store.create_job(&job, now_us).await;
                made.push(job.expect("the queue has room").id);
            }
            (3, _) if !made.is_empty() => {
                let id = made[chance.upto(made.len())];
                let kind = JobKind::VoiceConversion;
                let stopped = store.cancel(kind, id, now_us).await;
                stopped.expect("the store answers");
            }
            (4, _) if !made.is_empty() => {
                let id = made.swap_remove(chance.upto(made.len()));
                let removed = store.remove_job((id, None), Some(&actor), now_us).await;
                removed.expect("the store answers");
            }
            (5, Some(lease)) => {
                let lease = held.swap_remove(lease);
                let done = store.complete(&lease, &result(&lease), now_us).await;
                done.expect("the store answers");
            }
            (6, Some(lease)) => {
                let lease = held.swap_remove(lease);
                let failure = Failure::new(FailureCode::Internal, "Something broke.");
                let failed = store.fail(&lease, &failure, now_us).await;
                failed.expect("the store answers");
            }
            _ => {
                let token = format!("token {seed} {moment}");
                let claimed = store.claim(&claim(&token), now_us).await;
                held.extend(claimed.expect("it answers").map(|job| job.lease));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn counters_stay_true_whatever_servers_do_at_the_same_time() {
    let bench = Bench::new().await;
    let mut users = Vec::new();
    for name in ["ann", "ben", "cat"] {
        users.push(bench.user(name).await);
    }
    let mut servers = Vec::new();
    for seed in 1..=6 {
        let store = opened(&bench.address).await;
        servers.push(tokio::spawn(do_things(store, users.clone(), seed)));
    }
    for server in join_all(servers).await {
        server.expect("all went well");
    }
    nothing_is_wrong(&bench).await;
    // What is left, and a user with it.
    let rescued = bench.store.rescue(60 * S + LEASE_US).await;
    rescued.expect("the store answers");
    nothing_is_wrong(&bench).await;
    let removed = bench
        .store
        .remove_user(users[2], &Actor::server(), 200 * S)
        .await;
    removed.expect("somebody else can manage the server");
    nothing_is_wrong(&bench).await;
}

#[tokio::test]
async fn whoever_has_ten_thousand_jobs_waiting_holds_up_anothers_first_by_one() {
    let bench = Bench::new().await;
    let many = bench.user("many").await;
    bench.job(many, S).await;
    bench.execute(TEN_THOUSAND).await;
    nothing_is_wrong(&bench).await;
    let states = bench.store.queue_states().await.expect("it answers");
    let waiting: u64 = states.iter().map(|state| state.waiting).sum();
    assert_eq!(waiting, 10_001);
    let accepted = async |user_id, now_us| {
        let mut job = new_job(user_id);
        job.limits.max_queue = 20_000;
        let made = bench.store.create_job(&job, now_us).await;
        made.expect("the queue has room")
    };
    let one = bench.user("one").await;
    assert_eq!(accepted(one, 2 * S).await.queue_position, Some(2));
    let owner = |job: Option<ClaimedJob>| job.map(|job| job.record.user_id);
    assert_eq!(owner(bench.claim("a", 3 * S).await), Some(many));
    assert_eq!(owner(bench.claim("b", 4 * S).await), Some(one));
    // One that comes later is not held up at all.
    accepted(one, 5 * S).await;
    assert_eq!(owner(bench.claim("c", 6 * S).await), Some(many));
    let two = bench.user("two").await;
    assert_eq!(accepted(two, 7 * S).await.queue_position, Some(1));
    assert_eq!(owner(bench.claim("d", 8 * S).await), Some(two));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn servers_at_the_same_time_serve_all_users_alike() {
    const USERS: usize = 20;
    const WORKERS: usize = 8;
    const EACH: usize = 25;
    let bench = Bench::new().await;
    for number in 0..USERS {
        let user = bench.user(&format!("user {number}")).await;
        for _ in 0..2 * EACH {
            bench.job(user, S).await;
        }
    }
    let began = Instant::now();
    let mut workers = Vec::new();
    for number in 0..WORKERS {
        // A file has one server, whose claims take turns.
        let store = if bench.store.is_shared() {
            opened(&bench.address).await
        } else {
            bench.store.clone()
        };
        workers.push(tokio::spawn(async move {
            let mut served: BTreeMap<i64, usize> = BTreeMap::new();
            for turn in 0..USERS * EACH / WORKERS {
                let token = format!("token {number} {turn}");
                // All servers go by one clock.
                let now_us = 2 * S + began.elapsed().as_micros() as i64;
                let job = store.claim(&claim(&token), now_us).await;
                let job = job.expect("it answers").expect("a job is due");
                *served.entry(job.record.user_id).or_default() += 1;
                let made = result(&job.lease);
                let done = store.complete(&job.lease, &made, now_us);
                done.await.expect("it answers");
            }
            served
        }));
    }
    let mut served = [0.0; USERS];
    for worker in workers {
        for (user, jobs) in worker.await.expect("all went well") {
            served[user as usize - 1] += jobs as f64;
        }
    }
    // Jain, Chiu and Hawe, "A Quantitative Measure of Fairness and Discrimination", DEC-TR-301, 1984.
    let sum: f64 = served.iter().sum();
    let squares: f64 = served.iter().map(|jobs| jobs * jobs).sum();
    let fairness = sum * sum / (USERS as f64 * squares);
    assert!(fairness >= 0.95, "{fairness}: {served:?}");
}
