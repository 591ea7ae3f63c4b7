//! Models that come in from the command line: packages and what else may be in a file.

mod hostile;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use vocalhost_catalogues::library::{Library, LibrarySettings};
use vocalhost_files::FileStore;
use vocalhost_import::{Answers, ImportError, ImportRequest, import};
use vocalhost_model::Package;
use vocalhost_store::{Actor, AuditQuery, Store};

use crate::support::onnx::Graph;
use crate::support::poll::PATIENCE;
use crate::support::separators::Separator;
use crate::support::server::vocalhost;

/// A small separator, exported to one file.
fn exported(folder: &Path) -> PathBuf {
    let models = folder.join("source");
    Separator::of_shares("vocals", &[("vocals", 0.25)], "backing").write(&models);
    let target = folder.join("separator.vmp");
    let output = vocalhost(
        &folder.join("none"),
        &[
            "models",
            "export",
            "test.vocals-1",
            text(&target),
            "--models-dir",
            text(&models),
        ],
    );
    assert!(output.status.success(), "{output:?}");
    assert!(
        !folder.join("none").exists(),
        "looking makes no data folder"
    );
    target
}

fn text(path: &Path) -> &str {
    path.to_str().expect("plain text")
}

/// What becomes of a file, and of the package that it claims to be.
fn imported(file: &Path) -> Result<Package, String> {
    let target = tempfile::tempdir().expect("a temporary folder");
    let files = [file.to_owned()];
    let request = ImportRequest {
        files: &files,
        answers: &Answers::default(),
        target: target.path(),
        today: "2026-11-21",
        only: None,
        identities: &[],
    };
    import(&request).map_err(|error| match error {
        ImportError::Refused { reason, .. } => reason,
        other => other.to_string(),
    })?;
    let package = Package::open(target.path()).map_err(|error| error.to_string())?;
    package.verify().map_err(|error| error.to_string())?;
    Ok(package)
}

