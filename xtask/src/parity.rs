//! The host held against the programs whose models it runs: `tests/parity/<topic>/run.py`, with the Python packages that
//! `requirements.txt` beside it pins, and those of `originals.txt`, which are installed without what they need.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::run;
use crate::{cache_folder, cargo, root, setup, target_folder};

/// Names a Python that has every package already; nothing is installed then.
const PYTHON: &str = "VOCALHOST_PARITY_PYTHON";

/// What is installed as it is listed: the originals' packages often ask for far more than a comparison touches.
const BARE: &str = "originals.txt";

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
    let mut failed = Vec::new();
    for topic in topics {
        let place = folder.join(&topic);
        let (python, packages) = interpreter(&topic, &place)?;
        eprintln!("parity: {topic}");
        let mut script = Command::new(python);
        script
            .arg("run.py")
            .arg(&binary)
            .args(&flags)
            .current_dir(&place)
            .env("ORT_DYLIB_PATH", &installed.onnxruntime)
            .env("PYTHONDONTWRITEBYTECODE", "1");
        if let Some(packages) = packages {
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

/// The Python to run a topic with, and the folder of its packages; installs them when they are not there. No virtual
/// environment: pip alone cannot make one everywhere.
fn interpreter(topic: &str, place: &Path) -> Result<(OsString, Option<PathBuf>)> {
    if let Some(python) = env::var_os(PYTHON).filter(|python| !python.is_empty()) {
        return Ok((python, None));
    }
    let requirements = place.join("requirements.txt");
    let bare = Some(place.join(BARE)).filter(|bare| bare.is_file());
    let mut wanted = String::new();
    for list in [Some(&requirements), bare.as_ref()].into_iter().flatten() {
        wanted +=
            &fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
    }
    let python = OsString::from("python3");
    let folder = cache_folder()?.join("parity").join(topic);
    let note = folder.join("packages.txt");
    if fs::read_to_string(&note).is_ok_and(|there| there == wanted) {
        return Ok((python, Some(folder)));
    }
    eprintln!("parity: installing what {topic} is compared with");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    let pip = |list: &Path| {
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--target"])
            .arg(&folder)
            .args(["--disable-pip-version-check", "--requirement"])
            .arg(list);
        pip
    };
    run(&mut pip(&requirements))?;
    if let Some(bare) = bare {
        run(pip(&bare).arg("--no-deps"))?;
    }
    // Last of all: what is not noted was not finished.
    fs::write(&note, wanted).with_context(|| format!("cannot write {}", note.display()))?;
    Ok((python, Some(folder)))
}
