//! Landlock: which files this process may reach.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, LandlockStatus,
    PathBeneath, PathFd, RestrictionStatus, Ruleset, RulesetAttr as _, RulesetCreated,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, make_bitflags,
};

use super::system;

/// The newest version of Landlock whose rights are known here. An older kernel does not refuse what it does not know.
const NEWEST: ABI = ABI::V10;

/// What each version of Landlock was the first to refuse, oldest first: on an older kernel, that is left to seccomp.
const LEARNT: [(ABI, &str); 5] = [
    (ABI::V3, "cutting files off"),
    (ABI::V4, "TCP"),
    (ABI::V5, "commands to devices"),
    (ABI::V6, "signals and abstract sockets"),
    (ABI::V10, "UDP"),
];

/// `/proc/self` as it was when the walls were raised, kept open. Landlock identifies a folder by its inode in the kernel's memory; for a
/// folder of `/proc` the kernel may drop that and later make another one, unless somebody has the folder open.
static OWN_PROC: Mutex<Option<PathFd>> = Mutex::new(None);

/// Lets this process reach the named files, the system's files that every child needs, and nothing else.
pub fn raise(read: &[PathBuf], write: &[PathBuf], devices: bool) -> Result<String, String> {
    let status = restrict(read, write, devices).map_err(|error| error.to_string())?;
    match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, LandlockStatus::NotEnabled) => {
            Err("the kernel was started without Landlock".to_owned())
        }
        (RulesetStatus::NotEnforced, _) => Err("the kernel has no Landlock".to_owned()),
        (_, LandlockStatus::Available { effective_abi, .. }) => {
            if has_other_threads() && !status.all_threads {
                return Err("other threads were there before it".to_owned());
            }
            Ok(not_refused(effective_abi))
        }
        (_, _) => Ok(String::new()),
    }
}

fn restrict(
    read: &[PathBuf],
    write: &[PathBuf],
    devices: bool,
) -> Result<RestrictionStatus, RulesetError> {
    let reading = make_bitflags!(AccessFs::{ReadFile | ReadDir});
    let writing = reading
        | make_bitflags!(AccessFs::{
            WriteFile | RemoveDir | RemoveFile | MakeDir | MakeReg | Refer | Truncate
        });
    let commanding = make_bitflags!(AccessFs::{ReadFile | ReadDir | WriteFile | IoctlDev});
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    for path in system::readable(devices).iter().chain(read) {
        rules = admit(rules, path, reading)?;
    }
    rules = admit(rules, Path::new(system::NOTHING), writing)?;
    for path in write {
        rules = admit(rules, path, writing)?;
    }
    if devices {
        for path in system::devices() {
            rules = admit(rules, &path, commanding)?;
        }
    }
    if let Ok(own) = PathFd::new("/proc/self") {
        // The peak of memory is set back by writing there.
        rules = rules.add_rule(PathBeneath::new(&own, reading | AccessFs::WriteFile))?;
        if let Ok(mut kept) = OWN_PROC.lock() {
            *kept = Some(own);
        }
    }
    rules.restrict_self()
}

/// Admits what is at `path`; nothing, if nothing is there.
fn admit(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let Ok(opened) = PathFd::new(path) else {
        return Ok(rules);
    };
    // Rights over folders mean nothing for a file.
    let access = if path.is_dir() {
        access
    } else {
        access & AccessFs::from_file(NEWEST)
    };
    rules.add_rule(PathBeneath::new(opened, access))
}

fn not_refused(has: ABI) -> String {
    let learnt_later = LEARNT.iter().filter(|(since, _)| *since > has);
    let names: Vec<&str> = learnt_later.map(|(_, what)| *what).collect();
    if names.is_empty() {
        return String::new();
    }
    format!(
        "this kernel's Landlock, version {}, does not refuse: {}",
        has as i32,
        names.join(", ")
    )
}

/// Whether this process has more than one thread.
fn has_other_threads() -> bool {
    // The walls stand already, but this process's own entry can still be read.
    std::fs::read_dir("/proc/self/task").is_ok_and(|tasks| tasks.count() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_kernel_is_said_to_refuse_less() {
        let said = not_refused(ABI::V3);
        assert!(said.contains("version 3") && said.contains("TCP"), "{said}");
        assert!(!said.contains("cutting"), "{said}");
        assert_eq!(not_refused(NEWEST), "");
    }
}
