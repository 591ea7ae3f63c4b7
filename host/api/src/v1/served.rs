use std::path::PathBuf;

use hyper::HeaderMap;
use hyper::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, ETAG, HeaderName,
    HeaderValue,
};

/// A file that a link leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// Where its bytes come from.
    pub source: Source,
    /// Its size.
    pub size_bytes: u64,
    /// SHA-256 of its content, lower-case hex.
    pub sha256: String,
    /// The name under which a browser keeps it, with its extension.
    pub name: String,
    /// Whether a browser shows it rather than keeping it.
    pub inline: bool,
}

/// What the headers say of something that is served, whether or not its bytes follow.
pub struct Facts<'a> {
    /// Its version; `None` while it is not there as a whole.
    pub etag: Option<&'a str>,
    /// The name under which a browser keeps it.
    pub name: &'a str,
    /// Whether a browser shows it rather than keeping it.
    pub inline: bool,
    /// Whether parts of it can be asked for.
    pub ranges: bool,
}

/// Where the bytes of a file come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The store of recordings and results, under this key.
    Stored(String),
    /// A model package.
    Package(PathBuf),
}

impl Served {
    /// What its headers say.
    pub fn facts<'a>(&'a self, etag: &'a str) -> Facts<'a> {
        Facts {
            etag: Some(etag),
            name: &self.name,
            inline: self.inline,
            ranges: true,
        }
    }
}

/// A picture may be a document with scripts, which would run with the rights of the console when somebody opens it by itself.
const WITHOUT_SCRIPTS: &str =
    "default-src 'none'; img-src data:; media-src *; style-src 'unsafe-inline'; sandbox";

/// The headers that go with a file whether or not its bytes follow.
pub fn describe(headers: &mut HeaderMap, served: &Facts<'_>) {
    if let Some(etag) = served.etag {
        insert(headers, ETAG, etag);
    }
    let ranges = if served.ranges { "bytes" } else { "none" };
    insert(headers, ACCEPT_RANGES, ranges);
    insert(headers, CACHE_CONTROL, "private");
    insert(headers, CONTENT_SECURITY_POLICY, WITHOUT_SCRIPTS);
    let kind = if served.inline {
        "inline"
    } else {
        "attachment"
    };
    let disposition = format!("{kind}; filename=\"{}\"", served.name);
    insert(headers, CONTENT_DISPOSITION, &disposition);
}

/// Sets a header to plain ASCII of our own.
pub fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    let value = HeaderValue::from_str(value).expect("the value is made of plain ASCII");
    headers.insert(name, value);
}

/// The media type that a file's extension stands for.
pub fn media_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("wav") => "audio/wav",
        Some("mp3") => "audio/mpeg",
        Some("flac") => "audio/flac",
        Some("ogg" | "opus") => "audio/ogg",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("webp") => "image/webp",
        Some("svg") => "image/svg+xml",
        _ => "application/octet-stream",
    }
}
