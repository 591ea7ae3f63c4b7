//! The API from outside: a real server in a process of its own, spoken to over the network.

mod actions;
mod archive;
mod blender;
mod cancels;
mod catalogs;
mod connections;
mod conversions;
mod effects;
mod endurance;
mod errors;
mod files;
mod follow;
mod harness;
mod idempotency;
mod metrics;
mod openapi;
mod outputs;
mod pipelines;
mod plans;
mod portraits;
mod separations;
mod settings;
mod traces;
mod webhook_receivers;
mod webhook_tls;
mod webhooks;
