//! The server as a whole: settings become a data folder, a database, catalogues, a scheduler with workers, and a
//! listening socket. Recordings are never parsed here and ONNX Runtime is never loaded here: children do both.

mod error;
mod files;
mod hooks;
mod presence;
mod separators;
mod signer;
mod stopping;

pub use error::AppError;
pub use files::file_store;
pub use separators::check_named;
pub use signer::bring_signing_key;
pub mod supervisor;
mod traces;
mod walls;
mod workers;

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::sync::{Semaphore, oneshot, watch};
use tokio::time::Instant;

use self::presence::Presence;
use self::stopping::{closed, serve_operators};
use self::workers::{lossy_settings, scheduler_settings};
use vocalhost_api::{Api, Limits, Surface};
use vocalhost_catalogues::library::{Library, LibrarySettings};
use vocalhost_catalogues::shelf::{Shelf, ShelfSettings};
use vocalhost_config::{Network, Settings};
use vocalhost_effects::{EffectHost, EffectLimits, PluginError};
use vocalhost_files::FileStore;
use vocalhost_hooks::Deliverer;
use vocalhost_http::Server;
use vocalhost_model::ModelError;
use vocalhost_observe::metrics::Metrics;
use vocalhost_observe::traces::Exporter;
use vocalhost_store::{DatabaseAddress, IssuedKey, Store};
use vocalhost_system::clock;
use vocalhost_system::disk::Reserve;
use vocalhost_work::live::LiveDesk;
use vocalhost_work::lossy::LossyMaker;
use vocalhost_work::scheduler::{FolderLock, Scheduler};

/// How long live conversions may take to end once they are told to, where the grace period is over by then.
const LAST_OF_LIVE: Duration = Duration::from_secs(2);

/// A server that is ready to run.
pub struct App {
    api: Arc<Api>,
    server: Server,
    /// The listener for operators, when they have one of their own.
    operators: Option<Server>,
    first_key: Option<IssuedKey>,
    scheduler: Scheduler,
    /// There on a server that answers clients; one that only runs jobs leaves webhooks to such servers.
    deliverer: Option<Deliverer>,
    presence: Presence,
    exporter: Option<Exporter>,
    /// Holds the data folder's lock.
    _lock: FolderLock,
}

impl App {
    /// Makes everything ready and takes the address, but serves nobody yet. With an empty database it makes a user and
    /// a key.
    pub async fn open(settings: Settings) -> Result<Self, AppError> {
        let settings = with_absolute_paths(settings)?;
        // First of all: where the address is taken, nothing is left behind.
        let server = Server::bind(settings.main_listen()).await?;
        let operators = match settings.operators_listen() {
            Some(address) => Some(Server::bind(address).await?),
            None => None,
        };
        prepare_data_folder(&settings)?;
        let lock = FolderLock::take(&settings.data_dir)?;
        clear_uploads(&settings)?;
        let role = settings.role;
        let mut store = Store::open(database_address(&settings)).await?;
        if store.is_shared() {
            store = store.named(&lock.node()?);
        }
        let files = files::usable_file_store(&settings).await?;
        let signer = signer::signer(&settings, &store).await?;
        let effects = {
            let settings = settings.clone();
            tokio::task::spawn_blocking(move || effects(&settings)).await??
        };
        let now_us = clock::now_us();
        let program = std::env::current_exe().map_err(AppError::Program)?;
        walls::check(&settings, &program).await?;
        let library = library(&settings, &program, (&store, &files), now_us).await?;
        let shelving = shelf_settings(&settings, &program);
        let shelf = Shelf::new(store.clone(), files.clone(), shelving);
        shelf.carry_builtin(&effects, now_us).await?;
        let client = hooks::client(&settings)?;
        // The last that can fail: its key is shown once, by whoever has opened everything.
        let first_key = if role.answers() {
            store.bootstrap(now_us).await?
        } else {
            None
        };
        let presence = Presence::new(&settings, &store);
        let work = scheduler_settings(&settings, &program, library.clone());
        let metrics: Arc<Metrics> = Arc::default();
        let (tracer, exporter) = traces::open(&settings, &client);
        let workers_up: Arc<AtomicBool> = Arc::default();
        let scheduler = Scheduler::new(work, store.clone(), files.clone())
            .watched(metrics.clone(), tracer.clone());
        let live = LiveDesk::new(scheduler.workbench(), settings.live_workers);
        let api = Api {
            limits: Limits::new(&settings, Some(&store)),
            public_url: public_url(&settings, server.address()),
            resumable_folder: settings.resumable_path(),
            probe_slots: Semaphore::new(settings.worker_count() + 1),
            portrait_slots: Semaphore::new(settings.worker_count()),
            lossy: LossyMaker::new(
                store.clone(),
                files.clone(),
                lossy_settings(&settings, &program),
            ),
            program,
            shelf,
            store,
            files,
            library,
            signer,
            live,
            metrics,
            tracer,
            webhook_addresses: client.rules.clone(),
            trusted_proxies: trusted_proxies(&settings),
            workers_up: workers_up.clone(),
            reserve: Reserve::new(&settings.data_dir, settings.min_free_bytes),
            draining: AtomicBool::new(false),
            settings,
        };
        let api = Arc::new(api);
        Ok(Self {
            deliverer: role.answers().then(|| hooks::deliverer(&api, client)),
            presence,
            api,
            server,
            operators,
            first_key,
            scheduler: scheduler.telling(workers_up),
            exporter,
            _lock: lock,
        })
    }

