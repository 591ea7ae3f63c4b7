//! Everything a fresh machine lacks, beyond what the README asks for: `CMake`, the wasm target and the ONNX Runtime library.
//! Effect components are built by the host's build script, and the starter models are part of the repository.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cmake;
use crate::folders::cache_folder;
use crate::process::capture;
use crate::wheel::{Package, Wheel};

/// The version whose C interface the pinned `ort` crate speaks.
pub const ONNXRUNTIME_VERSION: &str = "1.31.1";

const WASM_TARGET: &str = "wasm32-wasip2";

/// The library, from its own Python package.
const ONNXRUNTIME: Package = Package {
    what: "ONNX Runtime",
    name: "onnxruntime",
    version: ONNXRUNTIME_VERSION,
    instead: "install it and set ORT_DYLIB_PATH",
    wheels: &[
        Wheel {
            os: "linux",
            arch: "x86_64",
            platform: "manylinux_2_28_x86_64",
            sha256: "5752bd508126ae7c49894d3b9d2e83f0c3d487319246d04c444b393308d7ad7f",
        },
        Wheel {
            os: "linux",
            arch: "aarch64",
            platform: "manylinux_2_28_aarch64",
            sha256: "da05378364c44d4407e463982d2bf8d5e4cfea873283757e48beeb41df97b7f3",
        },
    ],
};

/// Inside the wheel.
const LIBRARY: &str = "onnxruntime/capi/libonnxruntime.so.1.31.1";

/// Where the server looks for it.
const INSTALLED_AS: &str = "libonnxruntime.so";

/// The texts that go along where the library goes, inside the wheel and as they are kept.
const NOTICES: [(&str, &str); 2] = [
    ("onnxruntime/LICENSE", "LICENSE"),
    ("onnxruntime/ThirdPartyNotices.txt", "ThirdPartyNotices.txt"),
];

/// The library with what has to go along when it is given to others.
pub struct NoticedLibrary {
    pub library: PathBuf,
    pub licence: PathBuf,
    pub notices: PathBuf,
}

/// Puts the texts in place, too. They are fetched when they do not lie beside the library.
pub fn onnxruntime_with_notices(installed: &Installed) -> Result<NoticedLibrary> {
    let library = installed.onnxruntime.clone();
    let folder = library.parent().context("a library lies in a folder")?;
    for (inside, kept) in NOTICES {
        let kept = folder.join(kept);
        if !kept.is_file() {
            ONNXRUNTIME.install(inside, &kept)?;
        }
    }
    Ok(NoticedLibrary {
        licence: folder.join(NOTICES[0].1),
        notices: folder.join(NOTICES[1].1),
        library,
    })
}

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
    cmake::install()?;
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
    let folder = cache_folder()?.join(format!("onnxruntime-{ONNXRUNTIME_VERSION}"));
    let installed = folder.join(INSTALLED_AS);
    if !installed.is_file() {
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        ONNXRUNTIME.install(LIBRARY, &installed)?;
    }
    Ok(installed)
}
