use std::path::{Component, Path};

/// Whether a text names a file in a folder, and neither another folder nor the folder itself.
#[must_use]
pub fn is_plain_name(name: &str) -> bool {
    let mut components = Path::new(name).components();
    match (components.next(), components.next()) {
        (Some(Component::Normal(only)), None) => only == name,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_plain_name;

    #[test]
    fn only_plain_names_stay_in_a_folder() {
        assert!(is_plain_name("output.wav"));
        for name in ["", ".", "..", "../x", "a/b", "/etc/passwd", "./a", "a/"] {
            assert!(!is_plain_name(name), "{name:?}");
        }
    }
}
