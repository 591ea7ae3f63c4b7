//! A package for Debian of the same tree.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use flate2::{Compression, GzBuilder};
use md5::{Digest as _, Md5};

use super::archive::paths;
use super::release::Release;
use super::tree;
use crate::folders::root;
use crate::process::run;

/// Debian's name for the processor that the program is built for.
fn architecture() -> Result<&'static str> {
    match std::env::consts::ARCH {
        "x86_64" => Ok("amd64"),
        "aarch64" => Ok("arm64"),
        other => bail!("Debian's name for {other} is not known here"),
    }
}

/// Folders of the tree, and where they go in the system.
const FOLDERS: [(&str, &str); 2] = [
    ("lib", "usr/lib/vocalhost"),
    ("models", "usr/share/vocalhost/models"),
];

/// Files of the tree, and where they go.
const FILES: [(&str, &str); 5] = [
    ("vocalhost", "usr/bin/vocalhost"),
    ("share/speech.mp3", "usr/share/vocalhost/speech.mp3"),
    (
        "share/completions/vocalhost",
        "usr/share/bash-completion/completions/vocalhost",
    ),
    (
        "share/completions/_vocalhost",
        "usr/share/zsh/vendor-completions/_vocalhost",
    ),
    (
        "share/completions/vocalhost.fish",
        "usr/share/fish/vendor_completions.d/vocalhost.fish",
    ),
];

/// Texts that Debian has compressed.
const TEXTS: [(&str, &str); 3] = [
    (
        "THIRD-PARTY.txt",
        "usr/share/doc/vocalhost/THIRD-PARTY.txt.gz",
    ),
    ("sbom.cdx.json", "usr/share/doc/vocalhost/sbom.cdx.json.gz"),
    (
        "share/doc/CHANGELOG.md",
        "usr/share/doc/vocalhost/NEWS.md.gz",
    ),
];

/// Where the settings lie.
const SETTINGS: &str = "etc/vocalhost/vocalhost.toml";

/// Makes the package and gives its place.
pub fn make(release: &Release, tree: &Path) -> Result<PathBuf> {
    let stage = release.folder.join("debian");
    if stage.exists() {
        fs::remove_dir_all(&stage)?;
    }
    fill(release, tree, &stage)?;
    let deploy = root().join("deploy/debian");
    for script in ["postinst", "prerm", "postrm"] {
        let text = fs::read(deploy.join(script))?;
        put(&stage, &format!("DEBIAN/{script}"), &text, 0o755)?;
    }
    put(
        &stage,
        "DEBIAN/conffiles",
        format!("/{SETTINGS}\n").as_bytes(),
        0o644,
    )?;
    put(&stage, "DEBIAN/md5sums", md5sums(&stage)?.as_bytes(), 0o644)?;
    let control = fs::read_to_string(deploy.join("control"))?
        .replace("{{version}}", release.version)
        .replace("{{architecture}}", architecture()?)
        .replace("{{size}}", &kib(&stage)?.to_string());
    put(&stage, "DEBIAN/control", control.as_bytes(), 0o644)?;
    for path in paths(&stage)? {
        let path = stage.join(path);
        if path.is_dir() {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        }
    }
    fs::set_permissions(&stage, fs::Permissions::from_mode(0o755))?;
    let package = format!("vocalhost_{}_{}.deb", release.version, architecture()?);
    let package = release.folder.join(package);
    run(Command::new("dpkg-deb")
        .args(["--root-owner-group", "-Zgzip", "-z6", "--build"])
        .arg(&stage)
        .arg(&package)
        .env("SOURCE_DATE_EPOCH", release.time.to_string()))
    .context("`dpkg-deb` makes the package")?;
    fs::remove_dir_all(&stage)?;
    Ok(package)
}

