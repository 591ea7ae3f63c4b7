//! The rights of root that a process has, one bit each, and how to give them up: `capabilities(7)`.

use std::io;

use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set,
    set_capabilities, set_no_new_privs,
};

/// To open files whatever their permissions say.
pub const DAC_OVERRIDE: u64 = 1 << 1;

/// To give up rights for ever, including those that a program would gain when it is started.
pub const SETPCAP: u64 = 1 << 8;

/// To mount, and to make namespaces, among much else.
pub const SYS_ADMIN: u64 = 1 << 21;

/// From now on no program that this process starts gains further rights.
pub fn give_no_more() -> io::Result<()> {
    Ok(set_no_new_privs(true)?)
}

/// The rights that this thread has now, and those that it could take: effective, permitted.
pub fn held() -> io::Result<(u64, u64)> {
    let sets = capabilities(None)?;
    Ok((sets.effective.bits(), sets.permitted.bits()))
}

/// Keeps these rights and no others.
pub fn keep(effective: u64, permitted: u64) -> io::Result<()> {
    let sets = CapabilitySets {
        effective: CapabilitySet::from_bits_retain(effective),
        permitted: CapabilitySet::from_bits_retain(permitted),
        inheritable: CapabilitySet::empty(),
    };
    Ok(set_capabilities(None, sets)?)
}

/// Gives up the right of this number for programs that are started, too. Fails for a number that this kernel does not know.
pub fn forgo(number: u32) -> io::Result<()> {
    let right = 1_u64.checked_shl(number).unwrap_or_default();
    Ok(remove_capability_from_bounding_set(
        CapabilitySet::from_bits_retain(right),
    )?)
}
