//! The memory of processes.

/// A line of what the kernel knows of a process's memory, such as `VmRSS:` or `VmHWM:`, in bytes.
pub fn memory_bytes(process: u32, line: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it lives");
    let found = status.lines().find_map(|text| text.strip_prefix(line));
    let number = found.and_then(|text| text.split_whitespace().next());
    let kib: u64 = number.and_then(|kib| kib.parse().ok()).expect("a number");
    kib << 10
}
