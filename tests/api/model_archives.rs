//! Voices that come in an archive (ZIP), as people hand them around: over HTTP and on the command line.

use std::fs;

use reqwest::blocking::multipart::{Form, Part};
use serde_json::Value;
use vocalhost_testing::archive::{Member, zip};
use vocalhost_testing::repository;

use super::harness::{Server, problem, vocalhost};
use super::model_imports::{CHECKPOINT, INDEX};
use super::models::read;

fn fixture(path: &str) -> Vec<u8> {
    fs::read(repository(path)).expect("the fixture")
}

/// A voice with its index, a text whose name is markup, and an archive in the archive.
fn archive() -> Vec<u8> {
    let checkpoint = fixture(CHECKPOINT);
    zip(&[
        Member::stored("Anna/", b""),
        Member::deflated("Anna/<img src=x>.txt", b"Hello."),
        Member::deflated("Anna/Anna.pth", &checkpoint),
        Member::deflated("Anna/added_Anna.index", &fixture(INDEX)),
        Member::stored(
            "Anna/more.zip",
            &zip(&[Member::stored("Berta.pth", &checkpoint)]),
        ),
    ])
}

/// The form with an archive under a name that says nothing.
fn form(archive: Vec<u8>) -> Form {
    Form::new().part("modelFile", Part::bytes(archive).file_name("a.jpg"))
}

#[test]
fn an_archive_with_a_voice_is_imported_by_users_and_administrators() {
    let server = Server::start(&[]);
    for (path, title) in [("/voice-models", None), ("/admin/models", Some("Berta"))] {
        let form = match title {
            Some(title) => form(archive()).text("title", title),
            None => form(archive()),
        };
        let voice = read(server.post_to(path, form), 201);
        // Without a title it has the name that its file has in the archive.
        let title = title.unwrap_or("Anna");
        assert_eq!(
            (&voice["family"], &voice["title"]),
            (&"rvc".into(), &title.into())
        );
        assert_eq!(
            (&voice["found"][0], &voice["found"][1]),
            (
                &"From an archive (ZIP): \"Anna/Anna.pth\" and its index \"Anna/added_Anna.index\".".into(),
                &"Passed over in the archive: \"Anna/<img src=x>.txt\", \"Anna/more.zip\".".into()
            )
        );
        let shown = server.get(&format!("/admin/models/{}", voice["id"]));
        assert!(
            shown["package"]["listens"]["indexRows"].as_i64() > Some(0),
            "{shown:#}"
        );
    }
    assert_eq!(
        server.get("/voice-models?myModels=true")["meta"]["total"],
        1
    );
}

#[test]
fn hostile_archives_are_refused_by_the_server_and_leave_nothing() {
    let server = Server::start(&[]);
    let checkpoint = fixture(CHECKPOINT);
    let stored = || Member::stored("Anna.pth", &checkpoint);
    let bomb = Member {
        bytes: 500_000,
        ..Member::deflated("Anna.pth", &vec![0; 32 << 20])
    };
    let cases = [
        (vec![bomb], "more than the 500000 bytes"),
        (
            vec![Member {
                bytes: 1 << 50,
                ..stored()
            }],
            "unpacks to 1125899906842624 bytes",
        ),
        (
            vec![Member {
                flags: 1,
                ..stored()
            }],
            "is encrypted with a password",
        ),
        (
            vec![Member { crc: 1, ..stored() }],
            "its checksum is another than the archive says",
        ),
        (
            vec![Member::stored("../../../../x.pth", b"Not found")],
            "is of no known kind",
        ),
        (
            vec![Member::stored("more.zip", &zip(&[stored()]))],
            "archives inside an archive are not opened",
        ),
    ];
    for (members, reason) in cases {
        let answer = server.post_to("/voice-models", form(zip(&members)));
        assert_eq!(answer.status(), 422, "{reason}");
        let body: Value = answer.json().expect("JSON");
        let mistake = &body["errors"][0];
        assert_eq!(
            (&mistake["field"], &mistake["rule"]),
            (&"modelFile".into(), &"model".into())
        );
        let said = mistake["message"].as_str().expect("a message");
        assert!(said.contains(reason), "{said}, not: {reason}");
    }
    // An index beside an archive belongs into it.
    let form = form(archive()).part("indexFile", Part::bytes(fixture(INDEX)).file_name("i"));
    let refused = problem(server.post_to("/voice-models", form));
    assert_eq!(
        (refused.0, refused.2),
        (422, vec!["modelFile model".to_owned()])
    );
    for folder in ["imports", "files/imports", "uploads"] {
        let left = fs::read_dir(server.data().join(folder)).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{folder}");
    }
}

#[test]
fn the_command_line_checks_and_imports_an_archive() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, file) = (
        folder.path().join("data"),
        folder.path().join("holiday.zip"),
    );
    fs::write(&file, archive()).expect("written");
    let models = repository("models");
    let run = |verb: &str| {
        let file = file.to_str().expect("plain text");
        let models = models.to_str().expect("plain text");
        let arguments = ["model", verb, file, "--models-dir", models, "--json"];
        let output = vocalhost(&data, &arguments);
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")
    };
    let checked = run("check");
    assert_eq!(checked["kind"], "voice", "{checked:#}");
    let imported = run("import");
    // Neither the archive's name nor a folder's, but that of the voice's own file.
    assert_eq!(imported["voice"]["title"], "Anna", "{imported:#}");
    assert!(imported["found"].to_string().contains("more.zip"));
}
