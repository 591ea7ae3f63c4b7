//! Where the tests keep what they write: in memory, where a machine has plenty of it.
//!
//! Hundreds of servers start in the suite, each with a database that is written through to the disk at every step. While a disk is
//! busy with the output of a build, such a write can take longer than a server waits for its database.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::capture;

/// Linux's folder in memory.
const IN_MEMORY: &str = "/dev/shm";

/// What the folder's name begins with; the number of the process follows.
const PREFIX: &str = "vocalhost-test-";

/// What has to be free there, and as memory, in KiB: several times what the suite has there at a time.
const ENOUGH_KIB: u64 = 8 << 20;

/// A folder that is gone with all that is in it when this is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// The folder in memory, or none where there is no room for it.
    pub fn in_memory() -> Result<Option<Self>> {
        let Some(free) = free_kib(Path::new(IN_MEMORY))? else {
            return Ok(None);
        };
        let available = fs::read_to_string("/proc/meminfo")
            .ok()
            .and_then(|facts| available_kib(&facts));
        if free.min(available.unwrap_or(0)) < ENOUGH_KIB {
            return Ok(None);
        }
        clear_left_behind(Path::new(IN_MEMORY))?;
        let folder = Path::new(IN_MEMORY).join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Some(Self(folder)))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nobody could do anything about it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Deletes what killed suites left: it would take memory until the machine starts again.
fn clear_left_behind(within: &Path) -> Result<()> {
    let there =
        fs::read_dir(within).with_context(|| format!("cannot read {}", within.display()))?;
    for entry in there {
        let entry = entry?;
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
            // Another user's stays.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

/// What is free in a folder's file system, if it is there.
fn free_kib(folder: &Path) -> Result<Option<u64>> {
    if !folder.is_dir() {
        return Ok(None);
    }
    let told = capture(Command::new("df").arg("-Pk").arg(folder))?;
    Ok(told
        .and_then(|told| String::from_utf8(told.stdout).ok())
        .and_then(|told| fourth_of_the_last_line(&told)))
}

/// The blocks that are free, in the form of `df -P`.
fn fourth_of_the_last_line(told: &str) -> Option<u64> {
    told.lines().last()?.split_whitespace().nth(3)?.parse().ok()
}

fn available_kib(facts: &str) -> Option<u64> {
    let line = facts
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_room_is_read_as_the_tools_write_it() {
        let told = "Filesystem 1024-blocks Used Available Capacity Mounted on\ntmpfs 24683656 2236 24681420 1% /dev/shm\n";
        assert_eq!(fourth_of_the_last_line(told), Some(24_681_420));
        assert_eq!(fourth_of_the_last_line("df: no such folder"), None);
        let facts = "MemTotal:       24683656 kB\nMemAvailable:   22907060 kB\n";
        assert_eq!(available_kib(facts), Some(22_907_060));
        assert_eq!(available_kib("MemTotal: 1 kB"), None);
    }
}
