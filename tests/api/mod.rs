//! The API from outside: a real server in a process of its own, spoken to over the network.

mod blender;
mod catalogs;
mod connections;
mod conversions;
mod effects;
mod errors;
mod files;
mod harness;
mod openapi;
mod pipelines;
mod separations;
mod settings;
mod uploads;
