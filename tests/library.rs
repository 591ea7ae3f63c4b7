//! Models that come in from the command line: packages and what else may be in a file.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use vocalhost_model::Package;
use vocalhost_testing::onnx::Graph;
use vocalhost_testing::separators::Separator;
use vocalhost_testing::server::vocalhost;

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
#[test]
fn ways_may_lead_out_of_a_folder_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = exported(folder.path());
    for within in ["within", "no-models"] {
        fs::create_dir(folder.path().join(within)).expect("a folder");
    }
    let around = |path: &Path| {
        let name = path.file_name().expect("it has a name");
        folder.path().join("within/..").join(name)
    };
    let (data, none) = (folder.path().join("data"), folder.path().join("no-models"));
    let models = around(&none);
    let import = [
        "models",
        "import",
        text(&around(&archive)),
        "--models-dir",
        text(&models),
    ]
    .map(str::to_owned);
    let import: Vec<&str> = import.iter().map(String::as_str).collect();
    let output = vocalhost(&around(&data), &import);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(listed(&data, &none), ["test.vocals-1"]);
}

#[test]
fn a_folder_with_packages_of_our_own_is_listed_and_imported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    exported(folder.path());
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let (data, none) = (
        elsewhere.path().join("data"),
        elsewhere.path().join("no-models"),
    );
    fs::create_dir(&none).expect("a folder");
    let folder_text = text(folder.path()).to_owned();
    let import = |more: &[&str]| -> Value {
        let import = [
            "models",
            "import",
            &folder_text,
            "--json",
            "--models-dir",
            text(&none),
        ];
        let output = vocalhost(&data, &[&import, more].concat());
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let states = |found: &Value| -> Vec<(String, String)> {
        let models = found["models"].as_array().expect("a list").iter();
        models
            .map(|one| {
                let word = |field: &str| one[field].as_str().expect("a word").to_owned();
                (word("file"), word("state"))
            })
            .collect()
    };
    let pairs =
        |pairs: [(&str, &str); 2]| pairs.map(|(file, state)| (file.to_owned(), state.to_owned()));
    // The archive was made of the package that lies beside it.
    let wanted = pairs([("separator.vmp", "new"), ("source/test.vocals-1", "twin")]);
    assert_eq!(states(&import(&[])), wanted);
    let done = import(&["--all"]);
    assert_eq!(
        done["models"][0]["imported"]["packageId"], "test.vocals-1",
        "{done:#}"
    );
    assert_eq!(listed(&data, &none), ["test.vocals-1"]);
    let again = states(&import(&["--all"]));
    assert_eq!(again[0], ("separator.vmp".to_owned(), "here".to_owned()));
}

fn assert_empty(data: &Path) {
    for folder in ["imports", "models", "files/imports"] {
        let left = fs::read_dir(data.join(folder)).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{folder}");
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
        said.contains("what separates vocals uses it from now on"),
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

#[test]
fn a_graph_that_hides_a_part_of_itself_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let wave = ("mix", &[Some(1), Some(2), Some(8_192)][..]);
    let graph = Graph::default()
        .input(wave)
        .constant("share", &[1, 2, 1, 1], &[0.5, 0.5])
        .node("Mul", &["mix", "share"], "stems", &[])
        .output(("stems", &[Some(1), Some(2), Some(2), Some(8_192)]));
    let honest = graph.model();
    // A second graph, which readers of Protocol Buffers put together with the first. Its tag has a bit more than the 32 that
    // ONNX Runtime's keeps.
    let hiding = [&honest[..], b"\xba\x80\x80\x80\x10\x02\x0a\x00"].concat();
    let doubled = [&honest[..], b"\x3a\x02\x0a\x00"].concat();
    let data = folder.path().join("data");
    for (content, expected) in [
        (&honest, "mdx23c"),
        (
            &hiding,
            "the tag or the length of a field in more than 32 bits",
        ),
        (&doubled, "the field 7 in the model twice"),
    ] {
        let path = folder.path().join("model.onnx");
        fs::write(&path, content).expect("written");
        let arguments = [
            "models",
            "check",
            text(&path),
            "--set",
            "stems=vocals,backing",
        ];
        let output = vocalhost(&data, &arguments);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).to_lowercase();
        assert_eq!(output.status.success(), content == &honest, "{said}");
        assert!(said.contains(expected), "{said}");
    }
}
