use serde_json::{Value, json};

use crate::rules::describe::Description;
use crate::rules::describe::schema::{boolean, choice, integer, object, says, string, timestamp};
use vocalhost_http::tus::MEDIA_TYPE;

fn tagged() -> Description {
    Description::of("Resumable uploads")
        .says("tus 1.0 (https://tus.io). A complete upload stands in the place of a file field by the text `upload:<id>`.")
        .part("id", string())
        .refuses(412, "E_TUS_VERSION")
}

/// The header of the protocol's version, which plain clients may leave out.
fn versioned(description: Description) -> Description {
    description.header(
        "Tus-Resumable",
        choice(&["1.0.0"]),
        "The version of the protocol.",
    )
}

fn sum() -> Value {
    json!({ "type": "string", "pattern": "^(sha1|sha256) [A-Za-z0-9+/]+=*$" })
}

fn size() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

/// `POST /uploads`.
pub fn create() -> Description {
    versioned(tagged())
        .needs_header(
            "Upload-Length",
            json!({ "type": "integer", "minimum": 0, "maximum": super::MAX_BYTES }),
            "Its size in bytes. What it is used for may have a smaller limit.",
        )
        .header(
            "Upload-Metadata",
            string(),
            "What you want to keep with it.",
        )
        .header("Upload-Checksum", sum(), "Of the body, when there is one.")
        .may_file(MEDIA_TYPE)
        .gives_nothing(201, "It can begin.")
        .with_header("Location", "Its own address.")
        .with_header("Tus-Resumable", "The version of the protocol.")
        .with_header("Upload-Expires", "When it is forgotten.")
        .refuses(400, "E_CHECKSUM_UNKNOWN")
        .refuses(409, "E_UPLOAD_OFFSET")
        .refuses(413, "E_UPLOAD_TOO_LARGE")
        .refuses(423, "E_UPLOAD_LOCKED")
        .refuses(429, "E_QUOTA_EXCEEDED")
        .refuses(460, "E_UPLOAD_CHECKSUM")
}

/// `GET` and `HEAD` of one.
pub fn get() -> Description {
    let record = object(json!({
        "id": string(),
        "bytes": size(),
        "offset": says(integer(), "How many bytes have arrived."),
        "isComplete": boolean(),
        "createdAt": timestamp(),
        "expiresAt": timestamp(),
    }));
    tagged()
        .gives(200, "How far it is.", record)
        .with_header("Upload-Offset", "How many bytes have arrived.")
        .with_header("Upload-Length", "Its size.")
        .with_header("Upload-Expires", "When it is forgotten.")
        .with_header("Tus-Resumable", "The version of the protocol.")
        .with_header("Cache-Control", "Always no-store.")
}

/// `PATCH` of one.
pub fn append() -> Description {
    versioned(tagged())
        .needs_header("Upload-Offset", size(), "How many bytes have arrived.")
        .header("Upload-Checksum", sum(), "Of this piece.")
        .file(MEDIA_TYPE)
        .gives_nothing(204, "The piece has arrived.")
        .with_header("Upload-Offset", "How many bytes have arrived.")
        .with_header("Upload-Expires", "When it is forgotten.")
        .with_header("Tus-Resumable", "The version of the protocol.")
        .refuses(400, "E_CHECKSUM_UNKNOWN")
        .refuses(409, "E_UPLOAD_OFFSET")
        .refuses(423, "E_UPLOAD_LOCKED")
        .refuses(460, "E_UPLOAD_CHECKSUM")
}

/// `DELETE` of one.
pub fn delete() -> Description {
    versioned(tagged())
        .gives_nothing(204, "It is gone.")
        .with_header("Tus-Resumable", "The version of the protocol.")
}
