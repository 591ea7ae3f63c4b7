//! What this machine is called.

use std::fs;

/// Where Linux says it.
const NAME_FILE: &str = "/proc/sys/kernel/hostname";

/// The name of the machine, or of the container, for people; `unnamed` where the system does not say it.
#[must_use]
pub fn name() -> String {
    let said = fs::read_to_string(NAME_FILE).ok();
    let said = said.or_else(|| std::env::var("HOSTNAME").ok());
    let said = said.map(|name| name.trim().to_owned());
    said.filter(|name| !name.is_empty())
        .unwrap_or_else(|| "unnamed".to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_machine_has_a_name_of_one_line() {
        let name = super::name();
        assert!(
            !name.is_empty() && !name.contains(char::is_control),
            "{name:?}"
        );
    }
}
