/// How often a transaction is tried that others stood in the way of.
pub(super) const TRIES: u32 = 4;

/// Awaits a call that does all it does in one transaction, and does it again when the database undid it because other transactions
/// stood in its way: two that waited for each other, or that cannot both have come first. `$call` is evaluated each time.
macro_rules! again {
    ($call:expr) => {{
        let mut tries = 1;
        loop {
            match $call.await {
                Err(error) if tries < $crate::again::TRIES && error.is_conflict() => {
                    tries += 1;
                    // Not all at the same time again.
                    let pause = std::time::Duration::from_millis(rand::random_range(1..20));
                    tokio::time::sleep(pause).await;
                }
                done => break done,
            }
        }
    }};
}
pub(super) use again;
