//! What must survive a restart: users and keys, voices, effects, jobs and their events, in one SQL database. This is the only
//! area that knows SQL. Every time is given by the caller in microseconds since the Unix epoch: with `SQLite` the
//! server's clock and the database's clock are the same one.

mod blends;
mod change;
mod changes;
mod database;
mod deliveries;
mod effects;
mod effects_change;
mod effects_install;
mod error;
mod events;
mod figures;
mod idempotency;
mod jobs;
mod keys;
mod models;
mod outbox;
mod pipelines;
mod position;
mod queue;
mod removal;
mod reports;
mod rescue;
mod retention;
mod retry;
mod rows;
mod secret;
mod webhooks;

pub use blends::{NewVoice, StoredPackageFile};
pub use changes::Changes;
pub use database::Store;
pub use deliveries::{DeliveryAttempt, DeliveryRecord, DeliveryState};
pub use effects::{EffectOrigin, EffectOverrides, EffectRecord, NewEffect, PinnedEffect};
pub use effects_change::EffectChange;
pub use effects_install::InstallOutcome;
pub use error::StoreError;
pub use events::{EventKind, JobEvent};
pub use figures::QueueState;
pub use idempotency::{Completion, KeptAnswer, KeptRequest, Reservation, Reserved};
pub use jobs::{JobQuery, JobRecord, JobTies, NewJob, Page, QueueLimits, StoredInput};
pub use keys::{Caller, IssuedKey, KeyRecord, NewKey, Scope};
pub use models::{CatalogModel, ModelLinks, ModelQuery, ModelRecord};
pub use outbox::{AfterAttempt, DueDelivery, JOB_EVENTS, TEST_EVENT};
pub use pipelines::{NewPipeline, PipelineQuery, PipelineRecord};
pub use queue::{Claim, ClaimedJob, Handled, Lease};
pub use removal::RemovalOutcome;
pub use reports::CancelOutcome;
pub use retention::Expired;
pub use webhooks::{NewWebhook, WebhookChange, WebhookRecord};
