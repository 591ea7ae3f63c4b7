//! The resources of the v1 API, one file each.

pub(super) mod account;
pub(crate) mod admin;
pub(crate) mod admin_audit;
pub(crate) mod admin_effects;
pub(crate) mod admin_jobs;
pub(crate) mod admin_keys;
pub(crate) mod admin_models;
pub(crate) mod admin_users;
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
mod shapes;
mod timestamp;

pub(super) use shapes::SCHEMAS;
pub(crate) use timestamp::timestamp;
