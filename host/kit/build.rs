//! Lists what `vocalhost effect new` writes: the templates, and the sources that a project brings along. Made from the
//! folders at each build, so that a project can never hold anything but this version's own SDK and interface.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

// The flags that a project is built with are those of the built-in effects.
#[path = "../effects/build/components.rs"]
#[allow(dead_code, reason = "only the flags are needed here")]
mod components;
#[path = "../effects/build/script.rs"]
mod script;

use script::{required, watch, workspace, write_if_changed};

/// The languages, each a folder in `templates`.
const LANGUAGES: [&str; 3] = ["c", "js", "rust"];

/// What is carried unchanged: the language, the file or folder from the repository's root, and its place in the project.
const CARRIED: [(&str, &str, &str); 11] = [
    ("c", "LICENSE-APACHE", "sdk/LICENSE-APACHE"),
    ("c", "LICENSE-MIT", "sdk/LICENSE-MIT"),
    ("c", "wit/effect.wit", "sdk/wit/effect.wit"),
    ("js", "LICENSE-APACHE", "wit/LICENSE-APACHE"),
    ("js", "LICENSE-MIT", "wit/LICENSE-MIT"),
    ("js", "wit/effect.wit", "wit/effect.wit"),
    ("rust", "LICENSE-APACHE", "sdk/LICENSE-APACHE"),
    ("rust", "LICENSE-MIT", "sdk/LICENSE-MIT"),
    ("rust", "plugins/sdk/src", "sdk/src"),
    ("rust", "rust-toolchain.toml", "rust-toolchain.toml"),
    ("rust", "wit/effect.wit", "sdk/wit/effect.wit"),
];

/// What cargo has to watch, from the repository's root.
const WATCHED: [&str; 8] = [
    "host/effects/build",
    "host/kit/build.rs",
    "host/kit/templates",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "plugins/sdk",
    "rust-toolchain.toml",
    "wit",
];

fn main() -> io::Result<()> {
    watch(&WATCHED);
    let out_folder = PathBuf::from(required("OUT_DIR")?);
    let [templates, carried] = tables(&workspace()?)?;
    write_if_changed(&out_folder.join("templates.rs"), templates.as_bytes())?;
    write_if_changed(&out_folder.join("carried.rs"), carried.as_bytes())?;
    println!(
        "cargo::rustc-env=VOCALHOST_EFFECT_RUSTFLAGS={}",
        components::RUSTFLAGS
    );
    Ok(())
}

/// Two tables of (language, place in the project, text): the templates and what is carried unchanged. Every text is
/// named by its path from the repository's root, so the tables are the same in every folder.
fn tables(workspace: &Path) -> io::Result<[String; 2]> {
    let mut templates = String::from("&[\n");
    for language in LANGUAGES {
        let folder = format!("host/kit/templates/{language}");
        list(workspace, &folder, language, "", &mut templates)?;
    }
    let mut carried = String::from("&[\n");
    for (language, source, place) in CARRIED {
        list(workspace, source, language, place, &mut carried)?;
    }
    templates.push(']');
    carried.push(']');
    Ok([templates, carried])
}

/// Adds the file `source`, or every file of the folder, in the order of the names so that builds repeat.
fn list(
    workspace: &Path,
    source: &str,
    language: &str,
    place: &str,
    table: &mut String,
) -> io::Result<()> {
    let path = workspace.join(source);
    if path.is_file() {
        let text = format!("concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/../../{source}\")");
        return writeln!(
            table,
            "    ({language:?}, {place:?}, include_str!({text})),"
        )
        .map_err(io::Error::other);
    }
    let mut entries: Vec<PathBuf> = fs::read_dir(&path)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    entries.sort();
    for entry in entries {
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        let below = if place.is_empty() {
            name.to_string()
        } else {
            format!("{place}/{name}")
        };
        list(
            workspace,
            &format!("{source}/{name}"),
            language,
            &below,
            table,
        )?;
    }
    Ok(())
}
