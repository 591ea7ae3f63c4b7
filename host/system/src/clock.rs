//! The one place that reads the wall clock; everything else is given the time.

use std::time::{SystemTime, UNIX_EPOCH};

/// Microseconds in a second, as every stored time is counted.
pub const US_PER_S: i64 = 1_000_000;

/// Microseconds since the Unix epoch; 0 on a machine whose clock stands before it.
#[must_use]
pub fn now_us() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| {
            i64::try_from(elapsed.as_micros()).unwrap_or(i64::MAX)
        })
}
