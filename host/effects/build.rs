//! Builds the built-in effects as WebAssembly components and embeds them in the host.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, io};

#[path = "build/components.rs"]
mod components;
#[path = "build/script.rs"]
mod script;

use script::{required, watch, workspace, write_if_changed};

/// Folders under `plugins/` that are not built-in effects: what effects are written against, and the tool that
/// compares them with a reference.
const NOT_EFFECTS: [&str; 2] = ["sdk", "compare"];

/// What cargo has to watch, from the repository's root.
const WATCHED: [&str; 6] = [
    "Cargo.lock",
    "host/effects/build",
    "host/effects/build.rs",
    "plugins",
    "rust-toolchain.toml",
    "wit",
];

/// What the author of an effect is told when the compiler cannot build for the guest.
const NO_TARGET: &str = "the wasm32-wasip2 target is missing: run `cargo xtask setup` or `rustup target add wasm32-wasip2`";

fn main() -> ExitCode {
    match embed_effects() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error={error}");
            ExitCode::FAILURE
        }
    }
}

/// A built-in effect: the names of its package and of its library.
struct Effect {
    package: String,
    library: String,
}

fn embed_effects() -> io::Result<()> {
    let workspace = &workspace()?;
    watch(&WATCHED);
    println!("cargo::rerun-if-env-changed=CARGO_TARGET_DIR");
    println!("cargo::rerun-if-env-changed={}", components::MORE_RUSTFLAGS);

    let effects = built_in_effects(&workspace.join("plugins"))
        .map_err(because("cannot list the built-in effects"))?;
    let out_folder = PathBuf::from(required("OUT_DIR")?);
    let target_folder =
        components::target_folder(workspace, env::var_os("CARGO_TARGET_DIR").as_deref());
    if !effects.is_empty() {
        build(workspace, &target_folder, &effects)?;
    }
    write_table(&out_folder, &target_folder, &effects)
        .map_err(because("cannot embed the built-in effects"))
}

/// Every folder that holds a crate, in the order of the names so that builds repeat.
fn built_in_effects(plugins: &Path) -> io::Result<Vec<Effect>> {
    let mut folders: Vec<PathBuf> = fs::read_dir(plugins)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    folders.sort();
    folders
        .iter()
        .filter(|folder| {
            folder.join("Cargo.toml").is_file()
                && !NOT_EFFECTS.iter().any(|name| folder.ends_with(name))
        })
        .map(|folder| {
            let manifest = fs::read_to_string(folder.join("Cargo.toml"))?;
            let package = package_name(&manifest).ok_or_else(|| {
                io::Error::other(format!("{} has no package name", folder.display()))
            })?;
            let library = package.replace('-', "_");
            Ok(Effect { package, library })
        })
        .collect()
}

/// The `name` of the `[package]` table; the rest of the manifest is cargo's business.
fn package_name(manifest: &str) -> Option<String> {
    manifest
        .lines()
        .skip_while(|line| line.trim() != "[package]")
        .find_map(|line| line.trim().strip_prefix("name = \"")?.strip_suffix('"'))
        .map(str::to_owned)
}

fn build(workspace: &Path, target_folder: &Path, effects: &[Effect]) -> io::Result<()> {
    let compiler = env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc"));
    let libraries = Command::new(&compiler)
        .args(["--print", "target-libdir", "--target", components::TARGET])
        .output()
        .map_err(because(&format!("cannot run {}", compiler.display())))?;
    let libraries = String::from_utf8_lossy(&libraries.stdout).trim().to_owned();
    if libraries.is_empty() || !Path::new(&libraries).is_dir() {
        return Err(io::Error::other(NO_TARGET));
    }

    let packages: Vec<String> = effects
        .iter()
        .map(|effect| effect.package.clone())
        .collect();
    let cargo = required("CARGO")?;
    let built = components::build_command(&cargo, workspace, target_folder, &packages)
        .output()
        .map_err(because("cannot run cargo for the built-in effects"))?;
    if built.status.success() {
        return Ok(());
    }
    eprintln!("{}", String::from_utf8_lossy(&built.stderr));
    let failed = "building the built-in effects failed; the compiler's own messages are above";
    Err(io::Error::other(failed))
}

/// Copies the components next to a table of them.
fn write_table(out_folder: &Path, target_folder: &Path, effects: &[Effect]) -> io::Result<()> {
    let mut table = String::from("&[\n");
    for effect in effects {
        let component = fs::read(components::component_path(target_folder, &effect.library))?;
        let copy = format!("{}.wasm", effect.library);
        write_if_changed(&out_folder.join(&copy), &component)?;
        // The path is relative to the table, so the table is the same in every folder.
        writeln!(
            table,
            "    ({:?}, include_bytes!({copy:?})),",
            effect.package
        )
        .map_err(io::Error::other)?;
    }
    table.push(']');
    write_if_changed(&out_folder.join("effects.rs"), table.as_bytes())
}

/// Says before an error what could not be done.
fn because(what: &str) -> impl FnOnce(io::Error) -> io::Error {
    move |error| io::Error::other(format!("{what}: {error}"))
}
