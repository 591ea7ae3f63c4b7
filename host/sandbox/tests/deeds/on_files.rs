use std::ffi::CString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::deed::Deed;
use super::raw::{at, number, room, short};
use super::world::{LARGEST_FILE, World};
use vocalhost_sandbox::Layer::{Landlock, Limits, Namespaces, Privileges, Seccomp};

/// What a child would do to files.
pub const DEEDS: &[Deed] = &[
    Deed::new("read the database", &[Namespaces, Landlock], |world| {
        read(&world.data("vocalhost.sqlite"))
    }),
    Deed::new(
        "read the key that signs links",
        &[Namespaces, Landlock],
        |world| read(&world.data("url-signing.key")),
    ),
    Deed::new(
        "read another user's upload",
        &[Namespaces, Landlock],
        |world| read(&world.data("uploads/upload-1.wav")),
    ),
    Deed::new(
        "read another user's result",
        &[Namespaces, Landlock],
        |world| read(&world.data("files/results/7/vocals.wav")),
    ),
    Deed::new(
        "read the recording of another worker's job",
        &[Namespaces, Landlock],
        |world| read(&world.data("scratch/worker-2/input.wav")),
    ),
    Deed::new("list the data folder", &[Namespaces, Landlock], |world| {
        let mut names = fs::read_dir(world.data(""))?.flatten();
        // The way to the child's own folder is there in any case.
        let is_there = names.any(|entry| entry.file_name() == "vocalhost.sqlite");
        is_there.then_some(()).ok_or(io::ErrorKind::NotFound.into())
    }),
    Deed::new("read /etc/passwd", &[Namespaces, Landlock], |_| {
        read(Path::new("/etc/passwd"))
    }),
    Deed::rare("read /etc/shadow", &[Namespaces, Landlock], |_| {
        read(Path::new("/etc/shadow"))
    }),
    Deed::new(
        "write into the database",
        &[Namespaces, Landlock],
        |world| write(&world.data("vocalhost.sqlite")),
    ),
    Deed::new("change a model", &[Namespaces, Landlock], |world| {
        write(&world.root.join("models/voice/model.onnx"))
    }),
    Deed::new(
        "change compiled code that other processes run",
        &[Namespaces, Landlock],
        |world| write(&world.data("effect-cache/gain.effect")),
    ),
    Deed::new(
        "make a file outside of its folder",
        &[Namespaces, Landlock],
        |world| File::create(world.root.join("new")).map(drop),
    ),
    Deed::new(
        "delete another user's upload",
        &[Namespaces, Landlock],
        |world| fs::remove_file(world.data("uploads/upload-1.wav")),
    ),
    Deed::new(
        "move the database into its folder",
        &[Namespaces, Landlock],
        |world| fs::rename(world.data("vocalhost.sqlite"), world.own("moved")),
    ),
    Deed::new(
        "link the database into its folder",
        &[Namespaces, Landlock, Seccomp],
        |world| fs::hard_link(world.data("vocalhost.sqlite"), world.own("linked")),
    ),
    Deed::new(
        "read the database by a link of its own",
        &[Namespaces, Landlock, Seccomp],
        |world| {
            std::os::unix::fs::symlink(world.data("vocalhost.sqlite"), world.own("link"))?;
            read(&world.own("link"))
        },
    ),
    Deed::new(
        "cut the database off",
        &[Namespaces, Landlock, Seccomp],
        |world| {
            let path = text(&world.data("vocalhost.sqlite"));
            short(libc::SYS_truncate, [at(path.as_bytes()), 0]).map(drop)
        },
    ),
    Deed::new(
        "open the data folder for everybody",
        &[Namespaces, Seccomp],
        |world| {
            let path = text(&world.data(""));
            short(
                libc::SYS_fchmodat,
                [number(libc::AT_FDCWD), at(path.as_bytes()), 0o777],
            )
            .map(drop)
        },
    ),
    Deed::rare(
        "give the database to another user",
        &[Namespaces, Privileges, Seccomp],
        |world| std::os::unix::fs::chown(world.data("vocalhost.sqlite"), Some(1), Some(1)),
    ),
    Deed::new(
        "change the age of the database",
        &[Namespaces, Seccomp],
        |world| {
            let path = text(&world.data("vocalhost.sqlite"));
            let arguments = [number(libc::AT_FDCWD), at(path.as_bytes()), 0, 0];
            short(libc::SYS_utimensat, arguments).map(drop)
        },
    ),
    Deed::rare(
        "note something beside the database",
        &[Namespaces, Seccomp],
        |world| {
            let path = text(&world.data("vocalhost.sqlite"));
            let arguments = [at(path.as_bytes()), at(b"user.note\0"), at(b"x"), 1, 0];
            short(libc::SYS_setxattr, arguments).map(drop)
        },
    ),
    Deed::rare("make a device", &[Privileges, Landlock, Seccomp], |world| {
        let path = text(&world.own("device"));
        // The memory of the machine, were it not for its permissions.
        let arguments = [number(libc::AT_FDCWD), at(path.as_bytes()), 0o20_600, 0x101];
        short(libc::SYS_mknodat, arguments).map(drop)
    }),
    Deed::new("make a pipe with a name", &[Landlock, Seccomp], |world| {
        let path = text(&world.own("pipe"));
        let arguments = [number(libc::AT_FDCWD), at(path.as_bytes()), 0o10_600, 0];
        short(libc::SYS_mknodat, arguments).map(drop)
    }),
    Deed::new(
        "hear of what happens in the data folder",
        &[Seccomp],
        |world| {
            let watch = short(libc::SYS_inotify_init1, [0])?;
            let path = text(&world.data(""));
            let changes = libc::IN_CREATE as usize;
            short(
                libc::SYS_inotify_add_watch,
                [watch, at(path.as_bytes()), changes],
            )
            .map(drop)
        },
    ),
    Deed::rare(
        "open the database by its number",
        &[Namespaces, Privileges, Landlock, Seccomp],
        by_handle,
    ),
    Deed::new("fill the disk with one file", &[Limits], |world| {
        let file = File::create(world.own("large"))?;
        file.set_len(2 * LARGEST_FILE)
    }),
    Deed::new("hold thousands of files open", &[Limits], |world| {
        let files: io::Result<Vec<File>> = (0..3_000)
            .map(|_| File::open(world.own("input.wav")))
            .collect();
        files.map(drop)
    }),
];

fn read(path: &Path) -> io::Result<()> {
    fs::read(path).map(drop)
}

fn write(path: &Path) -> io::Result<()> {
    File::options()
        .append(true)
        .open(path)?
        .write_all(b"taken over")
}

/// A path as calls take it.
fn text(path: &Path) -> CString {
    CString::new(path.as_os_str().as_bytes()).expect("no path has a zero in it")
}

/// Opens a file by its handle in the file system, which bypasses the folders above it.
fn by_handle(world: &World) -> io::Result<()> {
    /// The length of a handle, which comes first.
    const BYTES: u32 = 128;
    let mut handle = [0_u32; 2 + BYTES as usize / 4];
    handle[0] = BYTES;
    let mut mount = 0_i32;
    let path = text(&world.data("vocalhost.sqlite"));
    let named = [
        number(libc::AT_FDCWD),
        at(path.as_bytes()),
        room(&mut handle),
        room(&mut mount),
        0,
    ];
    short(libc::SYS_name_to_handle_at, named)?;
    let folder = File::open(world.own(""))?;
    let folder = std::os::fd::AsRawFd::as_raw_fd(&folder);
    short(
        libc::SYS_open_by_handle_at,
        [number(folder), at(&handle), 0],
    )
    .map(drop)
}
