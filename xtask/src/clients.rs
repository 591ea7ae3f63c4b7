//! The clients that the suite runs against the server, Python programs in a folder of their own.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::cache_folder;
use crate::process::run;

/// The public service's own client, a fuzzer that reads OpenAPI documents, and a judge of such documents.
const PACKAGES: [&str; 3] = [
    "kitsai==0.0.3",
    "schemathesis==4.32.5",
    "openapi-spec-validator==0.9.0",
];

/// Puts the clients in place when they are not, and gives their folder, for `PYTHONPATH`. No virtual environment: pip alone
/// cannot make one everywhere.
pub fn install() -> Result<PathBuf> {
    let folder = cache_folder()?.join("clients");
    let note = folder.join("packages.txt");
    // The way, too: a folder that an earlier version laid out otherwise would not do, whatever is in it.
    let wanted = format!("pip install --target\n{}", PACKAGES.join("\n"));
    if std::fs::read_to_string(&note).is_ok_and(|there| there == wanted) {
        return Ok(folder);
    }
    eprintln!("set-up: installing the clients that the suite runs");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    run(Command::new("python3")
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--target",
        ])
        .arg(&folder)
        .args(PACKAGES))?;
    // Last of all: what is not noted was not finished.
    std::fs::write(&note, wanted).with_context(|| format!("cannot write {}", note.display()))?;
    Ok(folder)
}
