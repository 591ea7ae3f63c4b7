//! Namespaces: a root of the file system that holds what was named and nothing else, and a network without a way out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, fstat};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount,
    mount_change, move_mount, open_tree, unmount,
};
use rustix::process::{chdir, getgid, getuid, pivot_root};

use super::{mounts, rights, system};

/// Where the new root is put together: a folder that every system has, and whose content is not needed meanwhile.
const BASE: &str = "/proc";

/// The root itself has folders, links and empty files only.
const ROOT_OPTIONS: &std::ffi::CStr = c"mode=0755,size=1m";

/// How many links in a row may lead to a file: as many as the kernel follows.
const MAX_LINKS: usize = 40;

/// Gives this process a root with the named files, the system's files that every child needs, and nothing else; and a network of its own,
/// whose only interface is down.
pub fn raise(read: &[PathBuf], write: &[PathBuf], devices: bool) -> Result<String, String> {
    let own = std::env::current_dir().map_err(|error| format!("its folder: {error}"))?;
    let held = rights::held().map_err(|error| format!("capabilities: {error}"))?;
    enter(held.0).map_err(|error| format!("the system makes none: {error}"))?;
    let moved = move_into(&granted(read, write, devices), &own);
    // In a user namespace of its own, a process begins with all rights that exist within it.
    let kept = rights::keep(held.0, held.1);
    moved.map_err(|error| format!("there is no root of its own: {error}"))?;
    kept.map_err(|error| format!("capabilities: {error}"))?;
    Ok(String::new())
}

