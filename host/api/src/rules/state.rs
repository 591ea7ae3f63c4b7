use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;

use vocalhost_catalogues::library::Library;
use vocalhost_catalogues::shelf::Shelf;
use vocalhost_config::{Network, Settings};
use vocalhost_files::FileStore;
use vocalhost_hooks::AddressRules;
use vocalhost_http::body::BodyTimes;
use vocalhost_http::signing::{self, UrlSigner};
use vocalhost_observe::metrics::Metrics;
use vocalhost_observe::traces::Tracer;
use vocalhost_store::Store;
use vocalhost_system::clock;
use vocalhost_system::disk::Reserve;
use vocalhost_work::live::LiveDesk;
use vocalhost_work::lossy::LossyMaker;

use super::limits::Limits;

/// What every request shares.
pub struct Api {
    /// The settings in force.
    pub settings: Settings,
    /// The database.
    pub store: Store,
    /// Recordings and results.
    pub files: FileStore,
    /// The installed effects.
    pub shelf: Shelf,
    /// The models: packages and voices.
    pub library: Library,
    /// Figures for whoever watches.
    pub metrics: Arc<Metrics>,
    /// Tells a collector what happened to requests.
    pub tracer: Tracer,
    /// Signs links to files.
    pub signer: UrlSigner,
    /// Where clients reach this server, without a slash at the end.
    pub public_url: String,
    /// Where earlier versions kept resumable uploads, which are files of the store now.
    pub resumable_folder: PathBuf,
    /// This program, which is started again to look at recordings.
    pub program: PathBuf,
    /// Counts requests.
    pub limits: Limits,
    /// Proxies whose forwarding headers are believed.
    pub trusted_proxies: Vec<Network>,
    /// Recordings that are looked at at a time.
    pub probe_slots: Semaphore,
    /// Which addresses webhooks may go to.
    pub webhook_addresses: AddressRules,
    /// Recordings that are portrayed at a time.
    pub portrait_slots: Semaphore,
    /// Makes the files of results that are left for later.
    pub lossy: LossyMaker,
    /// Has the workers of live conversions.
    pub live: LiveDesk,
    /// Whether workers can be started that run jobs; the scheduler says so.
    pub workers_up: Arc<AtomicBool>,
    /// The disk space that has to stay free: below it no new work is taken.
    pub reserve: Reserve,
    /// Set once the server was told to stop.
    pub draining: AtomicBool,
}

impl Api {
    /// Whether the server was told to stop.
    #[must_use]
    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// From now on no new work is taken.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// A link to a result, good for the time that is set.
    #[must_use]
    pub(crate) fn result_link(&self, target: &str) -> String {
        self.link(target, now_s() + self.settings.result_url_ttl_s)
    }

    /// A link that repeats within the hour, so that clients can keep what it leads to.
    #[must_use]
    pub(crate) fn stable_link(&self, target: &str) -> String {
        self.link(
            target,
            signing::stable_expiry_s(now_s(), self.settings.result_url_ttl_s),
        )
    }

    fn link(&self, target: &str, expires_at_s: u64) -> String {
        let root = &self.settings.api_roots[0];
        let signed = self.signer.sign(target, expires_at_s);
        format!("{}{root}/files/{signed}", self.public_url)
    }

    /// How long the body of a request may take.
    pub(crate) fn body_times(&self) -> BodyTimes {
        BodyTimes {
            idle: Duration::from_secs_f64(self.settings.body_idle_timeout_s),
            whole: Duration::from_secs_f64(self.settings.body_timeout_s),
        }
    }
}

/// Seconds since the Unix epoch.
pub(crate) fn now_s() -> u64 {
    u64::try_from(clock::now_us() / clock::US_PER_S).unwrap_or(0)
}
