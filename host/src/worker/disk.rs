use std::path::Path;
use std::time::Duration;

use crate::pipeline::free_bytes as free;

/// How often the disk is looked at: a job writes some hundred megabytes in this time.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Returns when less than `free_bytes` are free on the disk that the folder lies on. Never returns where the system does not say.
///
/// What a job takes follows from its recording's length, rate and channels, which a few bytes of silence can make as large as they
/// may be; and the database needs room on the same disk.
pub(super) async fn runs_short(folder: &Path, free_bytes: u64) {
    let mut looks = tokio::time::interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        if free(folder).is_some_and(|free| free < free_bytes) {
            return;
        }
    }
}
