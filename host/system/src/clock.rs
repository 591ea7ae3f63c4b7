//! The one place that reads the wall clock; everything else is given the time.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Microseconds in a second, as every stored time is counted.
pub const US_PER_S: i64 = 1_000_000;

/// Stands for the wall clock of this machine.
const OWN: i64 = i64::MIN;

/// What the time of another machine's clock was when this process began to count, in microseconds, or `OWN`.
static BEGAN_AT_US: AtomicI64 = AtomicI64::new(OWN);

static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Microseconds since the Unix epoch; 0 on a machine whose clock is set before it. After [`follow`] it is the time of the followed clock.
#[must_use]
pub fn now_us() -> i64 {
    match BEGAN_AT_US.load(Ordering::Relaxed) {
        OWN => own_us(),
        began_at_us => began_at_us.saturating_add(steady_us()),
    }
}

/// Microseconds since the first call in this process, by a monotonic clock.
#[must_use]
pub fn steady_us() -> i64 {
    i64::try_from(BEGAN.elapsed().as_micros()).unwrap_or(i64::MAX)
}

/// From now on [`now_us`] gives the time of another clock, which read `began_at_us` when [`steady_us`] was 0: servers that share a database
/// go by one clock, whatever the clock of each machine says.
pub fn follow(began_at_us: i64) {
    BEGAN_AT_US.store(began_at_us, Ordering::Relaxed);
}

fn own_us() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| {
            i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX)
        })
}
