//! Messages on a pipe: a `u32` little-endian length and that many bytes of JSON.

use std::io::{Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// The longest message: a job with a long chain of effects has some ten kilobytes, so a longer message is not ours.
pub(crate) const MAX_FRAME_BYTES: u32 = 1 << 20;

/// What can go wrong between supervisor and worker.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The other side closed its end.
    #[error("the other side closed the pipe")]
    Closed,
    /// The length is more than any message of ours has; most likely something else was written to the pipe.
    #[error("a message of {bytes} bytes is longer than any of ours")]
    TooLong {
        /// The length that was read.
        bytes: u64,
    },
    /// The message is not what this side understands.
    #[error("the message is not understood: {0}")]
    Json(#[from] serde_json::Error),
    /// The pipe failed.
    #[error("the pipe failed: {0}")]
    Pipe(#[from] std::io::Error),
}

/// Waits for the next message: the worker's side.
pub fn read<T: DeserializeOwned>(source: &mut impl Read) -> Result<T, FrameError> {
    let mut length = [0; 4];
    source.read_exact(&mut length).map_err(closed)?;
    let mut body = vec![0; checked(u32::from_le_bytes(length))?];
    source.read_exact(&mut body).map_err(closed)?;
    Ok(serde_json::from_slice(&body)?)
}

/// Sends a message at once: the worker's side.
pub fn write<T: Serialize>(sink: &mut impl Write, message: &T) -> Result<(), FrameError> {
    sink.write_all(&frame(message)?).map_err(closed)?;
    sink.flush().map_err(closed)
}

/// Waits for the next message: the supervisor's side.
pub(crate) async fn receive<T: DeserializeOwned>(
    source: &mut (impl AsyncRead + Unpin),
) -> Result<T, FrameError> {
    let mut length = [0; 4];
    source.read_exact(&mut length).await.map_err(closed)?;
    let mut body = vec![0; checked(u32::from_le_bytes(length))?];
    source.read_exact(&mut body).await.map_err(closed)?;
    Ok(serde_json::from_slice(&body)?)
}

/// Sends a message at once: the supervisor's side.
pub(crate) async fn send<T: Serialize + Sync>(
    sink: &mut (impl AsyncWrite + Unpin),
    message: &T,
) -> Result<(), FrameError> {
    sink.write_all(&frame(message)?).await.map_err(closed)?;
    sink.flush().await.map_err(closed)
}

fn frame<T: Serialize>(message: &T) -> Result<Vec<u8>, FrameError> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)?;
    let length = bytes.len() - 4;
    let length = u32::try_from(length)
        .ok()
        .filter(|&length| length <= MAX_FRAME_BYTES)
        .ok_or(FrameError::TooLong {
            bytes: length as u64,
        })?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    Ok(bytes)
}

fn checked(length: u32) -> Result<usize, FrameError> {
    if length > MAX_FRAME_BYTES {
        return Err(FrameError::TooLong {
            bytes: u64::from(length),
        });
    }
    Ok(length as usize)
}

fn closed(error: std::io::Error) -> FrameError {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::BrokenPipe => FrameError::Closed,
        _ => FrameError::Pipe(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::protocol::Report;

    #[test]
    fn messages_come_out_as_they_went_in() {
        let mut pipe = Vec::new();
        write(&mut pipe, &Report::Ready).expect("memory takes all");
        write(&mut pipe, &Report::Ready).expect("memory takes all");
        let mut source = pipe.as_slice();
        for _ in 0..2 {
            let report: Report = read(&mut source).expect("a message");
            assert_eq!(report, Report::Ready);
        }
        assert!(matches!(
            read::<Report>(&mut source),
            Err(FrameError::Closed)
        ));
    }

    #[test]
    fn a_length_that_is_not_ours_is_refused_before_memory_is_asked_for_it() {
        let mut source = b"Hello, this is a library that prints.".as_slice();
        assert!(matches!(
            read::<Report>(&mut source),
            Err(FrameError::TooLong { .. })
        ));
    }

    #[test]
    fn a_message_that_is_too_long_is_never_sent() {
        let mut pipe = Vec::new();
        let message = "x".repeat(MAX_FRAME_BYTES as usize);
        assert!(matches!(
            write(&mut pipe, &message),
            Err(FrameError::TooLong { .. })
        ));
        assert!(pipe.is_empty());
    }
}
