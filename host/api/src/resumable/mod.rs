//! Resumable uploads: tus 1.0 (<https://tus.io/protocols/resumable-upload>) with the extensions creation,
//! creation-with-upload, termination, checksum and expiration. A complete upload stands in the place of a file part by
//! the text `upload:<id>`. How much has arrived is the size of the file, so that nothing can disagree with it after a
//! restart.

mod append;
mod checksum;
mod put_in;
mod shapes;

use std::path::{Path, PathBuf};

use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, StatusCode};
use serde_json::json;

use super::Api;
use super::audit::not_worth_noting;
use super::call::Call;
use super::problem::Problem;
use super::reply::{self, Reply};
use super::route::{Operation, Route};
use vocalhost_store::{Caller, Scope, UploadRecord};
use vocalhost_system::clock;
use vocalhost_system::token;

pub use put_in::put_in;

/// The one version of the protocol.
const VERSION: &str = "1.0.0";

const EXTENSIONS: &str = "creation,creation-with-upload,termination,checksum,expiration";

/// As large as the largest file that any form takes: a model, where the setting allows no less.
const MAX_BYTES: u64 = 1 << 30;

/// The largest recording that any form takes: 100 MB, as clients count it.
const MAX_RECORDING_BYTES: u64 = 100 << 20;

/// Uploads of one user at a time.
const MAX_PER_USER: u64 = 100;

const MAX_METADATA_BYTES: usize = 4 << 10;

const RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
const METHOD: HeaderName = HeaderName::from_static("x-http-method-override");
const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
const LENGTH: HeaderName = HeaderName::from_static("upload-length");
const METADATA: HeaderName = HeaderName::from_static("upload-metadata");
const EXPIRES: HeaderName = HeaderName::from_static("upload-expires");

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

/// What `OPTIONS` says beside the methods when the path is one of uploads.
pub fn discover(path: &str, headers: &mut HeaderMap) {
    if !ROUTES.iter().any(|route| route.path == path) {
        return;
    }
    for (name, value) in [
        ("tus-version", VERSION.to_owned()),
        ("tus-extension", EXTENSIONS.to_owned()),
        ("tus-max-size", MAX_BYTES.to_string()),
        ("tus-checksum-algorithm", checksum::ALGORITHMS.to_owned()),
    ] {
        insert(headers, HeaderName::from_static(name), &value);
    }
    headers.insert(RESUMABLE, HeaderValue::from_static(VERSION));
}

/// The method of a request. The protocol has clients that can only send `POST` say what they mean in a header.
pub fn method_of<'h>(path: &str, (sent, headers): (&'h Method, &HeaderMap)) -> &'h Method {
    let is_upload = ROUTES.iter().any(|route| route.path == path);
    if !is_upload || sent != Method::POST {
        return sent;
    }
    match headers.get(METHOD).map(HeaderValue::as_bytes) {
        Some(b"PATCH") => &Method::PATCH,
        Some(b"DELETE") => &Method::DELETE,
        _ => sent,
    }
}

/// `POST /uploads`.
async fn create(
    api: &Api,
    call: &Call,
    caller: &Caller,
    (head, body): (&Parts, &mut Incoming),
) -> Result<Reply, Problem> {
    check_version(&head.headers)?;
    let new = announced(api, caller, &head.headers)?;
    let quota = api.settings.storage_quota_bytes;
    let room = api.store.create_upload(&new, MAX_PER_USER, quota).await?;
    if !room {
        return Err(Problem::QuotaExceeded {
            detail: "You have as many uploads as one user may have.".to_owned(),
        });
    }
    let path = file_of(api, &new.id);
    append::make_file(&path).await?;
    let mut reply = reply::empty(StatusCode::CREATED);
    if head.headers.get(CONTENT_TYPE).is_some_and(is_piece) {
        let offset = match write_piece(api, (&new, 0), (head, body)).await {
            Ok(offset) => offset,
            // Nobody was told where it is.
            Err(refused) => {
                forget(api, &new.id).await?;
                return Err(refused);
            }
        };
        insert(reply.headers_mut(), OFFSET, &offset.to_string());
    }
    let headers = reply.headers_mut();
    insert(headers, LOCATION, &format!("{}/{}", call.address, new.id));
    insert(headers, EXPIRES, &http_date(new.expires_at_us));
    Ok(reply)
}

/// Writes a piece from `offset` on; gives how much has arrived since.
async fn write_piece(
    api: &Api,
    (upload, offset): (&UploadRecord, u64),
    (head, body): (&Parts, &mut Incoming),
) -> Result<u64, Problem> {
    let asked = append::Piece {
        offset,
        length: upload.bytes,
        checksum: checksum::Checksum::asked(&head.headers)?,
        times: api.body_times(),
    };
    append::append(&file_of(api, &upload.id), body, asked).await
}

async fn forget(api: &Api, id: &str) -> Result<(), Problem> {
    api.store.delete_upload(id).await?;
    if let Err(error) = tokio::fs::remove_file(file_of(api, id)).await {
        tracing::warn!(id, %error, "cannot delete the file of an upload");
    }
    Ok(())
}

