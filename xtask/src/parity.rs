//! The host held against the programs whose models it runs: `tests/parity/<topic>/run.py`, with the Python packages that
//! `requirements.txt` pins for all topics, and those of `originals.txt`, which are installed without what they need.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cargo::cargo;
use crate::folders::{root, target_folder};
use crate::process::run;
use crate::{python, setup};

/// Names a Python that has every package already; nothing is installed then.
const PYTHON: &str = "VOCALHOST_PARITY_PYTHON";

/// What the scripts and the originals need: one set for all topics, as torch alone takes gigabytes.
const REQUIREMENTS: &str = "requirements.txt";

/// What is installed as it is listed: the originals' packages often ask for far more than a comparison touches.
const ORIGINALS: &str = "originals.txt";

/// Runs the topics that `arguments` name, or all; what begins with a hyphen goes to each of them.
pub fn parity(arguments: &[String]) -> Result<()> {
    let (flags, named): (Vec<&String>, Vec<&String>) = arguments
        .iter()
        .partition(|argument| argument.starts_with('-'));
    let folder = root().join("tests/parity");
    let topics: Vec<String> = topics(&folder)?
        .into_iter()
        .filter(|topic| named.is_empty() || named.contains(&topic))
        .collect();
    if topics.is_empty() || named.iter().any(|name| !topics.contains(name)) {
        bail!("no such topic in {}", folder.display());
    }
    let installed = setup::run()?;
    run(cargo().args(["build", "--release", "--package", "vocalhost"]))?;
    let binary = target_folder().join("release/vocalhost");
    let (python, packages) = interpreter(&folder)?;
    let mut failed = Vec::new();
    for topic in topics {
        eprintln!("parity: {topic}");
        let mut script = Command::new(&python);
        script
            .arg("run.py")
            .arg(&binary)
            .args(&flags)
            .current_dir(folder.join(&topic))
            .env("ORT_DYLIB_PATH", &installed.onnxruntime)
            .env("PYTHONDONTWRITEBYTECODE", "1");
        if let Some(packages) = &packages {
            script.env("PYTHONPATH", packages);
        }
        if let Err(error) = run(&mut script) {
            eprintln!("parity: {topic}: {error:#}");
            failed.push(topic);
        }
    }
    if !failed.is_empty() {
        bail!("not equal: {}", failed.join(", "));
    }
    Ok(())
}

/// The folders that have a script, in order.
fn topics(folder: &Path) -> Result<Vec<String>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut topics = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if let Some(name) = path.file_name()
            && path.join("run.py").is_file()
        {
            topics.push(name.to_string_lossy().into_owned());
        }
    }
    topics.sort();
    Ok(topics)
}

/// The Python to run the topics with, and the folder of its packages; installs them when they are not there.
fn interpreter(folder: &Path) -> Result<(OsString, Option<PathBuf>)> {
    if let Some(python) = env::var_os(PYTHON).filter(|python| !python.is_empty()) {
        return Ok((python, None));
    }
    let lists = [REQUIREMENTS, ORIGINALS].map(|list| folder.join(list));
    let mut wanted = String::new();
    for list in &lists {
        wanted +=
            &fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
    }
    let [requirements, originals] = lists.map(PathBuf::into_os_string);
    let steps = [
        vec!["--requirement".into(), requirements],
        vec!["--no-deps".into(), "--requirement".into(), originals],
    ];
    let packages = python::packages("parity", &wanted, &steps)?;
    Ok((OsString::from("python3"), Some(packages)))
}
