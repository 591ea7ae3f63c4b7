//! The folders that the commands work in.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// The repository.
pub fn root() -> PathBuf {
    let manifest = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    manifest
        .parent()
        .map_or(manifest.clone(), Path::to_path_buf)
}

/// Where cargo builds.
pub fn target_folder() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The folder for what set-up downloads, shared by every checkout of one person.
pub fn cache_folder() -> Result<PathBuf> {
    if let Some(folder) = env::var_os("VOCALHOST_CACHE_DIR") {
        return Ok(folder.into());
    }
    if let Some(folder) = env::var_os("XDG_CACHE_HOME") {
        return Ok(PathBuf::from(folder).join("vocalhost"));
    }
    let Some(home) = env::var_os("HOME") else {
        bail!("no folder for downloads: set VOCALHOST_CACHE_DIR");
    };
    Ok(PathBuf::from(home).join(".cache/vocalhost"))
}
