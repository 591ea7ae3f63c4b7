//! Uploads that arrive in pieces. A complete upload stands in the place of a file part by the text `upload:<id>`. Pieces are files of
//! the store, and rows say which of them count, so that any server can take the next one.

mod earlier;
mod put_in;
mod shapes;
mod taking;
mod writer;

use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, LOCATION};
use hyper::http::request::Parts;
use hyper::{HeaderMap, StatusCode};
use serde_json::json;

use crate::Api;
use crate::rules::call::Call;
use crate::rules::noted::not_worth_noting;
use crate::rules::problem::Problem;
use crate::rules::route::{Operation, Route};
use vocalhost_files::upload_prefix;
use vocalhost_http::reply::{self, Reply};
use vocalhost_http::tus;
use vocalhost_store::{Caller, Scope, UploadRecord};
use vocalhost_system::clock;
use vocalhost_system::token;

pub use put_in::put_in;

/// As large as the largest file that any form takes: a model, with the setting at its maximum.
pub const MAX_BYTES: u64 = 1 << 30;

/// The largest recording that any form takes: 100 MB, as clients count it.
const MAX_RECORDING_BYTES: u64 = 100 << 20;

/// Uploads of one user at a time.
const MAX_PER_USER: u64 = 100;

const MAX_METADATA_BYTES: usize = 4 << 10;

/// What may be asked here.
pub const ROUTES: &[Route] = &[
    Route {
        path: "/uploads",
        operations: &[Operation::post(
            "createUpload",
            "Announce a file that is to arrive in pieces",
            shapes::create,
        )
        .repeated(Scope::Write, |api, ask, caller| {
            Box::pin(async move {
                let created = create(api, &ask.call, caller, (ask.head, ask.body)).await;
                Ok(speaking(created))
            })
        })],
    },
    Route {
        path: "/uploads/{id}",
        operations: &[
            Operation::get(
                "getUpload",
                "How much of an upload has arrived",
                shapes::get,
            )
            .keyed(Scope::Read, |api, ask, caller| {
                Box::pin(async move { Ok(speaking(get(api, ask.part("id"), caller).await)) })
            }),
            Operation::patch(
                "continueUpload",
                "Send the next piece of an upload",
                shapes::append,
            )
            .keyed(Scope::Write, |api, ask, caller| {
                Box::pin(async move {
                    let id = ask.path.get("id").unwrap_or_default();
                    let sent = append(api, id, caller, (ask.head, ask.body)).await;
                    // A file may come in thousands of pieces.
                    Ok(not_worth_noting(speaking(sent)))
                })
            }),
            Operation::delete("deleteUpload", "Forget an upload", shapes::delete).keyed(
                Scope::Write,
                |api, ask, caller| {
                    Box::pin(async move {
                        let deleted = delete(api, ask.part("id"), caller, ask.head).await;
                        Ok(speaking(deleted))
                    })
                },
            ),
        ],
    },
];

/// `POST /uploads`.
async fn create(
    api: &Api,
    call: &Call,
    caller: &Caller,
    (head, body): (&Parts, &mut Incoming),
) -> Result<Reply, Problem> {
    tus::check_version(&head.headers)?;
    let new = announced(api, caller, &head.headers)?;
    let quota = api.settings.storage_quota_bytes;
    let room = api.store.create_upload(&new, MAX_PER_USER, quota).await?;
    if !room {
        return Err(Problem::QuotaExceeded {
            detail: "You have as many uploads as one user may have.".to_owned(),
        });
    }
    let mut reply = reply::empty(StatusCode::CREATED);
    if head.headers.get(CONTENT_TYPE).is_some_and(tus::is_piece) {
        let offset = match taking::take(api, &new, 0, (head, body)).await {
            Ok(offset) => offset,
            // Nobody was told where it is.
            Err(refused) => {
                forget(api, &new.id).await?;
                return Err(refused);
            }
        };
        tus::insert(reply.headers_mut(), tus::OFFSET, &offset.to_string());
    }
    let headers = reply.headers_mut();
    tus::insert(headers, LOCATION, &format!("{}/{}", call.address, new.id));
    tus::insert(headers, tus::EXPIRES, &http_date(new.expires_at_us));
    Ok(reply)
}

async fn forget(api: &Api, id: &str) -> Result<(), Problem> {
    api.store.delete_upload(id).await?;
    if let Err(error) = api.files.delete_prefix(&upload_prefix(id)).await {
        tracing::warn!(id, %error, "the pieces of an upload are deleted later");
    }
    Ok(())
}

