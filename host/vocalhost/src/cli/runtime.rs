//! What commands that ask the database, the file store or a registry run in.

use super::CliError;

/// A runtime of its own for a command.
pub fn runtime() -> Result<tokio::runtime::Runtime, CliError> {
    tokio::runtime::Runtime::new().map_err(|source| CliError::System {
        what: "cannot start the runtime",
        source,
    })
}