    /// The key that was made for an empty database.
    #[must_use]
    pub fn first_key(&self) -> Option<&str> {
        self.first_key.as_ref().map(|issued| issued.key.as_str())
    }

    /// Serves until `stop` is done; then refuses new work, finishes requests and hands jobs back, all within the grace period. As long as
    /// jobs go on it still answers.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        tracing::info!(
            address = %self.server.address(), url = self.api.public_url, role = %self.api.settings.role, "serving"
        );
        let (tell, told) = watch::channel(false);
        let (end_of_spans, spans_ended) = oneshot::channel::<()>();
        let exporting = self.exporter.map(|exporter| {
            tokio::spawn(exporter.run(async move {
                // Its end says as much as a word.
                let _ = spans_ended.await;
            }))
        });
        let store = self.api.store.clone();
        let hearing = tokio::spawn(async move { store.hear_others().await });
        let telling = tokio::spawn(self.presence.tell(told.clone()));
        let delivering = self.deliverer.map(|it| tokio::spawn(it.run(told.clone())));
        let working = tokio::spawn(work(self.scheduler, told.clone()));
        let api = self.api.clone();
        let (close, closing) = watch::channel(None);
        let wind_down = async move {
            stop.await;
            tracing::info!("stopping");
            // Requests and jobs have the same grace period, at the same time.
            let grace = Duration::from_secs_f64(api.settings.grace_period_s);
            let end_of_grace = Instant::now() + grace;
            api.drain();
            let _ = tell.send(true);
            if let Err(error) = working.await {
                tracing::error!(%error, "the scheduler broke");
            }
            let _ = close.send(Some(end_of_grace));
        };
        let surface = match &self.operators {
            _ if !self.api.settings.role.answers() => Surface::Checks,
            Some(_) => Surface::Clients,
            None => Surface::Whole,
        };
        tokio::join!(
            vocalhost_api::serve(
                self.server,
                self.api.clone(),
                surface,
                closed(closing.clone())
            ),
            serve_operators(self.operators, self.api.clone(), closing.clone()),
            wind_down,
        );
        if let Some(delivering) = delivering
            && let Err(error) = delivering.await
        {
            tracing::error!(%error, "the delivery of webhooks broke");
        }
        // They note how they went, keep their recordings, and tell their clients.
        let until = Instant::now() + LAST_OF_LIVE;
        let until = closing.borrow().map_or(until, |grace| until.max(grace));
        let ended = tokio::time::timeout_at(until, self.api.live.is_empty());
        if ended.await.is_err() {
            tracing::warn!("live conversions were still open at the end");
        }
        drop(end_of_spans);
        if let Some(exporting) = exporting
            && let Err(error) = exporting.await
        {
            tracing::error!(%error, "the export of spans broke");
        }
        hearing.abort();
        telling.abort();
        presence::leave(&self.api.store).await;
        self.api.store.close().await;
        tracing::info!("stopped");
    }
}

/// Runs the scheduler, which says itself whether it gets work done.
async fn work(scheduler: Scheduler, told: watch::Receiver<bool>) {
    if let Err(error) = scheduler.run(told).await {
        tracing::error!(%error, "the scheduler cannot run: no job will be done");
    }
}

/// The same settings with paths that lead to the same places for a child, which is in a folder of its own. Also names the library that
/// only workers load, since a server without it could finish no job.
fn with_absolute_paths(settings: Settings) -> Result<Settings, ModelError> {
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let library = match vocalhost_model::Runtime::locate(settings.onnxruntime.as_deref()) {
        Ok(library) => Some(library),
        Err(error) if !settings.role.works() => {
            tracing::warn!(%error, "no model can be imported by this server");
            None
        }
        Err(error) => return Err(error),
    };
    Ok(Settings {
        data_dir: absolute(&settings.data_dir),
        models_dir: settings.models_dir.iter().map(absolute).collect(),
        onnxruntime: library,
        ..settings
    })
}

/// How the installed effects are kept; `program` is this one.
#[must_use]
pub fn shelf_settings(settings: &Settings, program: &Path) -> ShelfSettings {
    ShelfSettings {
        program: program.to_owned(),
        effect_cache: settings.effect_cache_path(),
        memory_bytes: settings.effect_memory_bytes,
        work_per_audio: settings.effect_work_per_audio,
        worker_memory_bytes: settings.worker_memory_bytes,
    }
}

