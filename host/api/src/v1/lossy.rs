use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use http_body_util::{BodyExt, StreamBody};
use hyper::Method;
use hyper::body::Frame;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::http::request::Parts;

use super::served::{Facts, describe, media_type};
use super::target::Unmade;
use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_http::range::RangeAsked;
use vocalhost_http::reply::{BodyError, Reply};
use vocalhost_http::validators::range_asked;

/// The answer to a request for a file that is still to be made: all of it, sent while it is made, without length and version, which
/// nobody knows yet. `None` when it has been made and is served like any other; a request for a part waits that long. `HEAD` makes
/// nothing.
pub async fn make(api: &Api, head: &Parts, unmade: &Unmade) -> Result<Option<Reply>, Problem> {
    if head.method == Method::HEAD {
        return Ok(Some(reply(unmade, stream::empty().boxed())));
    }
    let making = api.lossy.make(unmade.job_id, &unmade.key);
    if wants_part(head) {
        making.kept().await?;
        return Ok(None);
    }
    let bytes = making.bytes().await?;
    Ok(bytes.map(|bytes| {
        let pieces = bytes.map_ok(Bytes::from).map_err(BodyError::from);
        reply(unmade, pieces.boxed())
    }))
}

/// Whether less than everything is asked for. Players begin with the open range from 0, which is everything, and want to start soon.
/// A file without a version matches no `If-Range`.
fn wants_part(head: &Parts) -> bool {
    match range_asked(&head.headers, "", u64::MAX) {
        RangeAsked::Whole => false,
        RangeAsked::Part(range) => range != (0..u64::MAX),
        RangeAsked::Outside => true,
    }
}

fn reply(unmade: &Unmade, pieces: BoxStream<'static, Result<Bytes, BodyError>>) -> Reply {
    let mut reply = Reply::new(StreamBody::new(pieces.map_ok(Frame::data)).boxed_unsync());
    let headers = reply.headers_mut();
    let facts = Facts {
        etag: None,
        name: &unmade.name,
        inline: false,
        ranges: true,
    };
    describe(headers, &facts);
    let media_type = HeaderValue::from_static(media_type(&unmade.name));
    headers.insert(CONTENT_TYPE, media_type);
    reply
}
