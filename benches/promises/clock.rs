//! Timing several things in turns.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Turns that everything gets; the median and the range of their ratios are reported.
const ROUNDS: usize = 15;

/// What a turn takes at least: long against the clock's steps and short against a neighbour's burst of work.
const TURN: Duration = Duration::from_millis(20);

/// Processor time of this thread so far.
pub fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).expect("the clock counts up from 0"),
        u32::try_from(time.tv_nsec).expect("nanoseconds are below a thousand million"),
    )
}

/// Processor time that one call of `work` takes, from as many calls as fill a turn.
fn turn(work: &mut dyn FnMut()) -> f64 {
    let (start, mut calls) = (thread_time(), 0);
    loop {
        for _ in 0..8 {
            work();
        }
        calls += 8;
        let spent = thread_time().saturating_sub(start);
        if spent >= TURN {
            return spent.as_secs_f64() / f64::from(calls);
        }
    }
}

/// Seconds per call in each round, for each of the things, which take turns: what slows the machine down for a while
/// slows all of them.
pub fn in_turns<const N: usize>(mut works: [&mut dyn FnMut(); N]) -> [Vec<f64>; N] {
    for work in &mut works {
        turn(*work);
    }
    let mut times: [Vec<f64>; N] = std::array::from_fn(|_| Vec::with_capacity(ROUNDS));
    for _ in 0..ROUNDS {
        for (times, work) in times.iter_mut().zip(&mut works) {
            times.push(turn(*work));
        }
    }
    times
}

/// The middle of several measurements and how far they reach.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    pub least: f64,
    pub median: f64,
    pub most: f64,
}

impl Spread {
    /// Of `values`, of which there is at least one.
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self {
            least: sorted[0],
            median: sorted[sorted.len() / 2],
            most: sorted[sorted.len() - 1],
        }
    }

    /// Of the ratios of values that were measured next to each other.
    pub fn of_ratios(values: &[f64], bases: &[f64]) -> Self {
        let ratios: Vec<f64> = values
            .iter()
            .zip(bases)
            .map(|(value, base)| value / base)
            .collect();
        Self::of(&ratios)
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{:.2} ({:.2} to {:.2})",
            self.median, self.least, self.most
        )
    }
}
