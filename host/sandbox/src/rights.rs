//! The rights of root that a process has, one bit each, and how to give them up: `capabilities(7)`. Nothing that this program uses
//! already asks the kernel for them safely.
#![allow(
    unsafe_code,
    reason = "these calls have no safe form; each gets numbers, or the address of a value on the stack that has the kernel's layout"
)]

use std::io;

/// To open files whatever their permissions say.
pub const DAC_OVERRIDE: u64 = 1 << 1;

/// To give up rights for ever, also those that a program would get by being started.
pub const SETPCAP: u64 = 1 << 8;

/// To mount, and to make namespaces, among much else.
pub const SYS_ADMIN: u64 = 1 << 21;

/// The version of the layout below, as `<linux/capability.h>` has it.
const VERSION: u32 = 0x2008_0522;

/// Whose rights: 0 is this thread.
#[repr(C)]
struct Header {
    version: u32,
    pid: i32,
}

/// Half of each set.
#[repr(C)]
#[derive(Default, Clone, Copy)]
struct Half {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

static OWN: Header = Header {
    version: VERSION,
    pid: 0,
};

/// Has the kernel give this process no more rights than it has, whatever it starts.
pub fn give_no_more() -> io::Result<()> {
    // SAFETY: the call takes numbers alone.
    checked(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }.into())
}

/// The rights that this thread has now, and those that it could take: effective, permitted.
pub fn held() -> io::Result<(u64, u64)> {
    let mut halves = [Half::default(); 2];
    // SAFETY: the kernel reads the header and writes two halves, for which there is room.
    checked(unsafe { libc::syscall(libc::SYS_capget, &raw const OWN, halves.as_mut_ptr()) })?;
    let [low, high] = halves;
    let whole = |low: u32, high: u32| u64::from(low) | (u64::from(high) << 32);
    Ok((
        whole(low.effective, high.effective),
        whole(low.permitted, high.permitted),
    ))
}

/// Keeps these rights and no others.
pub fn keep(effective: u64, permitted: u64) -> io::Result<()> {
    let half = |shift: u32| Half {
        effective: (effective >> shift) as u32,
        permitted: (permitted >> shift) as u32,
        inheritable: 0,
    };
    let halves = [half(0), half(32)];
    // SAFETY: the kernel reads the header and two halves.
    checked(unsafe { libc::syscall(libc::SYS_capset, &raw const OWN, halves.as_ptr()) })
}

/// Gives up the right of this number also for programs that would be started. Fails for a number that this kernel does not know.
pub fn forgo(number: u32) -> io::Result<()> {
    let number = libc::c_ulong::from(number);
    // SAFETY: the call takes numbers alone.
    checked(unsafe { libc::prctl(libc::PR_CAPBSET_DROP, number, 0, 0, 0) }.into())
}

fn checked(answer: libc::c_long) -> io::Result<()> {
    if answer < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
