//! What must survive a restart: users and keys, voices, effects, jobs and their events, in one SQL database. This is the only
//! area that knows SQL. Every time is given by the caller in microseconds since the Unix epoch: with `SQLite` the
//! server's clock and the database's clock are the same one.

mod blends;
mod change;
mod database;
mod effects;
mod effects_change;
mod effects_install;
mod error;
mod events;
mod jobs;
mod keys;
mod models;
mod pipelines;
mod position;
mod queue;
mod reports;
mod rescue;
mod retention;
mod rows;
mod secret;
mod uploads;

pub use blends::{NewVoice, StoredPackageFile};
pub use database::Store;
pub use effects::{EffectOrigin, EffectOverrides, EffectRecord, NewEffect, PinnedEffect};
pub use effects_change::EffectChange;
pub use effects_install::InstallOutcome;
pub use error::StoreError;
pub use events::{EventKind, JobEvent};
pub use jobs::{JobQuery, JobRecord, NewJob, Page, QueueLimits, StoredInput};
pub use keys::{Caller, IssuedKey, KeyRecord, NewKey, Scope};
pub use models::{CatalogModel, ModelLinks, ModelQuery, ModelRecord};
pub use pipelines::{NewPipeline, PipelineQuery, PipelineRecord};
pub use queue::{Claim, ClaimedJob, Handled, Lease};
pub use reports::CancelOutcome;
pub use retention::Expired;
pub use uploads::UploadRecord;
