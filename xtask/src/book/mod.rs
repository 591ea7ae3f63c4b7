//! The documentation as a site, with a search: `docs/SUMMARY.md` says which pages there are, and mdbook makes the site of them.

mod gather;
mod site;

#[cfg(test)]
mod blocks;
#[cfg(test)]
mod pages;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo::cargo;
use crate::folders::{root, target_folder};
use crate::process::{capture, run};

/// The version of mdbook whose sites are looked through here.
const MDBOOK: &str = "0.5.4";

/// Builds the site into `book` of the target folder. It fails on a link that leads nowhere.
pub fn build() -> Result<()> {
    let mdbook = mdbook()?;
    let pages = target_folder().join("book-pages");
    gather::gather(&root(), &pages)?;
    let built = target_folder().join("book");
    if built.exists() {
        fs::remove_dir_all(&built).with_context(|| format!("cannot remove {}", built.display()))?;
    }
    run(Command::new(mdbook)
        .arg("build")
        .arg(&pages)
        .arg("--dest-dir")
        .arg(&built))?;
    let broken = site::broken_links(&built)?;
    if !broken.is_empty() {
        bail!("links of the site lead nowhere:\n{}", broken.join("\n"));
    }
    eprintln!("the documentation: {}", built.join("index.html").display());
    Ok(())
}

/// The program: that of the machine when it has this version, else one that is installed for this repository alone.
fn mdbook() -> Result<PathBuf> {
    let tools = target_folder().join("tools");
    let ours = tools
        .join("bin")
        .join(format!("mdbook{}", env::consts::EXE_SUFFIX));
    for program in [PathBuf::from("mdbook"), ours.clone()] {
        if is_ours(&program)? {
            return Ok(program);
        }
    }
    eprintln!(
        "set-up: installing mdbook {MDBOOK} into {}",
        tools.display()
    );
    // Of its features only the search is of use here; what serves and watches is most of what there is to compile.
    run(cargo()
        .args([
            "install",
            "mdbook",
            "--locked",
            "--force",
            "--version",
            MDBOOK,
        ])
        .args(["--no-default-features", "--features", "search", "--root"])
        .arg(&tools))?;
    Ok(ours)
}

fn is_ours(program: &Path) -> Result<bool> {
    let told = capture(Command::new(program).arg("--version"))?;
    let told = told.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    Ok(told.is_some_and(|told| told.trim() == format!("mdbook v{MDBOOK}")))
}
