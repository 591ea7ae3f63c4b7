/// Which part of the API a listener serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// Everything: there is one listener.
    Whole,
    /// What clients need: the operators' part has a listener of its own.
    Clients,
    /// What operators need, and the health checks.
    Operators,
}

/// The health checks, which every listener answers.
const EVERYWHERE: [&str; 2] = ["/livez", "/readyz"];

impl Surface {
    /// Whether a path, without its root, is served here.
    #[must_use]
    pub fn has(self, path: &str) -> bool {
        let is_operators = path == "/metrics" || path.starts_with("/admin/");
        match self {
            Self::Whole => true,
            Self::Clients => !is_operators,
            Self::Operators => is_operators || EVERYWHERE.contains(&path),
        }
    }
}
