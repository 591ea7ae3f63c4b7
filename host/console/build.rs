//! Embeds what `console/` was built into: a table of its files, each as it is and compressed.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::exit;

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// What makes the files.
const COMMAND: &str = "cargo xtask console";

fn main() {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../console/dist");
    println!("cargo::rerun-if-changed={}", dist.display());
    if !dist.join("index.html").is_file() {
        fail(&format!(
            "the console is not built: run `{COMMAND}`, or build without it: `--no-default-features --features mp3`"
        ));
    }
    if let Err(error) = embed(&dist) {
        fail(&format!("cannot embed {}: {error}", dist.display()));
    }
}

fn fail(sentence: &str) -> ! {
    println!("cargo::error={sentence}");
    exit(1)
}

fn embed(dist: &Path) -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut paths = Vec::new();
    list(dist, "", &mut paths)?;
    paths.sort();
    let mut table = format!(
        "/// Every file, by its path.\npub static ASSETS: [Asset; {}] = [\n",
        paths.len()
    );
    for (number, path) in paths.iter().enumerate() {
        let Some(media_type) = media_type(path) else {
            fail(&format!(
                "console/dist/{path} has no place: there is `index.html`, and files of known kinds in `assets/`"
            ));
        };
        let content = fs::read(dist.join(path))?;
        let digest = base16ct::lower::encode_string(&Sha256::digest(&content));
        fs::write(out.join(format!("{number}")), &content)?;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&content)?;
        let compressed = encoder.finish()?;
        let gzip = if compressed.len() < content.len() {
            fs::write(out.join(format!("{number}.gz")), &compressed)?;
            format!("Some(include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{number}.gz\")))")
        } else {
            "None".to_owned()
        };
        let written = writeln!(
            table,
            "    Asset {{ path: {path:?}, media_type: {media_type:?}, sha256: {digest:?}, \
             content: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{number}\")), gzip: {gzip} }},"
        );
        written.expect("a string takes everything");
    }
    table.push_str("];\n");
    fs::write(out.join("assets.rs"), table)
}

/// The files below a folder, with slashes between their folders.
fn list(folder: &Path, above: &str, found: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            fail("console/dist has a name that is no text");
        };
        let path = format!("{above}{name}");
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{path}/"), found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

/// What a file is by its name; `None` for what the console has no place for.
fn media_type(path: &str) -> Option<&'static str> {
    if path == "index.html" {
        return Some("text/html; charset=utf-8");
    }
    let name = path.strip_prefix("assets/")?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    let (_, extension) = name.rsplit_once('.').filter(|_| name.bytes().all(plain))?;
    match extension {
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "json" => Some("application/json"),
        "wasm" => Some("application/wasm"),
        "svg" => Some("image/svg+xml"),
        "png" => Some("image/png"),
        "webp" => Some("image/webp"),
        "woff2" => Some("font/woff2"),
        "txt" => Some("text/plain; charset=utf-8"),
        _ => None,
    }
}
