//! The error for a text that no database stores.

/// A text contains the character NUL, which `PostgreSQL` cannot store; so it is refused for both databases.
#[derive(Debug, thiserror::Error)]
#[error("a text has the character NUL")]
pub(crate) struct NulInText;
