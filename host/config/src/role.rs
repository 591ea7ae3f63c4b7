//! What a server does among several.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// What a server does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It answers requests and runs jobs.
    All,
    /// It answers requests, and runs no job.
    Api,
    /// It runs jobs, and answers nothing but how it is.
    Worker,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 3] = [Self::All, Self::Api, Self::Worker];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Api => "api",
            Self::Worker => "worker",
        }
    }

    /// Whether it answers the requests of clients.
    #[must_use]
    pub fn answers(self) -> bool {
        self != Self::Worker
    }

    /// Whether it runs jobs.
    #[must_use]
    pub fn works(self) -> bool {
        self != Self::Api
    }
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut roles = Self::ALL.into_iter();
        roles.find(|role| role.as_str() == text).ok_or(())
    }
}
