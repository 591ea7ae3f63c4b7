//! What the command line does with models, and what it refuses in plain words.

use std::fs;
use std::path::Path;

use reqwest::Method;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::Value;
use vocalhost_import::{Answers, ImportRequest, import};
use vocalhost_model::{FileRole, Package};
use vocalhost_testing::repository;
use vocalhost_testing::separators::Separator;

use super::harness::{Server, problem, tone, vocalhost};
use super::models::{exported, part, read};

fn plain(path: &Path) -> &str {
    path.to_str().expect("plain text")
}

/// What a command that is refused says.
fn refused(data: &Path, arguments: &[&str]) -> String {
    ended(1, data, arguments)
}

/// What a command that ends with this status says.
fn ended(status: i32, data: &Path, arguments: &[&str]) -> String {
    let output = vocalhost(data, arguments);
    assert_eq!(
        output.status.code(),
        Some(status),
        "{arguments:?}: {output:?}"
    );
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_voice_goes_out_with_the_title_picture_and_demo_that_it_was_given_since() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let amber = exported(folder.path(), "vocalhost.amber-5");
    let form = Form::new().part("modelFile", part(&amber));
    let voice = read(server.post_to("/voice-models", form), 201);
    let jpeg = b"\xff\xd8\xff\xc0\0\x0b\x08\0\x20\0\x20 as far as anybody looks".to_vec();
    let form = Form::new()
        .text("title", "Bernstein")
        .text("tags", "new, warm")
        .part("imageFile", Part::bytes(jpeg.clone()).file_name("a"))
        .part("demoFile", Part::bytes(tone()).file_name("a"));
    let path = format!("/voice-models/{}", voice["id"]);
    let changed = server.request(Method::PATCH, &path).multipart(form).send();
    read(changed.expect("the server answers"), 200);

    let target = folder.path().join("bernstein.vmp");
    let number = voice["id"].to_string();
    let output = vocalhost(
        server.data(),
        &["models", "export", &number, plain(&target)],
    );
    assert!(output.status.success(), "{output:?}");
    let unpacked = tempfile::tempdir().expect("a temporary folder");
    let request = ImportRequest {
        files: &[target],
        answers: &Answers::default(),
        target: unpacked.path(),
        today: "2026-11-22",
        only: None,
        identities: &[],
    };
    import(&request).expect("another installation takes it");
    let package = Package::open(unpacked.path()).expect("a package");
    package.verify().expect("it is whole");
    let manifest = package.manifest();
    assert_eq!(manifest.name, "Bernstein");
    let tags = manifest.voice.as_ref().map(|facts| facts.tags.clone());
    assert_eq!(tags.unwrap_or_default(), ["new", "warm"]);
    let content = |role| fs::read(package.file(role).expect("it has one")).expect("readable");
    assert!(content(FileRole::Picture) == jpeg);
    assert!(content(FileRole::Demo) == tone());
}

#[test]
fn a_file_is_written_where_there_is_a_folder_or_the_error_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    Separator::of_shares("vocals", &[("vocals", 0.25)], "backing").write(folder.path());
    let target = folder.path().join("nowhere/separator.vmp");
    let arguments = [
        "models",
        "export",
        "test.vocals-1",
        plain(&target),
        "--models-dir",
        plain(folder.path()),
    ];
    let said = refused(folder.path(), &arguments);
    let wanted = format!(
        "there is no folder {}",
        folder.path().join("nowhere").display()
    );
    assert!(said.contains(&wanted), "{said}");
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let pipe = folder.path().join("model.pth");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("it runs").success());
    for (path, verb) in [(plain(&pipe), "check"), ("/dev/null", "import")] {
        let said = refused(folder.path(), &["models", verb, path]);
        let wanted = format!("{path} is neither a file nor a folder");
        assert!(said.contains(&wanted), "{said}");
    }
}

