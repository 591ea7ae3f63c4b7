//! How effects become components: one cargo command for the built-in effects and for the fixtures of the suite.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The target that components are built for.
pub const TARGET: &str = "wasm32-wasip2";

/// SIMD for every effect (measured: an FFT 2.3 times as fast) and unrolled loops, because the code generator of the
/// host does not unroll by itself and the per-iteration fuel check is then paid once per eight frames.
pub const RUSTFLAGS: &str =
    "-C target-feature=+simd128 -C llvm-args=-unroll-runtime=true -C llvm-args=-unroll-count=8";

/// Names a variable with more flags of the compiler: a release leaves no trace of the folders that it was built in.
pub const MORE_RUSTFLAGS: &str = "VOCALHOST_EFFECTS_RUSTFLAGS";

/// What the outer cargo set for the host and must not leak into the build for the guest. Clippy, for one, passes
/// itself on as a wrapper, which would rebuild every effect whenever `cargo test` and `cargo clippy` alternate; and an
/// incremental build cannot be optimised as a whole.
const OUTER_VARIABLES: [&str; 12] = [
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_INCREMENTAL",
    "CARGO_MAKEFLAGS",
    "CLIPPY_ARGS",
    "MAKEFLAGS",
    "RUSTC",
    "RUSTC_LINKER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "TARGET",
];

/// The folder that components are built in: one of its own, so that the inner cargo never waits for a lock that the
/// outer one holds, and shared by all profiles and by clippy.
pub fn target_folder(workspace: &Path, outer: Option<&OsStr>) -> PathBuf {
    outer
        .map_or_else(|| workspace.join("target"), |folder| workspace.join(folder))
        .join("effects")
}

/// Where the component of the library `library` lands.
pub fn component_path(target_folder: &Path, library: &str) -> PathBuf {
    target_folder
        .join(TARGET)
        .join("release")
        .join(format!("{library}.wasm"))
}

/// The command that builds `packages` as small and fast components.
pub fn build_command(
    cargo: &OsStr,
    workspace: &Path,
    target_folder: &Path,
    packages: &[String],
) -> Command {
    let mut command = Command::new(cargo);
    command
        .current_dir(workspace)
        .args(["build", "--quiet", "--locked", "--release", "--lib"])
        .args(["--target", TARGET, "--target-dir"])
        .arg(target_folder);
    for package in packages {
        command.args(["--package", package]);
    }
    for variable in OUTER_VARIABLES {
        command.env_remove(variable);
    }
    command
        .env("RUSTFLAGS", rustflags())
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
        .env("CARGO_PROFILE_RELEASE_LTO", "fat")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3")
        .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
        .env("CARGO_PROFILE_RELEASE_STRIP", "true");
    command
}

fn rustflags() -> String {
    match std::env::var(MORE_RUSTFLAGS) {
        Ok(more) => format!("{RUSTFLAGS} {more}"),
        Err(_) => RUSTFLAGS.to_owned(),
    }
}
