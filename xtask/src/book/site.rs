//! A built site, looked through for links that lead nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

/// What a page of a site has: places to link to, and links.
#[derive(Default)]
struct Facts {
    ids: BTreeSet<String>,
    links: Vec<String>,
}

/// The links of a site that lead to no file of it, or to no place of a page, each with the page that it stands in.
pub fn broken_links(site: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    list(site, &mut files)?;
    let mut pages: BTreeMap<PathBuf, Facts> = BTreeMap::new();
    for file in &files {
        if file.extension().is_some_and(|ending| ending == "html") {
            let text = fs::read_to_string(file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            pages.insert(file.clone(), facts(&text));
        }
    }
    let files: BTreeSet<PathBuf> = files.into_iter().collect();
    let mut broken = Vec::new();
    for (page, facts) in &pages {
        for link in &facts.links {
            let (path, place) = link.split_once('#').unwrap_or((link, ""));
            let there = seen_from(page, path);
            let is_there = files.contains(&there)
                && (place.is_empty()
                    || pages
                        .get(&there)
                        .is_none_or(|facts| facts.ids.contains(place)));
            if !is_there {
                let page = page.strip_prefix(site).unwrap_or(page);
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    Ok(broken)
}

/// The file that a link of a page leads to.
fn seen_from(page: &Path, path: &str) -> PathBuf {
    if path.is_empty() {
        return page.to_owned();
    }
    let mut there = page.parent().map(Path::to_path_buf).unwrap_or_default();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => {
                there.pop();
            }
            Component::Normal(name) => there.push(name),
            _ => {}
        }
    }
    if path.ends_with('/') {
        there.push("index.html");
    }
    there
}

/// What the tags of a page say; scripts are not read, and links to other sites are left out.
fn facts(html: &str) -> Facts {
    let mut facts = Facts::default();
    let mut rest = html;
    while let Some((_, behind)) = rest.split_once('<') {
        let (tag, after) = behind.split_once('>').unwrap_or((behind, ""));
        rest = after;
        if tag.starts_with("script") {
            rest = after.split_once("</script>").map_or("", |(_, rest)| rest);
        }
        facts.ids.extend(attribute(tag, "id").map(str::to_owned));
        for name in ["href", "src"] {
            let link = attribute(tag, name).map(|link| link.replace("&amp;", "&"));
            let inside = link.filter(|link| !link.contains(':') && !link.starts_with("//"));
            facts.links.extend(inside);
        }
    }
    facts
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    value.split_once('"').map(|(value, _)| value)
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_missing_files_and_places_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("it has one")).expect("it is made");
            fs::write(path, text).expect("it is written");
        };
        write(
            "docs/a.html",
            "<h2 id=\"part\">Part</h2><a href=\"../index.html#top\">up</a>",
        );
        write(
            "index.html",
            "<h1 id=\"top\"><a href=\"docs/a.html#part\">a</a> <a href=\"docs/a.html#none\">b</a> <a href=\"docs/\">c</a>\
             <img src=\"p.png\"> <a href=\"https://example.org\">d</a><script>x = '<a href=\"e\">'</script>",
        );
        let broken = broken_links(folder.path()).expect("it is looked through");
        assert_eq!(
            broken,
            [
                "index.html: docs/a.html#none",
                "index.html: docs/",
                "index.html: p.png"
            ]
        );
    }
}
