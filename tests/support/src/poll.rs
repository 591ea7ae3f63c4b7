//! Waiting without sleeping.

use std::thread;
use std::time::{Duration, Instant};

/// How long anything in the suite may take before it counts as stuck; generous, as machines are slow and shared.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// Asks again and again until there is an answer, and fails with `what` when there is none in time.
pub fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < deadline, "waited too long for {what}");
        thread::park_timeout(Duration::from_millis(20));
    }
}
