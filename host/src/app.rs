//! The server as a whole: settings become a data folder, a database, catalogues, a scheduler with workers, and a
//! listening socket. Recordings are never parsed here and ONNX Runtime is never loaded here: children do both.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tokio::sync::Semaphore;

use crate::api::{Api, ServeError, Server, UrlSigner};
use crate::clock;
use crate::config::Settings;
use crate::files::{FileStore, FilesError};
use crate::model;
use crate::plugin::{self, EffectHost, EffectLimits, PluginError};
use crate::scheduler::{FolderLock, LockError};
use crate::store::{CatalogModel, IssuedKey, ModelLinks, Store, StoreError};

/// Why the server could not start.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The data folder cannot be used.
    #[error("cannot use the data folder {folder}: {source}")]
    DataFolder {
        /// The folder, or what in it.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another server works in the data folder, or it cannot be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The program cannot find itself, so it could start no workers.
    #[error("cannot find the program's own file: {0}")]
    Program(io::Error),
    /// A blocking task was lost.
    #[error("the start was interrupted: {0}")]
    Interrupted(#[from] tokio::task::JoinError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The effects cannot be loaded.
    #[error(transparent)]
    Effects(#[from] PluginError),
    /// The server cannot listen.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// A server that is ready to run.
pub struct App {
    api: Arc<Api>,
    server: Server,
    first_key: Option<IssuedKey>,
    /// Holds the data folder's lock.
    _lock: FolderLock,
}

impl App {
    /// Makes everything ready and takes the address, but serves nobody yet. With an empty database it makes a user and
    /// a key.
    pub async fn open(settings: Settings) -> Result<Self, AppError> {
        prepare_data_folder(&settings)?;
        let lock = FolderLock::take(&settings.data_dir)?;
        clear_uploads(&settings)?;
        let server = Server::bind(&settings.listen).await?;
        let store = Store::open(&settings.database_path()).await?;
        let files = FileStore::open(&settings.data_dir)?;
        let signer = signer(&settings)?;
        let catalogs = {
            let settings = settings.clone();
            tokio::task::spawn_blocking(move || Catalogs::open(&settings)).await??
        };
        let now_us = clock::now_us();
        store.sync_models(&catalogs.voices, now_us).await?;
        let first_key = store.bootstrap(now_us).await?;
        let api = Api {
            public_url: public_url(&settings, server.address()),
            program: std::env::current_exe().map_err(AppError::Program)?,
            probe_slots: Semaphore::new(settings.worker_count() + 1),
            store,
            files,
            effects: catalogs.effects,
            models: catalogs.models,
            signer,
            workers_up: Box::new(|| true),
            draining: AtomicBool::new(false),
            settings,
        };
        Ok(Self {
            api: Arc::new(api),
            server,
            first_key,
            _lock: lock,
        })
    }

    /// The address that was taken.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// The key that was made for an empty database.
    #[must_use]
    pub fn first_key(&self) -> Option<&str> {
        self.first_key.as_ref().map(|issued| issued.key.as_str())
    }

    /// Serves until `stop` is done; then takes no new work, finishes requests and hands jobs back, all within the
    /// grace period.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        tracing::info!(address = %self.server.address(), url = self.api.public_url, "serving");
        let draining = self.api.clone();
        let stop = async move {
            stop.await;
            tracing::info!("stopping");
            draining.drain();
        };
        self.server.serve(self.api.clone(), stop).await;
        self.api.store.close().await;
        tracing::info!("stopped");
    }
}

/// Makes the data folder and what the server keeps in it, readable for its owner alone: it holds people's recordings.
pub fn prepare_data_folder(settings: &Settings) -> Result<(), AppError> {
    for folder in [
        &settings.data_dir,
        &settings.uploads_path(),
        &settings.effect_cache_path(),
    ] {
        let failed = |source| AppError::DataFolder {
            folder: folder.clone(),
            source,
        };
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(failed)?;
    }
    let folder = &settings.data_dir;
    let private = fs::Permissions::from_mode(0o700);
    fs::set_permissions(folder, private).map_err(|source| AppError::DataFolder {
        folder: folder.clone(),
        source,
    })
}

/// Deletes what a server that died left of unfinished uploads.
fn clear_uploads(settings: &Settings) -> Result<(), AppError> {
    let folder = settings.uploads_path();
    let clear = || -> io::Result<()> {
        for entry in fs::read_dir(&folder)? {
            fs::remove_file(entry?.path())?;
        }
        Ok(())
    };
    clear().map_err(|source| AppError::DataFolder {
        folder: folder.clone(),
        source,
    })
}

fn signer(settings: &Settings) -> Result<UrlSigner, AppError> {
    if let Some(key) = &settings.url_signing_key {
        return Ok(UrlSigner::new(key.as_bytes()));
    }
    let file = settings.data_dir.join("url-signing.key");
    UrlSigner::open(&file).map_err(|source| AppError::DataFolder {
        folder: file,
        source,
    })
}

fn public_url(settings: &Settings, address: SocketAddr) -> String {
    match &settings.public_url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        None => {
            if address.ip().is_unspecified() {
                tracing::warn!("links in answers name {address}: set `public_url` to what clients can reach");
            }
            format!("http://{address}")
        }
    }
}

/// What is installed.
struct Catalogs {
    effects: plugin::Catalog,
    models: model::Catalog,
    voices: Vec<CatalogModel>,
}

impl Catalogs {
    /// Compiles effects and hashes model packages: seconds of work at the first start.
    fn open(settings: &Settings) -> Result<Self, AppError> {
        let limits = EffectLimits {
            memory_bytes: settings.effect_memory_bytes as usize,
            ..EffectLimits::default()
        };
        let host = EffectHost::open(Some(&settings.effect_cache_path()), limits)?;
        let effects = plugin::Catalog::builtin(&host)?;
        let models = model::Catalog::open(&settings.models_dir);
        for (folder, error) in models.rejected() {
            tracing::warn!(folder = %folder.display(), cause = %error, "a model package is refused");
        }
        let voices = voices(&models);
        if voices.is_empty() {
            tracing::warn!(folders = ?settings.models_dir, "there are no voices in the model folders");
        }
        Ok(Self {
            effects,
            models,
            voices,
        })
    }
}

/// The voices of the catalogue; one is usable when its files, and those of the packages it needs, are what their
/// manifests say.
fn voices(models: &model::Catalog) -> Vec<CatalogModel> {
    let mut sound = Vec::new();
    for package in models.packages() {
        let id = package.manifest().id.as_str();
        match package.verify() {
            Ok(()) => sound.push(id),
            Err(error) => {
                tracing::warn!(package = id, cause = %error, "a model package is damaged");
            }
        }
    }
    let usable = |manifest: &model::Manifest| {
        let parts = manifest.voice.as_ref().map(|voice| [voice.content.as_str(), voice.f0.as_str()]);
        let needed = parts.into_iter().flatten().chain([manifest.id.as_str()]);
        needed.into_iter().all(|id| sound.contains(&id))
    };
    models
        .voices()
        .map(|package| {
            let manifest = package.manifest();
            let facts = manifest.voice.as_ref();
            CatalogModel {
                package_id: manifest.id.clone(),
                title: manifest.name.clone(),
                tags: facts.map(|voice| voice.tags.clone()).unwrap_or_default(),
                instrument: facts.is_some_and(|voice| voice.instrument),
                usable: usable(manifest),
                links: ModelLinks::default(),
            }
        })
        .collect()
}