/// An archive as exports are, of a package whose graph is called `name`.
fn archive_of(folder: &Path, name: &str) -> PathBuf {
    let models = folder.join("plain");
    Separator::of_shares("vocals", &[("vocals", 0.25)], "backing").write(&models);
    let package = models.join("test.vocals-1");
    let manifest = fs::read_to_string(package.join("package.toml")).expect("a manifest");
    let manifest = manifest.replace("[files.\"graph.onnx\"]", &format!("[files.{name:?}]"));
    let graph = fs::read(package.join("graph.onnx")).expect("a graph");
    let mut archive = Vec::new();
    for (name, content) in [("package.toml", manifest.as_bytes()), (name, &graph)] {
        let length = u32::try_from(content.len()).expect("small");
        let letters = u16::try_from(name.len()).expect("short");
        // Signature; version, flags, method, time; checksum, which nothing reads; sizes and lengths.
        archive.extend(0x0403_4b50_u32.to_le_bytes());
        archive.extend([20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        archive.extend([length.to_le_bytes(), length.to_le_bytes()].concat());
        archive.extend([letters.to_le_bytes(), [0, 0]].concat());
        archive.extend(name.as_bytes());
        archive.extend(content);
    }
    let file = folder.join("crafted.vmp");
    fs::write(&file, archive).expect("written");
    file
}

#[test]
fn an_archive_writes_nothing_outside_of_its_package() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    imported(&archive_of(folder.path(), "model.onnx")).expect("an honest one comes in");
    let target = folder.path().join("work/package");
    fs::create_dir_all(&target).expect("a folder");
    let absolute = folder.path().join("absolute.onnx");
    for name in ["../../above.onnx", text(&absolute), "a/../../../above.onnx"] {
        let files = [archive_of(folder.path(), name)];
        let refused = import(&ImportRequest {
            files: &files,
            answers: &Answers::default(),
            target: &target,
            today: "2026-11-23",
            only: None,
            identities: &[],
        });
        let said = refused.expect_err("it is refused").to_string();
        assert!(said.contains("leaves the package's folder"), "{said}");
        for outside in [&absolute, &folder.path().join("above.onnx")] {
            assert!(!outside.exists(), "{name} was written");
        }
    }
    assert_eq!(fs::read_dir(&target).expect("it is there").count(), 0);
}

fn listed(data: &Path, models: &Path) -> Vec<String> {
    let arguments = ["models", "list", "--json", "--models-dir", text(models)];
    let output = vocalhost(data, &arguments);
    let list: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(list["refused"], serde_json::json!([]));
    let packages = list["packages"].as_array().expect("a list").iter();
    packages
        .map(|one| one["id"].as_str().expect("an id").to_owned())
        .collect()
}

#[test]
fn a_package_goes_out_in_one_file_and_comes_in_again_under_another_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = exported(folder.path());
    let (data, none) = (folder.path().join("data"), folder.path().join("no-models"));
    fs::create_dir(&none).expect("a folder");
    let import = |more: &[&str]| {
        let first = [
            "models",
            "import",
            text(&archive),
            "--models-dir",
            text(&none),
        ];
        vocalhost(&data, &[&first, more].concat())
    };
    let checked = ["models", "check", text(&archive), "--json"];
    let output = vocalhost(&data, &checked);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["kind"], "separator", "{found:#}");
    assert!(!data.exists(), "looking makes no data folder");

    let output = import(&[
        "--id",
        "mine.vocals",
        "--name",
        "Mine",
        "--license",
        "CC0-1.0",
    ]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("imported mine.vocals"), "{said}");
    assert_eq!(listed(&data, &none), ["mine.vocals"]);
    let package = Package::open(&data.join("models/mine.vocals")).expect("a package");
    let manifest = package.manifest();
    assert_eq!(
        (manifest.name.as_str(), manifest.license.as_str()),
        ("Mine", "CC0-1.0")
    );

    let output = import(&["--id", "mine.vocals"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("there is a package mine.vocals already"),
        "{said}"
    );
    for (flags, named) in [
        (
            ["--id", "../../outside"],
            "--id  \"../../outside\" cannot be taken: must be 1 to 128",
        ),
        (
            ["--license", "a\u{7}b"],
            "--license  \"a\\u{7}b\" cannot be taken",
        ),
        (
            ["--set", "hop=441"],
            "--set hop=  Nothing can be said about this model",
        ),
    ] {
        let output = import(&flags);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(named), "{said}");
        assert!(!said.contains("package.toml"), "{said}");
    }

    let (backup, restored) = (folder.path().join("backup"), folder.path().join("restored"));
    let made = vocalhost(&data, &["backup", text(&backup)]);
    assert!(made.status.success(), "{made:?}");
    let made = vocalhost(&restored, &["restore", text(&backup)]);
    assert!(made.status.success(), "{made:?}");
    assert_eq!(listed(&restored, &none), ["mine.vocals"]);

    let remove = [
        "models",
        "remove",
        "mine.vocals",
        "--models-dir",
        text(&none),
    ];
    assert!(vocalhost(&data, &remove).status.success());
    assert!(listed(&data, &none).is_empty());
    assert_eq!(vocalhost(&data, &remove).status.code(), Some(1));
    assert_empty(&data);
}

/// Nothing of an import is left but what was imported.
fn assert_empty(data: &Path) {
    for folder in ["imports", "models", "files/imports"] {
        let left = fs::read_dir(data.join(folder)).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{folder}");
    }
}

#[test]
fn a_package_that_is_cut_or_changed_anywhere_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = exported(folder.path());
    let whole = fs::read(&archive).expect("an archive");
    assert_eq!(
        imported(&archive).expect("it is whole").manifest().id,
        "test.vocals-1"
    );
    let file = folder.path().join("other");
    let content: usize = {
        let package = Package::open(&folder.path().join("source/test.vocals-1"));
        let package = package.expect("a package");
        let files = package.manifest().files.values();
        files.map(|entry| entry.bytes as usize).sum()
    };
    // The list behind the files is for other programs.
    let listing = whole
        .windows(4)
        .position(|four| four == b"PK\x01\x02")
        .expect("a list");
    assert!(listing > content);
    for length in 0..listing {
        fs::write(&file, &whole[..length]).expect("written");
        let refused = imported(&file).expect_err("it is cut");
        assert!(
            !refused.is_empty() && !refused.contains("panic"),
            "{length}: {refused}"
        );
    }
    // The graph stands last: any of its bits tells.
    for position in (listing - content..listing).step_by(7) {
        let mut changed = whole.clone();
        changed[position] ^= 1;
        fs::write(&file, &changed).expect("written");
        imported(&file).expect_err("it is changed");
    }
    // What a change of the rest makes of it is a package or a refusal, never a panic.
    for position in (0..listing - content).step_by(3) {
        for bit in [0, 3, 7] {
            let mut changed = whole.clone();
            changed[position] ^= 1 << bit;
            fs::write(&file, &changed).expect("written");
            let _ = imported(&file);
        }
    }
}

