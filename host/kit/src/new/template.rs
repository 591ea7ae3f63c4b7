//! The texts of a new project.

use super::name::{EffectId, ProjectName, Vendor};
use super::sdk_manifest;

/// (language, place in the project, text).
type Table = &'static [(&'static str, &'static str, &'static str)];

/// Texts with marks such as `{{name}}` in them.
const TEMPLATES: Table = include!(concat!(env!("OUT_DIR"), "/templates.rs"));
/// Texts of ours that a project brings along unchanged.
const CARRIED: Table = include!(concat!(env!("OUT_DIR"), "/carried.rs"));

/// The compiler's flags for components, those of the built-in effects.
const RUSTFLAGS: &str = env!("VOCALHOST_EFFECT_RUSTFLAGS");

/// What a project is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Language {
    /// Rust: fast, and nothing but cargo is needed.
    Rust,
    /// C: fast; Python's package `ziglang` is the compiler.
    C,
    /// JavaScript: an interpreter comes along, which is slow and large.
    Js,
}

impl Language {
    fn folder(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::C => "c",
            Self::Js => "js",
        }
    }
}

/// Every file of a project: its place, with `/` between folders, and its text.
pub(super) fn files(
    language: Language,
    name: &ProjectName,
    id: &EffectId,
    vendor: &Vendor,
) -> Vec<(&'static str, String)> {
    let quoted_flags: Vec<String> = RUSTFLAGS
        .split(' ')
        .map(|flag| format!("{flag:?}"))
        .collect();
    let marks = [
        ("{{name}}", name.to_string()),
        ("{{library}}", name.library()),
        ("{{title}}", name.title()),
        ("{{id}}", id.to_string()),
        ("{{tag}}", format!("{}:modulation", id.vendor_word())),
        ("{{rustflags}}", quoted_flags.join(", ")),
        // The interface's crate goes along as it is in this release.
        ("{{release}}", env!("CARGO_PKG_VERSION").to_owned()),
        // The last one: a vendor may be called like a mark.
        ("{{vendor}}", vendor.in_quotes()),
    ];
    let of_language = |table: Table| {
        table
            .iter()
            .filter(move |(of, _, _)| *of == language.folder())
    };
    let mut files: Vec<(&str, String)> = of_language(TEMPLATES)
        .map(|&(_, place, text)| {
            let mut text = text.to_owned();
            for (mark, meaning) in &marks {
                text = text.replace(mark, meaning);
            }
            (place, text)
        })
        .collect();
    files.extend(of_language(CARRIED).map(|&(_, place, text)| (place, text.to_owned())));
    if language == Language::Rust {
        files.push(("sdk/Cargo.toml", sdk_manifest::standalone()));
        for (place, text) in &mut files {
            if *place == "Cargo.lock" {
                *text = sorted(text);
            }
        }
    }
    files
}

/// Whether a crate of this name is one that a Rust project needs.
pub(super) fn is_dependency(name: &str) -> bool {
    let wanted = format!("name = \"{name}\"");
    let locks = TEMPLATES
        .iter()
        .filter(|(_, place, _)| *place == "Cargo.lock");
    locks
        .flat_map(|(_, _, text)| text.lines())
        .any(|line| line == wanted)
}

/// The lock file with its packages in the order that cargo writes, so that it takes the file for its own.
fn sorted(lock: &str) -> String {
    const PACKAGE: &str = "[[package]]\n";
    let mut parts = lock.split(PACKAGE);
    let head = parts.next().unwrap_or_default();
    let mut packages: Vec<&str> = parts.map(str::trim_end).collect();
    packages.sort_by_key(|package| package.lines().next());
    let packages: Vec<String> = packages
        .iter()
        .map(|package| format!("{PACKAGE}{package}\n"))
        .collect();
    format!("{head}{}", packages.join("\n"))
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum as _;

    use super::*;

    fn project(language: Language) -> Vec<(&'static str, String)> {
        let name: ProjectName = "zz-top".parse().expect("a name");
        files(language, &name, &name.example_id(), &Vendor::default())
    }

    #[test]
    fn no_mark_is_left_and_no_file_is_written_twice() {
        for language in Language::value_variants() {
            let mut places = Vec::new();
            for (place, text) in project(*language) {
                assert!(
                    !text.contains("{{name") && !text.contains("{{id"),
                    "{place}"
                );
                places.push(place);
            }
            let count = places.len();
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), count);
            assert!(places.contains(&"README.md") && places.contains(&".gitignore"));
        }
    }

    #[test]
    fn every_language_brings_the_interface_along() {
        let interface = include_str!("../../../../wit/effect.wit");
        for (language, place) in [
            (Language::Rust, "sdk/wit/effect.wit"),
            (Language::C, "sdk/wit/effect.wit"),
            (Language::Js, "wit/effect.wit"),
        ] {
            assert!(project(language).contains(&(place, interface.to_owned())));
        }
    }

    #[test]
    fn the_packages_of_the_lock_file_are_in_order() {
        let files = project(Language::Rust);
        let (_, lock) = files
            .iter()
            .find(|(place, _)| *place == "Cargo.lock")
            .expect("there is one");
        let names: Vec<&str> = lock
            .lines()
            .filter(|line| line.starts_with("name = "))
            .collect();
        assert!(names.is_sorted() && names.contains(&"name = \"zz-top\""));
    }
}
