use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;

use super::deed::Deed;
use super::raw::{at, number, room, short};
use super::world::World;
use vocalhost_sandbox::Layer::{Landlock, Limits, Privileges, Seccomp};

/// Attacks on the kernel: parts of it in which a way out is found every year.
pub const DEEDS: &[Deed] = &[
    Deed::rare("have calls made by a ring", &[Seccomp], |_| {
        let parameters = [0_u32; 30];
        short(libc::SYS_io_uring_setup, [1, at(&parameters)]).map(drop)
    }),
    Deed::rare("handle its own page faults", &[Seccomp], |_| {
        const USER_MODE_ONLY: usize = 1;
        short(libc::SYS_userfaultfd, [USER_MODE_ONLY]).map(drop)
    }),
    Deed::rare(
        "load a program into the kernel",
        &[Privileges, Seccomp],
        |_| {
            // A table of one number, which programs begin with.
            let mut table = [0_u32; 32];
            [table[0], table[1], table[2], table[3]] = [2, 4, 4, 1];
            short(libc::SYS_bpf, [0, at(&table), size_of_val(&table)]).map(drop)
        },
    ),
    Deed::rare("measure what runs", &[Seccomp], |_| {
        // Version 0 of the attributes: a clock of this process, without what the kernel does for it.
        let mut attributes = [0_u64; 8];
        attributes[0] = 1 | (64 << 32);
        attributes[5] = 1 << 5;
        let anywhere = number(-1);
        short(
            libc::SYS_perf_event_open,
            [at(&attributes), 0, anywhere, anywhere, 0],
        )
        .map(drop)
    }),
    Deed::rare("keep a key in the kernel", &[Seccomp], |_| {
        let own = number(-3);
        let arguments = [at(b"user\0"), at(b"vocalhost\0"), at(b"x"), 1, own];
        short(libc::SYS_add_key, arguments).map(drop)
    }),
    Deed::rare("look at the user's keys", &[Seccomp], |_| {
        let user = number(-4);
        short(libc::SYS_keyctl, [0, user, 1]).map(drop)
    }),
    Deed::rare(
        "mount something",
        &[Privileges, Landlock, Seccomp],
        |world| {
            let folder = world.own("mounted");
            std::fs::create_dir(&folder)?;
            let arguments = [at(b"none\0"), at(b"mounted\0"), at(b"tmpfs\0"), 0, 0];
            short(libc::SYS_mount, arguments).map(drop)
        },
    ),
    Deed::rare("have another root of files", &[Privileges, Seccomp], |_| {
        short(libc::SYS_chroot, [at(b".\0")]).map(drop)
    }),
    Deed::rare("be root among users of its own", &[Seccomp], |_| {
        unshare(libc::CLONE_NEWUSER)
    }),
    Deed::rare("have a network of its own", &[Privileges, Seccomp], |_| {
        unshare(libc::CLONE_NEWNET)
    }),
    Deed::rare("start a process among users of its own", &[Seccomp], |_| {
        let flags = (libc::CLONE_NEWUSER | libc::SIGCHLD) as usize;
        if short(libc::SYS_clone, [flags])? == 0 {
            short(libc::SYS_exit_group, [0])?;
        }
        Ok(())
    }),
    Deed::rare(
        "start a process with flags that no filter sees",
        &[Seccomp],
        |_| {
            let mut flags = [0_u64; 11];
            flags[4] = libc::SIGCHLD as u64;
            if short(libc::SYS_clone3, [at(&flags), size_of_val(&flags)])? == 0 {
                short(libc::SYS_exit_group, [0])?;
            }
            Ok(())
        },
    ),
    Deed::rare("join the network of others", &[Privileges, Seccomp], |_| {
        let network = File::open("/proc/self/ns/net")?;
        short(libc::SYS_setns, [number(network.as_raw_fd()), 0]).map(drop)
    }),
    Deed::new("share memory by a number", &[Seccomp], |_| {
        short(libc::SYS_shmget, [0, 4_096, 0o1600]).map(drop)
    }),
    Deed::rare(
        "make a queue of messages",
        &[Limits, Landlock, Seccomp],
        |world| {
            let name = format!("vocalhost-{}\0", world.parent);
            let create = (libc::O_CREAT | libc::O_RDWR) as usize;
            short(libc::SYS_mq_open, [at(name.as_str()), create, 0o600, 0]).map(drop)?;
            short(libc::SYS_mq_unlink, [at(name.as_str())]).map(drop)
        },
    ),
    Deed::rare("be another kind of process", &[Seccomp], |_| {
        const ADDRESSES_IN_ORDER: usize = 0x004_0000;
        short(libc::SYS_personality, [ADDRESSES_IN_ORDER]).map(drop)
    }),
    Deed::rare(
        "be asked about every file that is opened",
        &[Privileges, Seccomp],
        |_| {
            // Content may be read before others get it, which is root's.
            const BEFORE_CONTENT: usize = 0x8;
            short(libc::SYS_fanotify_init, [BEFORE_CONTENT, 0]).map(drop)
        },
    ),
    Deed::rare(
        "give the machine another name",
        &[Privileges, Seccomp],
        same_name,
    ),
    Deed::rare("read the kernel's log", &[Privileges, Seccomp], |_| {
        const CLEAR_NOTHING_READ_ALL: usize = 3;
        let mut into = [0_u8; 4_096];
        short(
            libc::SYS_syslog,
            [CLEAR_NOTHING_READ_ALL, room(&mut into), 4_096],
        )
        .map(drop)
    }),
    Deed::new(
        "have signals sent when something can be read",
        &[Seccomp],
        |_| {
            // Signals when something can be read, for whoever was named: the first half of sending them to anybody.
            let on = 1_i32;
            let asynchronous = libc::FIOASYNC as usize;
            short(libc::SYS_ioctl, [0, asynchronous, at(&on)]).map(drop)
        },
    ),
];

fn unshare(what: i32) -> io::Result<()> {
    short(libc::SYS_unshare, [what as usize]).map(drop)
}

/// The name that it has already.
fn same_name(_: &World) -> io::Result<()> {
    /// The length of each text of the answer, of which the name is the second.
    const TEXT: usize = 65;
    let mut answer = [0_u8; 6 * TEXT];
    short(libc::SYS_uname, [room(&mut answer)])?;
    let name = &answer[TEXT..2 * TEXT];
    let length = name.iter().position(|byte| *byte == 0).unwrap_or(TEXT);
    short(libc::SYS_sethostname, [at(name), length]).map(drop)
}
