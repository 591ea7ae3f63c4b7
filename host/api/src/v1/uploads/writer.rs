//! Writes a piece down in files, each of which counts as soon as it is in the store.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use hyper::body::Incoming;
use tempfile::TempPath;
use tokio::fs::File;
use tokio::io::{AsyncWriteExt as _, BufWriter};
use tokio::sync::mpsc::Receiver;

use super::taking::{HELD_FOR, elsewhere, until_us};
use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_files::{FileStore, FilesError, piece_key};
use vocalhost_http::tus::{Came, Piece};
use vocalhost_store::{Arrival, Store, UploadPiece};
use vocalhost_system::{clock, token};

/// How large a file becomes before it is published: with one more part of a body it still fits into one request to a bucket.
const FILE_BYTES: u64 = (8 << 20) - (16 << 10);

/// A file that is smaller is put together with what comes next, so that an upload in thousands of pieces does not become
/// thousands of files.
const SMALL: u64 = 256 << 10;

/// When nothing arrives for so long, what has arrived is published.
const QUIET: Duration = Duration::from_millis(500);

/// It is published at least this often while it arrives slowly.
const AT_LEAST: Duration = Duration::from_secs(5);

/// Writes to the disk are gathered to this size.
const WRITE_BYTES: usize = 256 << 10;

/// Writes down what arrives of an upload. It goes on until everything that counts has been published, also when the request is gone.
pub(super) struct Writer {
    store: Store,
    files: FileStore,
    folder: PathBuf,
    id: String,
    /// The token of our lock on the upload.
    token: String,
    arrived: u64,
    keep: Keep,
    /// The last piece of the upload in the store, once it was asked for.
    last: Option<UploadPiece>,
    open: Option<Open>,
    /// When the lock was last renewed.
    held: Instant,
}

/// What counts of a piece whose connection breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// Everything, and at once.
    AsItComes,
    /// Everything, in the end: it may turn out to be too long.
    InTheEnd,
    /// Nothing: it has a checksum.
    OnlyWhole,
}

/// A file that is being written.
struct Open {
    file: BufWriter<File>,
    path: TempPath,
    /// Where in the upload it begins.
    begins_at: u64,
    bytes: u64,
    /// The small file whose content it begins with.
    takes_in: Option<String>,
    since: Instant,
}

impl Writer {
    /// For a piece of `body` that begins where the upload ends, which is taken under `token`.
    pub(super) fn new(
        api: &Api,
        (id, token): (&str, String),
        arrived: u64,
        piece: &Piece,
        body: &Incoming,
    ) -> Self {
        Self {
            store: api.store.clone(),
            files: api.files.clone(),
            folder: api.settings.uploads_path(),
            id: id.to_owned(),
            token,
            arrived,
            keep: if piece.checksum.is_some() {
                Keep::OnlyWhole
            } else if piece.counts_as_it_comes(body) {
                Keep::AsItComes
            } else {
                Keep::InTheEnd
            },
            last: None,
            open: None,
            held: Instant::now(),
        }
    }

    /// Writes down what arrives, releases the lock, and gives how much has arrived.
    pub(super) async fn run(mut self, mut came: Receiver<Came>) -> Result<u64, Problem> {
        let written = self.write_all(&mut came).await;
        if !matches!(written, Ok(true)) {
            let released = self.store.release_upload(&self.id, &self.token).await;
            if let Err(error) = released {
                tracing::warn!(upload = self.id, %error, "an upload is let go of later");
            }
        }
        written.map(|_| self.arrived)
    }

