use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek as _, SeekFrom};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use futures_util::TryStreamExt as _;
use hyper::StatusCode;
use hyper::body::Incoming;
use tokio::io::{AsyncSeekExt as _, AsyncWriteExt as _};

use super::checksum::Checksum;
use crate::Refusal;
use crate::body::{BodyTimes, PacedBody};

/// The media type of a piece.
pub const MEDIA_TYPE: &str = "application/offset+octet-stream";

/// A piece of an upload.
#[derive(Debug)]
pub struct Piece {
    /// Where it begins, as the client has it.
    pub offset: u64,
    /// The size of the whole.
    pub length: u64,
    /// What it must come to.
    pub checksum: Option<Checksum>,
    /// How long it may take.
    pub times: BodyTimes,
}

/// Makes the empty file of an upload, readable for its owner alone.
pub async fn make_file(path: &Path) -> io::Result<()> {
    let path = path.to_owned();
    let make = move || {
        if let Some(folder) = path.parent() {
            let mut builder = std::fs::DirBuilder::new();
            builder.recursive(true).mode(0o700).create(folder)?;
        }
        open(&path).map(|_| ())
    };
    tokio::task::spawn_blocking(make).await?
}

/// Appends a piece and gives the new offset. A piece that breaks off is kept as far as it came, unless it has a checksum: of such a
/// one nothing has arrived before all of it has and is what was meant, for whoever asks meanwhile or after a crash, too.
pub async fn append(path: &Path, body: &mut Incoming, mut piece: Piece) -> Result<u64, Refusal> {
    let (file, offset) = {
        let path = path.to_owned();
        let opened = tokio::task::spawn_blocking(move || lock_at_end(&path)).await;
        opened.map_err(io::Error::from)??
    };
    if offset != piece.offset {
        return Err(Refusal::Conflict {
            code: "E_UPLOAD_OFFSET",
            detail: format!("{offset} bytes have arrived: go on from there."),
        });
    }
    let mut file = tokio::fs::File::from_std(file);
    let written = if piece.checksum.is_some() {
        write_whole(&mut file, path, body, &mut piece).await
    } else {
        write(&mut file, body, &mut piece).await
    };
    file.flush().await?;
    // Too much of it: nobody could go on from there.
    let takes_back = matches!(&written, Err(Refusal::Invalid(mistakes))
        if mistakes.iter().any(|one| one.rule == "size"));
    if takes_back {
        file.set_len(offset).await?;
    }
    // Not only in the system's cache: the client forgets what it was told has arrived.
    file.sync_all().await?;
    written.map(|bytes| offset + bytes)
}

/// Writes a piece that has a checksum, by way of a file without a name beside that of the upload.
async fn write_whole(
    file: &mut tokio::fs::File,
    path: &Path,
    body: &mut Incoming,
    piece: &mut Piece,
) -> Result<u64, Refusal> {
    let folder = path.parent().unwrap_or(path).to_owned();
    let aside = tokio::task::spawn_blocking(|| tempfile::tempfile_in(folder)).await;
    let aside = aside.map_err(io::Error::from)??;
    let mut aside = tokio::fs::File::from_std(aside);
    let bytes = write(&mut aside, body, piece).await?;
    if !piece.checksum.as_ref().is_none_or(Checksum::holds) {
        return Err(mismatch());
    }
    aside.rewind().await?;
    tokio::io::copy(&mut aside, file).await?;
    Ok(bytes)
}

async fn write(
    file: &mut tokio::fs::File,
    body: &mut Incoming,
    piece: &mut Piece,
) -> Result<u64, Refusal> {
    let mut pieces = PacedBody::new(body, u64::MAX, piece.times);
    let mut written = 0;
    while let Some(bytes) = pieces.try_next().await? {
        written += bytes.len() as u64;
        if piece.offset + written > piece.length {
            let message = format!("The upload was announced with {} bytes.", piece.length);
            let max_bytes = piece.length - piece.offset;
            return Err(Refusal::too_large("body", max_bytes, message));
        }
        if let Some(checksum) = &mut piece.checksum {
            checksum.update(&bytes);
        }
        file.write_all(&bytes).await?;
    }
    Ok(written)
}

/// The file at its end, which nobody else writes to as long as it is open.
fn lock_at_end(path: &Path) -> Result<(File, u64), Refusal> {
    let mut file = open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(Refusal::Upload {
                status: StatusCode::LOCKED,
                code: "E_UPLOAD_LOCKED",
                detail: "Another request is sending a piece of this upload.".to_owned(),
            });
        }
        Err(TryLockError::Error(error)) => return Err(error.into()),
    }
    let end = file.seek(SeekFrom::End(0))?;
    Ok((file, end))
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true).mode(0o600);
    options.open(path)
}

fn mismatch() -> Refusal {
    Refusal::Upload {
        status: StatusCode::from_u16(460).expect("it has three digits"),
        code: "E_UPLOAD_CHECKSUM",
        detail: "The piece does not have the checksum that was sent with it.".to_owned(),
    }
}
