//! Which names the files of a package may have.

use std::collections::BTreeMap;
use std::path::{Component, Path};

/// The manifest's name in every package.
pub(super) const MANIFEST_NAME: &str = "package.toml";
/// The longest name of a file or a folder. File systems allow 255 bytes, and a file has a longer name while it is being written.
const MAX_PART_BYTES: usize = 240;
/// The longest path inside a package; with the path of the package itself it has to be less than 4,096 bytes.
const MAX_NAME_BYTES: usize = 1_024;

/// Why a name cannot be that of a file of a package; whoever writes or reads it must stay in the package's folder.
pub(super) fn name_fault(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.contains(|letter: char| letter == '\\' || letter.is_control()) {
        return Some("is not a file name");
    }
    let inside = |component: Component<'_>| matches!(component, Component::Normal(_));
    if !Path::new(name).components().all(inside) {
        return Some("leaves the package's folder");
    }
    // Systems ignore these, so that two names could mean one file.
    if name.split('/').any(|part| part.is_empty() || part == ".") {
        return Some("has a part that names nothing");
    }
    let is_long = |part: &str| part.len() > MAX_PART_BYTES;
    let is_too_long = name.len() > MAX_NAME_BYTES || name.split('/').any(is_long);
    is_too_long.then_some("is longer than file names can be")
}

/// Why these names cannot occur together, with the name at fault: one of them would be both a file and a folder.
pub(super) fn clash<T>(files: &BTreeMap<String, T>) -> Option<(&str, &'static str)> {
    let is_file = |name: &str| name == MANIFEST_NAME || files.contains_key(name);
    let in_file = |name: &&String| {
        name.match_indices('/')
            .any(|(end, _)| is_file(&name[..end]))
    };
    let name = files.keys().find(in_file)?;
    Some((name, "lies in a folder that is a file, too"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_plain_files_inside_are_taken() {
        for name in [
            "decoder.onnx",
            "a/b/c.onnx",
            ".hidden",
            "..a",
            "ä b",
            &"x".repeat(240),
        ] {
            assert_eq!(name_fault(name), None, "{name}");
        }
    }

    #[test]
    fn names_that_no_file_system_has_or_that_are_another_ones_are_refused() {
        let (part, path) = ("x".repeat(241), "x/".repeat(512) + "x");
        let fault = |name: &str| name_fault(name).expect("it is refused");
        for name in ["", "a\\b", "a\0", "a\u{1b}[2J"] {
            assert!(fault(name).contains("not a file name"), "{name:?}");
        }
        for name in ["/a", "../a", "a/../b", "./a", ".."] {
            assert!(fault(name).contains("leaves"), "{name}");
        }
        for name in ["a//b", "a/./b", "a/", "a/."] {
            assert!(fault(name).contains("names nothing"), "{name}");
        }
        for name in [&part, &format!("a/{part}/b"), &path] {
            assert!(fault(name).contains("longer"), "{name}");
        }
    }

    #[test]
    fn nothing_is_a_file_and_a_folder() {
        let clash_of = |names: &[&str]| {
            let files = names.iter().map(|name| ((*name).to_owned(), true));
            let files: BTreeMap<String, bool> = files.collect();
            clash(&files).map(|(name, _)| name.to_owned())
        };
        assert_eq!(clash_of(&["a", "a.onnx", "b/a", "b/c"]), None);
        assert_eq!(clash_of(&["a", "a/b"]).as_deref(), Some("a/b"));
        assert_eq!(clash_of(&["a/b", "a/b/c/d"]).as_deref(), Some("a/b/c/d"));
        let in_manifest = "package.toml/a";
        assert_eq!(clash_of(&[in_manifest]).as_deref(), Some(in_manifest));
    }
}
