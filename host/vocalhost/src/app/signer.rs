use std::path::{Path, PathBuf};

use super::error::AppError;
use vocalhost_config::Settings;
use vocalhost_http::signing::{self, UrlSigner};
use vocalhost_store::{Store, StoreError};
use vocalhost_system::clock;

/// Where in the data folder the secret is that signs links.
const FILE: &str = "url-signing.key";

/// What it is called among the secrets that all servers of a database have in common.
const SHARED: &str = "url-signing";

/// What signs links: the secret of the settings, or else that of the database where servers share one, or else that of the data folder.
///
/// On a shared database the first server brings the secret that its data folder has, if it has one, so that an installation that moves
/// there keeps its links. Where another one was faster, the links that were signed with the folder's own are believed as well.
pub(super) async fn signer(settings: &Settings, store: &Store) -> Result<UrlSigner, AppError> {
    if let Some(key) = &settings.url_signing_key {
        return Ok(UrlSigner::new(key.as_bytes()));
    }
    let file = settings.data_dir.join(FILE);
    if !store.is_shared() {
        return UrlSigner::open(&file).map_err(unusable(&file));
    }
    let own = signing::kept_key(&file).map_err(unusable(&file))?;
    let candidate = match &own {
        Some(key) => key.clone(),
        None => signing::draw_key().map_err(AppError::Randomness)?,
    };
    let shared = shared(store, &candidate).await?;
    let signer = UrlSigner::new(&shared);
    Ok(match own {
        // For an installation that moves back to a file.
        None => {
            signing::keep_key(&file, &shared).map_err(unusable(&file))?;
            signer
        }
        Some(own) if own == shared => signer,
        Some(own) => {
            tracing::info!(
                "the servers of the database sign links with another secret than this data folder's: links of both work here"
            );
            signer.believing(&own)
        }
    })
}

/// Enters the secret of the data folder, if it has one, into the database that is to move to a server, unless there is one.
pub async fn bring_signing_key(data_dir: &Path, store: &Store) -> Result<(), AppError> {
    let file = data_dir.join(FILE);
    if let Some(key) = signing::kept_key(&file).map_err(unusable(&file))? {
        shared(store, &key).await?;
    }
    Ok(())
}

async fn shared(store: &Store, candidate: &[u8]) -> Result<Vec<u8>, AppError> {
    let candidate = base16ct::lower::encode_string(candidate);
    let secret = store.shared_secret(SHARED, &candidate, clock::now_us());
    let secret = base16ct::lower::decode_vec(secret.await?);
    secret.map_err(|error| {
        AppError::Store(StoreError::Damaged {
            table: "shared_secrets",
            row: 0,
            reason: format!("{SHARED} is no hex: {error}"),
        })
    })
}

fn unusable(file: &Path) -> impl Fn(std::io::Error) -> AppError + use<> {
    let folder: PathBuf = file.to_owned();
    move |source| AppError::DataFolder {
        folder: folder.clone(),
        source,
    }
}
