use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};

use super::deed::Deed;
use super::raw::{at, number, room, short};
use super::world::World;
use vocalhost_sandbox::Layer::{Landlock, Namespaces, Privileges, Seccomp};

/// How many processes make a bomb: enough to see it, few enough to live with.
const BOMB: usize = 64;

/// The number of a signal that only asks whether it could be sent.
const NONE: usize = 0;

/// What a child would do to other processes, its server before all.
pub const DEEDS: &[Deed] = &[
    Deed::new("start a process", &[Seccomp], |_| fork()),
    Deed::new("start many processes", &[Seccomp], |_| {
        (0..BOMB).try_for_each(|_| fork())
    }),
    Deed::new("start a program", &[Namespaces, Landlock, Seccomp], |_| {
        let arguments = [at(b"true\0"), 0];
        short(
            libc::SYS_execve,
            [at(b"/bin/true\0"), at(&arguments), at(&[0_usize])],
        )
        .map(drop)
    }),
    Deed::new(
        "start a program that lies in memory",
        &[Seccomp],
        from_memory,
    ),
    Deed::rare("steer the server", &[Landlock, Seccomp], |world| {
        let seize = libc::PTRACE_SEIZE as usize;
        short(libc::SYS_ptrace, [seize, number(world.parent), 0, 0]).map(drop)
    }),
    Deed::rare("read the server's memory", &[Landlock, Seccomp], |world| {
        let mut into = [0_u8; 8];
        let (here, there) = ([room(&mut into), 8], [world.secret_at, 8]);
        let arguments = [number(world.parent), at(&here), 1, at(&there), 1, 0];
        short(libc::SYS_process_vm_readv, arguments).map(drop)
    }),
    Deed::rare(
        "read the server's memory as a file",
        &[Namespaces, Landlock],
        |world| {
            let mut memory = File::open(format!("/proc/{}/mem", world.parent))?;
            memory.seek(SeekFrom::Start(world.secret_at as u64))?;
            memory.read_exact(&mut [0; 8])
        },
    ),
    Deed::rare(
        "read the server's environment, with its secrets",
        &[Namespaces, Landlock],
        |world| fs::read(format!("/proc/{}/environ", world.parent)).map(drop),
    ),
    Deed::new(
        "read the server's command line",
        &[Namespaces, Landlock],
        |world| fs::read(format!("/proc/{}/cmdline", world.parent)).map(drop),
    ),
    Deed::rare(
        "list what the server has open",
        &[Namespaces, Landlock],
        |world| fs::read_dir(format!("/proc/{}/fd", world.parent)).map(drop),
    ),
    Deed::new("send the server a signal", &[Landlock, Seccomp], |world| {
        short(libc::SYS_kill, [number(world.parent), NONE]).map(drop)
    }),
    Deed::new(
        "send a thread of the server a signal",
        &[Landlock, Seccomp],
        |world| {
            let parent = number(world.parent);
            short(libc::SYS_tgkill, [parent, parent, NONE]).map(drop)
        },
    ),
    Deed::new(
        "send the server a signal by a handle",
        &[Landlock, Seccomp],
        |world| {
            let handle = short(libc::SYS_pidfd_open, [number(world.parent), 0])?;
            short(libc::SYS_pidfd_send_signal, [handle, NONE, 0, 0]).map(drop)
        },
    ),
    Deed::new(
        "have the kernel send the server signals",
        &[Seccomp],
        |world| {
            let (own, set_owner) = (0, libc::F_SETOWN as usize);
            short(libc::SYS_fcntl, [own, set_owner, number(world.parent)]).map(drop)
        },
    ),
    Deed::new("slow the server down", &[Seccomp], |world| {
        let parent = number(world.parent);
        let steps = short(libc::SYS_getpriority, [0, parent])?;
        // The call gives 20 less what it takes, so this changes nothing.
        let same = number(20 - i32::try_from(steps).unwrap_or(20));
        short(libc::SYS_setpriority, [0, parent, same]).map(drop)
    }),
    Deed::new("tie the server to a core", &[Seccomp], |world| {
        let (mut all, bytes) = ([0_usize; 16], 16 * size_of::<usize>());
        let parent = number(world.parent);
        short(libc::SYS_sched_getaffinity, [parent, bytes, room(&mut all)])?;
        short(libc::SYS_sched_setaffinity, [parent, bytes, at(&all)]).map(drop)
    }),
    Deed::rare("change the server's limits", &[Seccomp], |world| {
        let mut now = [0_u64; 2];
        let (parent, core) = (number(world.parent), libc::RLIMIT_CORE as usize);
        short(libc::SYS_prlimit64, [parent, core, 0, room(&mut now)])?;
        short(libc::SYS_prlimit64, [parent, core, at(&now), 0]).map(drop)
    }),
    Deed::rare(
        "compare itself with the server",
        &[Landlock, Seccomp],
        |world| {
            let own = std::process::id() as usize;
            short(libc::SYS_kcmp, [own, number(world.parent), 1, 0, 0]).map(drop)
        },
    ),
    Deed::rare("become another user", &[Privileges, Seccomp], |_| {
        short(libc::SYS_setresuid, [1, 1, 1]).map(drop)
    }),
    Deed::rare("raise its own limits", &[Privileges, Seccomp], |_| {
        // The right to run before everything else on the machine, which nobody has who did not get it.
        let urgent = libc::RLIMIT_RTPRIO as usize;
        let mut now = [0_u64; 2];
        short(libc::SYS_prlimit64, [0, urgent, 0, room(&mut now)])?;
        let more = [now[1].saturating_add(1); 2];
        short(libc::SYS_prlimit64, [0, urgent, at(&more), 0]).map(drop)
    }),
];

