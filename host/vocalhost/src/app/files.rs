//! Where files lie.

use super::error::AppError;
use vocalhost_config::Settings;
use vocalhost_files::{FileStore, FilesError};
use vocalhost_system::token;

/// The file store in force. Of a bucket nothing is asked yet.
pub fn file_store(settings: &Settings) -> Result<FileStore, FilesError> {
    match settings.bucket() {
        None => FileStore::open(&settings.data_dir),
        Some(bucket) => FileStore::in_bucket(&bucket, &|name| std::env::var(name).ok()),
    }
}

/// The file store in force, which can be used: a server without its files could do nothing.
pub(super) async fn usable_file_store(settings: &Settings) -> Result<FileStore, AppError> {
    let files = file_store(settings)?;
    let name = token::draw().map_err(AppError::Randomness)?;
    files.check(&name).await?;
    if let Some(place) = files.elsewhere() {
        tracing::info!(place, "files are in a bucket");
    }
    Ok(files)
}
