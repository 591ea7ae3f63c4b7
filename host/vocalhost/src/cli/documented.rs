//! What the documentation says to call and to set is what this program takes.

use std::io::Write as _;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory as _, Parser as _};
use vocalhost_config::SettingFlags;
use vocalhost_testing::pages::{Page, documentation};
use vocalhost_testing::shell::calls;

use super::Cli;

/// What stands in for what a sentence leaves out.
const LEFT_OUT: &str = "…";

#[test]
fn every_call_in_a_block_of_the_documentation_is_understood() {
    let mut understood = 0;
    for block in documentation().iter().flat_map(Page::blocks) {
        if block.language != "sh" {
            continue;
        }
        for call in calls(&block.text, "vocalhost") {
            if let Err(error) = Cli::try_parse_from(&call) {
                let asks = [ErrorKind::DisplayHelp, ErrorKind::DisplayVersion];
                let is_answer = asks.contains(&error.kind());
                assert!(is_answer, "{}: {}\n{error}", block.place, call.join(" "));
            }
            understood += 1;
        }
    }
    assert!(understood > 60, "{understood}");
}

/// The first word of a call that is no command and no flag where it stands.
fn unknown<'c>(command: &Command, words: &'c [String]) -> Option<&'c str> {
    let mut command = command;
    for word in words {
        if let Some(flag) = word.strip_prefix("--") {
            let name = flag.split('=').next().unwrap_or_default();
            let is_known = command
                .get_arguments()
                .any(|arg| arg.get_long() == Some(name));
            if !is_known && !["", "help", "version"].contains(&name) {
                return Some(word);
            }
        } else if let Some(below) = command.find_subcommand(word) {
            command = below;
        } else if command.has_subcommands() && word != LEFT_OUT {
            return Some(word);
        }
    }
    None
}

#[test]
fn every_command_and_flag_in_a_sentence_of_the_documentation_is_there() {
    let command = Cli::command();
    let mut there = 0;
    for page in documentation() {
        for code in page.words_of_code() {
            if !code.starts_with("vocalhost ") {
                continue;
            }
            for call in calls(&code, "vocalhost") {
                let unknown = unknown(&command, &call[1..]);
                assert_eq!(unknown, None, "{}: `{code}`", page.name);
                there += 1;
            }
        }
    }
    assert!(there > 50, "{there}");
}

#[test]
fn every_example_of_settings_is_read() {
    let blocks = Page::read("docs/operations.md").blocks();
    let examples: Vec<_> = blocks
        .iter()
        .filter(|block| block.language == "toml")
        .collect();
    assert!(examples.len() > 1, "{}", examples.len());
    for block in examples {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(block.text.as_bytes())
            .expect("it is written");
        let read = vocalhost_config::load(Some(file.path()), &|_| None, &SettingFlags::default());
        assert!(
            read.is_ok(),
            "{}: {}",
            block.place,
            read.err()
                .map(|error| error.to_string())
                .unwrap_or_default()
        );
    }
}
