//! `vocalhost effect new`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use vocalhost_effects::{EffectHost, EffectLimits};
use vocalhost_testing::repository;

use super::projects::{
    error_of, expected_gain, gains_of, project, succeed, tool, vocalhost_effect,
};

/// Every file below a folder, from there.
fn files_in(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        let name = path.file_name().expect("it has one").to_string_lossy();
        if path.is_dir() {
            found.extend(files_in(&path).iter().map(|file| format!("{name}/{file}")));
        } else {
            found.insert(name.into_owned());
        }
    }
    found
}

#[test]
fn a_rust_project_builds_tests_itself_and_is_heard_in_the_host() {
    // A place of its own that stays: the next run finds what the project depends on compiled.
    let workshop = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-effect");
    let _ = fs::remove_dir_all(workshop.join("projects"));
    fs::create_dir_all(workshop.join("projects")).expect("the folder is made");
    let project = project(&workshop.join("projects"), "tape-echo", "rust");

    let cargo = |verb: &str, more: &[&str]| {
        let mut command = tool(&project, env!("CARGO"), &[verb, "--release", "--locked"]);
        // Everything that the project needs is something that this repository needs too.
        command.arg("--offline").args(more);
        command.env("CARGO_TARGET_DIR", workshop.join("target"));
        succeed(&mut command);
    };
    cargo("test", &[]);
    cargo("build", &["--target", "wasm32-wasip2"]);

    let built = workshop.join("target/wasm32-wasip2/release/tape_echo.wasm");
    let component = fs::read(built).expect("it was built");
    for (frame, gain) in gains_of(&component, 20_000).iter().enumerate() {
        assert!((gain - expected_gain(frame)).abs() < 1e-5, "frame {frame}");
    }
    let host = EffectHost::open(None, EffectLimits::default()).expect("opens");
    let effect = host.load(&component).expect("loads");
    assert_eq!(effect.descriptor().id, "com.example.tape-echo");
    assert_eq!(effect.descriptor().name, "Tape echo");
    assert_eq!(effect.descriptor().vendor, "Example");
    assert_eq!(effect.descriptor().presets.len(), 2);
}

#[test]
fn a_c_project_passes_its_tests_and_its_bridge_fits_the_bindings() {
    let parent = tempfile::tempdir().expect("a folder");
    let project = project(parent.path(), "c-echo", "c");
    // The compiler that set-up asks for anyway, in place of the one that the Makefile names.
    succeed(&mut tool(&project, "make", &["test", "CC=cc"]));
    let bridge = [
        "-fsyntax-only",
        "-std=gnu17",
        "-Wall",
        "-Wno-attributes",
        "-Werror",
        "sdk/effect.c",
    ];
    succeed(&mut tool(&project, "cc", &bridge));
}

#[test]
fn a_project_is_complete_and_says_what_to_do() {
    let parent = tempfile::tempdir().expect("a folder");
    let common = [".gitignore", "README.md"];
    let cases: [(&str, &[&str], &str); 3] = [
        (
            "rust",
            &[
                ".cargo/config.toml",
                "Cargo.lock",
                "Cargo.toml",
                "rust-toolchain.toml",
                "sdk/Cargo.toml",
                "sdk/LICENSE-MIT",
                "sdk/src/lib.rs",
                "sdk/src/testing/rules.rs",
                "sdk/wit/effect.wit",
                "src/dsp.rs",
                "src/lib.rs",
                "src/tests.rs",
            ],
            "cargo build --release --target wasm32-wasip2",
        ),
        (
            "c",
            &[
                "Makefile",
                "sdk/LICENSE-MIT",
                "sdk/effect.c",
                "sdk/effect.h",
                "sdk/generated/plugin.c",
                "sdk/generated/plugin.h",
                "sdk/wit/effect.wit",
                "src/dsp.c",
                "src/effect.c",
                "tests/tests.c",
            ],
            "make",
        ),
        (
            "js",
            &[
                "build.mjs",
                "package.json",
                "src/dsp.js",
                "src/effect.js",
                "tests/effect.test.js",
                "wit/effect.wit",
            ],
            "npm run build",
        ),
    ];
    for (language, expected, step) in cases {
        let name = format!("{language}-echo");
        let into = parent.path().to_str().expect("text");
        let made = vocalhost_effect(&["new", &name, "--lang", language, "--into", into]);
        assert!(made.status.success(), "{}", error_of(&made));
        let said = String::from_utf8_lossy(&made.stdout).into_owned();
        assert!(said.contains(step), "{said}");
        let files = files_in(&parent.path().join(&name));
        for file in expected.iter().chain(&common) {
            assert!(files.contains(*file), "{language}: {file} in {files:?}");
        }
        let effect = parent.path().join(&name).join("README.md");
        let text = fs::read_to_string(effect).expect("it is text");
        assert!(text.contains(&format!("`com.example.{name}`")), "{text}");
    }
}

