//! Which workers get the processor first.

use rustix::process::{Pid, getpriority_process, setpriority_process};

/// Raises a worker's niceness by so much. A negative number lowers it, which not every server may do. A worker cannot change its own.
pub(crate) fn renice(pid: u32, by: i32) {
    for thread in threads(pid) {
        let changed = getpriority_process(Some(thread))
            .and_then(|before| setpriority_process(Some(thread), before + by));
        if let Err(error) = changed {
            tracing::debug!(%error, "a worker runs like any other process");
        }
    }
}

/// The threads of a process where the system has a niceness for each, otherwise the process.
fn threads(pid: u32) -> Vec<Pid> {
    let listed = std::fs::read_dir(format!("/proc/{pid}/task"));
    let names = listed.into_iter().flatten().filter_map(Result::ok);
    let numbers = names.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let found: Vec<Pid> = numbers.filter_map(Pid::from_raw).collect();
    if found.is_empty() {
        let process = i32::try_from(pid).ok().and_then(Pid::from_raw);
        return process.into_iter().collect();
    }
    found
}
