//! The one place that asks the system what a process holds.

use std::fs;

/// Memory that the process holds now, in bytes: the line `VmRSS:` of `/proc/<pid>/status`. Reading it never blocks. `None` for
/// a process that is gone, and on a system that does not say.
#[must_use]
pub fn resident_bytes(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    parse(&status, "VmRSS:")
}

/// The most memory that this process has held at once since [`forget_peak`], in bytes. `None` on a system that does not say.
#[must_use]
pub fn peak_resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    parse(&status, "VmHWM:")
}

/// Makes the count of [`peak_resident_bytes`] start anew from what this process holds now; writing 5 asks for that:
/// `proc_pid_clear_refs(5)`. Where the system does not allow it, the peak is that of the whole process.
pub fn forget_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Memory that this process may use, in bytes: that of the machine, or less where a cgroup (version 2) limits it. `None` on a system that
/// does not say.
#[must_use]
pub fn total_bytes() -> Option<u64> {
    let machine = parse(&fs::read_to_string("/proc/meminfo").ok()?, "MemTotal:")?;
    // In a container this is the process's own group. Without a limit the file says `max`.
    let limit = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let limit = limit.and_then(|limit| limit.trim().parse().ok());
    Some(limit.map_or(machine, |limit: u64| limit.min(machine)))
}

/// The line of that name followed by a number and `kB`, which are 1024 bytes each: `proc_pid_status(5)`.
fn parse(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resident_set_is_read_from_the_status_of_a_process() {
        let status = "Name:\tcat\nVmPeak:\t    9000 kB\nVmRSS:\t    1234 kB\nThreads:\t1\n";
        assert_eq!(parse(status, "VmRSS:"), Some(1234 * 1024));
        assert_eq!(parse("Name:\tkthreadd\n", "VmRSS:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_holds_some_memory() {
        let held = resident_bytes(std::process::id());
        assert!(held.is_some_and(|bytes| bytes > 1 << 20));
        assert!(total_bytes() > held);
        assert!(peak_resident_bytes().is_some_and(|bytes| bytes > 1 << 20));
    }
}
