//! The resources of the v1 API, one file each.

pub(crate) mod admin_effects;
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
mod output_form;
pub(crate) mod pipelines;
pub(super) mod portraits;
mod records;
pub(super) mod separations;
mod timestamp;

pub(crate) use timestamp::timestamp;
