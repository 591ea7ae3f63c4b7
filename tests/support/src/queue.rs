//! The queue in virtual time: the store's rule serves more users and workers than any test can start.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};

use vocalhost_job::Turn;

/// Who wants what, and what there is to serve it.
#[derive(Debug, Clone)]
pub struct Load {
    /// How many workers there are.
    pub workers: usize,
    /// How many jobs of one user may run at a time.
    pub max_running_per_user: u64,
    /// Users who have one job each, accepted at any moment of the hour.
    pub single: usize,
    /// The jobs of each user who has many, all accepted ten minutes into the hour.
    pub many: Vec<usize>,
    /// What a job takes on average, in seconds; how long each takes is distributed exponentially.
    pub mean_s: f64,
    /// Where chance begins.
    pub seed: u64,
}

/// What became of it within the hour.
#[derive(Debug)]
pub struct Outcome {
    /// How long the jobs of users with a single one waited, in seconds, ascending.
    pub single_waits_s: Vec<f64>,
    /// How many jobs of each user with many were taken.
    pub taken: Vec<u64>,
    /// How many jobs were taken in all.
    pub claims: u64,
    /// The largest number of users that waited at a moment.
    pub longest_line: usize,
    /// The time that workers worked over the time that they had.
    pub busy: f64,
}

impl Outcome {
    /// The wait in seconds that the share `at` of single jobs did not exceed.
    pub fn wait_s(&self, at: f64) -> f64 {
        let last = self.single_waits_s.len().saturating_sub(1);
        let place = (last as f64 * at).round() as usize;
        self.single_waits_s.get(place).copied().unwrap_or(f64::NAN)
    }

    /// How evenly the users with many jobs were served: 1 when all had equally many taken, 1/n when one of n had all.
    ///
    /// Jain, Chiu and Hawe, "A Quantitative Measure of Fairness and Discrimination", DEC-TR-301, 1984.
    pub fn fairness(&self) -> f64 {
        let sum: f64 = self.taken.iter().map(|taken| *taken as f64).sum();
        let squares = self.taken.iter().map(|taken| (*taken as f64).powi(2));
        sum * sum / (self.taken.len() as f64 * squares.sum::<f64>())
    }
}

const HOUR_US: i64 = 3_600_000_000;
const BURST_AT_US: i64 = 600_000_000;

#[derive(Debug, Default)]
struct User {
    running: u64,
    last_served_at_us: i64,
    /// Number and acceptance of the jobs that wait.
    waiting: VecDeque<(i64, i64)>,
}

impl User {
    fn turn(&self) -> Option<Turn> {
        let (job_id, _) = self.waiting.front()?;
        Some(Turn {
            running: self.running,
            last_served_at_us: self.last_served_at_us,
            job_id: *job_id,
        })
    }
}

/// What happens, in the order in which it does when two things happen at once: a worker is free before another job comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    Ended,
    Accepted,
}

/// Numbers by chance: splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
struct Chance(u64);

