//! The file store, in a folder and in a bucket: the same for both, and what only a bucket can do.

mod faults;
mod links;
mod store;

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use vocalhost_files::{Bucket, FileStore, FilesError};
use vocalhost_testing::s3::{BUCKET, S3Server};

/// What every key of the bucket begins with here.
const PREFIX: &str = "of/vocalhost";

/// How long the store may be silent: long enough for a server on a machine with much else to do, which joins the parts of a large file in
/// one request.
const SILENCE: Duration = Duration::from_secs(10);

/// For how long it is asked again.
const PATIENCE: Duration = Duration::from_secs(30);

/// The bucket of a server.
fn bucket(server: &S3Server) -> Bucket {
    let address = format!("s3://{BUCKET}/{PREFIX}").parse();
    Bucket {
        endpoint: Some(server.endpoint()),
        path_style: true,
        silence: SILENCE,
        patience: PATIENCE,
        ..Bucket::at(address.expect("an address"))
    }
}

/// The environment of somebody whom the server lets in.
fn environment(name: &str) -> Option<String> {
    let mut variables = S3Server::variables().into_iter();
    let found = variables.find(|(known, _)| *known == name);
    found.map(|(_, value)| value.to_owned())
}

/// A server, and the store in its bucket.
fn in_bucket() -> (S3Server, FileStore) {
    in_bucket_with(SILENCE, PATIENCE)
}

/// The same with other times.
fn in_bucket_with(silence: Duration, patience: Duration) -> (S3Server, FileStore) {
    let server = S3Server::start();
    let bucket = Bucket {
        silence,
        patience,
        ..bucket(&server)
    };
    let files = FileStore::in_bucket(&bucket, &environment).expect("clients can be made");
    (server, files)
}

/// `bytes` that say where they stand.
fn content(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| (index % 251) as u8).collect()
}

/// Publishes these bytes.
async fn publish(files: &FileStore, content: &[u8], key: &str) -> Result<(), FilesError> {
    let local = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(local.path(), content).expect("it can be written");
    files.publish(local.path(), key).await
}

/// The bytes in a range.
async fn read(files: &FileStore, key: &str, range: Range<u64>) -> Result<Vec<u8>, FilesError> {
    let pieces: Vec<Bytes> = files.read_range(key, range).await?.try_collect().await?;
    Ok(pieces.concat())
}

/// Every key under a prefix, in their order.
async fn keys(files: &FileStore, prefix: &str) -> Vec<String> {
    let listed = files.list(prefix).expect("a good prefix");
    let keys = listed.map_ok(|file| file.key).try_collect();
    let mut keys: Vec<String> = keys.await.expect("it answers");
    keys.sort();
    keys
}

/// The SHA-256 of what is there, fetched into `folder`.
async fn fetched(files: &FileStore, key: &str, folder: &Path) -> Result<Vec<u8>, FilesError> {
    let copy = folder.join("copy");
    files.fetch_to(key, &copy).await?;
    Ok(std::fs::read(copy).expect("it can be read"))
}
