//! What is wrong with a manifest, and the helpers of all checks.

/// A key and what is wrong with it.
pub(super) struct Fault {
    pub(super) key: String,
    pub(super) reason: String,
}

/// Fails with the key and the reason unless `holds`.
pub(super) fn require(holds: bool, key: &str, reason: impl Into<String>) -> Result<(), Fault> {
    if holds {
        return Ok(());
    }
    Err(Fault {
        key: key.to_owned(),
        reason: reason.into(),
    })
}

pub(super) fn section<'m, T>(found: Option<&'m T>, key: &str) -> Result<&'m T, Fault> {
    found.ok_or_else(|| Fault {
        key: key.to_owned(),
        reason: "this section is required for this kind of package".to_owned(),
    })
}

pub(super) fn in_range(value: f64, low: f64, high: f64, key: &str) -> Result<(), Fault> {
    require(
        value >= low && value <= high,
        key,
        format!("must be {low} to {high}, is {value}"),
    )
}
