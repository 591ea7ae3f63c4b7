use std::time::Duration;

use vocalhost_system::disk::Reserve;

/// How often the disk is looked at: a job writes some hundred megabytes in this time.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Returns when less is free than has to stay free.
///
/// What a job takes follows from its recording's length, rate and channels, which a few bytes of silence can make as large as they
/// may be; and the database needs room on the same disk.
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
