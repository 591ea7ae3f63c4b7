//! What is given to others: an archive that runs from any folder, a Debian package and an image for containers, all of one tree.

mod archive;
mod crates;
mod debian;
mod image;
mod licences;
mod models;
mod program;
mod release;
mod runtime;
mod sbom;
mod tree;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};

use crate::folders::{root, target_folder};
use crate::process::capture;
use crate::{console, setup};
use release::Release;

/// `cargo xtask dist [archive|deb|image|image-cuda]... [--program FILE]`.
pub fn run(arguments: &[String]) -> Result<()> {
    let mut wanted = Vec::new();
    let mut built = None;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "archive" | "deb" | "image" | "image-cuda" => wanted.push(word.as_str()),
            "--program" => built = Some(PathBuf::from(rest.next().context("--program FILE")?)),
            other => bail!("`{other}` is nothing to make: archive, deb, image, image-cuda"),
        }
    }
    if wanted.is_empty() {
        wanted.push("archive");
    }
    let installed = setup::run()?;
    let program = if let Some(program) = built {
        program
    } else {
        console::build()?;
        program::build()?
    };
    let release = Release {
        version: env!("CARGO_PKG_VERSION"),
        time: time()?,
        folder: target_folder().join("dist"),
    };
    fs::create_dir_all(&release.folder)?;
    let name = release.name();
    let mut made = Vec::new();
    let (with_cuda, others): (Vec<_>, Vec<_>) =
        wanted.into_iter().partition(|what| *what == "image-cuda");
    if !others.is_empty() {
        let runtime = runtime::processor(&installed)?;
        let tree = tree::make(&release, &name, &program, &runtime)?;
        for what in others {
            made.push(match what {
                "deb" => debian::make(&release, &tree)?,
                "image" => image::make(&release, &name, &tree, &runtime)?,
                _ => pack(&release, &tree)?,
            });
        }
    }
    if !with_cuda.is_empty() {
        let runtime = runtime::cuda()?;
        let name = format!("{name}-{}", runtime::CUDA);
        let tree = tree::make(&release, &name, &program, &runtime)?;
        made.push(image::make(&release, &name, &tree, &runtime)?);
    }
    for file in &made {
        let bytes = fs::metadata(file)?.len();
        eprintln!(
            "{}  {}  {bytes} bytes",
            archive::sha256(file)?,
            file.display()
        );
    }
    list(&release.folder)
}

fn pack(release: &Release, tree: &Path) -> Result<PathBuf> {
    let name = release.name();
    let file = release.folder.join(format!("{name}.tar.gz"));
    archive::write(tree, Some(&name), &file, &archive::Stamp::at(release.time))?;
    Ok(file)
}

/// Writes the checksums of all that lies in the folder of releases, for whoever fetches it.
fn list(folder: &Path) -> Result<()> {
    let mut lines = String::new();
    for path in archive::paths(folder)? {
        let file = folder.join(&path);
        let name = path.to_string_lossy().into_owned();
        if file.is_file() && !name.contains('/') && name != "SHA256SUMS" {
            let line = format!("{}  {name}\n", archive::sha256(&file)?);
            lines.push_str(&line);
        }
    }
    Ok(fs::write(folder.join("SHA256SUMS"), lines)?)
}

/// The time of a release: `SOURCE_DATE_EPOCH`, or that of the last commit.
fn time() -> Result<u64> {
    if let Ok(text) = env::var("SOURCE_DATE_EPOCH") {
        return text
            .parse()
            .context("SOURCE_DATE_EPOCH is a number of seconds");
    }
    let told =
        capture(
            Command::new("git")
                .current_dir(root())
                .args(["log", "-1", "--format=%ct"]),
        )?;
    let text = told.map(|told| String::from_utf8_lossy(&told.stdout).trim().to_owned());
    // Sources without their history have no time of their own.
    Ok(text.and_then(|text| text.parse().ok()).unwrap_or(0))
}
