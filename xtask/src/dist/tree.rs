//! The folder that everything else is made of: what somebody has who unpacks the archive.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::archive::{self, checksums};
use super::crates::Crates;
use super::release::Release;
use super::runtime::Runtime;
use super::{licences, models, sbom};
use crate::folders::root;
use crate::process::{capture, run};

const SUMS: &str = "SHA256SUMS";

/// Shells, and the names that their scripts have where they are looked for.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "vocalhost"),
    ("zsh", "_vocalhost"),
    ("fish", "vocalhost.fish"),
];

/// Files of the repository, and where they go.
const FILES: [(&str, &str); 6] = [
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("CHANGELOG.md", "share/doc/CHANGELOG.md"),
    ("deploy/archive/README.md", "README.md"),
    ("deploy/vocalhost.toml", "share/vocalhost.toml"),
    ("tests/fixtures/sound/speech.mp3", "share/speech.mp3"),
];

/// Makes the folder `name` anew and gives its place.
pub fn make(release: &Release, name: &str, program: &Path, runtime: &Runtime) -> Result<PathBuf> {
    let tree = release.folder.join(name);
    if tree.exists() {
        fs::remove_dir_all(&tree).with_context(|| format!("cannot remove {}", tree.display()))?;
    }
    put(program, &tree, "vocalhost", 0o755)?;
    for (file, name) in &runtime.files {
        put(file, &tree, &format!("lib/{name}"), 0o644)?;
    }
    for (from, to) in FILES {
        put(&root().join(from), &tree, to, 0o644)?;
    }
    let models = models::all(&root().join("models"))?;
    for model in &models {
        for path in archive::paths(&model.folder)? {
            if model.folder.join(&path).is_file() {
                let inside = format!("models/{}/{}", model.id, path.display());
                put(&model.folder.join(&path), &tree, &inside, 0o644)?;
            }
        }
    }
    let own = tree.join("vocalhost");
    write_completions(&own, &tree)?;
    run(Command::new(&own)
        .arg("manual")
        .arg(tree.join("share/man/man1")))?;
    let crates = Crates::ask()?;
    let apache = fs::read_to_string(root().join("LICENSE-APACHE"))?;
    let third_party = licences::write(&crates, &models, runtime, &apache)?;
    write(&tree, "THIRD-PARTY.txt", third_party.as_bytes())?;
    let bill = sbom::write(release.version, &own, &crates, &runtime.components, &models)?;
    let bill = serde_json::to_string_pretty(&bill)? + "\n";
    write(&tree, "sbom.cdx.json", bill.as_bytes())?;
    let sums = checksums(&tree, SUMS)?;
    write(&tree, SUMS, sums.as_bytes())?;
    Ok(tree)
}

fn write_completions(program: &Path, tree: &Path) -> Result<()> {
    for (shell, name) in SHELLS {
        let script = capture(Command::new(program).args(["completions", shell]))?;
        let script = script.context("the program is there")?;
        if !script.status.success() {
            bail!("{}", String::from_utf8_lossy(&script.stderr).trim());
        }
        write(tree, &format!("share/completions/{name}"), &script.stdout)?;
    }
    Ok(())
}

/// Copies a file to its place in the tree.
fn put(from: &Path, tree: &Path, inside: &str, mode: u32) -> Result<()> {
    let content = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    write(tree, inside, &content)?;
    let file = tree.join(inside);
    Ok(fs::set_permissions(file, fs::Permissions::from_mode(mode))?)
}

/// Writes a file of the tree, and the folders above it.
pub fn write(tree: &Path, inside: &str, content: &[u8]) -> Result<()> {
    let file = tree.join(inside);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&file, content).with_context(|| format!("cannot write {}", file.display()))
}