fn enter(effective: u64) -> io::Result<()> {
    let flags = libc::CLONE_NEWNS | libc::CLONE_NEWNET | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
    // In a user namespace, the files of all other users would belong to nobody; a process with the right does without one.
    if effective & rights::SYS_ADMIN != 0 {
        return mounts::unshare(flags);
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    mounts::unshare(flags | libc::CLONE_NEWUSER)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// What there is to be in the new root.
#[derive(Debug, Default, PartialEq)]
struct Granted {
    /// Files and folders by their real place, and whether they may be written.
    places: BTreeMap<PathBuf, bool>,
    /// The links on the ways to them, and where each leads.
    links: BTreeMap<PathBuf, PathBuf>,
    /// Folders that paths lead into and out of again with `..`: the kernel walks a path step by step, so they must exist.
    passed: BTreeSet<PathBuf>,
}

fn granted(read: &[PathBuf], write: &[PathBuf], devices: bool) -> Granted {
    let mut granted = Granted::default();
    for path in system::readable(devices).iter().chain(read) {
        granted.admit(path, false);
    }
    // The peak of memory is set back by writing in the last one.
    for path in [system::NOTHING, "/proc/self"] {
        granted.admit(Path::new(path), true);
    }
    for path in write {
        granted.admit(path, true);
    }
    if devices {
        for path in system::devices() {
            granted.admit(&path, true);
        }
    }
    granted
}

impl Granted {
    /// Admits what is at `path`; nothing, if nothing is there.
    fn admit(&mut self, path: &Path, may_write: bool) {
        if let Some(place) = self.follow(path) {
            *self.places.entry(place).or_default() |= may_write;
        }
    }

    /// The real place of what is at `path`. The links on the way are noted.
    fn follow(&mut self, path: &Path) -> Option<PathBuf> {
        let mut place = PathBuf::from("/");
        let mut rest: VecDeque<PathBuf> = parts(path).collect();
        let mut followed = 0;
        while let Some(part) = rest.pop_front() {
            if part == Path::new("..") {
                if !place.is_dir() {
                    return None;
                }
                self.passed.insert(place.clone());
                place.pop();
                continue;
            }
            let next = place.join(part);
            let about = fs::symlink_metadata(&next).ok()?;
            if !about.is_symlink() {
                place = next;
                continue;
            }
            followed += 1;
            if followed > MAX_LINKS {
                return None;
            }
            let target = fs::read_link(&next).ok()?;
            if target.is_absolute() {
                place = PathBuf::from("/");
            }
            for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
                rest.push_front(part);
            }
            self.links.insert(next, target);
        }
        Some(place)
    }

    /// The places to mount, outer ones first. A place inside another one that grants as much comes with that and is left out.
    fn outermost(&self) -> Vec<(&Path, bool)> {
        let mut mounted: Vec<(&Path, bool)> = Vec::new();
        for (place, may_write) in &self.places {
            let within = mounted
                .iter()
                .rev()
                .find(|(outer, _)| place.starts_with(outer));
            if within.is_none_or(|(_, outer_may)| *may_write && !*outer_may) {
                mounted.push((place, *may_write));
            }
        }
        mounted
    }
}

/// The names on a way, without the root and single dots.
fn parts(path: &Path) -> impl DoubleEndedIterator<Item = PathBuf> {
    use std::path::Component;
    path.components().filter_map(|part| match part {
        Component::Normal(_) | Component::ParentDir => Some(PathBuf::from(part.as_os_str())),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}

/// Makes a root of what is granted, and moves this process into it.
fn move_into(granted: &Granted, own: &Path) -> io::Result<()> {
    // Mounts made here are not seen elsewhere; a mount that is removed elsewhere is removed here too.
    let below = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    mount_change("/", below)?;
    let mut trees = Vec::new();
    for (place, may_write) in granted.outermost() {
        trees.push((place, tree(place, may_write)?));
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", BASE, "tmpfs", flags, ROOT_OPTIONS)?;
    let built = fill(granted, &trees).and_then(|()| enter_root(own));
    if built.is_err() {
        // What it covers is needed.
        let _ = unmount(BASE, UnmountFlags::DETACH);
    }
    built
}

/// A detached copy of the mounts at a place and below it.
fn tree(place: &Path, may_write: bool) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    let tree = open_tree(CWD, place, flags)?;
    let read_only = if may_write { 0 } else { mounts::READ_ONLY };
    mounts::restrict(tree.as_fd(), mounts::NO_RIGHTS | read_only, true)?;
    Ok(tree)
}

/// Puts links and trees into the root.
fn fill(granted: &Granted, trees: &[(&Path, OwnedFd)]) -> io::Result<()> {
    let within = |path: &Path| Path::new(BASE).join(path.strip_prefix("/").unwrap_or(path));
    for (link, target) in &granted.links {
        let place = within(link);
        fs::create_dir_all(place.parent().unwrap_or(Path::new(BASE)))?;
        std::os::unix::fs::symlink(target, place)?;
    }
    for folder in &granted.passed {
        fs::create_dir_all(within(folder))?;
    }
    for (path, tree) in trees {
        let place = within(path);
        let is_folder = FileType::from_raw_mode(fstat(tree)?.st_mode) == FileType::Directory;
        // Within another tree it is there.
        if is_folder && !place.is_dir() {
            fs::create_dir_all(&place)?;
        } else if !is_folder && !place.exists() {
            fs::create_dir_all(place.parent().unwrap_or(Path::new(BASE)))?;
            File::create(&place)?;
        }
        move_mount(
            tree,
            "",
            CWD,
            &place,
            MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH,
        )?;
    }
    Ok(())
}

/// Makes `BASE` the root of this process, and lets go of the old one.
fn enter_root(own: &Path) -> io::Result<()> {
    chdir(BASE)?;
    let root = File::open(".")?;
    mounts::restrict(root.as_fd(), mounts::READ_ONLY, false)?;
    // The old root is then stacked on the new one, as `pivot_root(2)` says, and is unmounted.
    pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    chdir(own).or_else(|_| chdir("/"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_on_the_way_are_noted_and_followed_to_the_real_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("it is there");
        fs::create_dir_all(root.join("real/inner")).expect("they are made");
        let link = |target: &str, at: &str| {
            std::os::unix::fs::symlink(target, root.join(at)).expect("it is made");
        };
        link("real/./inner", "relative");
        link("../../real", "real/inner/back");
        link("loop", "loop");
        let mut granted = Granted::default();
        granted.admit(&root.join("relative/back"), false);
        granted.admit(&root.join("relative"), true);
        fs::create_dir(root.join("other")).expect("it is made");
        fs::write(root.join("file"), b"").expect("it is written");
        granted.admit(&root.join("other/../real"), false);
        granted.admit(&root.join("file/../real/inner"), true);
        for nowhere in ["loop", "gone", "relative/gone"] {
            granted.admit(&root.join(nowhere), true);
        }
        let places = [(root.join("real"), false), (root.join("real/inner"), true)];
        assert_eq!(granted.places, places.into());
        let passed = [
            root.join("other"),
            root.join("real"),
            root.join("real/inner"),
        ];
        assert_eq!(granted.passed, passed.into());
        assert_eq!(
            granted.links[&root.join("relative")],
            Path::new("real/./inner")
        );
        assert_eq!(
            granted.links[&root.join("real/inner/back")],
            Path::new("../../real")
        );
    }

    #[test]
    fn what_lies_within_a_place_is_mounted_only_where_more_may_be_done() {
        let places = [
            ("/a", false),
            ("/a/b", false),
            ("/a/c", true),
            ("/a/c/d", false),
            ("/ab", false),
        ];
        let granted = Granted {
            places: places.map(|(path, may)| (PathBuf::from(path), may)).into(),
            ..Granted::default()
        };
        let mounted = granted.outermost();
        let wanted = [("/a", false), ("/a/c", true), ("/ab", false)];
        assert_eq!(mounted, wanted.map(|(path, may)| (Path::new(path), may)));
    }
}
