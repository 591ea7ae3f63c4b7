use std::collections::HashMap;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Buf;
use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, Sleep};

/// Counts connections by address.
#[derive(Debug, Clone, Default)]
pub struct PerAddress(Arc<Mutex<HashMap<IpAddr, usize>>>);

impl PerAddress {
    /// One more connection from `address`; `None` when it has `max` already. 0 means no limit.
    pub fn enter(&self, address: IpAddr, max: usize) -> Option<AddressSlot> {
        let address = network(address);
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address).or_insert(0);
        if max > 0 && *count >= max {
            return None;
        }
        *count += 1;
        Some(AddressSlot {
            counts: self.clone(),
            address,
        })
    }
}

/// What addresses are counted by. One household has one IPv4 address, but 2^64 IPv6 addresses: those count by their network.
#[must_use]
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::from((v6.to_bits() & !u128::from(u64::MAX)).to_be_bytes()),
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// One counted connection, until it is dropped.
#[derive(Debug)]
pub struct AddressSlot {
    counts: PerAddress,
    address: IpAddr,
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        let mut counts = self.counts.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

/// Counts the requests of one connection that are not answered to the last byte.
#[derive(Debug, Clone, Default)]
pub struct InFlight(Arc<watch::Sender<usize>>);

impl InFlight {
    /// One more request, until the answer is dropped.
    #[must_use]
    pub fn enter(&self) -> RequestSlot {
        self.0.send_modify(|count| *count += 1);
        RequestSlot(self.clone())
    }

    /// Returns once there was no request for too long: `first` for the first one, `later` from then on.
    pub async fn idle_for(&self, first: Duration, later: Duration) {
        let mut count = self.0.subscribe();
        let mut patience = first;
        loop {
            let idle = *count.borrow_and_update() == 0;
            tokio::select! {
                () = tokio::time::sleep(patience), if idle => return,
                changed = count.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    patience = later;
                }
            }
        }
    }
}

/// One counted request, until it is dropped.
#[derive(Debug)]
pub struct RequestSlot(InFlight);

impl Drop for RequestSlot {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count -= 1);
    }
}

/// Answers of one connection that the client does not take. An HTTP/2 client sets how much may be sent to it. While that is nothing,
/// nothing is written, so [`Unstalled`] sees no write that waits, and open files would be held for good.
#[derive(Debug, Clone)]
pub struct Untaken {
    patience: Duration,
    /// By when the next piece of each answer has to be asked for.
    until: Arc<Mutex<HashMap<u64, Instant>>>,
}

/// How often answers that are not taken are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Bytes in a second: a client that takes a piece of an answer more slowly counts as not taking it.
const SLOWEST: f64 = 4_096.0;

impl Untaken {
    /// No answers yet. The next piece of an answer has to be asked for within `patience` plus the time that a slow client needs for the
    /// piece before.
    #[must_use]
    pub fn new(patience: Duration) -> Self {
        Self {
            patience,
            until: Arc::default(),
        }
    }

    /// Watches the answer of this number.
    #[must_use]
    pub fn watch<B>(&self, number: u64, body: B) -> Watched<B> {
        self.expect(number, 0);
        Watched {
            body,
            number,
            untaken: self.clone(),
        }
    }

    /// Returns once an answer was not taken for too long.
    pub async fn overdue(&self) {
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            let now = Instant::now();
            if self.times().values().any(|until| *until < now) {
                return;
            }
        }
    }

    fn expect(&self, number: u64, bytes: usize) {
        let slow = Duration::from_secs_f64(bytes as f64 / SLOWEST);
        let until = Instant::now() + self.patience + slow;
        self.times().insert(number, until);
    }

    fn forget(&self, number: u64) {
        self.times().remove(&number);
    }

    fn times(&self) -> MutexGuard<'_, HashMap<u64, Instant>> {
        self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The body of an answer that has to be taken.
pub struct Watched<B> {
    body: B,
    number: u64,
    untaken: Untaken,
}

impl<B: Body + Unpin> Body for Watched<B>
where
    B::Data: Buf,
{
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        // While the server itself waits for the next piece, there is nothing for the client to take.
        self.untaken.forget(self.number);
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            let bytes = frame.data_ref().map_or(0, Buf::remaining);
            self.untaken.expect(self.number, bytes);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Drop for Watched<B> {
    fn drop(&mut self) {
        self.untaken.forget(self.number);
    }
}

/// Whether the client says anything within `patience`. hyper's automatic choice of protocol waits for the first bytes
/// without any limit.
pub async fn speaks(stream: &TcpStream, patience: Duration) -> bool {
    let first = tokio::time::timeout(patience, stream.peek(&mut [0])).await;
    matches!(first, Ok(Ok(1..)))
}

/// A connection that breaks when the client reads nothing for `patience` although there is something to read, which
/// would otherwise hold an open file and a connection for good.
#[derive(Debug)]
pub struct Unstalled {
    stream: TcpStream,
    patience: Duration,
    /// Runs while a write waits for the client.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Unstalled {
    /// Watches `stream`.
    #[must_use]
    pub fn new(stream: TcpStream, patience: Duration) -> Self {
        Self {
            stream,
            patience,
            waiting: None,
        }
    }

    fn watch<T>(
        &mut self,
        written: Poll<std::io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let until = Instant::now() + self.patience;
        let waiting = self
            .waiting
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until)));
        if waiting.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(std::io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }
}

impl AsyncRead for Unstalled {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Unstalled {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.watch(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_only_so_many_connections_and_gets_them_back() {
        let counts = PerAddress::default();
        let address: IpAddr = "192.0.2.1".parse().unwrap();
        let first = counts.enter(address, 2).unwrap();
        let _second = counts.enter(address, 2).unwrap();
        assert!(counts.enter(address, 2).is_none());
        assert!(counts.enter("192.0.2.2".parse().unwrap(), 2).is_some());
        assert!(counts.enter(address, 0).is_some());
        drop(first);
        assert!(counts.enter(address, 2).is_some());
    }

    #[test]
    fn a_client_with_many_ipv6_addresses_counts_once() {
        let counts = PerAddress::default();
        let _one = counts.enter("2001:db8::1".parse().unwrap(), 1).unwrap();
        assert!(counts.enter("2001:db8::ffff".parse().unwrap(), 1).is_none());
        assert!(
            counts
                .enter("2001:db8:0:1::1".parse().unwrap(), 1)
                .is_some()
        );
    }
}
