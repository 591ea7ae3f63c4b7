use std::time::Duration;

use vocalhost_system::memory::resident_bytes;

/// How often a worker's memory is checked: before it is stopped it can only grow by what it touches in this time.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Returns when the process holds more than `limit_bytes` of memory. Never returns for a process that is gone, nor on
/// a system that does not say how much a process holds.
///
/// It is watched from outside because a limit on the address space would hit the large reservations of WebAssembly's
/// memories, which cost nothing.
pub(crate) async fn exceeds(pid: u32, limit_bytes: u64) {
    let mut looks = tokio::time::interval(LOOK_EVERY);
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        if resident_bytes(pid).is_some_and(|bytes| bytes > limit_bytes) {
            return;
        }
    }
}
