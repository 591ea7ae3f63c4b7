use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use clap::Args;

use super::{Chosen, CliError};

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// More than the head of the answer.
const MOST_BYTES: u64 = 4096;

/// `vocalhost health`.
#[derive(Debug, Args)]
pub struct HealthArguments {
    #[command(flatten)]
    chosen: Chosen,
}

/// Asks the server at the address of the settings whether it is ready. For supervisors where there is no other program to ask.
pub fn run(arguments: &HealthArguments) -> Result<(), CliError> {
    let settings = arguments.chosen.load()?.settings;
    match ask(settings.main_listen()) {
        Ok(status) if status.starts_with("200") => {
            say_line!("ready");
            Ok(())
        }
        Ok(status) => Err(CliError::WrongState(format!(
            "the server at {} is not ready: {status}",
            settings.main_listen()
        ))),
        Err(error) => Err(CliError::WrongState(format!(
            "no server answers at {}: {error}",
            settings.main_listen()
        ))),
    }
}

/// The status of the answer, such as `200 OK`.
fn ask(listen: &str) -> std::io::Result<String> {
    let nothing = || std::io::Error::other("the address leads nowhere");
    let address = listen.to_socket_addrs()?.next().ok_or_else(nothing)?;
    let mut stream = TcpStream::connect_timeout(&within(address), PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(MOST_BYTES).read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.lines().next().and_then(|line| line.split_once(' '));
    let strange = || std::io::Error::other("what answers speaks no HTTP");
    Ok(status.ok_or_else(strange)?.1.to_owned())
}

/// The address that a server on all addresses of this machine has for programs of the same machine.
fn within(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_status_of_a_server_is_told_and_silence_is_an_error() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("it is bound").port();
        let answering = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a call");
            let mut asked = Vec::new();
            // All of it: what is closed with something unread is reset.
            while !asked.ends_with(b"\r\n\r\n") {
                let mut next = [0; 1];
                stream.read_exact(&mut next).expect("a request");
                asked.extend(next);
            }
            stream
                .write_all(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")
                .expect("it is written");
            asked
        });
        let status = ask(&format!("0.0.0.0:{port}")).expect("it answers");
        assert_eq!(status, "503 Service Unavailable");
        let asked = answering.join().expect("it answered");
        assert!(asked.starts_with(b"GET /readyz HTTP/1.1\r\n"));
        assert!(ask(&format!("127.0.0.1:{port}")).is_err());
    }
}
