//! The places of the system that every child needs, whatever it does.

use std::path::PathBuf;

/// Folders of libraries: ONNX Runtime loads the C++ library, and its providers those of their devices.
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

/// What is read to find libraries, and what the kernel says of the machine: how many cores there are and what they can do, how much
/// memory a control group leaves. `/proc/sys/vm` is what the allocator looks at.
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

/// What the libraries of GPUs read: themselves wherever they lie, what the kernel says of devices, and of the driver.
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
