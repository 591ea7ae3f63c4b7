//! The program of a release: optimised across crates, and without a trace of where it was built.

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result};

use crate::cargo::cargo;
use crate::folders::{root, target_folder};
use crate::process::run;

/// What stands in the program for folders of the machine that built it.
const SOURCES: &str = "/vocalhost";
const REGISTRY: &str = "/cargo";

/// Builds it in a folder of its own, so that a release and what is worked on do not build each other anew.
pub fn build() -> Result<PathBuf> {
    let target = target_folder().join("dist-build");
    fs::create_dir_all(&target).with_context(|| format!("cannot make {}", target.display()))?;
    let remaps = remaps(&root(), &cargo_home()?, &target);
    let of_rust: Vec<String> = remaps
        .iter()
        .map(|remap| format!("--remap-path-prefix={remap}"))
        .collect();
    let of_c: Vec<String> = remaps
        .iter()
        .map(|remap| format!("-ffile-prefix-map={remap}"))
        .collect();
    run(cargo()
        .args(["build", "--locked", "--profile", "dist"])
        .args(["--package", "vocalhost", "--bin", "vocalhost"])
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_ENCODED_RUSTFLAGS", of_rust.join("\x1f"))
        // The built-in effects are built by a build script with flags of their own.
        .env("VOCALHOST_EFFECTS_RUSTFLAGS", of_rust.join(" "))
        .env("CFLAGS", of_c.join(" ")))?;
    Ok(target.join("dist/vocalhost"))
}

/// Pairs of a folder and its stand-in, where a later one weighs more.
fn remaps(root: &Path, cargo_home: &Path, target: &Path) -> Vec<String> {
    vec![
        format!("{}={REGISTRY}", cargo_home.display()),
        format!("{}={SOURCES}", root.display()),
        format!("{}={SOURCES}/target", target.display()),
    ]
}

fn cargo_home() -> Result<PathBuf> {
    if let Some(folder) = env::var_os("CARGO_HOME") {
        return Ok(folder.into());
    }
    let home = env::var_os("HOME").context("no home: set CARGO_HOME")?;
    Ok(PathBuf::from(home).join(".cargo"))
}
