use std::sync::Arc;

use super::settings::SchedulerSettings;
use vocalhost_files::FileStore;
use vocalhost_observe::metrics::Metrics;
use vocalhost_observe::traces::Tracer;
use vocalhost_store::Store;

/// What an attempt works with. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Workbench {
    /// Where jobs are.
    pub store: Store,
    /// Where recordings and results are.
    pub files: FileStore,
    /// How to work.
    pub settings: Arc<SchedulerSettings>,
    /// Figures for whoever watches.
    pub metrics: Arc<Metrics>,
    /// Tells a collector what happened to jobs.
    pub tracer: Tracer,
}
