//! Asks a server as fast as it answers.

use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Connections that are asked at a time.
const CONNECTIONS: usize = 16;

/// What a turn came to.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    /// Answers in a second.
    pub per_second: f64,
    /// 99 of 100 answers took less.
    pub slowest_hundredth: Duration,
}

/// The turn in the middle, by answers in a second.
pub fn median(mut turns: Vec<Turn>) -> Turn {
    turns.sort_by(|one, other| one.per_second.total_cmp(&other.per_second));
    turns[turns.len() / 2]
}

/// Waits until the server answers that it is ready.
pub async fn until_ready(address: &str) {
    let deadline = Instant::now() + Duration::from_mins(2);
    loop {
        if let Ok(mut stream) = TcpStream::connect(address).await {
            let request = format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\n\r\n");
            let mut buffer = Vec::new();
            if answer(&mut stream, request.as_bytes(), &mut buffer).await == Some(200) {
                return;
            }
        }
        assert!(Instant::now() < deadline, "the server does not get ready");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// The length of the body of an answer.
pub async fn answer_length(address: &str, target: &str, key: &str) -> usize {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let mut buffer = Vec::new();
    let status = answer(&mut stream, &request(address, target, key), &mut buffer).await;
    assert_eq!(
        status,
        Some(200),
        "{target}: {}",
        String::from_utf8_lossy(&buffer)
    );
    let head = head_length(&buffer).expect("it was read");
    buffer.len() - head
}

/// Asks over [`CONNECTIONS`] connections for as long as `turn`.
pub async fn ask(address: &str, target: &str, key: &str, turn: Duration) -> Turn {
    let began = Instant::now();
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let (address, request) = (address.to_owned(), request(address, target, key));
            tokio::spawn(async move {
                let mut stream = TcpStream::connect(&address).await.expect("it listens");
                stream.set_nodelay(true).expect("an option of every socket");
                let (mut times, mut buffer) = (Vec::new(), Vec::new());
                while began.elapsed() < turn {
                    let asked = Instant::now();
                    let status = answer(&mut stream, &request, &mut buffer).await;
                    assert_eq!(status, Some(200));
                    times.push(asked.elapsed());
                }
                times
            })
        })
        .collect();
    let mut times = Vec::new();
    for client in clients {
        times.extend(client.await.expect("every answer is 200"));
    }
    let took = began.elapsed().as_secs_f64();
    times.sort_unstable();
    Turn {
        per_second: times.len() as f64 / took,
        slowest_hundredth: times[times.len() * 99 / 100],
    }
}

fn request(address: &str, target: &str, key: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\r\n")
        .into_bytes()
}

/// The status of the answer, which is left in `buffer`; `None` when the connection ends before.
async fn answer(stream: &mut TcpStream, request: &[u8], buffer: &mut Vec<u8>) -> Option<u16> {
    buffer.clear();
    stream.write_all(request).await.ok()?;
    loop {
        if let Some(head) = head_length(buffer) {
            let text = std::str::from_utf8(&buffer[..head])
                .ok()?
                .to_ascii_lowercase();
            let length = text.split("content-length:").nth(1)?.lines().next()?.trim();
            if buffer.len() >= head + length.parse::<usize>().ok()? {
                return text.split(' ').nth(1)?.parse().ok();
            }
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}

fn head_length(buffer: &[u8]) -> Option<usize> {
    let end = buffer.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some(end + 4)
}
