use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt, TryStreamExt};
use http_body_util::{BodyExt, StreamBody};
use hyper::StatusCode;
use hyper::body::Frame;
use hyper::header::{CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, HeaderValue};
use hyper::http::request::Parts;
use tokio::io::{AsyncReadExt, AsyncSeekExt};

use super::archive;
use super::lossy;
use super::served::{Source, describe, insert, media_type};
use super::target::{self, Found};
use crate::Api;
use crate::rules::problem::Problem;
use crate::rules::state::now_s;
use vocalhost_http::range::RangeAsked;
use vocalhost_http::reply::{self, BodyError, Reply};
use vocalhost_http::signing::LinkError;
use vocalhost_http::validators::{matches_any, range_asked};

/// Pieces in which a package's file is read.
const READ_BYTES: usize = 64 << 10;

/// Answers a signed link: `link` is expiry, signature and target.
pub async fn serve(api: &Api, head: &Parts, link: (&str, &str, &str)) -> Result<Reply, Problem> {
    api.signer
        .check(link, now_s())
        .map_err(|error| match error {
            LinkError::Invalid => Problem::UrlInvalid,
            LinkError::Expired => Problem::UrlExpired,
        })?;
    if let Some(job) = target::archived(api, link.2).await? {
        return archive::serve(api, head, &job).await;
    }
    let mut found = target::find(api, link.2).await?;
    if let Some(Found::Unmade(unmade)) = &found {
        if let Some(reply) = lossy::make(api, head, unmade).await? {
            return Ok(reply);
        }
        found = target::find(api, link.2).await?;
    }
    let Some(Found::There(served)) = found else {
        return Err(Problem::RowNotFound);
    };
    let headers = &head.headers;
    let etag = format!("\"{}\"", served.sha256);
    if matches_any(headers, &etag) {
        let mut reply = reply::empty(StatusCode::NOT_MODIFIED);
        describe(reply.headers_mut(), &served.facts(&etag));
        return Ok(reply);
    }
    let (status, range) = match range_asked(headers, &etag, served.size_bytes) {
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