#[test]
fn hostile_files_are_refused_with_a_reason_and_leave_nothing_behind() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = exported(folder.path());
    let data = folder.path().join("data");
    let whole = fs::read(&archive).expect("an archive");
    let mut cases: Vec<(&str, PathBuf)> = Vec::new();
    let mut put = |name: &'static str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).expect("written");
        cases.push((name, path));
    };
    put("empty.pth", b"");
    put("text.onnx", b"This is no model.\n");
    put("zeros.onnx", &[0; 4_096]);
    put(
        "pickle.pth",
        b"\x80\x02cos\nsystem\nX\x07\x00\x00\x00touch xq\x85R.",
    );
    put("cut.vmp", &whole[..whole.len() / 2]);
    // A header that speaks of 4 GiB.
    let mut large = whole.clone();
    large[18..26].copy_from_slice(&[0xfe; 8]);
    put("large.vmp", &large);
    // The same of the manifest, which says that its graph has a gigabyte.
    put(
        "claims.vmp",
        &replaced(&whole, b"\nbytes = ", b"\nbytes = 9"),
    );
    put(
        "field.onnx",
        &[0x3a, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x0a, 0x02],
    );
    put("nested.onnx", &vec![0x3a; 200_000]);
    for (name, path) in &cases {
        let output = vocalhost(&data, &["models", "import", text(path)]);
        assert_eq!(output.status.code(), Some(1), "{name}: {output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(name), "{name}: {said}");
        assert!(!said.contains("cannot look at a model"), "{name}: {said}");
        assert_empty(&data);
    }
    let outside = hostile_folders(&folder);
    for path in outside {
        let output = vocalhost(&data, &["models", "import", text(&path)]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert_empty(&data);
    }
    let voices = vocalhost(&data, &["models", "voices", "--json"]);
    let voices: Value = serde_json::from_slice(&voices.stdout).expect("JSON");
    assert_eq!(voices, serde_json::json!([]));
}

#[test]
fn a_model_that_asks_for_more_memory_than_a_trial_may_have_is_refused_in_words() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut greedy = Separator::of_shares("vocals", &[("vocals", 0.25)], "backing");
    // Sixteen gigabytes between two small tensors.
    greedy.graph = Graph::default()
        .input(("mix", &[Some(1), Some(2), Some(4_000)]))
        .integers("many", &[500_000, 2, 4_000])
        .integers("first", &[0])
        .node("Expand", &["mix", "many"], "tall", &[])
        .node("ReduceSum", &["tall", "first"], "sum", &[])
        .constant("share", &[1, 1, 1, 1], &[1e-6])
        .node("Mul", &["sum", "share"], "out", &[])
        .output(("out", &[Some(1), Some(1), Some(2), Some(4_000)]));
    greedy.write(folder.path());
    let data = folder.path().join("data");
    let package = folder.path().join("test.vocals-1");
    let output = vocalhost(&data, &["models", "import", text(&package)]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("more time or memory"), "{said}");
    assert_empty(&data);
}

/// Bytes with another piece in the place of one, as long as it was: the text behind it loses its last letters.
fn replaced(whole: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let at = whole.windows(old.len()).position(|piece| piece == old);
    let at = at.expect("it is there");
    let mut changed = whole.to_vec();
    changed[at..at + new.len()].copy_from_slice(new);
    changed
}

/// Packages that reach out of their folder, or whose files are not what the manifest says.
fn hostile_folders(folder: &TempDir) -> Vec<PathBuf> {
    let copy = |name: &str| {
        let target = folder.path().join(name);
        let source = folder.path().join("source/test.vocals-1");
        fs::create_dir(&target).expect("a folder");
        for file in ["package.toml", "graph.onnx"] {
            fs::copy(source.join(file), target.join(file)).expect("copied");
        }
        target
    };
    let linked = copy("linked");
    fs::rename(linked.join("graph.onnx"), folder.path().join("graph.onnx")).expect("moved");
    std::os::unix::fs::symlink("../graph.onnx", linked.join("graph.onnx")).expect("linked");
    let named = copy("named");
    let manifest = fs::read_to_string(named.join("package.toml")).expect("a manifest");
    let above = manifest.replace("[files.\"graph.onnx\"]", "[files.\"../graph.onnx\"]");
    fs::write(named.join("package.toml"), above).expect("written");
    let other = copy("other-content");
    let mut graph = fs::read(other.join("graph.onnx")).expect("a graph");
    graph[0] ^= 1;
    fs::write(other.join("graph.onnx"), graph).expect("written");
    vec![linked, named, other]
}

