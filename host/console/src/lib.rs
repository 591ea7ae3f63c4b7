#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

/// A file of the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asset {
    /// Where it lies, as `assets/index-1a2b3c.js`.
    pub path: &'static str,
    /// What it is.
    pub media_type: &'static str,
    /// SHA-256 of its content, lower-case hex.
    pub sha256: &'static str,
    /// Its content.
    pub content: &'static [u8],
    /// Its content compressed with gzip, where that is smaller. Browsers take brotli over TLS alone, and many consoles are reached without.
    pub gzip: Option<&'static [u8]>,
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// The name of the page.
const PAGE: &str = "index.html";

/// The page, which loads all else.
///
/// # Panics
///
/// Never: the build script refuses to go on without it.
#[must_use]
pub fn page() -> &'static Asset {
    asset(PAGE).expect("the build script saw to it that there is a page")
}

/// The file at `path`.
#[must_use]
pub fn asset(path: &str) -> Option<&'static Asset> {
    let found = ASSETS.binary_search_by(|one| one.path.cmp(path));
    found.ok().map(|at| &ASSETS[at])
}

/// What the page may do: load its own files, talk to its own server, and compile WebAssembly; nothing that stands in a text can become a
/// script or a style. `file_origin` is where results lie when that is another server.
#[must_use]
pub fn policy(file_origin: Option<&str>) -> String {
    let files = file_origin.map_or(String::new(), |origin| format!(" {origin}"));
    format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:{files}; \
         media-src 'self' blob:{files}; connect-src 'self'{files}; worker-src 'self' blob:; font-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'"
    )
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn the_page_is_there_and_every_file_is_found_by_its_path() {
        assert_eq!(page().media_type, "text/html; charset=utf-8");
        for one in &ASSETS {
            assert_eq!(asset(one.path), Some(one));
            let is_asset = one.path.starts_with("assets/");
            assert!(is_asset || one.path == PAGE, "{}", one.path);
        }
        for path in ["", "assets", "assets/", "assets/../index.html", "index.htm"] {
            assert_eq!(asset(path), None, "{path}");
        }
    }

    #[test]
    fn what_is_compressed_is_the_same_content_and_smaller() {
        for one in &ASSETS {
            let Some(gzip) = one.gzip else { continue };
            let mut content = Vec::new();
            let read = flate2::read::GzDecoder::new(gzip).read_to_end(&mut content);
            read.expect("it is gzip");
            assert!(content == one.content, "{}", one.path);
            assert!(gzip.len() < content.len(), "{}", one.path);
        }
    }

    /// Nothing of the page is inline, which the policy would refuse, and nothing lies elsewhere.
    #[test]
    fn the_page_loads_its_own_files_by_relative_paths_and_has_nothing_inline() {
        let page = std::str::from_utf8(page().content).expect("it is text");
        assert!(
            !page.contains("<style") && !page.contains(" style="),
            "{page}"
        );
        assert!(!page.contains("://"), "{page}");
        for (at, _) in page.match_indices("<script") {
            let tag = &page[at..];
            let tag = &tag[..tag.find('>').expect("a tag ends")];
            assert!(tag.contains(" src="), "{tag}");
        }
        for name in ["src=\"", "href=\""] {
            for (at, _) in page.match_indices(name) {
                let target = &page[at + name.len()..];
                let target = &target[..target.find('"').expect("a value ends")];
                let path = target.strip_prefix("./").unwrap_or(target);
                let is_inside = asset(path).is_some() || target.starts_with("data:");
                assert!(is_inside, "{target} is no file of the console");
            }
        }
    }

    /// What is sent of a file to a browser that takes it compressed.
    fn sent(one: &Asset) -> usize {
        one.gzip.unwrap_or(one.content).len()
    }

    /// For people on slow lines: what is loaded before anything is seen, and all of it together.
    #[test]
    fn the_page_is_small() {
        let page_text = std::str::from_utf8(page().content).expect("it is text");
        let first = ASSETS.iter().filter(|one| page_text.contains(one.path));
        let first: usize = first.map(sent).sum();
        assert!(first > 10_000, "{first} bytes are no page");
        assert!(first <= 100_000, "the first screen is {first} bytes");
        let whole: usize = ASSETS.iter().map(sent).sum();
        assert!(whole <= 400_000, "all of it is {whole} bytes");
    }

    #[test]
    fn the_policy_lets_nothing_inline_run_and_names_the_store_where_files_are_loaded() {
        let policy_here = policy(None);
        assert!(!policy_here.contains("unsafe-inline") && !policy_here.contains("'unsafe-eval'"));
        let policy = policy(Some("https://store.example"));
        for directive in policy.split("; ") {
            let named = directive.contains("https://store.example");
            let loads = ["img-src", "media-src", "connect-src"]
                .iter()
                .any(|name| directive.starts_with(name));
            assert_eq!(named, loads, "{directive}");
        }
    }
}
