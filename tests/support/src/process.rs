//! The program under test as a process.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::repository;

/// The program, which cargo has built before it runs the tests and benches of its package.
pub fn program() -> PathBuf {
    let path = std::env::var_os("CARGO_BIN_EXE_vocalhost");
    path.expect("cargo runs the tests of the program").into()
}

/// Starts a server on the data folder `data` with more flags, and says at which address it will listen. Its models are the starter
/// pack unless the flags name others. Its standard output is piped.
pub fn serve(data: &Path, flags: &[&str], log: Stdio) -> (Child, String) {
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        listener.local_addr().expect("it is bound").to_string()
    };
    let models = (!flags.contains(&"--models-dir")).then(|| repository("models"));
    let process = Command::new(program())
        .args([
            "serve",
            "--workers",
            "1",
            "--log",
            "warn",
            "--listen",
            &address,
        ])
        .arg("--data-dir")
        .arg(data)
        .args(
            models
                .iter()
                .flat_map(|folder| [Path::new("--models-dir"), folder]),
        )
        .args(flags)
        // The suite is one user on one address; the tests of the limits set them by flags, which take precedence.
        .env("VOCALHOST_RATE_LIMIT_CREATIONS_PER_MIN", "0")
        .env("VOCALHOST_RATE_LIMIT_READS_PER_MIN", "0")
        .env("VOCALHOST_RATE_LIMIT_AUTH_FAILURES_PER_MIN", "0")
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .expect("the server starts");
    (process, address)
}
