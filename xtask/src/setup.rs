//! Everything a fresh machine lacks, beyond what the README asks for: the wasm target and the ONNX Runtime library.
//! Effect components are built by the host's build script, and the starter models are part of the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cache_folder;
use crate::process::capture;

/// The version whose C interface the pinned `ort` crate speaks.
const ONNXRUNTIME_VERSION: &str = "1.31.1";

const WASM_TARGET: &str = "wasm32-wasip2";

/// A wheel of the Python package `onnxruntime` and the library inside it.
struct Wheel {
    os: &'static str,
    arch: &'static str,
    /// pip's name for the platform.
    platform: &'static str,
    sha256: &'static str,
    /// Inside the wheel.
    library: &'static str,
    /// Where the server looks for it.
    installed_as: &'static str,
}

/// Asking for one Python version everywhere makes the wheel, and so its hash, independent of the Python at hand.
const WHEEL_PYTHON_VERSION: &str = "3.11";

const WHEELS: [Wheel; 2] = [
    Wheel {
        os: "linux",
        arch: "x86_64",
        platform: "manylinux_2_28_x86_64",
        sha256: "5752bd508126ae7c49894d3b9d2e83f0c3d487319246d04c444b393308d7ad7f",
        library: "onnxruntime/capi/libonnxruntime.so.1.31.1",
        installed_as: "libonnxruntime.so",
    },
    Wheel {
        os: "linux",
        arch: "aarch64",
        platform: "manylinux_2_28_aarch64",
        sha256: "da05378364c44d4407e463982d2bf8d5e4cfea873283757e48beeb41df97b7f3",
        library: "onnxruntime/capi/libonnxruntime.so.1.31.1",
        installed_as: "libonnxruntime.so",
    },
];

/// What set-up put in place.
pub struct Installed {
    /// The ONNX Runtime library.
    pub onnxruntime: PathBuf,
}

/// Puts in place whatever is missing. When nothing is, it only looks.
pub fn run() -> Result<Installed> {
    require(
        "cc",
        "--version",
        "a C compiler",
        "Debian: apt-get install build-essential",
    )?;
    require(
        "make",
        "--version",
        "make (it builds the MP3 encoder)",
        "Debian: apt-get install build-essential",
    )?;
    install_wasm_target()?;
    let onnxruntime = install_onnxruntime()?;
    Ok(Installed { onnxruntime })
}

fn require(program: &str, probe: &str, what: &str, remedy: &str) -> Result<()> {
    match capture(Command::new(program).arg(probe))? {
        Some(_) => Ok(()),
        None => bail!("{what} is needed and `{program}` was not found ({remedy})"),
    }
}

fn install_wasm_target() -> Result<()> {
    let sysroot = capture(Command::new("rustc").args(["--print", "sysroot"]))?
        .context("`rustc` was not found: install Rust with rustup")?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&sysroot.stdout).trim());
    if sysroot.join("lib/rustlib").join(WASM_TARGET).is_dir() {
        return Ok(());
    }
    eprintln!("set-up: adding the Rust target {WASM_TARGET}");
    let added = capture(Command::new("rustup").args(["target", "add", WASM_TARGET]))?.with_context(|| {
        format!("the Rust target {WASM_TARGET} is missing and there is no rustup to add it: install it as your Rust came")
    })?;
    if !added.status.success() {
        bail!(
            "cannot add the Rust target {WASM_TARGET}; check the network and run `rustup target add {WASM_TARGET}`:\n{}",
            String::from_utf8_lossy(&added.stderr).trim()
        );
    }
    Ok(())
}

/// The library, from `ORT_DYLIB_PATH` when that is set, else from the cache, else from the Python package.
fn install_onnxruntime() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("ORT_DYLIB_PATH").map(PathBuf::from) {
        if path.is_file() {
            return Ok(path);
        }
        bail!(
            "ORT_DYLIB_PATH names {}, which is not a file: unset it to let set-up fetch the library",
            path.display()
        );
    }
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let Some(wheel) = WHEELS
        .iter()
        .find(|wheel| (wheel.os, wheel.arch) == (os, arch))
    else {
        bail!(
            "no ONNX Runtime is known for {os} on {arch}: install version {ONNXRUNTIME_VERSION} and set ORT_DYLIB_PATH"
        );
    };
    let folder = cache_folder()?.join(format!("onnxruntime-{ONNXRUNTIME_VERSION}"));
    let installed = folder.join(wheel.installed_as);
    if installed.is_file() {
        return Ok(installed);
    }
    eprintln!("set-up: fetching ONNX Runtime {ONNXRUNTIME_VERSION}");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    // A folder per process: two set-ups at once must not see each other's half.
    let work = folder.join(format!("fetch-{}", std::process::id()));
    fs::create_dir_all(&work).with_context(|| format!("cannot create {}", work.display()))?;
    let fetched = fetch(wheel, &work).and_then(|library| {
        fs::rename(&library, &installed)
            .with_context(|| format!("cannot write {}", installed.display()))
    });
    fs::remove_dir_all(&work).with_context(|| format!("cannot remove {}", work.display()))?;
    fetched.map(|()| installed)
}

/// Downloads the wheel, its hash checked by pip, and takes the library out of it.
fn fetch(wheel: &Wheel, work: &Path) -> Result<PathBuf> {
    let requirements = work.join("requirements.txt");
    fs::write(
        &requirements,
        format!(
            "onnxruntime=={ONNXRUNTIME_VERSION} --hash=sha256:{}\n",
            wheel.sha256
        ),
    )?;
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--require-hashes",
    ])
    .args([
        "--implementation",
        "cp",
        "--python-version",
        WHEEL_PYTHON_VERSION,
        "--platform",
        wheel.platform,
    ])
    .arg("--dest")
    .arg(work)
    .arg("--requirement")
    .arg(&requirements);
    let downloaded = capture(&mut pip)?
        .context("python3 is needed to fetch ONNX Runtime and was not found (Debian: apt-get install python3-pip)")?;
    if !downloaded.status.success() {
        let reason = String::from_utf8_lossy(&downloaded.stderr);
        if reason.contains("No module named pip") {
            bail!(
                "pip is needed to fetch ONNX Runtime and was not found (Debian: apt-get install python3-pip)"
            );
        }
        bail!(
            "cannot fetch ONNX Runtime {ONNXRUNTIME_VERSION}; check the network, or install it and set ORT_DYLIB_PATH:\n{}",
            reason.trim()
        );
    }
    let archive = fs::read_dir(work)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .context("pip fetched no wheel")?;
    let unpacked = work.join("unpacked");
    crate::process::run(
        Command::new("python3")
            .args(["-m", "zipfile", "-e"])
            .arg(&archive)
            .arg(&unpacked),
    )?;
    Ok(unpacked.join(wheel.library))
}
