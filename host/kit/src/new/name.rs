//! The names in a new project. A value of these types is valid everywhere that it is written to: folders, manifests, and string literals of
//! every language.

use std::fmt;
use std::str::FromStr;

/// Letters of a project's name: it becomes a part of the effect's id, which has at most 128.
const MAX_NAME_BYTES: usize = 64;
/// Bytes of the effect's id and of the vendor's name, as the interface says.
const MAX_LABEL_BYTES: usize = 128;

/// Names that no crate can have: the language's own words, and the crates that every Rust project knows.
const RESERVED: [&str; 52] = [
    "abstract", "alloc", "as", "async", "await", "become", "box", "break", "const", "continue",
    "core", "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen",
    "if", "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv",
    "pub", "ref", "return", "self", "static", "std", "struct", "super", "test", "trait", "true",
    "try", "type", "typeof", "unsafe", "use", "where", "while",
];

/// Why a name cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrongName {
    /// Not the letters of a project's name.
    #[error(
        "a name begins with a letter and is made of a to z, 0 to 9 and single `-` between them, at most {MAX_NAME_BYTES} of them"
    )]
    Name,
    /// A word that a language or its tools have taken.
    #[error("{0} is a name that the compiler has taken")]
    Reserved(String),
    /// Not an effect's id.
    #[error(
        "an id has at least two parts with dots between them, each of a to z, 0 to 9 and `-`: com.example.tape-echo"
    )]
    Id,
    /// An id of the built-in effects.
    #[error("ids that begin with `vocalhost.` are those of the built-in effects")]
    BuiltInId,
    /// Not a vendor's name.
    #[error("a vendor's name has 1 to {MAX_LABEL_BYTES} bytes and no control characters")]
    Vendor,
}

/// The name of a project: its folder, its crate, and the last part of the effect's id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectName(String);

impl ProjectName {
    /// The name for people: `tape-echo` is "Tape echo".
    #[must_use]
    pub(super) fn title(&self) -> String {
        let words = self.0.replace('-', " ");
        let (first, rest) = words.split_at(1);
        first.to_uppercase() + rest
    }

    /// The id that an effect of this name has unless another one is chosen.
    #[must_use]
    pub fn example_id(&self) -> EffectId {
        EffectId(format!("com.example.{}", self.0))
    }

    /// The name of the Rust library, and so of its component: `tape_echo`.
    #[must_use]
    pub fn library(&self) -> String {
        self.0.replace('-', "_")
    }
}

impl FromStr for ProjectName {
    type Err = WrongName;

    fn from_str(name: &str) -> Result<Self, WrongName> {
        let letters = |letter: u8| matches!(letter, b'a'..=b'z' | b'0'..=b'9');
        let well_formed = name
            .split('-')
            .all(|word| !word.is_empty() && word.bytes().all(letters));
        let begins = name.starts_with(|letter: char| letter.is_ascii_lowercase());
        if !well_formed || !begins || name.len() > MAX_NAME_BYTES {
            return Err(WrongName::Name);
        }
        let taken = RESERVED.contains(&name) || super::template::is_dependency(name);
        if taken {
            return Err(WrongName::Reserved(name.to_owned()));
        }
        Ok(Self(name.to_owned()))
    }
}

impl fmt::Display for ProjectName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The id of an effect, as the interface defines it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectId(String);

impl EffectId {
    /// The first of the author's own search words: the vendor's part of the id.
    #[must_use]
    pub(super) fn vendor_word(&self) -> &str {
        let mut parts = self.0.rsplit('.');
        parts.nth(1).unwrap_or(&self.0)
    }
}

impl FromStr for EffectId {
    type Err = WrongName;

    fn from_str(id: &str) -> Result<Self, WrongName> {
        if !vocalhost_effects::is_effect_id(id) {
            return Err(WrongName::Id);
        }
        if vocalhost_effects::is_reserved(id) {
            return Err(WrongName::BuiltInId);
        }
        Ok(Self(id.to_owned()))
    }
}

impl fmt::Display for EffectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Who makes the effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vendor(String);

impl Vendor {
    /// The name as it stands between the double quotes of a Rust, C or JavaScript string.
    #[must_use]
    pub(super) fn in_quotes(&self) -> String {
        self.0.replace('\\', r"\\").replace('"', "\\\"")
    }
}

impl Default for Vendor {
    fn default() -> Self {
        Self("Example".to_owned())
    }
}

impl FromStr for Vendor {
    type Err = WrongName;

    fn from_str(name: &str) -> Result<Self, WrongName> {
        // Characters that turn the direction of text are refused in source files by compilers.
        let unfit = |letter: char| {
            letter.is_control()
                || matches!(letter, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        if name.is_empty() || name.len() > MAX_LABEL_BYTES || name.contains(unfit) {
            return Err(WrongName::Vendor);
        }
        Ok(Self(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_become_crates_folders_and_ids_pass() {
        for name in ["echo", "tape-echo", "x2", "a-1-b"] {
            let parsed: ProjectName = name.parse().expect(name);
            assert!(vocalhost_effects::is_effect_id(
                &parsed.example_id().to_string()
            ));
        }
        let name: ProjectName = "tape-echo".parse().expect("a name");
        assert_eq!(name.title(), "Tape echo");
        assert_eq!(name.library(), "tape_echo");
    }

    #[test]
    fn other_names_are_refused() {
        let long = "x".repeat(MAX_NAME_BYTES + 1);
        for name in [
            "", "-echo", "echo-", "a--b", "Echo", "2x", "a_b", "a/b", "..", "a b", "é", &long,
        ] {
            assert_eq!(name.parse::<ProjectName>(), Err(WrongName::Name), "{name}");
        }
        for name in ["fn", "std", "test", "vocalhost-effect", "wit-bindgen"] {
            assert!(matches!(
                name.parse::<ProjectName>(),
                Err(WrongName::Reserved(_))
            ));
        }
    }

    #[test]
    fn ids_are_those_of_the_interface_and_not_ours() {
        assert_eq!("echo".parse::<EffectId>(), Err(WrongName::Id));
        assert_eq!(
            "vocalhost.echo".parse::<EffectId>(),
            Err(WrongName::BuiltInId)
        );
        let id: EffectId = "org.tapes.echo".parse().expect("an id");
        assert_eq!(id.vendor_word(), "tapes");
    }

    #[test]
    fn a_vendor_cannot_end_the_string_that_it_stands_in() {
        let vendor: Vendor = r#"A "B" \ C"#.parse().expect("a name");
        assert_eq!(vendor.in_quotes(), r#"A \"B\" \\ C"#);
        for name in ["", "a\nb", "a\u{202e}b", "\0"] {
            assert_eq!(name.parse::<Vendor>(), Err(WrongName::Vendor));
        }
    }
}
