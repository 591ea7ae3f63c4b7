use std::fmt;
use std::path::{Path, PathBuf};

/// Where a database is.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseAddress {
    /// A file of `SQLite`'s.
    File(PathBuf),
    /// A `PostgreSQL` server's, which begins with `postgres://` or `postgresql://` and may have a password in it.
    Server(String),
}

impl DatabaseAddress {
    /// Whether a text looks like the address of a server.
    #[must_use]
    pub fn is_of_server(text: &str) -> bool {
        ["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| text.starts_with(scheme))
    }
}

impl From<&Path> for DatabaseAddress {
    fn from(file: &Path) -> Self {
        Self::File(file.to_owned())
    }
}

impl From<&PathBuf> for DatabaseAddress {
    fn from(file: &PathBuf) -> Self {
        Self::File(file.clone())
    }
}

/// Without user and password: what is shown ends up in logs.
impl fmt::Display for DatabaseAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => write!(formatter, "{}", file.display()),
            Self::Server(address) => {
                let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
                let end = rest.find(['?', '#']).unwrap_or(rest.len());
                let place = rest[..end]
                    .rsplit_once('@')
                    .map_or(&rest[..end], |(_, place)| place);
                write!(formatter, "{scheme}://{place}")
            }
        }
    }
}

impl fmt::Debug for DatabaseAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_shown_has_no_password() {
        for (address, shown) in [
            (
                "postgres://ann:secret@db:5432/sounds?password=secret",
                "postgres://db:5432/sounds",
            ),
            (
                "postgresql://ann:p@ss:word@db/sounds",
                "postgresql://db/sounds",
            ),
            ("postgres://db", "postgres://db"),
        ] {
            let address = DatabaseAddress::Server(address.to_owned());
            assert_eq!(address.to_string(), shown);
            assert_eq!(format!("{address:?}"), shown);
        }
    }
}
