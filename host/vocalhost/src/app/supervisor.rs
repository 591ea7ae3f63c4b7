//! What a supervisor that started the server is told, in the words of systemd (the manual's page on `sd_notify`): that it is ready, that it is about to
//! stop, and, where it asks for that, that it is alive.

use std::ffi::OsString;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::interval;

use super::App;

/// Names the socket of the supervisor.
const SOCKET: &str = "NOTIFY_SOCKET";
/// How long the supervisor waits for a sign of life, in microseconds.
const PATIENCE_US: &str = "WATCHDOG_USEC";
/// The process that it waits for.
const WAITED_FOR: &str = "WATCHDOG_PID";

/// Runs the server as [`App::run`] does, and tells the supervisor, if there is one.
pub async fn run(app: App, stop: impl Future<Output = ()>) {
    let Some(supervisor) = Supervisor::of_this_process().map(Arc::new) else {
        return app.run(stop).await;
    };
    supervisor.say("READY=1");
    // A task of its own: when the runtime no longer gets to its tasks, the signs stop.
    let beating = tokio::spawn(supervisor.clone().show_life());
    app.run(async {
        stop.await;
        supervisor.say("STOPPING=1");
    })
    .await;
    beating.abort();
}

struct Supervisor {
    socket: UnixDatagram,
    address: SocketAddr,
    /// How long it waits for a sign of life; `None` when it waits for none.
    patience: Option<Duration>,
}

impl Supervisor {
    fn of_this_process() -> Option<Self> {
        let socket = std::env::var_os(SOCKET)?;
        let patience = std::env::var(PATIENCE_US).ok().filter(|_| {
            let other = std::env::var(WAITED_FOR).ok();
            other.is_none_or(|process| process == std::process::id().to_string())
        });
        Self::at(&socket, patience.as_deref())
    }

    /// A supervisor at the socket with this name; a name that begins with `@` is one without a file.
    fn at(socket: &OsString, patience_us: Option<&str>) -> Option<Self> {
        let address = match socket.as_bytes() {
            [b'@', name @ ..] => SocketAddr::from_abstract_name(name),
            [b'/', ..] => SocketAddr::from_pathname(socket),
            _ => return None,
        };
        let patience_us = patience_us.and_then(|text| text.parse().ok());
        Some(Self {
            socket: UnixDatagram::unbound().ok()?,
            address: address.ok()?,
            patience: patience_us.filter(|us| *us > 0).map(Duration::from_micros),
        })
    }

    fn say(&self, words: &str) {
        // A supervisor that does not listen is no reason to stop.
        if let Err(error) = self.socket.send_to_addr(words.as_bytes(), &self.address) {
            tracing::debug!(%error, words, "the supervisor does not listen");
        }
    }

    /// Shows that the server is alive, twice as often as is asked for.
    async fn show_life(self: Arc<Self>) {
        let Some(patience) = self.patience else {
            return;
        };
        let mut beats = interval((patience / 2).max(Duration::from_millis(1)));
        loop {
            beats.tick().await;
            self.say("WATCHDOG=1");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(listener: &UnixDatagram) -> String {
        let mut buffer = [0; 64];
        let count = listener.recv(&mut buffer).expect("a word comes");
        String::from_utf8_lossy(&buffer[..count]).into_owned()
    }

    #[test]
    fn what_is_said_comes_to_a_socket_with_a_file_and_to_one_without() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notify");
        let listener = UnixDatagram::bind(&path).expect("a socket");
        let supervisor = Supervisor::at(&path.clone().into(), None).expect("a supervisor");
        supervisor.say("READY=1");
        assert_eq!(heard(&listener), "READY=1");

        let name = format!("vocalhost-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).expect("a name");
        let listener = UnixDatagram::bind_addr(&address).expect("a socket");
        let supervisor = Supervisor::at(&format!("@{name}").into(), None).expect("a supervisor");
        supervisor.say("STOPPING=1");
        assert_eq!(heard(&listener), "STOPPING=1");
        assert!(Supervisor::at(&"relative".into(), None).is_none());
    }

    #[tokio::test]
    async fn it_shows_life_only_where_it_is_asked_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("notify");
        let listener = UnixDatagram::bind(&path).expect("a socket");
        let quiet = Supervisor::at(&path.clone().into(), Some("0")).expect("a supervisor");
        Arc::new(quiet).show_life().await;
        let asked = Supervisor::at(&path.into(), Some("20000")).expect("a supervisor");
        let beating = tokio::spawn(Arc::new(asked).show_life());
        let words = tokio::task::spawn_blocking(move || [heard(&listener), heard(&listener)]);
        let words = words.await.expect("both come");
        assert_eq!(words, ["WATCHDOG=1", "WATCHDOG=1"]);
        beating.abort();
    }
}