    /// Gives whether the lock was released with the last file.
    async fn write_all(&mut self, came: &mut Receiver<Came>) -> Result<bool, Problem> {
        if self.arrived > 0 {
            self.last = self.store.last_upload_piece(&self.id).await?;
        }
        loop {
            match tokio::time::timeout(QUIET, came.recv()).await {
                Ok(Some(Came::Bytes(bytes))) => self.write(&bytes).await?,
                Ok(Some(Came::Spoilt)) => return Ok(false),
                Ok(None) if self.keep == Keep::OnlyWhole => return Ok(false),
                Ok(Some(Came::Whole) | None) => return self.publish(false).await,
                Err(_quiet) if self.keep == Keep::AsItComes => {
                    self.publish(true).await?;
                }
                Err(_quiet) => {}
            }
            let is_full = |open: &Open| open.bytes >= FILE_BYTES || open.since.elapsed() > AT_LEAST;
            if self.keep == Keep::AsItComes && self.open.as_ref().is_some_and(is_full) {
                self.publish(true).await?;
            }
            if self.held.elapsed() > HELD_FOR / 3 {
                self.hold().await;
                self.held = Instant::now();
            }
        }
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => self.begin().await?,
        };
        open.file.write_all(bytes).await?;
        open.bytes += bytes.len() as u64;
        self.open = Some(open);
        Ok(())
    }

    /// Begins a file, with what the last one has when that is small.
    async fn begin(&self) -> Result<Open, Problem> {
        let mut named = tempfile::Builder::new();
        let named = named.prefix("piece-").tempfile_in(&self.folder)?;
        let (file, path) = named.into_parts();
        let mut open = Open {
            file: BufWriter::with_capacity(WRITE_BYTES, File::from_std(file)),
            path,
            begins_at: self.arrived,
            bytes: 0,
            takes_in: None,
            since: Instant::now(),
        };
        let Some(last) = self.last.as_ref().filter(|last| last.bytes < SMALL) else {
            return Ok(open);
        };
        match self.files.read(&last.key).await {
            Ok(content) => {
                open.file.write_all(&content).await?;
                open.begins_at = last.begins_at;
                open.bytes = content.len() as u64;
                open.takes_in = Some(last.key.clone());
                Ok(open)
            }
            // Whoever takes the upload hears of it.
            Err(FilesError::NotFound { .. }) => Ok(open),
            Err(error) => Err(error.into()),
        }
    }

    /// Publishes the file that is being written, if there is one, and has it count. Unless it `goes_on`, the lock is released; gives
    /// whether it was.
    async fn publish(&mut self, goes_on: bool) -> Result<bool, Problem> {
        let Some(mut open) = self.open.take() else {
            return Ok(false);
        };
        open.file.flush().await?;
        let name = token::draw().map_err(|error| Problem::internal(&error))?;
        let piece = UploadPiece {
            begins_at: open.begins_at,
            bytes: open.bytes,
            key: piece_key(&self.id, open.begins_at, &name),
        };
        tokio::select! {
            given = self.files.give(&open.path, &piece.key) => given?,
            () = self.keep_holding() => {}
        }
        let arrival = Arrival {
            upload_id: &self.id,
            token: &self.token,
            arrived: self.arrived,
            piece: &piece,
            held_until_us: goes_on.then(until_us),
        };
        if !self.store.note_arrival(&arrival).await? {
            self.files.delete(&piece.key).await?;
            return Err(self.lost().await?);
        }
        self.arrived = piece.begins_at + piece.bytes;
        self.last = Some(piece);
        self.held = Instant::now();
        if let Some(key) = open.takes_in
            && let Err(error) = self.files.delete(&key).await
        {
            tracing::warn!(key, %error, "a piece of an upload is deleted later");
        }
        Ok(!goes_on)
    }

    /// Renews the lock. Whether it is still ours turns out when the next file is to count.
    async fn hold(&self) {
        let held = self.store.hold_upload(&self.id, &self.token, until_us());
        if let Err(error) = held.await {
            tracing::warn!(upload = self.id, %error, "an upload cannot be held");
        }
    }

    /// Renews the lock for as long as the store takes for a file.
    async fn keep_holding(&self) {
        loop {
            tokio::time::sleep(HELD_FOR / 3).await;
            self.hold().await;
        }
    }

    /// Why what was published does not count.
    async fn lost(&self) -> Result<Problem, Problem> {
        let upload = self.store.upload(&self.id, clock::now_us()).await?;
        Ok(upload.map_or(Problem::RowNotFound, |upload| elsewhere(upload.arrived)))
    }
}