impl Chance {
    /// At least 0 and less than 1.
    fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Serves an hour of `load`.
pub fn serve(load: &Load) -> Outcome {
    let mut chance = Chance(load.seed);
    let mut users: Vec<User> = Vec::new();
    users.resize_with(load.single + load.many.len(), User::default);
    let mut happenings = BinaryHeap::new();
    for user in 0..load.single {
        let at_us = (chance.share() * HOUR_US as f64) as i64;
        happenings.push(Reverse((at_us, Happening::Accepted, user)));
    }
    for user in load.single..users.len() {
        happenings.push(Reverse((BURST_AT_US, Happening::Accepted, user)));
    }
    // The users whose turn can come. `Turn::next` is the least of them, which a set gives without looking at all.
    let mut turns: BTreeSet<(Turn, usize)> = BTreeSet::new();
    let (mut free, mut jobs, mut busy_us) = (load.workers, 0, 0);
    let mut outcome = Outcome {
        single_waits_s: Vec::with_capacity(load.single),
        taken: vec![0; load.many.len()],
        claims: 0,
        longest_line: 0,
        busy: 0.0,
    };
    while let Some(Reverse((now_us, happening, of))) = happenings.pop() {
        if now_us >= HOUR_US {
            break;
        }
        forget(&mut turns, &users[of], of);
        match happening {
            Happening::Accepted => {
                let count = of
                    .checked_sub(load.single)
                    .map_or(1, |many| load.many[many]);
                let numbers = jobs..jobs + count as i64;
                jobs = numbers.end;
                users[of].waiting.extend(numbers.map(|id| (id, now_us)));
            }
            Happening::Ended => {
                users[of].running -= 1;
                free += 1;
            }
        }
        remember(&mut turns, &users[of], (of, load));
        outcome.longest_line = outcome.longest_line.max(turns.len());
        while free > 0
            && let Some((_, user)) = turns.pop_first()
        {
            let served = &mut users[user];
            let Some((_, accepted_us)) = served.waiting.pop_front() else {
                continue;
            };
            served.running += 1;
            served.last_served_at_us = now_us;
            free -= 1;
            outcome.claims += 1;
            if let Some(many) = user.checked_sub(load.single) {
                outcome.taken[many] += 1;
            } else {
                let wait_s = (now_us - accepted_us) as f64 / 1e6;
                outcome.single_waits_s.push(wait_s);
            }
            let takes_s = -load.mean_s * (1.0 - chance.share()).ln();
            let ends_us = now_us + (takes_s * 1e6) as i64;
            busy_us += ends_us.min(HOUR_US) - now_us;
            happenings.push(Reverse((ends_us, Happening::Ended, user)));
            remember(&mut turns, &users[user], (user, load));
        }
    }
    outcome.single_waits_s.sort_by(f64::total_cmp);
    outcome.busy = busy_us as f64 / (HOUR_US as f64 * load.workers as f64);
    outcome
}

fn forget(turns: &mut BTreeSet<(Turn, usize)>, user: &User, number: usize) {
    if let Some(turn) = user.turn() {
        turns.remove(&(turn, number));
    }
}

fn remember(turns: &mut BTreeSet<(Turn, usize)>, user: &User, (number, load): (usize, &Load)) {
    if let Some(turn) = Turn::next(user.turn(), load.max_running_per_user) {
        turns.insert((turn, number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKERS: usize = 100;

    /// A hundredth of the bench's: as many users for each worker.
    fn load(single: usize, many: Vec<usize>) -> Load {
        Load {
            workers: WORKERS,
            max_running_per_user: 20,
            single,
            many,
            mean_s: 30.0,
            seed: 1,
        }
    }

    #[test]
    fn nobody_waits_long_behind_those_who_have_many_jobs() {
        let alone = serve(&load(8_000, Vec::new()));
        let beside = serve(&load(8_000, vec![10_000]));
        assert_eq!(alone.single_waits_s.len(), 8_000);
        assert!(beside.taken[0] > 1_000, "{:?}", beside.taken);
        assert!(beside.wait_s(0.99) < alone.wait_s(0.99) + 30.0);
    }

    #[test]
    fn equal_users_are_served_equally_when_there_is_too_much_for_all() {
        let outcome = serve(&load(0, vec![10_000; 20]));
        assert!(outcome.fairness() > 0.99, "{:?}", outcome.taken);
        assert!(outcome.busy > 0.8, "{}", outcome.busy);
    }

    #[test]
    fn nobody_gets_more_workers_than_one_user_may_have() {
        let outcome = serve(&load(0, vec![10_000]));
        // Twenty workers for fifty minutes, thirty seconds a job.
        let most = 20.0 * 3_000.0 / 30.0;
        assert!(
            (outcome.taken[0] as f64) < most * 1.1,
            "{:?}",
            outcome.taken
        );
    }
}
