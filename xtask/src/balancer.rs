//! A balancer for connections, as small as one can be: each goes to the next server that takes it.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Takes connections at `listener` and hands them to `targets`, in turn, until the process ends.
pub fn balance(listener: TcpListener, targets: Vec<String>) {
    let (targets, turn) = (Arc::new(targets), Arc::new(AtomicUsize::new(0)));
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let (targets, turn) = (targets.clone(), turn.clone());
            thread::spawn(move || {
                let first = turn.fetch_add(1, Ordering::Relaxed);
                // When none takes it, or one side goes, the client sees the connection end.
                if let Some(server) = connect(&targets, first) {
                    let _ = join(&client, &server);
                }
            });
        }
    });
}

/// A connection to the first of the targets, from the place `first` on, that takes one.
fn connect(targets: &[String], first: usize) -> Option<TcpStream> {
    let in_turn = targets.iter().cycle().skip(first % targets.len());
    in_turn
        .take(targets.len())
        .find_map(|target| TcpStream::connect(target).ok())
}

/// Carries bytes both ways until both sides have said all.
fn join(client: &TcpStream, server: &TcpStream) -> io::Result<()> {
    let (client_again, server_again) = (client.try_clone()?, server.try_clone()?);
    let back = thread::spawn(move || carry(&server_again, &client_again));
    carry(client, server);
    let _ = back.join();
    Ok(())
}

fn carry(mut from: &TcpStream, mut to: &TcpStream) {
    if io::copy(&mut from, &mut to).is_err() {
        let _ = from.shutdown(Shutdown::Both);
    }
    let _ = to.shutdown(Shutdown::Write);
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;

    /// A server that greets every connection with its number.
    fn greeter(number: u8) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it has one").to_string();
        thread::spawn(move || {
            for client in listener.incoming() {
                let _ = client.and_then(|mut client| client.write_all(&[number]));
            }
        });
        address
    }

    #[test]
    fn connections_go_to_all_that_are_there_and_to_no_other() {
        let gone = {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
            listener.local_addr().expect("it has one").to_string()
        };
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it has one");
        balance(listener, vec![greeter(1), gone, greeter(2)]);
        let mut greetings = [0; 3];
        for greeting in &mut greetings {
            let mut stream = TcpStream::connect(address).expect("it listens");
            let mut heard = Vec::new();
            stream.read_to_end(&mut heard).expect("it greets");
            *greeting = heard[0];
        }
        assert_eq!(greetings, [1, 2, 2]);
    }
}
