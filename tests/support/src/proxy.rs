//! A proxy in front of another server that can be made bad while it is used: every byte of every connection goes through here.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// How the way is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Everything arrives.
    Open,
    /// Everything arrives so much later.
    Slow(Duration),
    /// Connections are taken and kept, and nothing arrives. What was sent arrives when the way is open again, as the system sends
    /// anew what was lost.
    Hole,
    /// After so many more bytes in either direction a connection is reset.
    Cut(usize),
    /// Connections are reset, and new ones at once.
    Reset,
}

/// The way to one address. It ends with the value.
pub struct Proxy {
    address: SocketAddr,
    way: watch::Sender<Way>,
    runtime: Option<Runtime>,
}

impl Proxy {
    /// An open way to `target`, which is an address and a port.
    pub fn to(target: &str) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a thread");
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("it can be set");
        let address = listener.local_addr().expect("it has one");
        let (way, told) = watch::channel(Way::Open);
        runtime.spawn(accept(listener, target.to_owned(), told));
        Self {
            address,
            way,
            runtime: Some(runtime),
        }
    }

    /// Where the way begins.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Makes the way good or bad, for the connections that are there too.
    pub fn turn(&self, way: Way) {
        self.way.send_replace(way);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn accept(listener: std::net::TcpListener, target: String, way: watch::Receiver<Way>) {
    let listener = TcpListener::from_std(listener).expect("it does not block");
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(carry(stream, target.clone(), way.clone()));
    }
}

async fn carry(mut near: TcpStream, target: String, mut way: watch::Receiver<Way>) {
    if way.wait_for(|way| *way != Way::Hole).await.is_err() {
        return;
    }
    let Ok(mut far) = TcpStream::connect(&target).await else {
        let _ = near.set_zero_linger();
        return;
    };
    // A connection that waits to have more to send would be slow by itself.
    let _ = (near.set_nodelay(true), far.set_nodelay(true));
    let (from_near, to_near) = near.split();
    let (from_far, to_far) = far.split();
    let there = pump(from_near, to_far, way.clone());
    let back = pump(from_far, to_near, way);
    if tokio::try_join!(there, back).is_err() {
        // Both sides get a reset rather than an end, as from a machine that has forgotten the connection.
        let _ = (near.set_zero_linger(), far.set_zero_linger());
    }
}

/// The connection is to be reset.
struct Broken;

/// Carries bytes until there are no more.
async fn pump(
    mut from: ReadHalf<'_>,
    mut to: WriteHalf<'_>,
    mut way: watch::Receiver<Way>,
) -> Result<(), Broken> {
    let mut piece = vec![0; 16 << 10];
    let mut left: Option<usize> = None;
    loop {
        let now = *way.borrow_and_update();
        let read = tokio::select! {
            changed = way.changed() => {
                left = None;
                if changed.is_err() {
                    return Err(Broken);
                }
                continue;
            }
            read = from.read(&mut piece), if !matches!(now, Way::Hole | Way::Reset) => read,
            () = std::future::ready(()), if now == Way::Reset => return Err(Broken),
        };
        let length = read.map_err(|_| Broken)?;
        if length == 0 {
            // The other direction goes on.
            return to.shutdown().await.map_err(|_| Broken);
        }
        if let Way::Slow(time) = now {
            tokio::time::sleep(time).await;
        }
        // It may have become a hole meanwhile.
        let goes_on = way.wait_for(|way| *way != Way::Hole).await;
        let now = goes_on.map(|way| *way).map_err(|_| Broken)?;
        let Way::Cut(bytes) = now else {
            to.write_all(&piece[..length]).await.map_err(|_| Broken)?;
            continue;
        };
        let may = left.unwrap_or(bytes).min(length);
        to.write_all(&piece[..may]).await.map_err(|_| Broken)?;
        if may < length {
            // What was written goes out first.
            let _ = to.flush().await;
            tokio::time::sleep(Duration::from_millis(20)).await;
            return Err(Broken);
        }
        left = Some(left.unwrap_or(bytes) - may);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};

    use super::{Duration, Proxy, Way};
    use crate::poll::PATIENCE;

    /// A server that sends back what it is sent, and a connection to it by way of the proxy.
    fn echo() -> (Proxy, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("it has one").to_string();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("somebody comes");
            let mut answers = stream.try_clone().expect("it is one connection");
            // The client may reset it.
            let _ = std::io::copy(&mut stream, &mut answers);
        });
        let proxy = Proxy::to(&address);
        let stream = TcpStream::connect(proxy.address()).expect("it listens");
        patient(&stream, PATIENCE);
        (proxy, stream)
    }

    /// How long is waited for what comes.
    fn patient(stream: &TcpStream, patience: Duration) {
        let set = stream.set_read_timeout(Some(patience));
        set.expect("it can be set");
    }

    fn echoed(stream: &mut TcpStream, words: &str) -> std::io::Result<String> {
        stream.write_all(words.as_bytes())?;
        let mut heard = vec![0; words.len()];
        stream.read_exact(&mut heard)?;
        Ok(String::from_utf8(heard).expect("what was sent"))
    }

    #[test]
    fn a_hole_keeps_what_was_sent_until_it_is_gone() {
        let (proxy, mut stream) = echo();
        assert_eq!(echoed(&mut stream, "one").expect("it is open"), "one");
        proxy.turn(Way::Hole);
        patient(&stream, Duration::from_millis(500));
        let silent = echoed(&mut stream, "two").expect_err("nothing arrives");
        assert!(
            matches!(silent.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
            "{silent}"
        );
        proxy.turn(Way::Slow(Duration::from_millis(50)));
        patient(&stream, PATIENCE);
        let mut heard = [0; 3];
        stream.read_exact(&mut heard).expect("it is open again");
        assert_eq!(&heard, b"two");
    }

    #[test]
    fn a_reset_ends_what_is_there_and_what_comes() {
        let (proxy, mut stream) = echo();
        assert_eq!(echoed(&mut stream, "one").expect("it is open"), "one");
        proxy.turn(Way::Reset);
        let mut byte = [0];
        let reset = stream.read(&mut byte).expect_err("it is reset");
        assert_eq!(reset.kind(), ErrorKind::ConnectionReset);
        let next = TcpStream::connect(proxy.address()).and_then(|mut next| next.read(&mut byte));
        let reset = next.expect_err("it is reset");
        assert_eq!(reset.kind(), ErrorKind::ConnectionReset);
    }

    #[test]
    fn a_cut_comes_after_as_many_bytes() {
        let (proxy, mut stream) = echo();
        assert_eq!(echoed(&mut stream, "one").expect("it is open"), "one");
        proxy.turn(Way::Cut(5));
        assert_eq!(echoed(&mut stream, "two").expect("it is open"), "two");
        let cut = echoed(&mut stream, "three").expect_err("two bytes are left");
        assert_eq!(cut.kind(), ErrorKind::ConnectionReset);
    }
}
