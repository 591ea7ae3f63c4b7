//! The suite of what takes the whole program: a running server, its workers, and commands.

mod api;
mod bench_command;
mod clients;
#[cfg(feature = "console")]
mod console;
mod convert_command;
mod effect_registry;
mod encoders;
mod kit;
mod library;
mod live_command;
mod separate_command;
mod supervised;
mod train_command;
mod tree;
mod upgrade;
mod worker;
