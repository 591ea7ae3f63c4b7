//! The author's kit, through the commands that a person types.

mod bench;
mod check_command;
mod new;
mod output;
mod plot;
mod projects;
mod run;
mod wrap;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A data folder with nothing but compiled effects, which outlives the suite.
fn data_folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kit");
    std::fs::create_dir_all(folder.join("effect-cache")).expect("the folder can be made");
    folder
}

/// Runs `vocalhost effect` in a folder; nothing of the caller's settings is in force.
fn effect(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_vocalhost"))
        .arg("effect")
        .args(arguments)
        .current_dir(folder)
        .env_remove("VOCALHOST_CONFIG")
        .env("VOCALHOST_DATA_DIR", data_folder())
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
