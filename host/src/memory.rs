//! The one place that asks the system what a process holds.

/// Memory that the process holds now, in bytes: the line `VmRSS:` of `/proc/<pid>/status`. Reading it never blocks. `None` for
/// a process that is gone, and on a system that does not say.
#[must_use]
pub fn resident_bytes(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    parse_resident(&status)
}

/// The line `VmRSS:` followed by a number and `kB`, which are 1024 bytes each: `proc_pid_status(5)`.
fn parse_resident(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resident_set_is_read_from_the_status_of_a_process() {
        let status = "Name:\tcat\nVmPeak:\t    9000 kB\nVmRSS:\t    1234 kB\nThreads:\t1\n";
        assert_eq!(parse_resident(status), Some(1234 * 1024));
        assert_eq!(parse_resident("Name:\tkthreadd\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_holds_some_memory() {
        assert!(resident_bytes(std::process::id()).is_some_and(|bytes| bytes > 1 << 20));
    }
}
