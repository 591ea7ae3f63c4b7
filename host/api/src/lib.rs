#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod archive;
mod audit;
mod auth;
mod body;
mod bucket;
mod call;
mod connection;
mod figures;
mod files;
mod fingerprint;
mod health;
mod layers;
mod limits;
mod mistake;
mod multipart;
mod once;
mod openapi;
mod origin;
mod page;
mod portrait;
mod preference;
mod probe;
mod problem;
mod query;
mod range;
mod reply;
mod resumable;
mod route;
mod router;
mod routes;
mod server;
mod shapes;
mod signing;
mod small_body;
mod surface;
mod target;
mod timed;
mod trace;
mod upload;
pub mod v1;
pub mod zip;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Semaphore;

use vocalhost_catalogues::library::Library;
use vocalhost_catalogues::shelf::Shelf;
use vocalhost_config::{Network, Settings};
use vocalhost_files::FileStore;
use vocalhost_hooks::AddressRules;
use vocalhost_job::JobKind;
use vocalhost_observe::metrics::Metrics;
use vocalhost_observe::traces::Tracer;
use vocalhost_store::Store;
use vocalhost_system::clock;
use vocalhost_system::disk::Reserve;

pub use limits::Limits;
pub use route::{Class, Handler, Operation, Route};
pub use routes::{AT_ROOT, UNDER_ROOT};
pub use server::{ServeError, Server};
pub use signing::UrlSigner;
pub use surface::Surface;
pub use target::collection_of;

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
    /// Where uploads lie that arrive in several requests.
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
    /// Whether workers can be started that run jobs; the scheduler says so.
    pub workers_up: Arc<AtomicBool>,
    /// What of the disk has to stay free: below it no new work is taken.
    pub reserve: Reserve,
    /// Set once the server was told to stop.
    pub draining: AtomicBool,
}

impl Api {
    /// Whether the server was told to stop.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// From now on no new work is taken.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// The record of a job as its owner sees it; `None` when there is no such job.
    pub async fn job_record(&self, kind: &str, id: i64) -> Option<Value> {
        let kind = JobKind::parse(kind)?;
        let job = self.store.job(kind, id).await.ok().flatten()?;
        // What went wrong is in the log already.
        v1::job_record(self, &job).await.ok()
    }

    /// A link to a result, good for the time that is set.
    fn result_link(&self, target: &str) -> String {
        self.link(target, now_s() + self.settings.result_url_ttl_s)
    }

    /// A link that repeats within the hour, so that clients can keep what it leads to.
    fn stable_link(&self, target: &str) -> String {
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
    fn body_times(&self) -> body::BodyTimes {
        body::BodyTimes {
            idle: Duration::from_secs_f64(self.settings.body_idle_timeout_s),
            whole: Duration::from_secs_f64(self.settings.body_timeout_s),
        }
    }
}

/// Seconds since the Unix epoch.
fn now_s() -> u64 {
    u64::try_from(clock::now_us() / clock::US_PER_S).unwrap_or(0)
}
