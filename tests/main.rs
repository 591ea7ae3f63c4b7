//! The suite of what takes the program or several crates: one binary, modules named like the crates.

mod api;
mod clients;
mod kit;
mod library;
mod model;
mod pipeline;
mod plugin;
mod support;
mod tree;
mod worker;
