use bytes::Bytes;
use futures_util::TryStreamExt as _;
use hyper::StatusCode;
use hyper::body::{Body as _, Incoming};
use tokio::sync::mpsc::Sender;

use super::checksum::Checksum;
use crate::Refusal;
use crate::body::{BodyTimes, PacedBody};

/// The media type of a piece.
pub const MEDIA_TYPE: &str = "application/offset+octet-stream";

/// What a piece may be.
#[derive(Debug)]
pub struct Piece {
    /// How many bytes the upload still has room for.
    pub room: u64,
    /// The size of the whole upload.
    pub length: u64,
    /// The checksum that it must have.
    pub checksum: Option<Checksum>,
    /// How long it may take.
    pub times: BodyTimes,
}

/// What has arrived of a piece. When neither end follows, the connection broke.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Came {
    /// Some of its bytes.
    Bytes(Bytes),
    /// The end: all of it has arrived, and its checksum holds.
    Whole,
    /// The end: the piece is too long or its checksum does not hold, so nothing of it counts.
    Spoilt,
}

impl Piece {
    /// Whether bytes of this body can count before all have arrived: it has no checksum and says how long it is.
    #[must_use]
    pub fn counts_as_it_comes(&self, body: &Incoming) -> bool {
        self.checksum.is_none() && body.size_hint().exact().is_some()
    }
}

/// Hands a piece on as it arrives. It stops without an error when the receiver is gone, which knows why.
pub async fn receive(
    body: &mut Incoming,
    mut piece: Piece,
    to: &Sender<Came>,
) -> Result<(), Refusal> {
    if body
        .size_hint()
        .exact()
        .is_some_and(|bytes| bytes > piece.room)
    {
        return Err(too_long(&piece));
    }
    let mut pieces = PacedBody::new(body, u64::MAX, piece.times);
    let mut received = 0;
    while let Some(bytes) = pieces.try_next().await? {
        received += bytes.len() as u64;
        if received > piece.room {
            let _ = to.send(Came::Spoilt).await;
            return Err(too_long(&piece));
        }
        if let Some(checksum) = &mut piece.checksum {
            checksum.update(&bytes);
        }
        if to.send(Came::Bytes(bytes)).await.is_err() {
            return Ok(());
        }
    }
    let holds = piece.checksum.as_ref().is_none_or(Checksum::holds);
    let _ = to
        .send(if holds { Came::Whole } else { Came::Spoilt })
        .await;
    if holds { Ok(()) } else { Err(mismatch()) }
}

/// Nobody could go on from there.
fn too_long(piece: &Piece) -> Refusal {
    let message = format!("The upload was announced with {} bytes.", piece.length);
    Refusal::too_large("body", piece.room, message)
}

fn mismatch() -> Refusal {
    Refusal::Upload {
        status: StatusCode::from_u16(460).expect("it has three digits"),
        code: "E_UPLOAD_CHECKSUM",
        detail: "The piece does not have the checksum that was sent with it.".to_owned(),
    }
}
