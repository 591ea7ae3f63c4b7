//! The resources of the v1 API, one file each.

pub(super) mod action_routes;
mod actions;
pub(crate) mod admin_effects;
pub(super) mod all_jobs;
pub(super) mod blender;
mod blender_form;
pub(crate) mod chain;
mod chain_form;
mod common;
mod conversion_form;
pub(super) mod conversions;
pub(crate) mod effects;
mod events;
mod follow;
mod intake;
mod job_record;
mod jobs;
mod metadata;
pub(super) mod models;
mod output_form;
pub(crate) mod pipelines;
pub(super) mod portraits;
mod records;
pub(super) mod separations;
mod shapes;
mod timestamp;
pub(super) mod webhook_deliveries;
mod webhook_form;
pub(super) mod webhooks;

pub(super) use job_record::{created_again, of as job_record};
pub(super) use shapes::SCHEMAS;
pub(crate) use timestamp::timestamp;