#[test]
fn what_a_model_of_its_kind_does_not_have_is_refused_by_name() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    Separator::of_shares("vocals", &[("vocals", 0.25)], "backing").write(folder.path());
    let separator = folder.path().join("test.vocals-1");
    let amber = exported(folder.path(), "vocalhost.amber-5");
    server.key_of("anna", &[]);
    for (verb, file, flag, value) in [
        ("import", &amber, "--id", "mine"),
        ("check", &amber, "--id", "mine"),
        ("import", &separator, "--user", "anna"),
        ("import", &separator, "--tag", "warm"),
    ] {
        let said = refused(server.data(), &["models", verb, plain(file), flag, value]);
        assert!(said.contains(&format!("{flag}: ")), "{said}");
    }

    let packed = folder.path().join("separator.vmp");
    let models = plain(folder.path());
    let export = [
        "models",
        "export",
        "test.vocals-1",
        plain(&packed),
        "--models-dir",
        models,
    ];
    assert!(vocalhost(server.data(), &export).status.success());
    let header = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x08\0\0\0\x08 and so on";
    let png = || Part::bytes(header.to_vec()).file_name("a");
    let form = |file: &Path| Form::new().part("modelFile", part(file));
    for (path, form, wanted) in [
        (
            "/voice-models",
            form(&amber).text("packageId", "mine"),
            "packageId kind",
        ),
        (
            "/admin/models",
            form(&packed).text("tags", "warm"),
            "tags kind",
        ),
        (
            "/admin/models",
            form(&packed).part("imageFile", png()),
            "imageFile kind",
        ),
    ] {
        let (status, _, mistakes) = problem(server.post_to(path, form));
        assert_eq!((status, mistakes), (422, vec![wanted.to_owned()]));
    }
    let packages = server.get("/admin/packages?perPage=1000");
    assert!(
        !packages.to_string().contains("test.vocals-1"),
        "{packages:#}"
    );
    assert_eq!(
        server.get("/voice-models?myModels=true")["meta"]["total"],
        0
    );
}

#[test]
fn two_separators_of_one_task_in_the_settings_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let models = folder.path().join("models");
    for name in ["one", "two"] {
        Separator::of_shares("vocals", &[("vocals", 0.25)], "backing").write(&models);
        let (made, other) = (models.join("test.vocals-1"), models.join(name));
        fs::rename(made, &other).expect("moved");
        let manifest = other.join("package.toml");
        let text = fs::read_to_string(&manifest).expect("a manifest");
        fs::write(
            &manifest,
            text.replace("test.vocals-1", &format!("test.{name}")),
        )
        .expect("written");
    }
    let data = folder.path().join("data");
    let output = folder.path().join("stems");
    for command in [&["serve"][..], &["separate", "none.wav", plain(&output)]] {
        let settings = [
            "--models-dir",
            plain(&models),
            "--listen",
            "127.0.0.1:0",
            "--separators",
            "test.one",
            "--separators",
            "test.two",
        ];
        let said = ended(2, &data, &[command, &settings].concat());
        let wanted = "`separators` names two of the task vocals, test.one and test.two";
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn an_import_says_which_voices_listen_with_it_from_then_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (data, models) = (folder.path().join("data"), folder.path().join("none"));
    fs::create_dir(&models).expect("a folder");
    for (package, part) in [
        ("encoder", "content encoder"),
        ("estimator", "F0 estimator"),
    ] {
        let package = repository("tests/fixtures/rvc").join(package);
        let arguments = ["models", "import", plain(&package), "--models-dir"];
        let output = vocalhost(&data, &[&arguments[..], &[plain(&models)]].concat());
        assert!(output.status.success(), "{output:?}");
        let said = String::from_utf8_lossy(&output.stdout);
        let wanted = format!("Where it is installed, voices of RVC that name no {part} use it");
        assert!(said.contains(&wanted), "{said}");
    }
}

#[test]
fn a_package_is_imported_once_and_stays_while_a_setting_names_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (data, models) = (folder.path().join("data"), folder.path().join("none"));
    fs::create_dir(&models).expect("a folder");
    Separator::of_shares("vocals", &[("vocals", 0.25)], "backing").write(folder.path());
    let separator = folder.path().join("test.vocals-1");
    let estimator = repository("tests/fixtures/rvc/estimator");
    for (package, setting) in [(separator, "separators"), (estimator, "voice-parts")] {
        let id = Package::open(&package)
            .expect("a package")
            .manifest()
            .id
            .clone();
        let on = |command: &'static str, what: &str| {
            let words = ["models", command, what, "--models-dir", plain(&models)];
            words.map(str::to_owned)
        };
        let said = |status: i32, words: &[String]| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            ended(status, &data, &words)
        };
        said(0, &on("check", plain(&package)));
        said(0, &on("import", plain(&package)));
        for command in ["check", "import"] {
            let refused = said(1, &on(command, plain(&package)));
            let wanted = format!("there is a package {id} already");
            assert!(refused.contains(&wanted), "{refused}");
        }
        let remove = on("remove", &id);
        let named = [format!("--{setting}"), id.clone()];
        let refused = said(1, &[&remove[..], &named].concat());
        let wanted = format!("the setting `{}` names", setting.replace('-', "_"));
        assert!(refused.contains(&wanted), "{refused}");
        said(0, &[&remove[..], &named, &["--force".to_owned()]].concat());
        said(0, &on("check", plain(&package)));
    }
}

