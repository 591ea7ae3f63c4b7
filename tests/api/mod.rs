//! The API from outside: a real server in a process of its own, spoken to over the network.

mod blender;
mod catalogs;
mod connections;
mod conversions;
mod effects;
mod endurance;
mod errors;
mod files;
mod harness;
mod openapi;
mod pipelines;
mod plans;
mod separations;
mod settings;
