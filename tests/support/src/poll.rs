//! Waiting without sleeping.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
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

/// Runs a test that time alone may make fail. It is run again, at most twice, when it failed and `is_unlucky`, which is told how long it
/// took, says that time may be to blame.
pub fn again_if(is_unlucky: impl Fn(Duration) -> bool, test: impl Fn()) {
    for _ in 0..2 {
        let began = Instant::now();
        match catch_unwind(AssertUnwindSafe(&test)) {
            Ok(()) => return,
            Err(_) if is_unlucky(began.elapsed()) => {}
            Err(failed) => resume_unwind(failed),
        }
    }
    test();
}
