//! Texts of a package for people. They are printed on terminals and shown in pages, whoever wrote them.

use super::fault::{Fault, require};
use super::limits::MAX_TEXT_BYTES;
use super::manifest::{Kind, Manifest};
use super::sections::BlendSource;
use vocalhost_letters::{breaks_line, is_shapeless};

/// The longest title of a voice: titles are shown in lists.
pub const MAX_TITLE_CHARACTERS: usize = 200;
/// The most tags of a voice.
pub const MAX_TAGS: usize = 32;
/// The longest tag.
pub const MAX_TAG_CHARACTERS: usize = 64;

/// Whether a voice may have this title.
#[must_use]
pub fn is_title(title: &str) -> bool {
    !is_blank(title)
        && title.chars().count() <= MAX_TITLE_CHARACTERS
        && !title.contains(breaks_line)
}

/// Whether a text shows nothing: it consists of blanks and characters without a shape.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_shapeless(c))
}

/// The rule that a refused title breaks.
#[must_use]
pub fn title_rule() -> String {
    format!(
        "must be 1 to {MAX_TITLE_CHARACTERS} characters on one line, some of them visible, without control characters and such as turn the direction of text"
    )
}

/// Whether a voice may have this tag.
#[must_use]
pub fn is_tag(tag: &str) -> bool {
    tag.chars().count() <= MAX_TAG_CHARACTERS && !tag.contains(breaks_line)
}

/// Checks every text of a manifest.
pub(super) fn check(manifest: &Manifest) -> Result<(), Fault> {
    for (key, text) in [
        ("name", &manifest.name),
        ("version", &manifest.version),
        ("license", &manifest.license),
        ("attribution", &manifest.attribution),
        ("trained_on", &manifest.trained_on),
        ("consent", &manifest.consent),
        ("created", &manifest.created),
    ] {
        stated(key, text)?;
    }
    address("source_url", manifest.source_url.as_deref())?;
    if manifest.kind == Kind::Voice {
        require(is_title(&manifest.name), "name", title_rule())?;
    }
    let stems = manifest.stems.iter().flat_map(|stems| &stems.names);
    for name in stems {
        stated("stems.names", name)?;
    }
    let tags = manifest.voice.as_ref().map(|voice| &voice.tags[..]);
    check_tags(tags.unwrap_or_default())?;
    manifest.blended.iter().try_for_each(source)
}

fn check_tags(tags: &[String]) -> Result<(), Fault> {
    require(
        tags.len() <= MAX_TAGS,
        "voice.tags",
        format!("must be at most {MAX_TAGS} words"),
    )?;
    require(
        tags.iter().all(|tag| is_tag(tag)),
        "voice.tags",
        format!("must have at most {MAX_TAG_CHARACTERS} characters each and no control characters"),
    )
}

fn source(source: &BlendSource) -> Result<(), Fault> {
    require(is_title(&source.name), "blend.name", title_rule())?;
    for (key, text) in [
        ("blend.id", &source.id),
        ("blend.version", &source.version),
        ("blend.license", &source.license),
        ("blend.attribution", &source.attribution),
        ("blend.trained_on", &source.trained_on),
        ("blend.consent", &source.consent),
    ] {
        stated(key, text)?;
    }
    address("blend.source_url", source.source_url.as_deref())
}

/// Checks an optional address: pages make links of it, which must run nothing, as those of `javascript:` would.
fn address(key: &str, url: Option<&str>) -> Result<(), Fault> {
    let url = url.unwrap_or_default();
    // Browsers ignore line ends and blanks before a scheme and within it.
    let shown: String = url.split_whitespace().collect();
    let scheme = shown.split_once(':').map_or("", |(scheme, _)| scheme);
    // After these, a colon belongs to a path.
    let is_scheme = !scheme.contains(['/', '?', '#']);
    let leads_away = ["", "http", "https"].contains(&scheme.to_ascii_lowercase().as_str());
    require(
        leads_away || !is_scheme,
        key,
        "must be an address on the web, https: or http:",
    )?;
    plain(key, url)
}

/// A text that must say something.
fn stated(key: &str, text: &str) -> Result<(), Fault> {
    require(!text.trim().is_empty(), key, "must not be empty")?;
    plain(key, text)
}

fn plain(key: &str, text: &str) -> Result<(), Fault> {
    require(
        text.len() <= MAX_TEXT_BYTES,
        key,
        format!("must be at most {MAX_TEXT_BYTES} bytes"),
    )?;
    let is_plain = |letter: char| !letter.is_control() || (letter == '\n' && key != "name");
    require(
        text.chars().all(is_plain),
        key,
        "must have no control characters",
    )
}
