//! The pages and their links, before any site is made of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use vocalhost_testing::pages::{Page, SUMMARY, documentation, listed, resolved};

use crate::folders::root;

/// Every page in a folder of the repository, by its path from the root.
fn pages_in(folder: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(root().join(folder)).expect("the folder is readable") {
        let entry = entry.expect("the entry is readable");
        let name = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            pages_in(&name, found);
        } else if Path::new(&name)
            .extension()
            .is_some_and(|ending| ending == "md")
        {
            found.push(name);
        }
    }
}

#[test]
fn the_summary_lists_every_page_of_the_documentation_once() {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for name in listed() {
        *times.entry(name).or_default() += 1;
    }
    let twice: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "listed more than once: {twice:?}");
    let mut pages = Vec::new();
    pages_in("docs", &mut pages);
    pages.retain(|name| name != SUMMARY && !times.contains_key(name));
    assert!(pages.is_empty(), "{SUMMARY} lacks {pages:?}");
}

#[test]
fn every_link_of_the_documentation_leads_somewhere() {
    let pages = documentation();
    let anchors: BTreeMap<&str, BTreeSet<String>> = pages
        .iter()
        .map(|page| (page.name.as_str(), page.anchors()))
        .collect();
    let mut broken = Vec::new();
    let mut links = 0;
    let summary = Page::read(SUMMARY);
    for page in pages.iter().chain([&summary]) {
        for link in page.links() {
            if link.target.contains(':') {
                continue;
            }
            links += 1;
            let place = link.target.split_once('#').map(|(_, place)| place);
            let is_there = resolved(&page.name, &link.target).is_some_and(|path| {
                let place_is_there = place.is_none_or(|place| {
                    let anchors = anchors.get(path.as_str());
                    anchors.is_some_and(|anchors| anchors.contains(place))
                });
                root().join(&path).exists() && place_is_there
            });
            if !is_there {
                broken.push(format!("{}: {}", page.name, link.target));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(links > 200, "{links}");
}
