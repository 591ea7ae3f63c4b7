//! System calls as an attacker makes them after taking over a process: past every library.

use std::io;

/// Makes a system call.
#[allow(unsafe_code, reason = "the deeds of a hostile child are not safe ones")]
pub fn call(number: libc::c_long, arguments: [usize; 6]) -> io::Result<usize> {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: the arguments are numbers, or addresses of what lives as long as the call; the process ends after its one deed.
    let answer = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    usize::try_from(answer).map_err(|_| io::Error::last_os_error())
}

/// Makes a system call with fewer arguments.
pub fn short<const N: usize>(number: libc::c_long, arguments: [usize; N]) -> io::Result<usize> {
    let mut all = [0; 6];
    all[..N].copy_from_slice(&arguments);
    call(number, all)
}

/// Where something lies in memory, for a call.
pub fn at<T: ?Sized>(value: &T) -> usize {
    std::ptr::from_ref(value).cast::<()>() as usize
}

/// Where the kernel is to write something.
pub fn room<T: ?Sized>(value: &mut T) -> usize {
    std::ptr::from_mut(value).cast::<()>() as usize
}

/// A number of a process or a descriptor, which may be negative.
pub fn number(value: i32) -> usize {
    value as isize as usize
}
