/// How often a transaction is tried that other transactions stood in the way of.
pub(super) const TRIES: u32 = 4;

/// Awaits a call that does all its work in one transaction, and repeats it when the database rolled that back because of other
/// transactions: a deadlock, or a conflict of serialisation. `$call` is evaluated each time.
macro_rules! again {
    ($call:expr) => {{
        let mut tries = 1;
        loop {
            match $call.await {
                Err(error) if tries < $crate::again::TRIES && error.is_conflict() => {
                    tries += 1;
                    // So that they do not all retry at the same time.
                    let pause = std::time::Duration::from_millis(rand::random_range(1..20));
                    tokio::time::sleep(pause).await;
                }
                done => break done,
            }
        }
    }};
}
pub(super) use again;
