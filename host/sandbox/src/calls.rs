//! seccomp: which system calls this process may make.
//!
//! The kernel runs two programs for each call. The first answers "not permitted" to calls that are known to be dangerous. The second allows
//! the calls that the work needs, and answers to all others that they do not exist. The C library then falls back to older calls: it makes
//! threads with `clone3`, whose flags no filter can see, and with `clone` where there is no `clone3`.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, apply_filter_all_threads,
};

use super::refused::REFUSED;

/// Memory, including memory that code can be written into, since effects are compiled.
const MEMORY: &[c_long] = &[
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_memfd_create,
    libc::SYS_mincore,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_msync,
    libc::SYS_munmap,
];

/// Threads, and how they wait for each other and sleep. Starting them, and signals, have conditions of their own.
const THREADS: &[c_long] = &[
    libc::SYS_clock_nanosleep,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_get_robust_list,
    libc::SYS_getcpu,
    libc::SYS_gettid,
    libc::SYS_nanosleep,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_sigaltstack,
];

/// Files that Landlock admits, and the pipes.
const FILES: &[c_long] = &[
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_copy_file_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_eventfd2,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fadvise64,
    libc::SYS_fallocate,
    libc::SYS_fdatasync,
    libc::SYS_flock,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_lseek,
    libc::SYS_mkdirat,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_pselect6,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_read,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_sendfile,
    libc::SYS_statfs,
    libc::SYS_statx,
    libc::SYS_sync_file_range,
    libc::SYS_umask,
    libc::SYS_unlinkat,
    libc::SYS_write,
    libc::SYS_writev,
];

/// The same by the names that processors of old have beside.
#[cfg(target_arch = "x86_64")]
const OF_OLD: &[c_long] = &[
    libc::SYS_access,
    libc::SYS_alarm,
    libc::SYS_arch_prctl,
    libc::SYS_creat,
    libc::SYS_dup2,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_getdents,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_open,
    libc::SYS_pause,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_rmdir,
    libc::SYS_select,
    libc::SYS_stat,
    libc::SYS_time,
    libc::SYS_unlink,
];
#[cfg(not(target_arch = "x86_64"))]
const OF_OLD: &[c_long] = &[];

/// What a process asks about itself and the machine.
const QUESTIONS: &[c_long] = &[
    libc::SYS_capget,
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getgroups,
    libc::SYS_getpgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getpriority,
    libc::SYS_getrandom,
    libc::SYS_getresgid,
    libc::SYS_getresuid,
    libc::SYS_getrlimit,
    libc::SYS_getrusage,
    libc::SYS_getsid,
    libc::SYS_gettimeofday,
    libc::SYS_getuid,
    libc::SYS_sysinfo,
    libc::SYS_times,
    libc::SYS_uname,
];

/// What drivers of GPUs need besides: commands to their devices, pinned memory, and placing memory on the machine's nodes.
const FOR_DEVICES: &[c_long] = &[
    libc::SYS_get_mempolicy,
    libc::SYS_ioctl,
    libc::SYS_mbind,
    libc::SYS_mlock,
    libc::SYS_mlock2,
    libc::SYS_munlock,
    libc::SYS_sched_setaffinity,
    libc::SYS_set_mempolicy,
];

/// The allowed commands of `fcntl`. Not `F_SETOWN`, which chooses who gets a signal when something can be read: it may be any process.
const ON_DESCRIPTORS: [i32; 8] = [
    libc::F_DUPFD,
    libc::F_DUPFD_CLOEXEC,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_SETFL,
    libc::F_ADD_SEALS,
    libc::F_GET_SEALS,
];

/// What `prctl` is asked for: names of threads and of memory.
const ON_ITSELF: [i32; 3] = [libc::PR_SET_NAME, libc::PR_GET_NAME, libc::PR_SET_VMA];

/// The allowed commands of `ioctl`: whether something is a terminal, and what [`ON_DESCRIPTORS`] can do too. Not those that type letters
/// into a terminal.
const COMMANDS: [libc::Ioctl; 4] = [libc::TCGETS, libc::FIOCLEX, libc::FIONBIO, libc::FIONREAD];

