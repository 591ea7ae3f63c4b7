//! All tests and lints, in as few compilations and as little waiting as they need.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, anyhow, bail};

use vocalhost_testing::postgres::PROGRAMS;

use crate::postgres;
use crate::process::{capture, run};

/// What `clippy-driver` has between its arguments, which it takes from `CLIPPY_ARGS` as `cargo clippy` hands them over.
const BETWEEN: &str = "__CLIPPY_HACKERY__";

/// The tests of the program itself, which wait for servers for most of their time.
const OF_THE_PROGRAM: [&str; 4] = ["test", "--workspace", "--test", "program"];

/// All other tests, which compute.
const OF_THE_CRATES: [&str; 11] = [
    "test",
    // One run tells of all that is wrong.
    "--no-fail-fast",
    "--workspace",
    "--lib",
    "--bins",
    "--test",
    "integration",
    "--test",
    "crafted",
    "--test",
    "databases",
];

/// The store's tests, which run on `PostgreSQL` as they do on `SQLite`. For that package alone, cargo would build the libraries
/// below it anew, with fewer features.
const OF_THE_STORE: [&str; 4] = ["test", "--workspace", "--test", "databases"];

/// The tests of several servers over one database, which stop and start a database of their own.
const OF_MACHINES: [&str; 4] = ["test", "--workspace", "--test", "machines"];

/// What the store's tests find a server by.
const POSTGRES: &str = "VOCALHOST_TEST_POSTGRES";

/// Compiles and lints the workspace and runs every test; `cargo` gives a command of cargo's, and `postgres` is a server that
/// the tests may fill. The tests keep what they write in `scratch`, or where the machine has its temporary files.
///
/// `cargo clippy` would check every dependency beside compiling it. So clippy compiles what it lints: in cargo's words it is the
/// wrapper of the workspace's compiler. A flag says so rather than the environment, so that a cargo that a test or a build script
/// starts compiles by itself.
pub fn run_all(
    postgres: &postgres::Server,
    scratch: Option<&Path>,
    cargo: &(dyn Fn() -> Command + Sync),
) -> Result<()> {
    let driver = clippy_driver()?;
    let wrapper = format!("build.rustc-workspace-wrapper='{}'", driver.display());
    let linting = |arguments: &[&str]| {
        let mut command = cargo();
        command
            .args(["--config", &wrapper])
            .args(arguments)
            .env("CLIPPY_ARGS", ["-D", "warnings", ""].join(BETWEEN));
        command
    };
    run(&mut linting(&[
        "test",
        "--workspace",
        "--all-targets",
        "--no-run",
    ]))?;
    let testing = |arguments: &[&str]| {
        let mut command = linting(arguments);
        if let Some(scratch) = scratch {
            command.env("TMPDIR", scratch);
        }
        command
    };
    let (of_the_program, of_the_crates) = thread::scope(|scope| {
        let crates = scope.spawn(|| testing(&OF_THE_CRATES).output());
        let program = run(&mut testing(&OF_THE_PROGRAM));
        (program, crates.join())
    });
    let crates = of_the_crates.map_err(|_| anyhow!("the crates' tests were given up"))??;
    io::stdout().write_all(&crates.stdout)?;
    io::stderr().write_all(&crates.stderr)?;
    if !crates.status.success() {
        bail!("the tests of a crate failed, see above");
    }
    of_the_program?;
    run(testing(&OF_THE_STORE).env(POSTGRES, postgres.address()))?;
    run(testing(&OF_MACHINES).env(PROGRAMS, &postgres.programs))?;
    run(&mut linting(&["test", "--workspace", "--doc"]))
}

/// Clippy as a compiler, which lies beside the one in use.
fn clippy_driver() -> Result<PathBuf> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let told = capture(Command::new(rustc).args(["--print", "sysroot"]))?;
    let told = told.context("there is no rustc")?;
    let sysroot = String::from_utf8(told.stdout).context("rustc says where it lies")?;
    let name = format!("clippy-driver{}", env::consts::EXE_SUFFIX);
    let driver = PathBuf::from(sysroot.trim()).join("bin").join(name);
    if !driver.exists() {
        bail!("clippy is missing: run `rustup component add clippy`");
    }
    Ok(driver)
}
