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
/// Model packages, for operators.
pub mod admin_packages;
/// Users, for operators.
pub mod admin_users;
pub(super) mod all_jobs;
pub(super) mod blender;
mod blender_form;
/// Chains of effects, as requests have them.
pub mod chain;
mod chain_form;
mod common;
mod conversion_form;
pub(super) mod conversions;
/// The effects that a chain may name.
pub mod effects;
mod events;
mod follow;
/// Jobs as commands ask for them.
pub mod here;
mod intake;
mod job_record;
mod jobs;
mod metadata;
pub mod model_form;
mod model_import;
pub(super) mod models;
mod output_form;
mod own_voice;
/// Saved chains.
pub mod pipelines;
pub(super) mod portraits;
mod records;
pub(super) mod separations;
mod separators;
mod shapes;
mod timestamp;
/// What was sent to a webhook.
pub mod webhook_deliveries;
mod webhook_form;
/// Webhooks.
pub mod webhooks;

pub use crate::mistake::FieldError;
pub(super) use job_record::{created_again, of as job_record};
pub(super) use shapes::SCHEMAS;
pub use timestamp::timestamp;
pub use webhook_deliveries::WEBHOOK_DISABLED;