/// The models of a data folder, and its database.
async fn opened(data: &Path) -> (Library, Store) {
    let store = Store::open(&data.join("vocalhost.sqlite")).await;
    let store = store.expect("it opens");
    let files = FileStore::open(data).expect("an empty folder opens");
    let settings = LibrarySettings {
        program: "none".into(),
        imported: data.join("models"),
        imports: data.join("imports"),
        worker_memory_bytes: 2 << 30,
        keeps_voices: true,
        ..LibrarySettings::default()
    };
    let library = Library::open(store.clone(), files, settings, 0).await;
    (library.expect("there is nothing to fail"), store)
}

#[tokio::test]
async fn a_package_goes_with_its_line_in_the_audit_when_whoever_asked_has_left() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let models = data.path().join("models");
    Separator::of_shares("vocals", &[("vocals", 0.25)], "backing").write(&models);
    let (library, store) = opened(data.path()).await;
    let actor = Actor::server();
    let removing = library.remove_package("test.vocals-1", false, &actor, 1);
    let left = tokio::time::timeout(Duration::ZERO, removing).await;
    left.expect_err("it takes longer than no time");
    let query = AuditQuery {
        action: Some("removeModelPackage".to_owned()),
        page: 1,
        per_page: 1,
        ..AuditQuery::default()
    };
    let noted = async {
        let mut looks = tokio::time::interval(Duration::from_millis(10));
        while store.audit_log(&query).await.expect("it is read").total == 0 {
            looks.tick().await;
        }
    };
    let noted = tokio::time::timeout(PATIENCE, noted).await;
    noted.expect("it comes to its end");
    assert!(!models.join("test.vocals-1").exists());
}

#[test]
fn an_import_says_which_jobs_use_the_separator_from_now_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = exported(folder.path());
    let (data, models) = (folder.path().join("data"), folder.path().join("source"));
    let run = |verb: &str, more: &[&str]| {
        let first = ["models", verb, "--models-dir", text(&models)];
        let output = vocalhost(&data, &[&first, more].concat());
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let said = run("import", &[text(&archive), "--id", "zz.newer"]);
    assert!(
        said.contains("jobs that separate vocals use it from now on"),
        "{said}"
    );
    assert!(!said.contains("worker_memory_bytes"), "{said}");
    let list = run("list", &[]);
    let used = list.lines().filter(|line| line.contains("used for vocals"));
    assert_eq!(used.count(), 1, "{list}");
    let shown = run("show", &["zz.newer", "--json"]);
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(shown["usedFor"], "vocals");
    let named = run("list", &["--separators", "test.vocals-1"]);
    let used = named.lines().find(|line| line.contains("used for vocals"));
    assert!(
        used.expect("one is used").contains("test.vocals-1"),
        "{named}"
    );
}

#[test]
fn programs_are_told_why_a_model_does_not_come_in() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let data = folder.path().join("data");
    let refused = folder.path().join("refused.onnx");
    fs::write(&refused, "no model").expect("written");
    for verb in ["check", "import"] {
        let output = vocalhost(&data, &["models", verb, text(&refused), "--json"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let reason = told["refused"].as_str().expect("a reason");
        assert!(reason.contains("no known kind"), "{reason}");
    }
    let archive = exported(folder.path());
    let arguments = ["models", "import", text(&archive), "--tag", "x", "--json"];
    let output = vocalhost(&data, &arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let reason = told["refused"].as_str().expect("a reason");
    assert!(reason.contains("--tag"), "{reason}");
}

#[test]
fn an_import_says_when_workers_have_less_memory_than_the_model_takes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = exported(folder.path());
    let data = folder.path().join("data");
    let little = "--worker-memory-bytes=1000000";
    let output = vocalhost(&data, &["models", "import", text(&archive), little]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(
        said.contains("a worker may hold 1 MB") && said.contains("`worker_memory_bytes`"),
        "{said}"
    );
}
