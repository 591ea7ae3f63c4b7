//! Cargo, as every command here starts it.

use std::env;
use std::process::Command;

use crate::cmake;
use crate::folders::root;

/// A command of cargo's in the repository, which finds the `CMake` that set-up has put into the cache, if it has.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    if let Some(cmake) = cmake::in_cache() {
        command.env(cmake::VARIABLE, cmake);
    }
    command
}