/// Namespaces that `clone` must not make; each flag is refused, alone or with others.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Leaves this process the calls that it needs.
pub fn raise(devices: bool) -> Result<String, String> {
    let programs = programs(devices).map_err(|error| error.to_string())?;
    for program in &programs {
        apply_filter_all_threads(program).map_err(|error| match error {
            seccompiler::Error::Seccomp(source) | seccompiler::Error::Prctl(source) => {
                format!("the kernel does not take the list of calls: {source}")
            }
            error => error.to_string(),
        })?;
    }
    Ok(String::new())
}

/// The program that refuses and the one that allows, in the order in which they must be installed: after the second, no further one can be
/// added.
fn programs(devices: bool) -> Result<[BpfProgram; 2], BackendError> {
    let refusing = SeccompFilter::new(
        refused()?,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM as u32),
        std::env::consts::ARCH.try_into()?,
    )?;
    let mut allowed = allowed(devices)?;
    // If both refuse a call, the answer of the later one counts; so this one allows what the first one refuses.
    allowed.extend(refused()?.into_keys().map(|call| (call, Vec::new())));
    let allowing = SeccompFilter::new(
        allowed,
        SeccompAction::Errno(libc::ENOSYS as u32),
        SeccompAction::Allow,
        std::env::consts::ARCH.try_into()?,
    )?;
    Ok([refusing.try_into()?, allowing.try_into()?])
}

/// Calls that are refused by name, and `clone` unless it only makes a thread.
fn refused() -> Result<Rules, BackendError> {
    let calls = REFUSED.iter().flat_map(|(_, calls)| calls.iter());
    let mut rules: Rules = calls.map(|call| (*call, Vec::new())).collect();
    let thread = libc::CLONE_THREAD as u64;
    let mut no_thread = vec![all_of(vec![masked(0, thread, 0)?])?];
    for namespace in NAMESPACES.map(|flag| flag as u64) {
        no_thread.push(all_of(vec![masked(0, namespace, namespace)?])?);
    }
    rules.insert(libc::SYS_clone, no_thread);
    Ok(rules)
}

fn allowed(devices: bool) -> Result<Rules, BackendError> {
    let lists = [MEMORY, THREADS, FILES, OF_OLD, QUESTIONS];
    let plain = lists.into_iter().flatten();
    let mut rules: Rules = plain.map(|call| (*call, Vec::new())).collect();
    let own_id = u64::from(std::process::id());
    rules.insert(libc::SYS_tgkill, vec![all_of(vec![is(0, own_id)?])?]);
    // Only reading a limit of this process, not setting one.
    let reads_own = vec![is(0, 0)?, address(2, 0)?];
    rules.insert(libc::SYS_prlimit64, vec![all_of(reads_own)?]);
    rules.insert(libc::SYS_fcntl, any_of(1, ON_DESCRIPTORS.map(i64::from))?);
    rules.insert(libc::SYS_prctl, any_of(0, ON_ITSELF.map(i64::from))?);
    rules.insert(libc::SYS_ioctl, any_of(1, COMMANDS.map(|one| one as i64))?);
    if devices {
        rules.extend(FOR_DEVICES.iter().map(|call| (*call, Vec::new())));
    }
    Ok(rules)
}

fn any_of<const N: usize>(
    argument: u8,
    values: [i64; N],
) -> Result<Vec<SeccompRule>, BackendError> {
    let rule = |value: i64| all_of(vec![is(argument, value as u64)?]);
    values.into_iter().map(rule).collect()
}

fn all_of(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions)
}

/// The lower half of an argument equals `value`; where a number is meant, the kernel looks at no more.
fn is(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn address(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, value)
}

fn masked(argument: u8, mask: u64, value: u64) -> Result<SeccompCondition, BackendError> {
    let operator = SeccompCmpOp::MaskedEq(mask);
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, operator, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_allowed_and_refused_by_name() {
        for devices in [false, true] {
            let allowed = allowed(devices).expect("the rules are sound");
            assert!(!allowed.is_empty());
            for (why, calls) in REFUSED {
                let both = calls.iter().find(|call| allowed.contains_key(*call));
                assert_eq!(both, None, "{why}");
            }
        }
    }

    #[test]
    fn the_lists_are_programs_that_the_kernel_takes() {
        // It takes 4096 steps at the most.
        for devices in [false, true] {
            let programs = programs(devices).expect("they compile");
            assert!(programs.iter().all(|program| program.len() < 4_096));
        }
    }
}