#[test]
fn the_sdk_of_a_project_is_ours_to_the_byte() {
    let parent = tempfile::tempdir().expect("a folder");
    let project = project(parent.path(), "same", "rust");
    let ours = repository("plugins/sdk/src");
    assert_eq!(files_in(&project.join("sdk/src")), files_in(&ours));
    for file in files_in(&ours) {
        let read = |folder: &Path| fs::read(folder.join(&file)).expect("readable");
        assert_eq!(read(&project.join("sdk/src")), read(&ours), "{file}");
    }
    let read = |path| fs::read(path).expect("readable");
    assert_eq!(
        read(project.join("sdk/wit/effect.wit")),
        read(repository("wit/effect.wit"))
    );
}

#[test]
fn id_and_vendor_are_the_author_s() {
    let parent = tempfile::tempdir().expect("a folder");
    let into = parent.path().to_str().expect("text");
    for (language, source) in [
        ("rust", "src/lib.rs"),
        ("c", "src/effect.c"),
        ("js", "src/effect.js"),
    ] {
        let made = vocalhost_effect(&[
            "new",
            language,
            "--lang",
            language,
            "--id",
            "org.tapes.echo",
            "--vendor",
            r#"Bob "Tape" \ Söhne {{name}}"#,
            "--into",
            into,
        ]);
        assert!(made.status.success(), "{}", error_of(&made));
        let source = parent.path().join(language).join(source);
        let text = fs::read_to_string(source).expect("it is text");
        assert!(text.contains("org.tapes.echo"), "{text}");
        assert!(
            text.contains(r#""Bob \"Tape\" \\ Söhne {{name}}""#),
            "{text}"
        );
        assert!(text.contains("tapes:modulation"), "{text}");
    }
}

#[test]
fn nothing_is_ever_overwritten() {
    let parent = tempfile::tempdir().expect("a folder");
    let into = parent.path().to_str().expect("text");
    fs::create_dir(parent.path().join("empty")).expect("made");
    fs::write(parent.path().join("file"), "mine").expect("written");
    std::os::unix::fs::symlink("nowhere", parent.path().join("link")).expect("linked");
    let before = files_in(parent.path());
    for name in ["empty", "file", "link"] {
        let refused = vocalhost_effect(&["new", name, "--into", into]);
        assert_eq!(refused.status.code(), Some(1));
        assert!(error_of(&refused).contains("is there already"));
    }
    assert_eq!(files_in(parent.path()), before);
    assert_eq!(
        fs::read(parent.path().join("file")).expect("readable"),
        b"mine"
    );
}

#[test]
fn a_folder_that_cannot_hold_the_project_is_named_and_left_as_it_was() {
    let parent = tempfile::tempdir().expect("a folder");
    fs::write(parent.path().join("file"), "mine").expect("written");
    for folder in ["missing", "file"] {
        let into = parent.path().join(folder);
        let into = into.to_str().expect("text");
        let refused = vocalhost_effect(&["new", "echo", "--into", into]);
        assert_eq!(refused.status.code(), Some(1));
        let error = error_of(&refused);
        assert!(
            error.contains(&format!("cannot write to {into}")),
            "{error}"
        );
    }
    assert_eq!(files_in(parent.path()), BTreeSet::from(["file".to_owned()]));
}

#[test]
fn names_that_cannot_be_used_are_wrong_usage() {
    let parent = tempfile::tempdir().expect("a folder");
    let into = parent.path().to_str().expect("text");
    let cases: [&[&str]; 7] = [
        &["../escape"],
        &["Echo"],
        &["std"],
        &["echo", "--id", "echo"],
        &["echo", "--id", "vocalhost.echo"],
        &["echo", "--vendor", "two\nlines"],
        &["echo", "--lang", "cobol"],
    ];
    for case in cases {
        let mut arguments = vec!["new", "--into", into];
        arguments.extend(case);
        let refused = vocalhost_effect(&arguments);
        assert_eq!(refused.status.code(), Some(2), "{case:?}");
    }
    assert!(files_in(parent.path()).is_empty());
}

/// A project's lock file names no version that ours does not, so that both are built of the same sources.
#[test]
fn the_locked_versions_of_a_rust_project_are_ours() {
    let parent = tempfile::tempdir().expect("a folder");
    let project = project(parent.path(), "locked", "rust");
    let packages = |path: &Path| -> BTreeSet<String> {
        let text = fs::read_to_string(path).expect("it is text");
        let lock: toml::Table = text.parse().expect("it is TOML");
        let packages = lock["package"].as_array().expect("a list");
        let locked = packages.iter().filter(|one| one.get("checksum").is_some());
        locked
            .map(|one| format!("{} {} {}", one["name"], one["version"], one["checksum"]))
            .collect()
    };
    let own = packages(&project.join("Cargo.lock"));
    let ours = packages(&repository("Cargo.lock"));
    let strange: Vec<_> = own.difference(&ours).collect();
    assert!(
        strange.is_empty(),
        "{strange:#?}: make host/kit/templates/rust/Cargo.lock anew: copy our Cargo.lock into a new project, run `cargo build \
         --offline` there, and put `{{{{name}}}}` in place of its name and `{{{{release}}}}` in place of the version of vocalhost-effect"
    );
}
