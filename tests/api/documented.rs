//! The requests of the documentation, as somebody sends them who reads it: by a shell and curl, to a server that has just been started.

use std::fs;
use std::path::Path;
use std::process::Command;

use vocalhost_testing::pages::{Block, Page};
use vocalhost_testing::repository;

use super::harness::Server;

/// What comes before the blocks of a page. A request that is refused ends the shell. Calls of the program are for the test of its command
/// line.
const BEFORE: &str = r#"set -e
curl() { command curl --fail-with-body --silent --show-error "$@"; }
vocalhost() { :; }
"#;

/// The recordings that pages name, and what stands in for them. What they are called does not matter to the server.
const RECORDINGS: [(&str, &str); 6] = [
    ("speech.mp3", "speech.mp3"),
    ("song.wav", "speech.flac"),
    ("song.mp3", "speech.mp3"),
    ("song.flac", "speech.flac"),
    ("talk.wav", "speech.flac"),
    ("tests/fixtures/sound/speech.mp3", "speech.mp3"),
];

/// What blocks need that are left out: programs that a machine for tests does not have.
const ELSEWHERE: [&str; 2] = ["npx ", "jq "];

/// Whether a block has requests of the API, or variables for them.
fn is_sent(block: &Block) -> bool {
    let lines = &block.text;
    let asks = lines.contains("API=") || lines.contains("$API");
    block.language == "sh" && asks && !ELSEWHERE.iter().any(|program| lines.contains(program))
}

/// The first curl that sends JSON by `--json`, as the pages do: 7.82.
const CURL: [u32; 2] = [7, 82];

/// Whether this machine has a curl that can do what the pages say. The suite does without one.
fn has_curl() -> bool {
    let Ok(output) = Command::new("curl").arg("--version").output() else {
        return false;
    };
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = said.split(' ').nth(1).unwrap_or_default();
    let numbers = version.split('.').take(2);
    let numbers: Vec<u32> = numbers.filter_map(|number| number.parse().ok()).collect();
    numbers.as_slice() >= CURL.as_slice()
}

/// Sends the requests of a page from `folder`, and gives what the shell has printed; nothing where there is no curl.
fn sent(page: &str, folder: &Path) -> Option<String> {
    if !has_curl() {
        eprintln!("{page} is not tried: there is no curl of {CURL:?} or newer");
        return None;
    }
    let server = Server::start(&[]);
    let blocks = Page::read(page).blocks().into_iter().filter(is_sent);
    let script: String = blocks.map(|block| block.text).collect();
    assert!(script.contains("$API"), "{page} sends nothing");
    let script = script.replace("paste the key", &server.key);
    let script = script.replace("127.0.0.1:8080", &server.address);
    for (name, recording) in RECORDINGS {
        let path = folder.join(name);
        let parent = path.parent().expect("it lies in the folder");
        fs::create_dir_all(parent).expect("it can be made");
        let recording = repository("tests/fixtures/sound").join(recording);
        fs::copy(recording, path).expect("it can be copied");
    }
    let output = Command::new("sh")
        .arg("-c")
        .arg([BEFORE, &script].concat())
        .current_dir(folder)
        .env("KEY", &server.key)
        .env("no_proxy", "*")
        .output()
        .expect("there is a shell");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{page}: {complaint}\n{said}");
    Some(said)
}

#[test]
fn the_requests_of_the_readme_give_the_files_that_it_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(said) = sent("README.md", folder.path()) else {
        return;
    };
    assert!(said.contains("1 Amber ["), "{said}");
    for name in ["converted.wav", "vocals.wav", "backing.wav"] {
        let result = fs::read(folder.path().join(name)).unwrap_or_default();
        assert!(result.starts_with(b"RIFF"), "{name}: {said}");
    }
}

#[test]
fn the_first_conversion_of_the_documentation_succeeds() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(said) = sent("docs/start.md", folder.path()) else {
        return;
    };
    let ended = said.matches(r#""status":"success""#).count();
    assert_eq!(ended, 2, "{said}");
}

#[test]
fn the_requests_of_the_recipes_are_accepted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(said) = sent("docs/recipes.md", folder.path()) else {
        return;
    };
    let made = said.matches(r#""type":"infer""#).count();
    assert_eq!(made, 3, "{said}");
    assert!(said.contains(r#""event":"webhook.test""#), "{said}");
}

#[test]
fn the_requests_of_the_page_about_the_api_are_accepted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let Some(said) = sent("docs/api.md", folder.path()) else {
        return;
    };
    let made = said.matches(r#""type":"infer""#).count();
    assert!(made > 3, "{said}");
    let arrived = said.to_lowercase().contains("upload-offset: ");
    assert!(arrived, "{said}");
}
