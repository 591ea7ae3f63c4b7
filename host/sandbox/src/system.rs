//! The system's files that every child needs, whatever it does.

use std::path::PathBuf;

/// Folders of libraries: ONNX Runtime loads the C++ library, and its providers load those of their devices.
const LIBRARIES: [&str; 8] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/nix/store",
    "/gnu/store",
];

/// Files for finding libraries, and what the kernel says about the machine: how many cores it has, what they can do, and how much memory a
/// cgroup allows. `/proc/sys/vm` is read by the allocator.
const READ: [&str; 8] = [
    "/etc/ld.so.cache",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/sys/vm/overcommit_memory",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/dev/urandom",
    "/dev/zero",
];

/// Nothing, to be read and written.
pub const NOTHING: &str = "/dev/null";

/// What the libraries of GPUs read: the libraries themselves wherever they lie, and what the kernel says about devices and the driver.
const DEVICES_READ: [&str; 9] = [
    "/usr",
    "/opt",
    "/etc/ld.so.conf.d",
    "/etc/OpenCL",
    "/etc/vulkan",
    "/sys",
    "/proc/driver",
    "/proc/devices",
    "/proc/sys/kernel",
];

/// The devices of GPUs.
const DEVICES: [&str; 3] = ["/dev/dri", "/dev/kfd", "/dev/nvidia-caps"];

/// What every child may read.
pub fn readable(devices: bool) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = LIBRARIES.iter().chain(&READ).map(PathBuf::from).collect();
    if devices {
        paths.extend(DEVICES_READ.iter().map(PathBuf::from));
    }
    // Where whoever started the server has libraries of their own.
    if let Some(folders) = std::env::var_os("LD_LIBRARY_PATH") {
        let folders = std::env::split_paths(&folders);
        paths.extend(folders.filter(|folder| folder.is_absolute()));
    }
    // A panic says where it was with what lies in the program.
    paths.extend(std::env::current_exe());
    paths
}

/// The files of the devices of GPUs.
pub fn devices() -> Vec<PathBuf> {
    let nvidia = std::fs::read_dir("/dev").into_iter().flatten().flatten();
    let nvidia = nvidia.filter(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with("nvidia")
    });
    let named = DEVICES.iter().map(PathBuf::from);
    named.chain(nvidia.map(|entry| entry.path())).collect()
}
