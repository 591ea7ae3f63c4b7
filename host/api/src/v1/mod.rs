//! The resources of the v1 API, one file each.

pub(super) mod account;
pub(super) mod action_routes;
mod actions;
pub mod admin;
/// The audit log.
pub mod admin_audit;
/// Effects, for operators.
pub mod admin_effects;
/// Jobs of all users, for operators.
pub mod admin_jobs;
/// Keys, for operators.
pub mod admin_keys;
/// Voices, for operators.
pub mod admin_models;
pub(super) mod admin_nodes;
/// Model packages, for operators.
pub mod admin_packages;
/// Users, for operators.
pub mod admin_users;
pub(super) mod all_jobs;
mod archive;
mod blend_record;
pub(super) mod blender;
mod blender_form;
/// Chains of effects, as requests have them.
pub mod chain;
mod chain_form;
mod clean_form;
mod common;
#[cfg(feature = "console")]
pub(super) mod console;
mod conversion_form;
pub(super) mod conversions;
pub(super) mod docs;
pub(super) mod effects;
mod events;
pub(super) mod figures;
pub(super) mod files;
mod follow;
pub(super) mod health;
/// Jobs as commands ask for them.
pub mod here;
pub(super) mod index;
mod intake;
mod job_record;
mod jobs;
mod json_fields;
mod links;
pub(super) mod live;
mod lossy;
mod lossy_form;
mod metadata;
pub mod model_form;
mod model_import;
pub(super) mod models;
pub(super) mod names;
mod output_form;
mod own_voice;
/// Saved chains.
pub mod pipelines;
mod portrait;
pub(super) mod portraits;
mod probe;
mod records;
pub(super) mod separations;
mod separators;
mod served;
/// Sign-ins to the console.
pub mod sessions;
pub(super) mod shapes;
mod spoken_consent;
mod target;
mod timestamp;
mod training_form;
mod training_record;
mod training_recordings;
pub(super) mod trainings;
pub(super) mod uploads;
mod usable;
mod voice_files;
/// What was sent to a webhook.
pub mod webhook_deliveries;
mod webhook_form;
/// Webhooks.
pub mod webhooks;

pub use crate::rules::problem::FieldError;
use job_record::of as job_record;
pub use job_record::of_named as job_record_of;
pub(super) use shapes::SCHEMAS;
pub use timestamp::timestamp;
pub use webhook_deliveries::WEBHOOK_DISABLED;
