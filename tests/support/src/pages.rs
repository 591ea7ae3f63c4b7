//! The pages of the documentation as tests look at them: their links, what can be linked to, and their blocks of code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::repository;

/// The page that lists the others.
pub const SUMMARY: &str = "docs/SUMMARY.md";

/// Pages that people get with the program and that the summary does not list, since they lie in the archive of a release.
const BESIDE: [&str; 1] = ["deploy/archive/README.md"];

/// A page of the repository.
pub struct Page {
    /// Its path from the root of the repository, with `/`.
    pub name: String,
    /// As it lies in the repository.
    pub text: String,
}

/// A link or a picture.
pub struct Link {
    /// What it leads to, as it was written.
    pub target: String,
    /// Where it stands in the page, in bytes, from the first bracket to the last.
    pub place: Range<usize>,
}

/// A block of code.
pub struct Block {
    /// The word behind its fence; empty without one.
    pub language: String,
    /// What stands between the fences.
    pub text: String,
    /// Page and line, for what tests say.
    pub place: String,
}

/// Every page that the summary lists, and those that lie beside a release.
pub fn documentation() -> Vec<Page> {
    let listed = listed().into_iter();
    let beside = BESIDE.map(str::to_owned);
    listed.chain(beside).map(|name| Page::read(&name)).collect()
}

/// The names of the pages that the summary lists, in its order.
pub fn listed() -> Vec<String> {
    let summary = Page::read(SUMMARY);
    let links = summary.links();
    let inside = |link: &Link| resolved(SUMMARY, &link.target).expect("it is in the repository");
    links.iter().map(inside).collect()
}

/// Where a link of a page leads to: a path from the root of the repository. Nothing when that is outside, or a site elsewhere.
pub fn resolved(page: &str, target: &str) -> Option<String> {
    let (path, _) = target.split_once('#').unwrap_or((target, ""));
    if path.contains(':') {
        return None;
    }
    if path.is_empty() {
        return Some(page.to_owned());
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

impl Page {
    /// Reads the page of this name.
    pub fn read(name: &str) -> Self {
        let text = fs::read_to_string(repository(name));
        Self {
            name: name.to_owned(),
            text: text.unwrap_or_else(|error| panic!("{name}: {error}")),
        }
    }

    fn events(&self) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
        Parser::new_ext(&self.text, Options::ENABLE_TABLES).into_offset_iter()
    }

    /// Its links and pictures, those to sites elsewhere too.
    pub fn links(&self) -> Vec<Link> {
        let links = self.events().filter_map(|(event, place)| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(Link {
                target: dest_url.into_string(),
                place,
            }),
            _ => None,
        });
        links.collect()
    }

    /// What stands behind `#` in a link to one of its headings, by the rule that sites for repositories and mdbook share.
    pub fn anchors(&self) -> BTreeSet<String> {
        let mut anchors = BTreeSet::new();
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        let mut heading: Option<String> = None;
        for (event, _) in self.events() {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    let anchor = anchor(&heading.take().unwrap_or_default());
                    let before = times.entry(anchor.clone()).or_default();
                    anchors.insert(match *before {
                        0 => anchor,
                        more => format!("{anchor}-{more}"),
                    });
                    *before += 1;
                }
                _ => {}
            }
        }
        anchors
    }

    /// Its blocks of code.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        for (event, place) in self.events() {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let line = 1 + self.text[..place.start].matches('\n').count();
                    open = Some(Block {
                        language: match kind {
                            CodeBlockKind::Fenced(word) => word.into_string(),
                            CodeBlockKind::Indented => String::new(),
                        },
                        text: String::new(),
                        place: format!("{}:{line}", self.name),
                    });
                }
                Event::Text(text) => {
                    if let Some(block) = &mut open {
                        block.text.push_str(&text);
                    }
                }
                Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
                _ => {}
            }
        }
        blocks
    }

    /// What stands in its sentences as code.
    pub fn words_of_code(&self) -> Vec<String> {
        let words = self.events().filter_map(|(event, _)| match event {
            Event::Code(text) => Some(text.into_string()),
            _ => None,
        });
        words.collect()
    }
}

fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter_map(|letter| match letter {
        letter if letter.is_alphanumeric() || "-_".contains(letter) => {
            Some(letter.to_ascii_lowercase())
        }
        letter if letter.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        Page {
            name: "docs/page.md".to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn links_lead_to_where_they_say() {
        let leads = |target| resolved("docs/deep/page.md", target);
        assert_eq!(
            leads("other.md#part").as_deref(),
            Some("docs/deep/other.md")
        );
        assert_eq!(leads("../../README.md").as_deref(), Some("README.md"));
        assert_eq!(leads("#here").as_deref(), Some("docs/deep/page.md"));
        assert_eq!(leads("../../models/").as_deref(), Some("models"));
        assert_eq!(leads("../../../outside.md"), None);
        assert_eq!(leads("https://example.org/page.md"), None);
    }

    #[test]
    fn links_anchors_and_blocks_are_found() {
        let page = page(
            "# One `and` two!\n\n[a](b.md), ![p](p.png)\n\n## Same\n\n## Same\n\n```sh\n# [no](link)\nvocalhost\n```\n\n    old\n",
        );
        let links = page.links();
        let targets: Vec<&str> = links.iter().map(|link| link.target.as_str()).collect();
        assert_eq!(targets, ["b.md", "p.png"]);
        assert_eq!(&page.text[links[0].place.clone()], "[a](b.md)");
        let anchors: Vec<String> = page.anchors().into_iter().collect();
        assert_eq!(anchors, ["one-and-two", "same", "same-1"]);
        let blocks = page.blocks();
        assert_eq!(blocks[0].language, "sh");
        assert_eq!(blocks[0].text, "# [no](link)\nvocalhost\n");
        assert_eq!(blocks[0].place, "docs/page.md:9");
        assert_eq!(blocks[1].language, "");
    }
}
