//! The console: `console/dist`, which the program embeds, made of what lies in `console/`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::folders::root;
use crate::node;
use crate::process::run;

/// What the console is made of: its own folder, and of the client libraries what it takes from them.
const SOURCES: [&str; 3] = ["console", "clients/live/src", "clients/typescript/src"];

/// What is made of the sources, or comes from outside: no part of them.
const MADE: [&str; 2] = ["dist", "node_modules"];

/// What the sources were when `dist` was made of them.
const NOTE: &str = "node_modules/.vocalhost-built";

/// Builds the console when its sources have changed, or when it was never built.
pub fn build() -> Result<()> {
    let folder = root().join("console");
    let sources = sources(&SOURCES.map(|name| root().join(name)))?;
    let note = folder.join(NOTE);
    let is_there = folder.join("dist/index.html").is_file();
    if is_there && fs::read(&note).is_ok_and(|noted| noted == sources) {
        return Ok(());
    }
    let node = node::find_or_install()?;
    eprintln!("set-up: building the console");
    run(&mut node.npm(&folder, &node::CI))?;
    run(&mut node.npm(&folder, &["run", "build"]))?;
    if !folder.join("dist/index.html").is_file() {
        bail!("`npm run build` in console/ made no dist/index.html");
    }
    // Last of all: what is not noted was not finished.
    fs::write(&note, sources).with_context(|| format!("cannot write {}", note.display()))
}

/// All sources in one, each after its path: some hundred kilobytes.
fn sources(folders: &[PathBuf]) -> Result<Vec<u8>> {
    let mut files = Vec::new();
    for folder in folders {
        list(folder, &mut files).with_context(|| format!("cannot read {}", folder.display()))?;
    }
    files.sort();
    let mut whole = Vec::new();
    for file in files {
        let name = file.strip_prefix(root()).unwrap_or(&file);
        whole.extend_from_slice(format!("\n{}\n", name.display()).as_bytes());
        whole.extend(fs::read(&file)?);
    }
    Ok(whole)
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            files.push(path);
        } else if path.is_dir() && !MADE.iter().any(|made| path.ends_with(made)) {
            list(&path, files)?;
        }
    }
    Ok(())
}
