//! The blocks of code of the documentation, as far as they can be tried without a server. Which commands of `vocalhost` there are is
//! tried where the program is (`host/vocalhost/src/cli/documented.rs`), and the libraries' examples where the libraries are
//! (`tests/clients/documented.rs`).

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use vocalhost_testing::pages::{Block, documentation};
use vocalhost_testing::shell::commands;

use crate::folders::root;

/// What a block may be; each but the last two is tried somewhere.
const LANGUAGES: [&str; 7] = ["sh", "json", "toml", "python", "ts", "rust", "text"];

/// Every block of one language.
fn blocks_of(language: &str) -> Vec<Block> {
    let blocks = documentation().into_iter().flat_map(|page| page.blocks());
    let blocks: Vec<Block> = blocks.filter(|block| block.language == language).collect();
    assert!(!blocks.is_empty(), "there is no block of {language}");
    blocks
}

/// Has a program read the text, and says what it complains of.
fn complaint(program: &mut Command, text: &str) -> Option<String> {
    let program = program.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(text.as_bytes()).expect("it is read");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success()).then_some(complaint)
}

#[test]
fn every_block_says_what_it_is() {
    for block in documentation()
        .iter()
        .flat_map(vocalhost_testing::pages::Page::blocks)
    {
        let is_known = LANGUAGES.contains(&block.language.as_str());
        assert!(is_known, "{}: `{}`", block.place, block.language);
    }
}

#[test]
fn a_shell_understands_every_block_for_it() {
    for block in blocks_of("sh") {
        let complaint = complaint(Command::new("sh").arg("-n"), &block.text);
        assert_eq!(complaint, None, "{}", block.place);
    }
}

#[test]
fn every_block_of_json_is_json_or_some_members_of_an_object() {
    for block in blocks_of("json") {
        let whole = [block.text.clone(), format!("{{{}}}", block.text)];
        let read = whole.map(|text| serde_json::from_str::<serde_json::Value>(&text));
        assert!(read.iter().any(Result::is_ok), "{}: {read:?}", block.place);
    }
}

#[test]
fn every_block_of_toml_is_toml() {
    for block in blocks_of("toml") {
        let read = block.text.parse::<toml::Table>();
        assert!(read.is_ok(), "{}: {read:?}", block.place);
    }
}

#[test]
fn python_compiles_every_block_for_it() {
    let compile = "import sys; compile(sys.stdin.read(), 'block', 'exec')";
    for block in blocks_of("python") {
        let complaint = complaint(Command::new("python3").args(["-c", compile]), &block.text);
        assert_eq!(complaint, None, "{}", block.place);
    }
}

/// Every path and field of the API, out of the types that are made of its description and that the suite holds against it.
fn schema() -> String {
    let path = root().join("clients/typescript/src/schema.ts");
    fs::read_to_string(path).expect("it is part of the repository")
}

/// The paths behind `$API` in a block, without what is asked of them.
fn paths(text: &str) -> Vec<&str> {
    let behind = text.split("$API/").skip(1);
    let ends = |letter: char| letter.is_whitespace() || "\"'?)\\".contains(letter);
    behind.filter_map(|rest| rest.split(ends).next()).collect()
}

/// Whether a path is one of the schema's, where the latter may have anything in a place such as `{id}`.
fn is_path(schema: &str, path: &str) -> bool {
    let known = schema
        .lines()
        .filter_map(|line| line.strip_prefix("    \"/")?.strip_suffix("\": {"));
    let fits = |known: &str| {
        let (known, path): (Vec<&str>, Vec<&str>) =
            (known.split('/').collect(), path.split('/').collect());
        let mut pairs = known.iter().zip(&path);
        known.len() == path.len()
            && pairs.all(|(known, part)| known == part || known.starts_with('{'))
    };
    known.into_iter().any(fits)
}

#[test]
fn every_path_and_field_that_curl_is_told_is_one_of_the_api() {
    let schema = schema();
    let (mut asked, mut filled) = (0, 0);
    for block in blocks_of("sh") {
        for path in paths(&block.text) {
            assert!(is_path(&schema, path), "{}: {path}", block.place);
            asked += 1;
        }
        for words in commands(&block.text) {
            let forms = words.windows(2).filter(|pair| pair[0] == "-F");
            for field in forms.filter_map(|pair| pair[1].split(['=', '[']).next()) {
                let is_known = [": ", "?: "].map(|end| schema.contains(&format!("  {field}{end}")));
                assert!(is_known.contains(&true), "{}: {field}", block.place);
                filled += 1;
            }
        }
    }
    assert!(asked > 20 && filled > 30, "{asked}, {filled}");
}
