//! What this process spends its time on.
//!
//! Time is counted in thread seconds: the processor time of each thread, so that parts add up however many threads there are. A worker does
//! one job at a time, so the growth over a job is the job's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A part of the work on a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Reading a recording's file.
    Decode,
    /// Effects.
    Effects,
    /// Running the graphs of models.
    Network,
    /// Fourier transforms around a network.
    Transforms,
    /// Joining the pieces that networks give.
    Join,
    /// Loudness and true peaks.
    Measure,
    /// Writing the result's files.
    Encode,
    /// Checksums of files.
    Hash,
    /// Waiting for a device that runs a network; the one part in which the processor does nothing.
    Wait,
}

/// How many parts there are.
const PARTS: usize = Part::ALL.len();

static SPENT_NS: [AtomicU64; PARTS] = [const { AtomicU64::new(0) }; PARTS];

impl Part {
    /// Every part.
    pub const ALL: [Self; 9] = [
        Self::Decode,
        Self::Effects,
        Self::Network,
        Self::Transforms,
        Self::Join,
        Self::Measure,
        Self::Encode,
        Self::Hash,
        Self::Wait,
    ];

    /// What it is called in figures.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Decode => "decode",
            Self::Effects => "effects",
            Self::Network => "network",
            Self::Transforms => "transforms",
            Self::Join => "join",
            Self::Measure => "measure",
            Self::Encode => "encode",
            Self::Hash => "hash",
            Self::Wait => "wait",
        }
    }

    /// Runs `work`, and counts the processor time that it took of this thread. Parts must not be nested.
    pub fn count<R>(self, work: impl FnOnce() -> R) -> R {
        let began = thread_time();
        let result = work();
        self.add(thread_time().saturating_sub(began));
        result
    }

    /// Counts time that was measured elsewhere.
    pub fn add(self, time: Duration) {
        SPENT_NS[self as usize].fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }
}

/// The processor time of this thread.
#[must_use]
pub fn thread_time() -> Duration {
    of_clock(ClockId::ThreadCPUTime)
}

fn of_clock(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// What a process has spent so far, or between two moments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spent {
    parts: [Duration; PARTS],
    /// The processor time of all threads, in parts or not.
    processor: Duration,
}

impl Spent {
    /// So far.
    #[must_use]
    pub fn now() -> Self {
        let nanoseconds = |count: &AtomicU64| Duration::from_nanos(count.load(Ordering::Relaxed));
        Self {
            parts: SPENT_NS.each_ref().map(nanoseconds),
            processor: of_clock(ClockId::ProcessCPUTime),
        }
    }

    /// Seconds of every part that took any since `before`, and of `rest`, the processor time outside of the parts.
    #[must_use]
    pub fn since(&self, before: &Self) -> Vec<(&'static str, f64)> {
        let mut rest = self.processor.saturating_sub(before.processor);
        let mut parts = Vec::with_capacity(PARTS + 1);
        for part in Part::ALL {
            let [after, before] = [self, before].map(|spent| spent.parts[part as usize]);
            let took = after.saturating_sub(before);
            if part != Part::Wait {
                rest = rest.saturating_sub(took);
            }
            parts.push((part.name(), took.as_secs_f64()));
        }
        parts.push((REST, rest.as_secs_f64()));
        parts.retain(|(_, seconds)| *seconds > 0.0);
        parts
    }
}

/// The name in figures of the processor time outside of the parts.
pub const REST: &str = "rest";

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::*;

    fn busy(for_at_least: Duration) {
        let began = thread_time();
        while thread_time().saturating_sub(began) < for_at_least {
            std::hint::spin_loop();
        }
    }

    #[test]
    fn parts_of_several_threads_add_up_and_sleep_is_none() {
        let (before, began) = (Spent::now(), Instant::now());
        let time = Duration::from_millis(20);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| Part::Join.count(|| busy(time)));
            }
            scope.spawn(|| Part::Hash.count(|| thread::sleep(time)));
        });
        busy(time);
        let spent = Spent::now().since(&before);
        let part = |name: &str| {
            let found = spent.iter().find(|(part, _)| *part == name);
            found.map_or(0.0, |(_, seconds)| *seconds)
        };
        assert!((0.04..0.06).contains(&part("join")), "{spent:?}");
        assert!(part("hash") < 0.01, "{spent:?}");
        assert!(part(REST) >= 0.019, "{spent:?}");
        let all: f64 = spent.iter().map(|(_, seconds)| seconds).sum();
        let threads = 4.0;
        assert!(all <= threads * began.elapsed().as_secs_f64(), "{spent:?}");
    }

    #[test]
    fn every_part_has_a_place_and_a_name_of_its_own() {
        for (place, part) in Part::ALL.into_iter().enumerate() {
            assert_eq!(part as usize, place);
            let named = Part::ALL.iter().filter(|other| other.name() == part.name());
            assert_eq!(named.count(), 1);
        }
    }
}
