//! The author's kit, through the commands that a person types.

mod bench;
mod check;
mod check_command;
mod deeds;
mod plot;
mod run;

use std::path::Path;
use std::process::{Command, Output};

/// Runs `vocalhost effect` in a folder; nothing of the caller's settings is in force.
fn effect(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_vocalhost"))
        .arg("effect")
        .args(arguments)
        .current_dir(folder)
        .env_remove("VOCALHOST_CONFIG")
        .env_remove("VOCALHOST_DATA_DIR")
        .output()
        .expect("the program starts")
}

/// What a command said on standard error.
fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is readable");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("the entry is readable").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