/// `GET /uploads/:id`, and `HEAD`, which is all that the protocol itself asks for.
async fn get(api: &Api, id: &str, caller: &Caller) -> Result<Reply, Problem> {
    let upload = own(api, id, caller).await?;
    let offset = arrived(api, id).await?;
    let record = json!({
        "id": upload.id,
        "bytes": upload.bytes,
        "offset": offset,
        "isComplete": offset == upload.bytes,
        "createdAt": super::v1::timestamp(upload.created_at_us),
        "expiresAt": super::v1::timestamp(upload.expires_at_us),
    });
    let mut reply = reply::json(StatusCode::OK, &record);
    let headers = reply.headers_mut();
    insert(headers, OFFSET, &offset.to_string());
    insert(headers, LENGTH, &upload.bytes.to_string());
    insert(headers, EXPIRES, &http_date(upload.expires_at_us));
    if let Some(metadata) = &upload.metadata {
        insert(headers, METADATA, metadata);
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
    check_version(&head.headers)?;
    let upload = own(api, id, caller).await?;
    if !head.headers.get(CONTENT_TYPE).is_some_and(is_piece) {
        return Err(Problem::UnsupportedMediaType {
            wanted: append::MEDIA_TYPE,
        });
    }
    let offset = number(&head.headers, &OFFSET, "Upload-Offset")?;
    let offset = write_piece(api, (&upload, offset), (head, body)).await?;
    let mut reply = reply::empty(StatusCode::NO_CONTENT);
    insert(reply.headers_mut(), OFFSET, &offset.to_string());
    insert(
        reply.headers_mut(),
        EXPIRES,
        &http_date(upload.expires_at_us),
    );
    Ok(reply)
}

/// `DELETE /uploads/:id`. Jobs that were made of it have their own copy.
async fn delete(api: &Api, id: &str, caller: &Caller, head: &Parts) -> Result<Reply, Problem> {
    check_version(&head.headers)?;
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
    Ok(upload)
}

/// Where the file of an upload lies. Ids of rows are our own, so that the name is always a plain one.
fn file_of(api: &Api, id: &str) -> PathBuf {
    folder(api).join(id)
}

fn folder(api: &Api) -> &Path {
    &api.resumable_folder
}

/// How much has arrived. A file that is not there was never written to.
async fn arrived(api: &Api, id: &str) -> Result<u64, Problem> {
    match tokio::fs::metadata(file_of(api, id)).await {
        Ok(meta) => Ok(meta.len()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// What a client announces.
fn announced(api: &Api, caller: &Caller, headers: &HeaderMap) -> Result<UploadRecord, Problem> {
    let bytes = number(headers, &LENGTH, "Upload-Length")?;
    let max_bytes = api.settings.max_model_bytes;
    let max_bytes = max_bytes.clamp(MAX_RECORDING_BYTES, MAX_BYTES);
    if bytes > max_bytes {
        return Err(Problem::Upload {
            status: StatusCode::PAYLOAD_TOO_LARGE,
            code: "E_UPLOAD_TOO_LARGE",
            detail: format!("`Upload-Length`: an upload has at most {max_bytes} bytes."),
        });
    }
    let metadata = headers.get(METADATA).map(HeaderValue::to_str).transpose();
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
    })
}

/// Whole numbers in headers, each of which the protocol needs.
fn number(headers: &HeaderMap, name: &HeaderName, shown: &str) -> Result<u64, Problem> {
    let text = headers.get(name).and_then(|value| value.to_str().ok());
    let Some(text) = text else {
        let message = format!("The header {shown} is missing.");
        return Err(Problem::field(shown, "required", message));
    };
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.then(|| text.parse().ok()).flatten();
    number.ok_or_else(|| {
        let message = format!("The header {shown} must be a whole number.");
        Problem::field(shown, "number", message)
    })
}

fn is_piece(media_type: &HeaderValue) -> bool {
    media_type
        .to_str()
        .is_ok_and(|text| text.trim().eq_ignore_ascii_case(append::MEDIA_TYPE))
}

/// A request without a version is taken as one of ours: a plain HTTP client sends none.
fn check_version(headers: &HeaderMap) -> Result<(), Problem> {
    if headers.get(RESUMABLE).is_none_or(|value| value == VERSION) {
        return Ok(());
    }
    Err(Problem::Upload {
        status: StatusCode::PRECONDITION_FAILED,
        code: "E_TUS_VERSION",
        detail: format!("The version of the protocol here is {VERSION}."),
    })
}

/// Every answer names the version.
fn speaking(answer: Result<Reply, Problem>) -> Reply {
    let mut reply = answer.unwrap_or_else(Problem::unrendered);
    let headers = reply.headers_mut();
    headers.insert(RESUMABLE, HeaderValue::from_static(VERSION));
    headers.insert("tus-version", HeaderValue::from_static(VERSION));
    reply
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// A moment as HTTP writes it (RFC 9110, 5.6.7).
fn http_date(moment_us: i64) -> String {
    let moment = chrono::DateTime::from_timestamp_micros(moment_us).unwrap_or_default();
    moment.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}
