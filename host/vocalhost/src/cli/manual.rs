//! What is made of the command table: completions for shells, and the pages of the manual.

use std::fs;
use std::io;
use std::path::PathBuf;

use clap::{Args, Command, CommandFactory as _};
use clap_complete::Shell;

use super::{Cli, CliError, help};

const NAME: &str = "vocalhost";

/// `vocalhost completions`.
#[derive(Debug, Args)]
pub struct CompletionsArguments {
    /// The shell that is to complete.
    #[arg(value_enum)]
    shell: Shell,
}

/// `vocalhost manual`.
#[derive(Debug, Args)]
pub struct ManualArguments {
    /// The folder for the pages; made when it is not there.
    folder: PathBuf,
}

/// Writes a script that has a shell complete commands and their arguments.
pub fn complete(arguments: &CompletionsArguments) {
    say!("{}", String::from_utf8_lossy(&completions(arguments.shell)));
}

/// Writes the pages of the manual, one for each command.
pub fn write_manual(arguments: &ManualArguments) -> Result<(), CliError> {
    let written = || -> io::Result<()> {
        fs::create_dir_all(&arguments.folder)?;
        clap_mangen::generate_to(shown(), &arguments.folder)
    };
    written().map_err(CliError::of_file("cannot write", &arguments.folder))
}

fn completions(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut shown(), NAME, &mut script);
    script
}

/// The commands that help shows, with the arguments that it shows: those that the generators take no notice of are left out.
fn shown() -> Command {
    without_hidden(&help::with_settings_in_their_place(Cli::command()))
}

fn without_hidden(command: &Command) -> Command {
    let mut shown = Command::new(for_ever(command.get_name()))
        .disable_help_subcommand(true)
        .args(command.get_arguments().filter(|arg| !arg.is_hide_set()));
    if let Some(version) = command.get_version() {
        shown = shown.version(for_ever(version));
    }
    if let Some(about) = command.get_about() {
        shown = shown.about(about.clone());
    }
    if let Some(about) = command.get_long_about() {
        shown = shown.long_about(about.clone());
    }
    if let Some(more) = command.get_after_help() {
        shown = shown.after_help(more.clone());
    }
    for alias in command.get_visible_aliases() {
        shown = shown.visible_alias(for_ever(alias));
    }
    let below = command.get_subcommands().filter(|one| !one.is_hide_set());
    shown.subcommands(below.map(without_hidden))
}

/// The table's names are the program's own, of which there are some dozens, and the process ends with this.
fn for_ever(name: &str) -> &'static str {
    name.to_owned().leak()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command of the table with those above it, such as `users create`.
    fn commands(command: &Command, above: &str, found: &mut Vec<(String, bool)>, hidden: bool) {
        for one in command.get_subcommands() {
            let name = format!("{above}{}", one.get_name());
            let hidden = hidden || one.is_hide_set();
            commands(one, &format!("{name} "), found, hidden);
            found.push((name, hidden));
        }
    }

    fn table() -> Vec<(String, bool)> {
        let mut found = Vec::new();
        commands(&Cli::command(), "", &mut found, false);
        assert!(found.len() > 40, "{}", found.len());
        found
    }

    #[test]
    fn completions_name_every_command_but_those_that_are_hidden() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let script = String::from_utf8(completions(shell)).expect("it is text");
            for (name, hidden) in table() {
                let last = name.rsplit(' ').next().expect("it has a name");
                let is_there = script
                    .split(|at: char| !at.is_alphanumeric() && at != '-')
                    .any(|word| word == last);
                // The words of some hidden commands stand in descriptions, too; those of two words do not.
                assert!(is_there || hidden, "{shell}: {name}");
                assert!(
                    !is_there || !hidden || !last.contains('-'),
                    "{shell}: {name}"
                );
            }
            // fish has flags without their dashes.
            assert!(script.contains("models-dir"), "{shell}");
        }
    }

    #[test]
    fn there_is_a_page_for_every_command_but_those_that_are_hidden() {
        let folder = tempfile::tempdir().expect("a folder");
        let arguments = ManualArguments {
            folder: folder.path().join("man1"),
        };
        write_manual(&arguments).expect("it is written");
        for (name, hidden) in table() {
            let page = format!("{NAME}-{}.1", name.replace(' ', "-"));
            let text = fs::read_to_string(arguments.folder.join(&page));
            assert_eq!(text.is_ok(), !hidden, "{page}");
            assert!(
                hidden || text.is_ok_and(|text| text.contains(".SH SYNOPSIS")),
                "{page}"
            );
        }
        let first = fs::read_to_string(arguments.folder.join("vocalhost.1")).expect("a page");
        assert!(first.contains("vocalhost\\-serve(1)"), "{first}");
    }
}
