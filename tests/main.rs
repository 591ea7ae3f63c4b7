//! The integration suite: one binary, modules named like the host's areas.

mod api;
mod audio;
mod clients;
mod kit;
mod library;
mod model;
mod pipeline;
mod plugin;
mod store;
mod support;
mod tree;
mod worker;
