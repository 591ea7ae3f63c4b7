//! The pages in one folder, as mdbook wants them, at the paths that they have in the repository, so that a link between two of them is
//! the same in both.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use vocalhost_testing::pages::{Page, SUMMARY, listed, resolved};

/// Puts the pages of the repository at `root`, and the files that they lead to, into the folder `to`.
pub fn gather(root: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to).with_context(|| format!("cannot remove {}", to.display()))?;
    }
    write(&to.join("book.toml"), &read(&root.join("docs/book.toml"))?)?;
    let pages: BTreeSet<String> = listed().into_iter().collect();
    let source = to.join("src");
    let summary = in_the_book(&Page::read(SUMMARY), |path| Some(format!("/{path}")));
    // Its links are seen from the folder of the site, not from that of the documentation.
    write(&source.join("SUMMARY.md"), &summary.replace("](/", "]("))?;
    for name in &pages {
        let page = Page::read(name);
        for link in page.links() {
            let Some(path) = resolved(name, &link.target) else {
                continue;
            };
            let file = root.join(&path);
            if pages.contains(&path) || file.is_dir() {
                continue;
            }
            if file.extension().is_some_and(|ending| ending == "md") {
                bail!("{name} links to {path}, which {SUMMARY} does not list");
            }
            let copy = source.join(&path);
            make_folder_of(&copy)?;
            fs::copy(&file, &copy).with_context(|| format!("{name} links to {path}"))?;
        }
        let text = in_the_book(&page, |path| leads_to(root, &pages, path));
        write(&source.join(name), &text)?;
    }
    Ok(())
}

/// Where a link to `path` leads in the book, seen from its root: a folder is its `README.md`, if that is a page of the book. mdbook makes
/// an `index.html` of each `README.md`, but leaves links to it as they are.
fn leads_to(root: &Path, pages: &BTreeSet<String>, path: &str) -> Option<String> {
    let readme = if root.join(path).is_dir() {
        let readme = format!("{path}/README.md");
        pages.contains(&readme).then_some(readme)?
    } else {
        path.to_owned()
    };
    let is_page = pages.contains(&readme);
    let folder = readme.strip_suffix("README.md").filter(|_| is_page);
    Some(folder.map_or(readme.clone(), |folder| format!("{folder}index.md")))
}

/// The text of a page with its links as `leads_to` has them. A link to something that the book does not have becomes its words.
fn in_the_book(page: &Page, leads_to: impl Fn(&str) -> Option<String>) -> String {
    let mut text = page.text.clone();
    // From the end on, so that the places before stay as they are.
    for link in page.links().into_iter().rev() {
        let Some(path) = resolved(&page.name, &link.target) else {
            continue;
        };
        let words = &page.text[link.place.clone()];
        let target = format!("]({})", link.target);
        let changed = match leads_to(&path) {
            Some(there) if there == path => continue,
            Some(there) => {
                let there = seen_from(&page.name, &there);
                let place = link
                    .target
                    .find('#')
                    .map_or("", |place| &link.target[place..]);
                words.replace(&target, &format!("]({there}{place})"))
            }
            None => words.trim_start_matches('[').replace(&target, ""),
        };
        text.replace_range(link.place, &changed);
    }
    text
}

/// A path of the book as a page of it links there; one that begins with `/` stays as it is.
fn seen_from(page: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    format!("{}{path}", "../".repeat(page.matches('/').count()))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    make_folder_of(path)?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn make_folder_of(path: &Path) -> Result<()> {
    let folder = path.parent().context("a file lies in a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folders::root;

    #[test]
    fn a_link_to_a_folder_leads_to_its_page_or_is_no_link() {
        let page = Page {
            name: "docs/page.md".to_owned(),
            text: "[`examples/`](../examples), [`host/`](../host), [a](other.md#part), [b](https://example.org), [c](../examples/README.md#use)".to_owned(),
        };
        let pages = BTreeSet::from(["examples/README.md".to_owned()]);
        let text = in_the_book(&page, |path| leads_to(&root(), &pages, path));
        assert_eq!(
            text,
            "[`examples/`](../examples/index.md), `host/`, [a](other.md#part), [b](https://example.org), [c](../examples/index.md#use)"
        );
    }

    #[test]
    fn every_page_is_gathered_where_it_lies_with_the_pictures_that_it_shows() {
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("pages");
        gather(&root(), &to).expect("it is gathered");
        for name in listed() {
            assert!(to.join("src").join(&name).is_file(), "{name}");
        }
        let summary = read(&to.join("src/SUMMARY.md")).expect("it is there");
        assert!(
            summary.contains("](README.md)") && summary.contains("](docs/api.md)"),
            "{summary}"
        );
        for picture in [
            "docs/pictures/console-convert.png",
            "docs/responses/gain.svg",
            "wit/effect.wit",
        ] {
            assert!(to.join("src").join(picture).is_file(), "{picture}");
        }
    }
}
