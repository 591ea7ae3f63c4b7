//! The server as supervisors start it and ask for it.

use std::os::unix::net::UnixDatagram;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use vocalhost_testing::poll;
use vocalhost_testing::process::program;
use vocalhost_testing::repository;
use vocalhost_testing::server::{bring_compiled, keep_compiled, shared};

#[test]
fn a_supervisor_hears_when_the_server_is_ready_alive_and_about_to_stop() {
    let data = tempfile::tempdir().expect("a temporary folder");
    bring_compiled(data.path());
    let socket = data.path().join("notify");
    let supervisor = UnixDatagram::bind(&socket).expect("a socket");
    let patience = Some(Duration::from_mins(2));
    supervisor
        .set_read_timeout(patience)
        .expect("a timeout can be set");
    let hear = || {
        let mut words = [0; 64];
        let count = supervisor
            .recv(&mut words)
            .expect("the server says something");
        String::from_utf8_lossy(&words[..count]).into_owned()
    };
    let mut server = Command::new(program())
        .args([
            "serve",
            "--workers",
            "1",
            "--log",
            "warn",
            "--listen",
            "127.0.0.1:0",
        ])
        .arg("--data-dir")
        .arg(data.path())
        .arg("--models-dir")
        .arg(repository("models"))
        .env("NOTIFY_SOCKET", &socket)
        .env("WATCHDOG_USEC", "200000")
        .stdout(Stdio::null())
        .spawn()
        .expect("the server starts");
    assert_eq!(hear(), "READY=1");
    keep_compiled(data.path());
    assert_eq!(hear(), "WATCHDOG=1");
    assert_eq!(hear(), "WATCHDOG=1");
    kill_process(Pid::from_child(&server), Signal::TERM).expect("the process is ours");
    loop {
        match hear().as_str() {
            "STOPPING=1" => break,
            other => assert_eq!(other, "WATCHDOG=1"),
        }
    }
    assert!(server.wait().expect("it can be waited for").success());
}

#[test]
fn health_tells_a_server_from_none() {
    let server = shared();
    let ask = |address: &str| {
        let mut command = Command::new(program());
        let asked = command.args(["health", "--listen", address]).output();
        asked.expect("the program starts")
    };
    // It waits some seconds for an answer, in which a busy machine may not give one.
    let answer = poll::until("the server to be well", || {
        let answer = ask(&server.address);
        answer.status.success().then_some(answer)
    });
    assert_eq!(answer.stdout, b"ready\n");
    let nobody = ask("127.0.0.1:1");
    assert_eq!(nobody.status.code(), Some(1), "{nobody:?}");
}
