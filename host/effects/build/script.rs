//! What build scripts ask cargo for, and how they write.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// A variable that cargo sets for build scripts.
pub fn required(variable: &str) -> io::Result<OsString> {
    env::var_os(variable)
        .ok_or_else(|| io::Error::other(format!("cargo sets {variable} for build scripts")))
}

/// The folder of the workspace, two levels above the crate's.
pub fn workspace() -> io::Result<PathBuf> {
    let folder = PathBuf::from(required("CARGO_MANIFEST_DIR")?);
    let workspace = folder.ancestors().nth(2).map(Path::to_owned);
    workspace.ok_or_else(|| io::Error::other("the crate's folder lies two levels below the root"))
}

/// Has cargo run the script again when one of these files and folders of the workspace changes.
pub fn watch(paths: &[&str]) {
    for path in paths {
        // Relative to the package, so that a target folder keeps watching the tree that it is used in.
        println!("cargo::rerun-if-changed=../../{path}");
    }
}

/// Writes a file, but leaves one alone that is right already, so that the crate is not compiled anew for nothing.
pub fn write_if_changed(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|present| present == content) {
        return Ok(());
    }
    fs::write(path, content)
}