/// Where the database is.
#[must_use]
pub fn database_address(settings: &Settings) -> DatabaseAddress {
    match &settings.database {
        Some(address) => DatabaseAddress::Server(address.clone()),
        None => DatabaseAddress::File(settings.database_path()),
    }
}

/// Makes the data folder and what the server keeps in it, readable for its owner alone: it holds people's recordings.
pub fn prepare_data_folder(settings: &Settings) -> Result<(), AppError> {
    for folder in [
        &settings.data_dir,
        &settings.uploads_path(),
        &settings.effect_cache_path(),
        // A worker's walls only admit folders that are there when it starts.
        &settings.voice_cache_path(),
        &settings.imported_models_path(),
    ] {
        let failed = |source| AppError::DataFolder {
            folder: folder.clone(),
            source,
        };
        let made = fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder);
        made.map_err(failed)?;
    }
    let folder = &settings.data_dir;
    let private = fs::Permissions::from_mode(0o700);
    fs::set_permissions(folder, private).map_err(|source| AppError::DataFolder {
        folder: folder.clone(),
        source,
    })
}

/// Deletes what a server that died left of unfinished uploads, and the folders of children that looked at them.
fn clear_uploads(settings: &Settings) -> Result<(), AppError> {
    let folder = settings.uploads_path();
    let clear = || -> io::Result<()> {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                fs::remove_dir_all(path)?;
            } else {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    };
    clear().map_err(|source| AppError::DataFolder {
        folder: folder.clone(),
        source,
    })
}

fn trusted_proxies(settings: &Settings) -> Vec<Network> {
    let networks = settings.trusted_proxies.iter();
    // The settings were checked when they were read.
    networks.filter_map(|text| text.parse().ok()).collect()
}

fn public_url(settings: &Settings, address: SocketAddr) -> String {
    if let Some(url) = &settings.public_url {
        return url.trim_end_matches('/').to_owned();
    }
    if !address.ip().is_unspecified() {
        return format!("http://{address}");
    }
    // Every address of the machine; the one that leads here from everywhere on it.
    let here: IpAddr = match address {
        SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    let url = format!("http://{}", SocketAddr::new(here, address.port()));
    if settings.role.answers() {
        tracing::warn!(
            "links in answers begin with {url}: set `public_url` to what clients elsewhere can reach"
        );
    }
    url
}

/// The effects that come along, compiled: seconds of work at the first start.
fn effects(settings: &Settings) -> Result<vocalhost_effects::Catalog, PluginError> {
    // Only what they say about themselves is needed here, and a small limit for jobs must not stop the server.
    let cache = settings.effect_cache_path();
    let host = EffectHost::open(Some(&cache), EffectLimits::default())?;
    vocalhost_effects::Catalog::builtin(&host)
}

/// The models of the server, which says in the database which voices can be used.
async fn library(
    settings: &Settings,
    program: &Path,
    (store, files): (&Store, &FileStore),
    now_us: i64,
) -> Result<Library, AppError> {
    let kept = LibrarySettings {
        keeps_voices: true,
        ..library_settings(settings, program)
    };
    let library = Library::open(store.clone(), files.clone(), kept, now_us).await?;
    let models = library.known();
    if models.voices().next().is_none() {
        tracing::warn!(folders = ?settings.models_dir, "there are no voices in the model folders");
    }
    check_named(&models, &settings.separators).map_err(AppError::Settings)?;
    separators::warn_of_missing(&models, &settings.separators);
    separators::warn_of_missing_parts(&models, &settings.voice_parts);
    Ok(library)
}

/// How models are kept; `program` is this one.
#[must_use]
pub fn library_settings(settings: &Settings, program: &Path) -> LibrarySettings {
    LibrarySettings {
        program: program.to_owned(),
        folders: settings.models_dir.clone(),
        imported: settings.imported_models_path(),
        imports: settings.imports_path(),
        onnxruntime: settings.onnxruntime.clone(),
        worker_memory_bytes: settings.worker_memory_bytes,
        storage_quota_bytes: settings.storage_quota_bytes,
        separators: settings.separators.clone(),
        voice_parts: settings.voice_parts.clone(),
        keeps_voices: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_this_machine_where_a_server_listens_everywhere() {
        let mut settings = Settings::default();
        let told = [
            ("192.0.2.7:80", "http://192.0.2.7:80"),
            ("0.0.0.0:8080", "http://127.0.0.1:8080"),
            ("[::]:8080", "http://[::1]:8080"),
        ];
        for (address, wanted) in told {
            let address = address.parse().expect("an address");
            assert_eq!(public_url(&settings, address), wanted);
        }
        settings.public_url = Some("https://voice.example.org/".to_owned());
        let address = "0.0.0.0:8080".parse().expect("an address");
        assert_eq!(public_url(&settings, address), "https://voice.example.org");
    }
}
