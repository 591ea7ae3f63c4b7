/// Which part of the API a listener serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// Everything: there is one listener.
    Whole,
    /// What clients need: the operators' part has a listener of its own.
    Clients,
    /// What operators need, and the health checks.
    Operators,
    /// The health checks and figures of a server that only runs jobs.
    Checks,
}

/// The health checks and figures.
const CHECKS: [&str; 3] = ["/livez", "/readyz", "/metrics"];

/// What every listener answers: the health checks, the console, and what it cannot do without.
const EVERYWHERE: [&str; 9] = [
    "/livez",
    "/readyz",
    "/",
    "/assets/{*target}",
    "/console/config.json",
    "/console/session",
    "/me",
    "/me/sessions",
    "/me/sessions/{id}",
];

impl Surface {
    /// Every one that may have a console.
    #[cfg(feature = "console")]
    pub(crate) const ALL: [Self; 3] = [Self::Whole, Self::Clients, Self::Operators];

    /// Its name for the console.
    #[cfg(feature = "console")]
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Clients => "clients",
            Self::Operators => "operators",
            Self::Checks => "checks",
        }
    }

    /// Whether a path, without its root, is served here.
    #[must_use]
    pub(crate) fn has(self, path: &str) -> bool {
        let is_operators = path == "/metrics" || path.starts_with("/admin/");
        match self {
            Self::Whole => true,
            Self::Clients => !is_operators,
            Self::Operators => is_operators || EVERYWHERE.contains(&path),
            Self::Checks => CHECKS.contains(&path),
        }
    }
}
