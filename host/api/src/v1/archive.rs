use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};

use super::names::{ARCHIVE_NAME, files_of};
use super::portrait;
use super::served::{Facts, describe};
use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_files::FileStore;
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::reply::{self, BodyError, Reply};
use vocalhost_http::validators::matches_any;
use vocalhost_http::zip::{Archive, Entry};
use vocalhost_job::{FileContent, ResultFile};
use vocalhost_store::JobRecord;
use vocalhost_work::lossy::LossyMaker;

/// All of a job's files as one ZIP, made while it is sent: it takes no room anywhere, and a slow client keeps nothing in
/// memory but the piece that is under way. While files are still to be made nobody knows its length and version; they are made while
/// those in front of them are sent.
pub async fn serve(api: &Api, head: &Parts, job: &JobRecord) -> Result<Reply, Problem> {
    let files = files_of(job);
    if files.is_empty() {
        return Err(portrait::missing(job, ARCHIVE_NAME));
    }
    for (_, file) in files.iter().filter(|(_, file)| file.content.is_some()) {
        // Better now than in the middle of the answer.
        api.files.size(&file.key).await?;
    }
    let archive = Archive::of_time(job.ended_at_us.unwrap_or_default());
    let whole = whole(archive, job, &files);
    let etag = whole.as_ref().map(|whole| whole.etag.as_str());
    let is_known = etag.is_some_and(|etag| matches_any(&head.headers, etag));
    let mut reply = if is_known {
        reply::empty(StatusCode::NOT_MODIFIED)
    } else {
        let maker = Maker {
            files: api.files.clone(),
            lossy: api.lossy.clone(),
            job_id: job.id,
        };
        let files = files
            .into_iter()
            .map(|(name, file)| (name, file.clone()))
            .collect::<Vec<_>>();
        if head.method != Method::HEAD {
            maker.begin(&files);
        }
        let pieces = pieces(maker, archive, files);
        let mut reply = Reply::new(StreamBody::new(pieces.map_ok(Frame::data)).boxed_unsync());
        let headers = reply.headers_mut();
        if let Some(whole) = &whole {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(whole.bytes));
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/zip"));
        reply
    };
    let facts = Facts {
        etag,
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

/// What is known of an archive all of whose files are there.
struct Whole {
    bytes: u64,
    etag: String,
}

fn whole(archive: Archive, job: &JobRecord, files: &[(String, &ResultFile)]) -> Option<Whole> {
    let made = files
        .iter()
        .map(|(name, file)| Some((name, file.content.as_ref()?)));
    let made: Vec<_> = made.collect::<Option<_>>()?;
    let digests: Vec<&str> = made
        .iter()
        .map(|(_, content)| content.sha256.as_str())
        .collect();
    let version = Fingerprint::of_file(&digests.join(" ")).at(&archive_name(job));
    let entries = made.iter().map(|(name, content)| Entry {
        name: (*name).clone(),
        bytes: content.bytes,
        crc: 0,
    });
    Some(Whole {
        bytes: archive.bytes(&entries.collect::<Vec<_>>()),
        etag: format!("\"{version}\""),
    })
}

/// What the files of a job's archive come from.
#[derive(Clone)]
struct Maker {
    files: FileStore,
    lossy: LossyMaker,
    job_id: i64,
}

impl Maker {
    /// Starts making the files that are missing, in parallel with each other and with sending the files before them.
    fn begin(&self, files: &[(String, ResultFile)]) {
        for (_, file) in files.iter().filter(|(_, file)| file.content.is_none()) {
            drop(self.lossy.make(self.job_id, &file.key));
        }
    }

    async fn content_of(&self, file: &ResultFile) -> Result<FileContent, BodyError> {
        if let Some(content) = &file.content {
            return Ok(content.clone());
        }
        Ok(self.lossy.make(self.job_id, &file.key).kept().await?)
    }
}

type Pieces = BoxStream<'static, Result<Bytes, BodyError>>;

/// Each file's header has its checksum, because many programs cannot read an archive from a stream when the checksum follows the
/// content. It is stored when a file is published; a file without a stored one is read twice.
fn pieces(maker: Maker, archive: Archive, files: Vec<(String, ResultFile)>) -> Pieces {
    let written = Arc::new(Mutex::new(Vec::new()));
    let listed = written.clone();
    let contents = stream::iter(files).then(move |(name, file)| {
        let (maker, written) = (maker.clone(), written.clone());
        async move {
            let content = maker.content_of(&file).await?;
            let (store, bytes) = (&maker.files, content.bytes);
            let crc = match content.crc32 {
                Some(known) => known,
                None => crc_of(store, &file.key, bytes).await?,
            };
            let entry = Entry { name, bytes, crc };
            let head = Bytes::from(archive.head_of(&entry));
            written
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(entry);
            let content = store.read_range(&file.key, 0..bytes).await?;
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

async fn crc_of(store: &FileStore, key: &str, bytes: u64) -> Result<u32, BodyError> {
    let mut crc = crc32fast::Hasher::new();
    let mut pieces = store.read_range(key, 0..bytes).await?;
    while let Some(piece) = pieces.next().await {
        crc.update(&piece?);
    }
    Ok(crc.finalize())
}