/// Lays the files where the system has them.
fn fill(release: &Release, tree: &Path, stage: &Path) -> Result<()> {
    for (from, to) in FOLDERS {
        for path in paths(&tree.join(from))? {
            let file = tree.join(from).join(&path);
            if file.is_file() {
                put(
                    stage,
                    &format!("{to}/{}", path.display()),
                    &fs::read(file)?,
                    0o644,
                )?;
            }
        }
    }
    for (from, to) in FILES {
        let mode = if to.starts_with("usr/bin") {
            0o755
        } else {
            0o644
        };
        put(stage, to, &fs::read(tree.join(from))?, mode)?;
    }
    for (from, to) in TEXTS {
        put(stage, to, &compressed(&fs::read(tree.join(from))?)?, 0o644)?;
    }
    let manual = tree.join("share/man/man1");
    for page in paths(&manual)? {
        let to = format!("usr/share/man/man1/{}.gz", page.display());
        put(
            stage,
            &to,
            &compressed(&fs::read(manual.join(page))?)?,
            0o644,
        )?;
    }
    let deploy = root().join("deploy");
    let unit = fs::read(deploy.join("systemd/vocalhost.service"))?;
    put(stage, "lib/systemd/system/vocalhost.service", &unit, 0o644)?;
    let settings = fs::read_to_string(deploy.join("vocalhost.toml"))?;
    put(stage, SETTINGS, installed(&settings).as_bytes(), 0o644)?;
    let overrides = fs::read(deploy.join("debian/lintian-overrides"))?;
    let to = "usr/share/lintian/overrides/vocalhost";
    put(stage, to, &overrides, 0o644)?;
    let copyright = fs::read(deploy.join("debian/copyright"))?;
    put(
        stage,
        "usr/share/doc/vocalhost/copyright",
        &copyright,
        0o644,
    )?;
    let changes = format!(
        "vocalhost ({}) unstable; urgency=medium\n\n  * See NEWS.md.gz.\n\n -- vocalhost authors <vocalhost@example.org>  {}\n",
        release.version,
        release.date("+%a, %d %b %Y %H:%M:%S +0000")?
    );
    let to = "usr/share/doc/vocalhost/changelog.gz";
    put(stage, to, &compressed(changes.as_bytes())?, 0o644)
}

/// The example of a settings file with the folder that the package has for data.
fn installed(example: &str) -> String {
    example.replace("#data_dir = \"data\"", "data_dir = \"/var/lib/vocalhost\"")
}

fn put(stage: &Path, inside: &str, content: &[u8], mode: u32) -> Result<()> {
    tree::write(stage, inside, content)?;
    Ok(fs::set_permissions(
        stage.join(inside),
        fs::Permissions::from_mode(mode),
    )?)
}

fn compressed(content: &[u8]) -> Result<Vec<u8>> {
    // Debian asks for the best compression, which the head of the file tells of, and for no name and no time in it.
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

fn files(stage: &Path) -> Result<Vec<PathBuf>> {
    let all = paths(stage)?.into_iter();
    Ok(all.filter(|path| stage.join(path).is_file()).collect())
}

fn md5sums(stage: &Path) -> Result<String> {
    let mut lines = String::new();
    for path in files(stage)? {
        let is_meta = path.starts_with("DEBIAN") || path == Path::new(SETTINGS);
        if !is_meta {
            let digest = Md5::digest(fs::read(stage.join(&path))?);
            let line = format!(
                "{}  {}\n",
                base16ct::lower::encode_string(&digest),
                path.display()
            );
            lines.push_str(&line);
        }
    }
    Ok(lines)
}

/// What the files take up, each rounded up to a KiB.
fn kib(stage: &Path) -> Result<u64> {
    let mut sum = 0;
    for path in files(stage)? {
        sum += fs::metadata(stage.join(path))?.len().div_ceil(1024);
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_of_the_package_are_the_example_with_the_folder_of_the_package() {
        let example = include_str!("../../../deploy/vocalhost.toml");
        let settings: toml::Table = toml::from_str(&installed(example)).expect("they are TOML");
        assert_eq!(settings["data_dir"].as_str(), Some("/var/lib/vocalhost"));
        assert_eq!(settings.len(), 1, "everything else is left to the program");
    }

    #[test]
    fn the_unit_starts_what_the_package_installs() {
        let unit = include_str!("../../../deploy/systemd/vocalhost.service");
        let starts = unit
            .lines()
            .find_map(|line| line.strip_prefix("ExecStart="));
        let words: Vec<&str> = starts.expect("it starts something").split(' ').collect();
        assert_eq!(words.last(), Some(&"/etc/vocalhost/vocalhost.toml"));
        assert_eq!(words[0].trim_start_matches('/'), FILES[0].1);
    }
}
