//! The error of a text that no database stores.

/// A text has the character NUL, which `PostgreSQL` stores in none, so that neither database does.
#[derive(Debug, thiserror::Error)]
#[error("a text has the character NUL")]
pub(crate) struct NulInText;
