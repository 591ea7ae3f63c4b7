use vocalhost_job::JobKind;
use vocalhost_store::{Claim, ClaimedJob, JobQuery};

use super::{Bench, S, claim, result};

/// Numbers without a pattern, the same in every run.
struct Dice(u32);

impl Dice {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) % limit
    }
}

async fn take(bench: &Bench, number: usize, now_us: i64) -> Option<ClaimedJob> {
    let unlimited = Claim {
        max_running_per_user: 1_000,
        ..claim(&format!("token {number}"))
    };
    let claimed = bench.store.claim(&unlimited, now_us).await;
    claimed.expect("the store answers")
}

/// Some users with jobs of different priorities.
async fn crowd(dice: &mut Dice) -> (Bench, Vec<i64>) {
    let bench = Bench::new().await;
    let mut users = Vec::new();
    for name in ["ann", "ben", "cat", "dan", "eve"] {
        users.push(bench.user(name).await);
    }
    for _ in 0..24 {
        let user = users[dice.below(5).min(dice.below(5)) as usize];
        bench.job(user, S).await;
    }
    let priorities = "UPDATE jobs SET priority = (id * 7) % 3 - 1";
    bench.execute(priorities).await;
    (bench, users)
}

/// The waiting jobs by position; every position there is stands for one job.
async fn in_line(bench: &Bench, users: &[i64]) -> Vec<i64> {
    let mut places = Vec::new();
    for user_id in users {
        let query = JobQuery {
            user_id: *user_id,
            kind: Some(JobKind::VoiceConversion),
            status: None,
            descending: false,
            page: 1,
            per_page: 100,
        };
        let page = bench.store.jobs(&query).await.expect("the store answers");
        for job in page.rows {
            assert_eq!(bench.read(job.id).await.queue_position, job.queue_position);
            places.extend(job.queue_position.map(|position| (position, job.id)));
        }
    }
    places.sort_unstable();
    let positions: Vec<u64> = places.iter().map(|(position, _)| *position).collect();
    let counted: Vec<u64> = (1..=places.len() as u64).collect();
    assert_eq!(positions, counted);
    places.into_iter().map(|(_, id)| id).collect()
}

#[tokio::test]
async fn positions_are_the_order_in_which_jobs_are_claimed() {
    let mut dice = Dice(1);
    for _ in 0..6 {
        let (bench, users) = crowd(&mut dice).await;
        // Some jobs run already, some users were served before.
        for number in 0..dice.below(10) as usize {
            let now_us = (2 + number as i64) * S;
            let job = take(&bench, number, now_us).await.expect("a job is due");
            if dice.below(2) == 0 {
                let done = result(&job.lease);
                let completed = bench.store.complete(&job.lease, &done, now_us).await;
                completed.expect("the store answers");
            }
        }
        let foretold = in_line(&bench, &users).await;
        let mut claimed = Vec::new();
        while let Some(job) =
            take(&bench, 100 + claimed.len(), 100 * S + claimed.len() as i64).await
        {
            claimed.push(job.record.id);
        }
        assert_eq!(claimed, foretold);
    }
}

#[tokio::test]
async fn positions_are_the_order_of_claims_when_every_job_ends_at_once() {
    let (bench, users) = crowd(&mut Dice(2)).await;
    let foretold = in_line(&bench, &users).await;
    let mut claimed = Vec::new();
    while let Some(job) = take(&bench, claimed.len(), 2 * S + claimed.len() as i64).await {
        let completed = bench
            .store
            .complete(&job.lease, &result(&job.lease), 2 * S)
            .await;
        completed.expect("the store answers");
        claimed.push(job.record.id);
    }
    assert_eq!(claimed, foretold);
}

#[tokio::test]
async fn a_second_users_first_job_stands_before_the_first_users_second() {
    let bench = Bench::new().await;
    let (ann, ben) = (bench.user("ann").await, bench.user("ben").await);
    let anns = [bench.job(ann, S).await, bench.job(ann, S).await];
    let bens = bench.job(ben, 2 * S).await;
    assert_eq!(bens.queue_position, Some(2));
    let mut positions = Vec::new();
    for job in anns {
        positions.push(bench.read(job.id).await.queue_position);
    }
    assert_eq!(positions, [Some(1), Some(3)]);
}
