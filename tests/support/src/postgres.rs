//! A `PostgreSQL` server of one's own, in a folder of its own, that answers nobody but this machine.

use std::fs;
use std::io::{self, Read as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What names the folder with the server's programs; `cargo xtask test` sets it.
pub const PROGRAMS: &str = "VOCALHOST_TEST_POSTGRES_PROGRAMS";

/// Where Debian keeps its releases, a folder each.
const OF_DEBIAN: &str = "/usr/lib/postgresql";

/// How long a server may take to start on a machine that is busy.
const START: Duration = Duration::from_mins(1);

/// A server that runs until this is dropped. What is in its folder stays.
pub struct Postgres {
    process: Child,
    programs: PathBuf,
    folder: PathBuf,
    settings: Vec<String>,
    port: u16,
    user: Option<ServerUser>,
    /// Its address, with the password.
    pub address: String,
}

/// The folder with a server's programs: the one that is named, or else the newest of this machine.
pub fn programs() -> PathBuf {
    if let Some(named) = std::env::var_os(PROGRAMS) {
        return named.into();
    }
    let releases = fs::read_dir(OF_DEBIAN).into_iter().flatten().flatten();
    let releases = releases.map(|release| release.path().join("bin"));
    let newest = releases.filter(|bin| bin.join("initdb").exists()).max();
    newest.expect("there is no PostgreSQL here: run `cargo xtask test`, which fetches one")
}

impl Postgres {
    /// Makes a server in `folder`, which must be empty, with the programs in `programs`, which every user may run, and starts it with
    /// more `settings`, such as `fsync=off`.
    pub fn start(programs: &Path, folder: &Path, settings: &[&str]) -> io::Result<Self> {
        let user = ServerUser::find()?;
        let password = random_word()?;
        let (data, password_file) = (folder.join("data"), folder.join("password"));
        fs::create_dir_all(&data)?;
        fs::write(&password_file, &password)?;
        if let Some(user) = &user {
            for path in [folder, &data, &password_file] {
                user.own(path)?;
            }
        }
        let mut making = command(programs, folder, user.as_ref(), "initdb");
        making.args([
            "--username=postgres",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
        ]);
        making.arg(format!("--pwfile={}", password_file.display()));
        let made = making.arg(&data).output()?;
        if !made.status.success() {
            return Err(failed(
                "initdb failed",
                &String::from_utf8_lossy(&made.stderr),
            ));
        }
        // Free now: if another process is faster, the server says so.
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
        let mut server = Self {
            process: run(programs, folder, user.as_ref(), (port, &settings))?,
            programs: programs.to_owned(),
            folder: folder.to_owned(),
            settings,
            port,
            user,
            address: format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres"),
        };
        server.wait()?;
        Ok(server)
    }

    /// Its address and port.
    pub fn place(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Its address by another way, such as a proxy's, and another database of it.
    pub fn address_by(&self, place: &str, database: &str) -> String {
        let (head, _) = self.address.rsplit_once('@').expect("it has a password");
        format!("{head}@{place}/{database}")
    }

    /// Stops it at once, without a word to anybody, as `pg_ctl stop -m immediate`: it has to recover at the next start.
    pub fn stop_hard(&mut self) {
        let process = self.process.id().to_string();
        let told = Command::new("kill").args(["-s", "QUIT", &process]).status();
        if !told.is_ok_and(|told| told.success()) {
            let _ = self.process.kill();
        }
        let _ = self.process.wait();
    }

    /// Starts it again where it was.
    pub fn start_again(&mut self) -> io::Result<()> {
        let user = self.user.as_ref();
        self.process = run(
            &self.programs,
            &self.folder,
            user,
            (self.port, &self.settings),
        )?;
        self.wait()
    }

    /// One of its programs, which is run as its user and finds it by `address`.
    pub fn program(&self, name: &str) -> Command {
        command(&self.programs, &self.folder, self.user.as_ref(), name)
    }

    fn wait(&mut self) -> io::Result<()> {
        let begun = Instant::now();
        while begun.elapsed() < START && self.process.try_wait()?.is_none() {
            let asked = Command::new(self.programs.join("pg_isready"))
                .args(["--quiet", "--host=127.0.0.1"])
                .arg(format!("--port={}", self.port))
                .status()?;
            if asked.success() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(50));
        }
        let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        Err(failed("PostgreSQL did not start", &log))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.stop_hard();
    }
}

fn run(
    programs: &Path,
    folder: &Path,
    user: Option<&ServerUser>,
    (port, settings): (u16, &[String]),
) -> io::Result<Child> {
    let log = fs::File::options()
        .create(true)
        .append(true)
        .open(folder.join("log"))?;
    let mut server = command(programs, folder, user, "postgres");
    server.arg("-D").arg(folder.join("data"));
    server.args(["-p", &port.to_string()]);
    let ours = ["listen_addresses=127.0.0.1", "unix_socket_directories="];
    for setting in ours.into_iter().chain(settings.iter().map(String::as_str)) {
        server.args(["-c", setting]);
    }
    server
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log)
        .spawn()
}

fn command(programs: &Path, folder: &Path, user: Option<&ServerUser>, name: &str) -> Command {
    let mut command = Command::new(programs.join(name));
    if let Some(user) = user {
        user.run(&mut command);
    }
    command.current_dir(folder);
    command
}

fn failed(what: &str, told: &str) -> io::Error {
    io::Error::other(format!("{what}:\n{}", told.trim()))
}

/// The user that the server runs as: it refuses to run as root.
pub struct ServerUser {
    user: u32,
    group: u32,
}

impl ServerUser {
    /// Nobody in place of root, and otherwise whoever runs this.
    pub fn find() -> io::Result<Option<Self>> {
        if id(&["-u"])? != 0 {
            return Ok(None);
        }
        Ok(Some(Self {
            user: id(&["-u", "nobody"])?,
            group: id(&["-g", "nobody"])?,
        }))
    }

    #[cfg(unix)]
    fn own(&self, path: &Path) -> io::Result<()> {
        std::os::unix::fs::chown(path, Some(self.user), Some(self.group))
    }

    #[cfg(unix)]
    fn run(&self, command: &mut Command) {
        use std::os::unix::process::CommandExt as _;
        command.uid(self.user).gid(self.group);
    }
}

fn id(arguments: &[&str]) -> io::Result<u32> {
    let told = Command::new("id").args(arguments).output()?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let number = told.trim().parse();
    number.map_err(|_| failed("`id` says no number", &told))
}

/// A word that nobody guesses: other users of this machine can reach the server too.
pub fn random_word() -> io::Result<String> {
    let mut bytes = [0; 16];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_le_bytes(bytes)))
}
