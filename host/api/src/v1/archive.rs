use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use http_body_util::{BodyExt, StreamBody};
use hyper::HeaderMap;
use hyper::StatusCode;
use hyper::body::Frame;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};

use super::portrait;
use super::served::{Facts, describe};
use super::target::{ARCHIVE_NAME, files_of};
use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_files::FileStore;
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::reply::{self, BodyError, Reply};
use vocalhost_http::validators::matches_any;
use vocalhost_http::zip::{Archive, Entry};
use vocalhost_job::ResultFile;
use vocalhost_store::JobRecord;

/// All of a job's files as one ZIP, made while it is sent: it takes no room anywhere, and a slow client keeps nothing in
/// memory but the piece that is under way.
pub async fn serve(api: &Api, headers: &HeaderMap, job: &JobRecord) -> Result<Reply, Problem> {
    let files = files_of(job);
    if files.is_empty() {
        return Err(portrait::missing(job, ARCHIVE_NAME));
    }
    for (_, file) in &files {
        // Better now than in the middle of the answer.
        api.files.size(&file.key).await?;
    }
    let archive = Archive::of_time(job.ended_at_us.unwrap_or_default());
    let entries: Vec<Entry> = files
        .iter()
        .map(|(name, file)| entry(name, file, 0))
        .collect();
    let contents: Vec<&str> = files.iter().map(|(_, file)| file.sha256.as_str()).collect();
    let version = Fingerprint::of_file(&contents.join(" ")).at(&archive_name(job));
    let etag = format!("\"{version}\"");
    let mut reply = if matches_any(headers, &etag) {
        reply::empty(StatusCode::NOT_MODIFIED)
    } else {
        let files = files
            .into_iter()
            .map(|(name, file)| (name, file.clone()))
            .collect();
        let pieces = pieces(api.files.clone(), archive, files);
        let mut reply = Reply::new(StreamBody::new(pieces.map_ok(Frame::data)).boxed_unsync());
        let headers = reply.headers_mut();
        headers.insert(CONTENT_LENGTH, HeaderValue::from(archive.bytes(&entries)));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/zip"));
        reply
    };
    let facts = Facts {
        etag: &etag,
        name: &archive_name(job),
        inline: false,
        // It is made while it is sent.
        ranges: false,
    };
    describe(reply.headers_mut(), &facts);
    Ok(reply)
}

fn archive_name(job: &JobRecord) -> String {
    format!("{}-{}.zip", job.kind.as_str(), job.id)
}

fn entry(name: &str, file: &ResultFile, crc: u32) -> Entry {
    Entry {
        name: name.to_owned(),
        bytes: file.bytes,
        crc,
    }
}

type Pieces = BoxStream<'static, Result<Bytes, BodyError>>;

/// The header of each file has its checksum: one that leaves it to the end would be one that many programs cannot read
/// from a stream. It was kept when the file was published; a file from before that is read twice.
fn pieces(store: FileStore, archive: Archive, files: Vec<(String, ResultFile)>) -> Pieces {
    let written = Arc::new(Mutex::new(Vec::new()));
    let listed = written.clone();
    let contents = stream::iter(files).then(move |(name, file)| {
        let (store, written) = (store.clone(), written.clone());
        async move {
            let entry = entry(&name, &file, crc_of(&store, &file).await?);
            let head = Bytes::from(archive.head_of(&entry));
            written
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(entry);
            let content = store.read_range(&file.key, 0..file.bytes).await?;
            let content = content.map_err(BodyError::from);
            Ok::<_, BodyError>(stream::once(async { Ok(head) }).chain(content))
        }
    });
    let tail = stream::once(async move {
        let entries = listed.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Bytes::from(archive.tail(&entries)))
    });
    contents.try_flatten().chain(tail).boxed()
}

async fn crc_of(store: &FileStore, file: &ResultFile) -> Result<u32, BodyError> {
    if let Some(known) = file.crc32 {
        return Ok(known);
    }
    let mut crc = crc32fast::Hasher::new();
    let mut pieces = store.read_range(&file.key, 0..file.bytes).await?;
    while let Some(piece) = pieces.next().await {
        crc.update(&piece?);
    }
    Ok(crc.finalize())
}
