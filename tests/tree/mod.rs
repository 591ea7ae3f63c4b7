//! The shape of the tree: who may know whom, and how large a file may grow.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each area and the areas it may name. `main`, `app` and `cli` put everything together and are not listed.
const MAY_KNOW: [(&str, &[&str]); 24] = [
    ("backup", &["disk"]),
    ("job", &[]),
    ("audio", &[]),
    ("clock", &[]),
    ("disk", &[]),
    ("letters", &[]),
    ("memory", &[]),
    ("token", &[]),
    ("plugin", &["audio", "letters"]),
    ("kit", &["audio", "plugin"]),
    ("model", &["audio", "letters", "memory"]),
    ("import", &["audio", "model"]),
    ("pipeline", &["audio", "disk", "job", "model", "plugin"]),
    ("files", &[]),
    ("store", &["job"]),
    (
        "worker",
        &[
            "audio", "disk", "import", "job", "kit", "memory", "model", "pipeline", "plugin",
        ],
    ),
    ("shelf", &["files", "plugin", "store", "worker"]),
    ("library", &["files", "model", "store", "worker"]),
    (
        "scheduler",
        &[
            "clock", "disk", "files", "job", "metrics", "store", "token", "traces", "worker",
        ],
    ),
    ("metrics", &[]),
    ("traces", &[]),
    ("hooks", &["clock", "store", "traces"]),
    (
        "api",
        &[
            "audio", "clock", "config", "disk", "files", "hooks", "job", "letters", "library",
            "metrics", "model", "plugin", "shelf", "store", "token", "traces", "worker",
        ],
    ),
    ("config", &["model"]),
];

/// Each large dependency and the one area that may name it.
const KNOWN_ONLY_BY: [(&str, &[&str]); 13] = [
    ("wasmtime", &["plugin"]),
    ("wasmtime_wasi", &["plugin"]),
    ("wit_component", &["kit"]),
    ("ort", &["model"]),
    ("sqlx", &["store"]),
    ("object_store", &["files"]),
    ("symphonia", &["audio"]),
    ("ruopus", &["audio"]),
    // One speaks it as a server, the other as a client.
    ("hyper", &["api", "hooks"]),
    ("tokio_rustls", &["hooks"]),
    ("prometheus_client", &["metrics"]),
    ("flac_codec", &["audio"]),
    ("ebur128", &["audio"]),
];

/// A file is one idea; beyond this many lines it is at least two.
const FILE_LINE_CEILING: usize = 500;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is readable") {
        let path = entry.expect("the entry is readable").path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "target") {
                rust_files(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The host's files by area.
fn areas() -> BTreeMap<String, Vec<(PathBuf, String)>> {
    let source = root().join("host/src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    let mut areas: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for path in files {
        let first = path
            .strip_prefix(&source)
            .expect("it lies in the source folder");
        let first = first
            .components()
            .next()
            .expect("it has a name")
            .as_os_str();
        let area = Path::new(first).with_extension("").display().to_string();
        let text = fs::read_to_string(&path).expect("the file is text");
        areas.entry(area).or_default().push((path, text));
    }
    areas
}

/// The first names of all paths that follow `prefix` in a text, such as `job` in `crate::job::JobSpec`.
fn named_after<'a>(text: &'a str, prefix: &str) -> BTreeSet<&'a str> {
    let is_name = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(prefix)
        .map(|(start, _)| {
            let rest = &text[start + prefix.len()..];
            &rest[..rest
                .find(|character| !is_name(character))
                .unwrap_or(rest.len())]
        })
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn an_area_names_only_the_areas_it_may_know() {
    let areas = areas();
    let mut wrong = Vec::new();
    for (area, allowed) in MAY_KNOW {
        for (path, text) in areas.get(area).expect("every listed area exists") {
            for name in named_after(text, "crate::") {
                if areas.contains_key(name) && name != area && !allowed.contains(&name) {
                    wrong.push(format!("{} names {name}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_area_is_listed() {
    let together = ["main", "lib", "app", "cli", "telemetry"];
    for area in areas().keys() {
        let listed = MAY_KNOW.iter().any(|(name, _)| name == area);
        assert!(
            listed || together.contains(&area.as_str()),
            "{area} has no place in the order"
        );
    }
}

#[test]
fn a_large_dependency_is_known_to_one_area_only() {
    let mut wrong = Vec::new();
    for (area, files) in areas() {
        for (path, text) in files {
            for (dependency, owners) in KNOWN_ONLY_BY {
                let named = named_after(&text, "use ").contains(dependency)
                    || text.contains(&format!(" {dependency}::"));
                if named && !owners.contains(&area.as_str()) {
                    wrong.push(format!("{} names {dependency}", path.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_file_grows_past_the_ceiling() {
    let mut files = Vec::new();
    for folder in ["host", "plugins", "tests", "benches", "xtask"] {
        rust_files(&root().join(folder), &mut files);
    }
    let long: Vec<_> = files
        .iter()
        .map(|path| {
            (
                path,
                fs::read_to_string(path)
                    .expect("the file is text")
                    .lines()
                    .count(),
            )
        })
        .filter(|(_, lines)| *lines > FILE_LINE_CEILING)
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}
