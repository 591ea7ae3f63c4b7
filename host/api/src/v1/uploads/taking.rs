//! Taking a piece: one request at a time, whichever server it comes to.

use std::time::Duration;

use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::http::request::Parts;
use tokio::sync::mpsc;

use super::writer::Writer;
use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_http::tus;
use vocalhost_store::{Store, UploadRecord};
use vocalhost_system::{clock, token};

/// How long a request's lock on an upload lasts unless it is renewed: a client whose server was killed waits no longer than this
/// to go on at another.
pub(super) const HELD_FOR: Duration = Duration::from_secs(10);

/// Bytes of a body that wait to be written, in pieces of at most 16 KiB.
const WAITING: usize = 16;

/// Takes a piece that is to begin at `offset`, and gives how much has arrived since.
pub(super) async fn take(
    api: &Api,
    upload: &UploadRecord,
    offset: u64,
    (head, body): (&Parts, &mut Incoming),
) -> Result<u64, Problem> {
    let checksum = tus::Checksum::asked(&head.headers)?;
    let (token, arrived) = lock(&api.store, &upload.id).await?;
    if arrived != offset {
        api.store.release_upload(&upload.id, &token).await?;
        return Err(elsewhere(arrived));
    }
    let piece = tus::Piece {
        room: upload.bytes.saturating_sub(offset),
        length: upload.bytes,
        checksum,
        times: api.body_times(),
    };
    let writer = Writer::new(api, (&upload.id, token), arrived, &piece, body);
    let (to, came) = mpsc::channel(WAITING);
    // What has come is kept although nobody waits for it any more.
    let writing = tokio::spawn(writer.run(came));
    let received = tus::receive(body, piece, &to).await;
    drop(to);
    let written = writing.await;
    let arrived = written.map_err(|error| Problem::internal(&error))??;
    received?;
    Ok(arrived)
}

/// Locks an upload for one request, and gives the lock's token and how much has arrived.
pub(super) async fn lock(store: &Store, id: &str) -> Result<(String, u64), Problem> {
    let token = token::draw().map_err(|error| Problem::internal(&error))?;
    let now_us = clock::now_us();
    let arrived = store.lock_upload(id, &token, (now_us, until_us())).await?;
    if let Some(arrived) = arrived {
        return Ok((token, arrived));
    }
    if store.upload(id, now_us).await?.is_none() {
        return Err(Problem::RowNotFound);
    }
    Err(Problem::Upload {
        status: StatusCode::LOCKED,
        code: "E_UPLOAD_LOCKED",
        detail: "Another request is sending a piece of this upload.".to_owned(),
    })
}

/// Until when a lock taken now lasts.
pub(super) fn until_us() -> i64 {
    let held_us = i64::try_from(HELD_FOR.as_micros()).unwrap_or(i64::MAX);
    clock::now_us().saturating_add(held_us)
}

/// The piece is not the next one.
pub(super) fn elsewhere(arrived: u64) -> Problem {
    Problem::Conflict {
        code: "E_UPLOAD_OFFSET",
        detail: format!("{arrived} bytes have arrived: go on from there."),
    }
}