/// `GET /uploads/:id`, and `HEAD`, which is all that the protocol itself asks for.
async fn get(api: &Api, id: &str, caller: &Caller) -> Result<Reply, Problem> {
    let upload = own(api, id, caller).await?;
    let offset = upload.arrived;
    let record = json!({
        "id": upload.id,
        "bytes": upload.bytes,
        "offset": offset,
        "isComplete": offset == upload.bytes,
        "createdAt": super::timestamp(upload.created_at_us),
        "expiresAt": super::timestamp(upload.expires_at_us),
    });
    let mut reply = reply::json(StatusCode::OK, &record);
    let headers = reply.headers_mut();
    tus::insert(headers, tus::OFFSET, &offset.to_string());
    tus::insert(headers, tus::LENGTH, &upload.bytes.to_string());
    tus::insert(headers, tus::EXPIRES, &http_date(upload.expires_at_us));
    if let Some(metadata) = &upload.metadata {
        tus::insert(headers, tus::METADATA, metadata);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(reply)
}

/// `PATCH /uploads/:id`.
async fn append(
    api: &Api,
    id: &str,
    caller: &Caller,
    (head, body): (&Parts, &mut Incoming),
) -> Result<Reply, Problem> {
    tus::check_version(&head.headers)?;
    let upload = own(api, id, caller).await?;
    if !head.headers.get(CONTENT_TYPE).is_some_and(tus::is_piece) {
        return Err(Problem::UnsupportedMediaType {
            wanted: tus::MEDIA_TYPE,
        });
    }
    let offset = tus::number(&head.headers, &tus::OFFSET, "Upload-Offset")?;
    let offset = taking::take(api, &upload, offset, (head, body)).await?;
    let mut reply = reply::empty(StatusCode::NO_CONTENT);
    tus::insert(reply.headers_mut(), tus::OFFSET, &offset.to_string());
    tus::insert(
        reply.headers_mut(),
        tus::EXPIRES,
        &http_date(upload.expires_at_us),
    );
    Ok(reply)
}

/// `DELETE /uploads/:id`. Jobs that were made of it have their own copy.
async fn delete(api: &Api, id: &str, caller: &Caller, head: &Parts) -> Result<Reply, Problem> {
    tus::check_version(&head.headers)?;
    own(api, id, caller).await?;
    forget(api, id).await?;
    Ok(reply::empty(StatusCode::NO_CONTENT))
}

/// The upload with this id, when it is the caller's.
async fn own(api: &Api, id: &str, caller: &Caller) -> Result<UploadRecord, Problem> {
    let upload = api.store.upload(id, clock::now_us()).await?;
    let upload = upload.ok_or(Problem::RowNotFound)?;
    if upload.user_id != caller.user_id {
        return Err(Problem::Forbidden {
            detail: "This upload belongs to somebody else.".to_owned(),
        });
    }
    earlier::with_earlier(api, upload).await
}

/// What a client announces.
fn announced(api: &Api, caller: &Caller, headers: &HeaderMap) -> Result<UploadRecord, Problem> {
    let bytes = tus::number(headers, &tus::LENGTH, "Upload-Length")?;
    let max_bytes = api.settings.max_model_bytes;
    let max_bytes = max_bytes.clamp(MAX_RECORDING_BYTES, MAX_BYTES);
    if bytes > max_bytes {
        return Err(Problem::Upload {
            status: StatusCode::PAYLOAD_TOO_LARGE,
            code: "E_UPLOAD_TOO_LARGE",
            detail: format!("`Upload-Length`: an upload has at most {max_bytes} bytes."),
        });
    }
    let metadata = headers
        .get(tus::METADATA)
        .map(HeaderValue::to_str)
        .transpose();
    let metadata = metadata
        .ok()
        .filter(|text| text.is_none_or(|text| text.len() <= MAX_METADATA_BYTES));
    let Some(metadata) = metadata else {
        let message = format!("The metadata is plain text of at most {MAX_METADATA_BYTES} bytes.");
        return Err(Problem::field("Upload-Metadata", "length", message));
    };
    let now_us = clock::now_us();
    let kept_us = i64::try_from(api.settings.upload_retention_s).unwrap_or(i64::MAX);
    Ok(UploadRecord {
        id: token::draw().map_err(|error| Problem::internal(&error))?,
        user_id: caller.user_id,
        bytes,
        metadata: metadata.map(str::to_owned),
        created_at_us: now_us,
        expires_at_us: now_us.saturating_add(kept_us.saturating_mul(clock::US_PER_S)),
        arrived: 0,
    })
}

/// Every answer names the version.
fn speaking(answer: Result<Reply, Problem>) -> Reply {
    let mut reply = answer.unwrap_or_else(Problem::unrendered);
    tus::speaking(reply.headers_mut());
    reply
}

/// A moment as HTTP writes it (RFC 9110, 5.6.7).
fn http_date(moment_us: i64) -> String {
    let moment = chrono::DateTime::from_timestamp_micros(moment_us).unwrap_or_default();
    moment.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}
