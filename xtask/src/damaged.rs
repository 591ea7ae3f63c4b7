//! Damaged recordings, held against another decoder: `tests/damaged/run.py`.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::cargo::cargo;
use crate::folders::{root, target_folder};
use crate::process::run;
use crate::{cmake, python};

/// Builds the program that says how recordings are heard, and lets the script damage as many as `arguments` say. What begins with a
/// hyphen goes to the script.
pub fn fuzz(arguments: &[String]) -> Result<()> {
    cmake::install()?;
    // The profile of the tests: its checks of numbers find more.
    run(cargo()
        .args(["build", "--package", "vocalhost-audio"])
        .args(["--example", "lengths"]))?;
    let folder = root().join("tests/damaged");
    let list = folder.join("requirements.txt");
    let wanted =
        fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let step = vec!["--requirement".into(), list.into_os_string()];
    let packages = python::packages("damaged", &wanted, &[step])?;
    let (flags, cases): (Vec<&String>, Vec<&String>) = arguments
        .iter()
        .partition(|argument| argument.starts_with('-'));
    let mut script = Command::new("python3");
    script
        .arg("run.py")
        .arg(target_folder().join("debug/examples/lengths"))
        .args(flags)
        .current_dir(&folder)
        .env("PYTHONPATH", packages)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    if let Some(cases) = cases.first() {
        script.arg("--cases").arg(cases);
    }
    run(&mut script)
}
