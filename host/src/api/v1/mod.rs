//! The resources of the v1 API, one file each.

pub(crate) mod admin_effects;
mod any_job;
pub(super) mod blender;
mod blender_form;
pub(crate) mod chain;
mod chain_form;
mod conversion_form;
pub(super) mod conversions;
pub(crate) mod effects;
mod jobs;
mod metadata;
pub(super) mod models;
pub(crate) mod pipelines;
mod records;
pub(super) mod separations;
mod timestamp;
pub(super) mod webhook_deliveries;
mod webhook_form;
pub(super) mod webhooks;

pub(super) use any_job::record as any_job;
pub(crate) use timestamp::timestamp;
