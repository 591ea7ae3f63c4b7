//! `wasi:io` for effects: streams that are always ready, so that nothing waits and no runtime is needed.
//!
//! The only streams of a guest are its standard ones: input and output are closed, standard error is a bounded buffer.
//! Reading and writing them never waits, so a pollable is ready as soon as it exists.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime::component::{HasData, Linker, Resource, ResourceTable};
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::bindings::sync::io::{error, poll, streams};
use wasmtime_wasi::p2::{
    DynPollable, OutputStream, Pollable, StreamError, StreamResult, subscribe,
};
use wasmtime_wasi::{WasiView as _, async_trait};

use super::wasi::Guest;

type Input = Resource<streams::InputStream>;
type Output = Resource<streams::OutputStream>;

/// Bytes that one blocking write may carry (the interface's own figure).
const BLOCKING_WRITE_BYTES: u64 = 4096;

/// Bytes of standard error that are kept: a panic's message and place fit, a flood does not.
const STANDARD_ERROR_BYTES: usize = 4096;

/// Standard error: the first words are kept for the message of a failure, the rest is discarded without an error,
/// because a guest that prints is not at fault.
#[derive(Clone, Default)]
pub(super) struct StandardError {
    kept: Arc<Mutex<Vec<u8>>>,
}

impl StandardError {
    /// What was kept.
    pub(super) fn text(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&kept).into_owned()
    }
}

impl IsTerminal for StandardError {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for StandardError {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

#[async_trait]
impl Pollable for StandardError {
    async fn ready(&mut self) {}
}

impl OutputStream for StandardError {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let room = STANDARD_ERROR_BYTES - kept.len();
        kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(STANDARD_ERROR_BYTES)
    }
}

/// A guest's streams, by their handles.
pub(super) struct Streams<'a>(&'a mut ResourceTable);

impl HasData for Streams<'static> {
    type Data<'a> = Streams<'a>;
}

/// A guest's errors, by their handles.
struct Errors;

impl HasData for Errors {
    type Data<'a> = &'a mut ResourceTable;
}

/// Links errors, streams and polling.
pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    error::add_to_linker::<_, Errors>(linker, |guest| guest.ctx().table)?;
    poll::add_to_linker::<_, Streams<'static>>(linker, |guest| Streams(guest.ctx().table))?;
    streams::add_to_linker::<_, Streams<'static>>(linker, |guest| Streams(guest.ctx().table))
}

impl poll::Host for Streams<'_> {
    fn poll(&mut self, pollables: Vec<Resource<DynPollable>>) -> wasmtime::Result<Vec<u32>> {
        Ok((0..pollables.len() as u32).collect())
    }
}

impl poll::HostPollable for Streams<'_> {
    fn ready(&mut self, _pollable: Resource<DynPollable>) -> wasmtime::Result<bool> {
        Ok(true)
    }

    fn block(&mut self, _pollable: Resource<DynPollable>) -> wasmtime::Result<()> {
        Ok(())
    }

    fn drop(&mut self, pollable: Resource<DynPollable>) -> wasmtime::Result<()> {
        self.0.delete(pollable)?;
        Ok(())
    }
}

impl streams::Host for Streams<'_> {
    fn convert_stream_error(
        &mut self,
        error: StreamError,
    ) -> wasmtime::Result<streams::StreamError> {
        match error {
            StreamError::Closed => Ok(streams::StreamError::Closed),
            StreamError::LastOperationFailed(error) => Ok(
                streams::StreamError::LastOperationFailed(self.0.push(error)?),
            ),
            StreamError::Trap(error) => Err(error),
        }
    }
}

impl streams::HostInputStream for Streams<'_> {
    fn read(&mut self, stream: Input, length: u64) -> StreamResult<Vec<u8>> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        Ok(self.0.get_mut(&stream)?.read(length)?.into())
    }

    fn blocking_read(&mut self, stream: Input, length: u64) -> StreamResult<Vec<u8>> {
        self.read(stream, length)
    }

    fn skip(&mut self, stream: Input, length: u64) -> StreamResult<u64> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        Ok(self.0.get_mut(&stream)?.skip(length)? as u64)
    }

    fn blocking_skip(&mut self, stream: Input, length: u64) -> StreamResult<u64> {
        self.skip(stream, length)
    }

    fn subscribe(&mut self, stream: Input) -> wasmtime::Result<Resource<DynPollable>> {
        subscribe(self.0, stream)
    }

    fn drop(&mut self, stream: Input) -> wasmtime::Result<()> {
        self.0.delete(stream)?;
        Ok(())
    }
}

impl streams::HostOutputStream for Streams<'_> {
    fn check_write(&mut self, stream: Output) -> StreamResult<u64> {
        Ok(self.0.get_mut(&stream)?.check_write()? as u64)
    }

    fn write(&mut self, stream: Output, bytes: Vec<u8>) -> StreamResult<()> {
        self.0.get_mut(&stream)?.write(bytes.into())
    }

    fn blocking_write_and_flush(&mut self, stream: Output, bytes: Vec<u8>) -> StreamResult<()> {
        self.write(stream, bytes)
    }

    fn write_zeroes(&mut self, stream: Output, length: u64) -> StreamResult<()> {
        if length > BLOCKING_WRITE_BYTES {
            return Err(StreamError::trap("writes too many zeroes at once"));
        }
        self.write(stream, vec![0; length as usize])
    }

    fn blocking_write_zeroes_and_flush(&mut self, stream: Output, length: u64) -> StreamResult<()> {
        self.write_zeroes(stream, length)
    }

    fn flush(&mut self, stream: Output) -> StreamResult<()> {
        self.0.get_mut(&stream)?.flush()
    }

    fn blocking_flush(&mut self, stream: Output) -> StreamResult<()> {
        self.flush(stream)
    }

    fn splice(&mut self, _to: Output, from: Input, length: u64) -> StreamResult<u64> {
        streams::HostInputStream::skip(self, from, length)
    }

    fn blocking_splice(&mut self, to: Output, from: Input, length: u64) -> StreamResult<u64> {
        self.splice(to, from, length)
    }

    fn subscribe(&mut self, stream: Output) -> wasmtime::Result<Resource<DynPollable>> {
        subscribe(self.0, stream)
    }

    fn drop(&mut self, stream: Output) -> wasmtime::Result<()> {
        self.0.delete(stream)?;
        Ok(())
    }
}