#[test]
fn a_recording_is_not_written_over_by_its_own_stem() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let folder = data.path().join("mine");
    fs::create_dir(&folder).expect("a folder");
    let recording = folder.join("vocals.wav");
    fs::write(&recording, tone()).expect("written");
    let models = repository("models");
    let separate = |output: &Path| {
        let arguments = ["separate", plain(&recording), plain(output)];
        let settings = ["--models-dir", plain(&models)];
        vocalhost(data.path(), &[&arguments[..], &settings].concat())
    };
    let refused = separate(&folder);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("is the recording itself"), "{said}");
    assert!(fs::read(&recording).expect("it is there") == tone());
    // Nor by what becomes of it in another voice.
    let aside = folder.join("output.wav");
    fs::copy(&recording, &aside).expect("it is copied");
    for (input, output) in [(&recording, &recording), (&aside, &folder)] {
        let arguments = ["convert", plain(input), plain(output), "--voice", "Oak"];
        let settings = ["--models-dir", plain(&models)];
        let refused = vocalhost(data.path(), &[&arguments[..], &settings].concat());
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(said.contains("is the recording itself"), "{said}");
        assert!(fs::read(input).expect("it is there") == tone());
    }

    // What cannot be taken apart leaves no folder; what can makes it.
    let other = data.path().join("other");
    fs::write(&recording, "no sound").expect("written");
    assert_eq!(separate(&other).status.code(), Some(1));
    assert!(!other.exists());
    fs::write(&recording, tone()).expect("written");
    let done = separate(&other);
    assert!(done.status.success(), "{done:?}");
    assert!(other.join("vocals.wav").is_file() && other.join("backing.wav").is_file());
}

#[test]
fn what_is_not_there_for_a_separation_is_named() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let (recording, models) = (data.path().join("mine.wav"), repository("models"));
    fs::write(&recording, tone()).expect("written");
    for (input, output, wanted) in [
        ("none.wav", "stems", "recording none.wav"),
        (plain(&recording), plain(&recording), "is no folder"),
    ] {
        let arguments = ["separate", input, output, "--models-dir", plain(&models)];
        let said = refused(data.path(), &arguments);
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn settings_are_in_the_help_of_the_server_only() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let help = |arguments: &[&str]| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_vocalhost"))
            .args(arguments)
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    for command in [
        &["models", "check"][..],
        &["keys", "create"],
        &["effect", "list"],
    ] {
        let text = help(&[command, &["--help"]].concat());
        assert!(!text.contains("--worker-memory-bytes"), "{text}");
        assert!(text.contains("vocalhost serve --help"), "{text}");
        assert!(text.contains("--config"), "{text}");
    }
    for (command, own) in [
        (["models", "remove"], "--force"),
        (["models", "export"], "The file to write"),
        (["models", "rename"], "The new title"),
        (["webhooks", "replay"], "The delivery's number"),
    ] {
        let text = help(&[&command[..], &["--help"]].concat());
        assert!(text.contains(own), "{text}");
    }
    assert!(help(&["serve", "--help"]).contains("--worker-memory-bytes"));
    assert!(!help(&["serve", "-h"]).contains("--worker-memory-bytes"));
    assert!(!help(&["--help"]).contains("Every setting"));
    // They can be given all the same.
    let output = vocalhost(data.path(), &["models", "list", "--workers", "3"]);
    assert!(output.status.success(), "{output:?}");
    let output: Value = serde_json::json!(output.stderr.is_empty());
    assert_eq!(output, true);
}
