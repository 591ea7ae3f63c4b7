use std::path::PathBuf;

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt, TryStreamExt};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use hyper::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE,
    ETAG, HeaderName, HeaderValue, IF_NONE_MATCH, IF_RANGE, RANGE, X_CONTENT_TYPE_OPTIONS,
};
use hyper::{HeaderMap, StatusCode};
use tokio::io::{AsyncReadExt, AsyncSeekExt};

use super::Api;
use super::archive;
use super::problem::Problem;
use super::range::{RangeAsked, parse_range};
use super::reply::{self, BodyError, Reply};
use super::signing::LinkError;
use super::target;

/// Pieces in which a package's file is read.
const READ_BYTES: usize = 64 << 10;

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
    /// Its version.
    pub etag: &'a str,
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

/// Answers a signed link: `link` is expiry, signature and target.
pub async fn serve(
    api: &Api,
    headers: &HeaderMap,
    link: (&str, &str, &str),
) -> Result<Reply, Problem> {
    api.signer
        .check(link, super::now_s())
        .map_err(|error| match error {
            LinkError::Invalid => Problem::UrlInvalid,
            LinkError::Expired => Problem::UrlExpired,
        })?;
    if let Some(job) = target::archived(api, link.2).await? {
        return archive::serve(api, headers, &job).await;
    }
    let served = target::find(api, link.2)
        .await?
        .ok_or(Problem::RowNotFound)?;
    let etag = format!("\"{}\"", served.sha256);
    if matches_any(headers, &etag) {
        let mut reply = reply::empty(StatusCode::NOT_MODIFIED);
        describe(reply.headers_mut(), &served.facts(&etag));
        return Ok(reply);
    }
    let (status, range) = match asked(headers, &etag, served.size_bytes) {
        RangeAsked::Whole => (StatusCode::OK, 0..served.size_bytes),
        RangeAsked::Part(range) => (StatusCode::PARTIAL_CONTENT, range),
        RangeAsked::Outside => {
            return Err(Problem::RangeNotSatisfiable {
                size_bytes: served.size_bytes,
            });
        }
    };
    let length = range.end - range.start;
    let content_range = format!(
        "bytes {}-{}/{}",
        range.start,
        range.end.saturating_sub(1),
        served.size_bytes
    );
    let stream = open(api, &served.source, range).await?;
    let body = StreamBody::new(stream.map_ok(Frame::data)).boxed_unsync();
    let mut reply = Reply::new(body);
    *reply.status_mut() = status;
    let reply_headers = reply.headers_mut();
    describe(reply_headers, &served.facts(&etag));
    let media_type = HeaderValue::from_static(media_type(&served.name));
    reply_headers.insert(CONTENT_TYPE, media_type);
    reply_headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    if status == StatusCode::PARTIAL_CONTENT {
        insert(reply_headers, CONTENT_RANGE, &content_range);
    }
    Ok(reply)
}

impl Served {
    fn facts<'a>(&'a self, etag: &'a str) -> Facts<'a> {
        Facts {
            etag,
            name: &self.name,
            inline: self.inline,
            ranges: true,
        }
    }
}

/// The headers that go with a file whether or not its bytes follow.
pub fn describe(headers: &mut HeaderMap, served: &Facts<'_>) {
    insert(headers, ETAG, served.etag);
    let ranges = if served.ranges { "bytes" } else { "none" };
    insert(headers, ACCEPT_RANGES, ranges);
    insert(headers, CACHE_CONTROL, "private");
    insert(headers, X_CONTENT_TYPE_OPTIONS, "nosniff");
    let kind = if served.inline {
        "inline"
    } else {
        "attachment"
    };
    let disposition = format!("{kind}; filename=\"{}\"", served.name);
    insert(headers, CONTENT_DISPOSITION, &disposition);
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    let value = HeaderValue::from_str(value).expect("the value is made of plain ASCII");
    headers.insert(name, value);
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Whether `If-None-Match` names this file; the comparison is the weak one (RFC 9110, 13.1.2).
pub fn matches_any(headers: &HeaderMap, etag: &str) -> bool {
    let lists = headers.get_all(IF_NONE_MATCH).iter();
    lists.filter_map(|list| list.to_str().ok()).any(|list| {
        list.split(',')
            .map(str::trim)
            .any(|given| given == "*" || given.strip_prefix("W/").unwrap_or(given) == etag)
    })
}

/// The range that counts: none when `If-Range` names another version of the file. There is no `Last-Modified`, so a
/// date never matches.
fn asked(headers: &HeaderMap, etag: &str, size_bytes: u64) -> RangeAsked {
    if text(headers, &IF_RANGE).is_some_and(|given| given.trim() != etag) {
        return RangeAsked::Whole;
    }
    parse_range(text(headers, &RANGE), size_bytes)
}

type Bytestream = BoxStream<'static, Result<Bytes, BodyError>>;

async fn open(
    api: &Api,
    source: &Source,
    range: std::ops::Range<u64>,
) -> Result<Bytestream, Problem> {
    match source {
        Source::Stored(_) if range.is_empty() => Ok(futures_util::stream::empty().boxed()),
        Source::Stored(key) => {
            let stream = api.files.read_range(key, range).await?;
            Ok(stream.map_err(BodyError::from).boxed())
        }
        Source::Package(path) => {
            let mut file = tokio::fs::File::open(path).await?;
            file.seek(std::io::SeekFrom::Start(range.start)).await?;
            let file = file.take(range.end - range.start);
            let pieces = futures_util::stream::try_unfold(file, |mut file| async move {
                let mut piece = vec![0; READ_BYTES];
                let length = file.read(&mut piece).await?;
                piece.truncate(length);
                Ok::<_, BodyError>((length > 0).then(|| (Bytes::from(piece), file)))
            });
            Ok(pieces.boxed())
        }
    }
}

/// The media type that a file's extension stands for.
fn media_type(name: &str) -> &'static str {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter().cloned();
        pairs
            .map(|(name, value)| (name, HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn a_known_version_is_recognised_in_every_form() {
        for (given, known) in [
            ("\"abc\"", true),
            ("W/\"abc\"", true),
            ("\"x\", \"abc\"", true),
            ("*", true),
            ("\"abd\"", false),
            ("abc", false),
        ] {
            assert_eq!(
                matches_any(&headers(&[(IF_NONE_MATCH, given)]), "\"abc\""),
                known,
                "{given}"
            );
        }
        assert!(!matches_any(&HeaderMap::new(), "\"abc\""));
    }

    #[test]
    fn a_range_of_another_version_is_the_whole_file() {
        for (version, whole) in [
            ("\"abc\"", false),
            ("\"old\"", true),
            ("W/\"abc\"", true),
            ("Fri, 20 Nov 2026 00:00:00 GMT", true),
        ] {
            let headers = headers(&[(RANGE, "bytes=0-1"), (IF_RANGE, version)]);
            assert_eq!(
                asked(&headers, "\"abc\"", 10) == RangeAsked::Whole,
                whole,
                "{version}"
            );
        }
    }
}
