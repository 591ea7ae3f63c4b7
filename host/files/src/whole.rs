//! Access to the store as a whole, for moving it.

use std::collections::BTreeMap;

use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::ObjectStoreExt as _;
use sha2::{Digest as _, Sha256};

use super::check::CHECKS;
use super::file_store::location;
use super::{FileStore, FilesError};

impl FileStore {
    /// Every file that is there, with its size in bytes.
    pub async fn all(&self) -> Result<BTreeMap<String, u64>, FilesError> {
        let mut found = self.store.list(None);
        let mut files = BTreeMap::new();
        while let Some(file) = found
            .try_next()
            .await
            .map_err(|error| self.at_fault(error))?
        {
            let key = file.location.to_string();
            // Files of a check under way belong to nobody.
            if !key.starts_with(&format!("{CHECKS}/")) {
                files.insert(key, file.size);
            }
        }
        Ok(files)
    }

    /// SHA-256 of the file under `key` as the store gives it now, lower-case hex.
    pub async fn digest(&self, key: &str) -> Result<String, FilesError> {
        let found = self.store.get(&location(key)?).await;
        let found = found.map_err(|error| self.failed(key, error))?;
        let (whole, mut fetched) = (found.meta.size, 0);
        let mut hasher = Sha256::new();
        let mut pieces = found.into_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| self.failed(key, error))?;
            fetched += piece.len() as u64;
            hasher.update(&piece);
        }
        if fetched == whole {
            return Ok(base16ct::lower::encode_string(&hasher.finalize()));
        }
        Err(FilesError::Cut {
            key: key.to_owned(),
            fetched,
            whole,
        })
    }
}
