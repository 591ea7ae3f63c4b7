//! Python packages that the suite and the comparisons need, each set in a folder of its own in the cache, for `PYTHONPATH`.
//! No virtual environment: pip alone cannot make one everywhere.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::folders::{cache_folder, root};
use crate::process::run;

/// How a folder is laid out. It stands in each folder's note: a folder that an earlier version laid out otherwise is of no
/// use.
const LAYOUT: &str = "pip install --target";

/// Puts packages into the folder `name` of the cache when they are not there, and gives the folder. `steps` are what `pip
/// install` is given, one run after the other; `wanted` lists what is pinned, and the folder is made anew when it changes.
pub fn packages(name: &str, wanted: &str, steps: &[Vec<OsString>]) -> Result<PathBuf> {
    let folder = cache_folder()?.join(name);
    let note = folder.join("packages.txt");
    let noted = format!("{LAYOUT}\n{wanted}");
    if fs::read_to_string(&note).is_ok_and(|there| there == noted) {
        return Ok(folder);
    }
    eprintln!(
        "set-up: installing Python packages into {}",
        folder.display()
    );
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    for step in steps {
        run(Command::new("python3")
            .args(["-m", "pip", "install", "--quiet"])
            .args(["--disable-pip-version-check", "--target"])
            .arg(&folder)
            .args(step))?;
    }
    // Last of all: what is not noted was not finished.
    fs::write(&note, noted).with_context(|| format!("cannot write {}", note.display()))?;
    Ok(folder)
}

/// Puts the packages that a list of `xtask/` pins by their hashes into the folder `name` of the cache, and gives the folder.
pub fn pinned(name: &str, list: &str) -> Result<PathBuf> {
    let list = root().join("xtask").join(list);
    let wanted =
        fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let step = ["--no-deps", "--only-binary=:all:", "--require-hashes"].map(OsString::from);
    let step = [step.to_vec(), vec!["--requirement".into(), list.into()]].concat();
    packages(name, &wanted, &[step])
}
