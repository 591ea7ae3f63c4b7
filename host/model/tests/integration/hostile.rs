//! Packages that must be refused, each with a reason that names the file or the key.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use vocalhost_model::{Catalog, FileRole, ModelError, Package, Runtime, VoiceConverter};

use super::sound::models_folder;

const AMBER: &str = "vocalhost.amber-5";

/// A copy of a good package, to be spoilt.
struct Copy {
    folder: tempfile::TempDir,
}

impl Copy {
    fn of(id: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for entry in fs::read_dir(models_folder().join(id)).expect("the package") {
            let entry = entry.expect("an entry");
            fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("a copy");
        }
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Replaces text of the manifest, which must be there.
    fn edit(&self, from: &str, to: &str) {
        let manifest = fs::read_to_string(self.path("package.toml")).expect("a manifest");
        assert!(manifest.contains(from), "{from} is not in the manifest");
        fs::write(self.path("package.toml"), manifest.replacen(from, to, 1)).expect("written");
    }

    fn refusal(&self) -> String {
        Package::open(self.folder.path())
            .expect_err("the package is refused")
            .to_string()
    }
}

fn refused_after(from: &str, to: &str, expected: &[&str]) {
    let copy = Copy::of(AMBER);
    copy.edit(from, to);
    let message = copy.refusal();
    for part in ["package.toml"].iter().chain(expected) {
        assert!(message.contains(part), "{part:?} is not in: {message}");
    }
}

#[test]
fn every_package_of_the_repository_is_accepted_and_verified() {
    let catalog = Catalog::open(&[models_folder()]);
    assert!(catalog.rejected().is_empty(), "{:?}", catalog.rejected());
    assert!(catalog.voices().count() >= 3);
    for package in catalog.packages() {
        package.verify().expect("sizes and hashes are right");
        // An ensemble has its members' graphs.
        let graph = package.file(FileRole::Graph);
        let is_ensemble = package.manifest().ensemble.is_some();
        assert_eq!(graph.is_some_and(|path| path.is_file()), !is_ensemble);
    }
}

#[test]
fn a_file_name_that_leaves_the_folder_is_refused() {
    for name in [
        "../decoder.onnx",
        "/etc/hostname",
        "a/../../decoder.onnx",
        "",
    ] {
        let replacement = format!("[files.\"{name}\"]");
        refused_after("[files.\"decoder.onnx\"]", &replacement, &["files."]);
    }
}

#[test]
fn a_symbolic_link_is_refused_wherever_it_points() {
    let copy = Copy::of(AMBER);
    let target = models_folder().join(AMBER).join("decoder.onnx");
    fs::remove_file(copy.path("decoder.onnx")).expect("removed");
    symlink(target, copy.path("decoder.onnx")).expect("linked");
    assert!(copy.refusal().contains("symbolic link"));
}

#[test]
fn a_missing_file_and_a_wrong_size_are_refused_when_the_package_is_opened() {
    let copy = Copy::of(AMBER);
    fs::remove_file(copy.path("decoder.onnx")).expect("removed");
    assert!(copy.refusal().contains("decoder.onnx"));
    fs::write(copy.path("decoder.onnx"), b"short").expect("written");
    assert!(copy.refusal().contains("has 5 bytes"));
}

#[test]
fn a_changed_byte_is_found_by_verify_and_again_when_the_graph_is_loaded() {
    let copy = Copy::of(AMBER);
    let mut bytes = fs::read(copy.path("decoder.onnx")).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(copy.path("decoder.onnx"), bytes).expect("written");
    let package = Package::open(copy.folder.path()).expect("sizes are right");
    let message = package.verify().expect_err("the hash differs").to_string();
    assert!(message.contains("decoder.onnx") && message.contains("SHA-256"));
    let message = load(copy.folder.path())
        .expect_err("is not loaded")
        .to_string();
    assert!(message.contains("SHA-256"), "{message}");
}

fn load(folder: &Path) -> Result<(), ModelError> {
    let catalog = Catalog::open(&[folder.to_owned(), models_folder()]);
    let runtime = Runtime::load(None)?;
    let package = Package::open(folder)?;
    VoiceConverter::load(&runtime, &package, &catalog, 1).map(drop)
}

#[test]
fn a_tensor_that_the_graph_does_not_have_like_that_is_refused_at_load() {
    for (from, to, expected) in [
        ("name = \"phone\"", "name = \"fone\"", "phone"),
        ("shape = [1, 320, \"T\"]", "shape = [1, 300, \"T\"]", "rnd"),
        ("name = \"audio\"", "name = \"sound\"", "sound"),
    ] {
        let copy = Copy::of(AMBER);
        copy.edit(from, to);
        let message = load(copy.folder.path()).expect_err("refused").to_string();
        assert!(message.contains("decoder.onnx"), "{message}");
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_tensor_that_the_family_does_not_allow_is_refused() {
    refused_after(
        "shape = [1, \"T\", 65]",
        "shape = [1, \"T\", 64]",
        &["tensor.phone.shape"],
    );
    refused_after(
        "dtype = \"f32\"",
        "dtype = \"i64\"",
        &["tensor.phone.dtype"],
    );
    refused_after(
        "role = \"prior_noise\"",
        "role = \"salience\"",
        &["tensor.rnd.role"],
    );
    refused_after(
        "shape = [1, 320, \"T\"]",
        "shape = [1, 4000000000, \"T\"]",
        &["tensor.rnd.shape"],
    );
    refused_after(
        "role = \"pitchf\"",
        "role = \"content\"",
        &["tensor.pitchf"],
    );
}

#[test]
fn an_index_of_another_size_is_refused() {
    refused_after("rows = 2000", "rows = 2001", &["index.f16", "bytes"]);
    refused_after("rows = 2000", "rows = 999999999999", &["index.rows"]);
    refused_after("rows = 2000", "rows = -1", &["rows"]);
    refused_after("dim = 64\ndtype", "dim = 32\ndtype", &["index.dim"]);
    refused_after("k = 8", "k = 0", &["index.k"]);
}

#[test]
fn numbers_out_of_range_are_refused() {
    refused_after(
        "core_s = 10.0\ncontext_s = 1.0",
        "core_s = 2.0\ncontext_s = 4.1",
        &["segment.context_s"],
    );
    refused_after("core_s = 10.0", "core_s = 1e9", &["segment.core_s"]);
    refused_after("core_s = 10.0", "core_s = nan", &["segment.core_s"]);
    refused_after("upp = 320", "upp = 160", &["voice.upp"]);
    refused_after(
        "noise_scale = 1.0",
        "noise_scale = inf",
        &["voice.noise_scale"],
    );
    refused_after("schema = 1", "schema = 2", &["schema"]);
}

#[test]
fn unknown_keys_kinds_and_broken_text_are_refused_with_the_place() {
    refused_after(
        "instrument = false",
        "instrument = false\nvolume = 3",
        &["volume"],
    );
    refused_after(
        "kind = \"voice\"",
        "kind = \"vioce\"",
        &["line 5", "kind", "vioce"],
    );
    refused_after(
        "family = \"ddsp-rvc\"",
        "family = \"wave-content\"",
        &["family"],
    );
    refused_after("upp = 320", "upp = \"320\"", &["upp", "string"]);
    refused_after("upp = 320", "upp = = 320", &["upp"]);
    // The last would be taken for the number of a voice, or for a flag.
    for id in ["../Amber", ".amber", "77", "-amber"] {
        let changed = format!("id = \"{id}\"");
        refused_after("id = \"vocalhost.amber-5\"", &changed, &["id"]);
    }
}

#[test]
fn texts_that_people_read_are_held_to_the_rules_of_the_forms() {
    let (title, tag) = ("t".repeat(201), "t".repeat(65));
    let (name, tags) = ("name = \"Amber\"", "\"alto\"");
    for text in ["Am\\u001bber", "Am\\nber", "\\u200b", title.as_str()] {
        refused_after(name, &format!("name = \"{text}\""), &["name"]);
    }
    let tensor = "name = \"phone\"";
    refused_after(tensor, "name = \"ph\\u001bone\"", &["tensor.name"]);
    for text in ["al\\u001bto", tag.as_str()] {
        refused_after(tags, &format!("\"{text}\""), &["voice.tags"]);
    }
    let created = "created = \"2026-11-29\"";
    let linked = format!("{created}\nsource_url = \"https://a.example/\\u0007\"");
    refused_after(created, &linked, &["source_url"]);
    for url in [
        " JavaScript:alert(1)",
        "java\\nscript:alert(1)",
        "search-ms:query=a",
    ] {
        let linked = format!("{created}\nsource_url = \"{url}\"");
        refused_after(created, &linked, &["source_url", "https:"]);
    }
    for (key, text) in [
        ("name", title.as_str()),
        ("consent", "\\u001b"),
        ("license", " "),
    ] {
        let texts = [
            "id",
            "name",
            "version",
            "license",
            "attribution",
            "trained_on",
            "consent",
        ];
        let lines = texts.map(|each| {
            let value = if each == key { text } else { "x" };
            format!("{each} = \"{value}\"\n")
        });
        let blend = format!("[[blend]]\nshare = 1.0\n{}\n[segment]", lines.concat());
        refused_after("[segment]", &blend, &[&format!("blend.{key}")]);
    }
}

#[test]
fn what_a_manifest_says_reaches_no_terminal_as_it_is() {
    let copy = Copy::of(AMBER);
    let key = format!("\"vol\\u001b[2J{}\" = 3", "x".repeat(100_000));
    copy.edit("instrument = false", &format!("instrument = false\n{key}"));
    let message = copy.refusal();
    assert!(message.contains("vol\\u{1b}[2J"), "{message:.500}");
    assert!(!message.contains('\u{1b}') && message.len() < 2_000);
}

#[test]
fn a_huge_or_binary_manifest_is_refused_without_reading_it_all() {
    let copy = Copy::of(AMBER);
    fs::write(copy.path("package.toml"), vec![b'#'; 1 << 20]).expect("written");
    assert!(copy.refusal().contains("longer than"));
    fs::write(copy.path("package.toml"), [0xff, 0xfe, 0x00]).expect("written");
    assert!(copy.refusal().contains("UTF-8"));
}

#[test]
fn a_graph_that_is_no_graph_is_refused_at_load() {
    let copy = Copy::of(AMBER);
    let package = Package::open(copy.folder.path()).expect("is good");
    let old = &package.manifest().files["decoder.onnx"];
    fs::write(copy.path("decoder.onnx"), b"abc").expect("written");
    copy.edit(&format!("bytes = {}", old.bytes), "bytes = 3");
    // SHA-256 of the three letters, from FIPS 180-4.
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    copy.edit(&old.sha256, digest);
    let error = load(copy.folder.path()).expect_err("refused");
    assert!(matches!(error, ModelError::Graph { .. }), "{error}");
}

#[test]
fn the_catalog_keeps_refused_packages_aside_with_the_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, id) in [("a", "lonely"), ("b", "vocalhost.f0-3"), ("c", "broken")] {
        let package = folder.path().join(name);
        fs::create_dir(&package).expect("made");
        let source = if name == "b" { "vocalhost.f0-3" } else { AMBER };
        for entry in fs::read_dir(models_folder().join(source)).expect("the package") {
            let entry = entry.expect("an entry");
            fs::copy(entry.path(), package.join(entry.file_name())).expect("a copy");
        }
        let manifest = fs::read_to_string(package.join("package.toml")).expect("a manifest");
        let manifest = manifest
            .replace(AMBER, id)
            .replace("\"vocalhost.content-5\"", "\"not-there\"");
        fs::write(package.join("package.toml"), manifest).expect("written");
    }
    fs::write(folder.path().join("c/package.toml"), "schema = 1").expect("written");
    fs::create_dir(folder.path().join("no-package")).expect("made");
    let missing = folder.path().join("missing");
    let catalog = Catalog::open(&[models_folder(), folder.path().to_owned(), missing]);
    let reasons: Vec<String> = catalog
        .rejected()
        .iter()
        .map(|(path, error)| format!("{} | {error}", path.display()))
        .collect();
    assert_eq!(reasons.len(), 4, "{reasons:#?}");
    for expected in [
        "no content encoder is installed under the id not-there",
        "already has the id",
        "missing field",
        "cannot be read",
    ] {
        let named = reasons.iter().any(|reason| reason.contains(expected));
        assert!(named, "{expected:?} is not in {reasons:#?}");
    }
    assert!(catalog.find("lonely").is_none());
    assert!(catalog.find(AMBER).is_some());
}
