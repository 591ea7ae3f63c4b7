use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Bytes read from the file at first: many readers look at a few bytes only.
const FIRST_CHUNK_BYTES: usize = 1 << 12;

/// Bytes read from the file at a time, further on.
const CHUNK_BYTES: usize = 1 << 16;

/// Walks forward through a range of a file, looking ahead as far as asked; memory is bounded by the look-ahead and a chunk.
pub(super) struct ByteReader {
    file: Arc<File>,
    /// File position after the buffer.
    read_to: u64,
    end: u64,
    buffer: Vec<u8>,
    start: usize,
    /// Size of the next read.
    chunk_bytes: usize,
}

impl ByteReader {
    /// The bytes from `position` to the file's end.
    pub(super) fn open(file: &File, position: u64) -> io::Result<Self> {
        Ok(Self {
            end: file.metadata()?.len(),
            file: Arc::new(file.try_clone()?),
            read_to: position,
            buffer: Vec::new(),
            start: 0,
            chunk_bytes: FIRST_CHUNK_BYTES,
        })
    }

    /// Another reader that begins where this one stands.
    pub(super) fn fork(&self) -> Self {
        self.at(self.position())
    }

    /// Another reader of the same range that begins at a position of the file.
    pub(super) fn at(&self, position: u64) -> Self {
        Self {
            file: Arc::clone(&self.file),
            read_to: position,
            end: self.end,
            buffer: Vec::new(),
            start: 0,
            chunk_bytes: FIRST_CHUNK_BYTES,
        }
    }

    /// Treats `end` as the end of the file, and returns how many bytes the file is short of it.
    pub(super) fn end_at(&mut self, end: u64) -> u64 {
        let missing = end.saturating_sub(self.end);
        self.end = end.min(self.end);
        missing
    }

    /// File position of the next byte.
    pub(super) fn position(&self) -> u64 {
        self.read_to - (self.buffer.len() - self.start) as u64
    }

    /// Bytes that are left.
    pub(super) fn remaining(&self) -> u64 {
        self.end.saturating_sub(self.position())
    }

    /// The next `bytes` bytes, or fewer where the file ends, without moving on.
    pub(super) fn peek(&mut self, bytes: usize) -> io::Result<&[u8]> {
        while self.buffer.len() - self.start < bytes && self.read_to < self.end {
            self.buffer.drain(..self.start);
            self.start = 0;
            let held = self.buffer.len();
            let wanted = (bytes - held).max(self.chunk_bytes);
            self.chunk_bytes = (self.chunk_bytes * 2).min(CHUNK_BYTES);
            let wanted = wanted.min((self.end - self.read_to) as usize);
            self.buffer.resize(held + wanted, 0);
            let read = self
                .file
                .read_at(&mut self.buffer[held..], self.read_to)
                .inspect_err(|_| self.buffer.truncate(held));
            let read = match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                other => other?,
            };
            self.buffer.truncate(held + read);
            self.read_to += read as u64;
            if read == 0 {
                // Somebody shortened the file meanwhile: it ends here.
                self.end = self.read_to;
            }
        }
        let end = self.buffer.len().min(self.start + bytes);
        Ok(&self.buffer[self.start..end])
    }

    /// Moves on, over unread bytes too.
    pub(super) fn skip(&mut self, bytes: u64) {
        let held = (self.buffer.len() - self.start) as u64;
        if bytes <= held {
            self.start += bytes as usize;
        } else {
            self.buffer.clear();
            self.start = 0;
            self.read_to = self.read_to.saturating_add(bytes - held).min(self.end);
        }
    }

    /// The next `bytes` bytes, or fewer where the file ends, moving on.
    pub(super) fn take(&mut self, bytes: usize) -> io::Result<&[u8]> {
        let taken = self.peek(bytes)?.len();
        self.start += taken;
        Ok(&self.buffer[self.start - taken..self.start])
    }

    /// The next `N` bytes, moving on; none where the file ends before.
    pub(super) fn array<const N: usize>(&mut self) -> io::Result<Option<[u8; N]>> {
        let array = self.peek(N)?.try_into().ok();
        if array.is_some() {
            self.skip(N as u64);
        }
        Ok(array)
    }
}

impl Read for ByteReader {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        let bytes = self.take(target.len())?;
        target[..bytes.len()].copy_from_slice(bytes);
        Ok(bytes.len())
    }
}
