//! Who may train voices.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Who may train voices on this server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Training {
    /// Nobody.
    #[default]
    Off,
    /// Users whose key has the scope `admin`.
    Admins,
    /// Every user.
    Users,
    /// Every user, but nobody can use a new voice before an operator has enabled it.
    Review,
}

impl Training {
    /// Every choice.
    pub const ALL: [Self; 4] = [Self::Off, Self::Admins, Self::Users, Self::Review];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Admins => "admins",
            Self::Users => "users",
            Self::Review => "review",
        }
    }
}

impl fmt::Display for Training {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Training {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut choices = Self::ALL.into_iter();
        choices.find(|choice| choice.as_str() == text).ok_or(())
    }
}