/// Starts a process that ends at once.
fn fork() -> io::Result<()> {
    if short(libc::SYS_clone, [libc::SIGCHLD as usize])? == 0 {
        // This is the new process: it is done.
        short(libc::SYS_exit_group, [0])?;
    }
    Ok(())
}

/// The machine, as files of programs name it, and a program for it that ends at once, well.
#[cfg(target_arch = "x86_64")]
const TINY: (u16, &[u8]) = (62, b"\x31\xff\xb8\x3c\x00\x00\x00\x0f\x05");
#[cfg(target_arch = "aarch64")]
const TINY: (u16, &[u8]) = (183, b"\x00\x00\x80\xd2\xa8\x0b\x80\xd2\x01\x00\x00\xd4");

/// Writes a program into memory and becomes it. It needs no library, of which walls might have something to say.
fn from_memory(_: &World) -> io::Result<()> {
    const HEADERS: u64 = 64 + 56;
    const PLACE: u64 = 0x40_0000;
    let (machine, code) = TINY;
    let mut program = b"\x7fELF\x02\x01\x01".to_vec();
    program.resize(16, 0);
    for half in [2, machine, 1, 0] {
        program.extend(half.to_le_bytes());
    }
    for whole in [PLACE + HEADERS, 64, 0] {
        program.extend(whole.to_le_bytes());
    }
    for half in [0_u16, 0, 64, 56, 1, 64, 0, 0] {
        program.extend(half.to_le_bytes());
    }
    // One part, to be read and run.
    program.extend([1, 0, 0, 0, 5, 0, 0, 0]);
    let bytes = HEADERS + code.len() as u64;
    for whole in [0, PLACE, PLACE, bytes, bytes, 4_096] {
        program.extend(whole.to_le_bytes());
    }
    program.extend(code);
    let file = short(libc::SYS_memfd_create, [at(b"program\0"), 0])?;
    let arguments = [file, at(program.as_slice()), program.len()];
    short(libc::SYS_write, arguments)?;
    let arguments = [at(b"program\0"), 0];
    let empty = libc::AT_EMPTY_PATH as usize;
    let call = [file, at(b"\0"), at(&arguments), at(&[0_usize]), empty];
    short(libc::SYS_execveat, call).map(drop)
}
