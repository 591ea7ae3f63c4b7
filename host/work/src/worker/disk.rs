use std::time::Duration;

use vocalhost_system::disk::Reserve;

/// How often the disk is looked at: a job writes some hundred megabytes in this time.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Returns when less than the reserve is free.
///
/// The size of a job's files follows from its recording's length, rate and channels, and a few bytes of silence can make these as large as
/// the limits allow; the database needs room on the same disk.
pub(super) async fn runs_short(reserve: &Reserve) {
    let mut looks = tokio::time::interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        if !reserve.is_kept() {
            return;
        }
    }
}
