//! Calls about namespaces and mounts for which no crate has a safe wrapper.
#![allow(
    unsafe_code,
    reason = "these calls have no safe form; each gets numbers, a path that ends in zero, or the address of a value with the kernel's layout"
)]

use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd};

/// Of `mount_setattr(2)`: nothing can be written.
pub const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY;
/// Programs get no rights by who owns them.
pub const NO_RIGHTS: u64 = libc::MOUNT_ATTR_NOSUID;

/// The kernel's `struct mount_attr`.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// Gives this process, which has one thread, new namespaces.
pub fn unshare(flags: libc::c_int) -> io::Result<()> {
    // SAFETY: the call takes a number alone. None of the flags that are used here takes open files or memory away from other threads.
    checked(unsafe { libc::unshare(flags) }.into())
}

/// Restricts a mount, and all mounts below it if `whole` is set.
pub fn restrict(mount: BorrowedFd<'_>, attributes: u64, whole: bool) -> io::Result<()> {
    let attributes = Attributes {
        set: attributes,
        ..Attributes::default()
    };
    let recursive = if whole { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path is empty and ends in zero; the kernel reads as much of the attributes as it is told that there is.
    checked(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | recursive,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    })
}

fn checked(answer: libc::c_long) -> io::Result<()> {
    if answer < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
