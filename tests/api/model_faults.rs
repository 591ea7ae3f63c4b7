use std::fs;

use reqwest::Method;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::json;
use vocalhost_testing::separators::Separator;

use super::harness::{Server, problem, tone, vocalhost};
use super::models::{exported, part, post, read, stored};

#[test]
fn a_voice_whose_file_cannot_be_read_harms_no_other() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let amber = exported(folder.path(), "vocalhost.amber-5");
    let mut server = Server::start(&[]);
    let form = Form::new().part("modelFile", part(&amber));
    let voice = read(server.post_to("/voice-models", form), 201);
    let others = server.get("/voice-models")["meta"]["total"].clone();
    server.kill();
    let imports = fs::read_dir(server.data().join("files/imports")).expect("the folder");
    for import in imports {
        // Neither there nor gone, for whoever may read everything, too: a link to itself.
        let manifest = import.expect("an entry").path().join("package.toml");
        fs::remove_file(&manifest).expect("it was there");
        std::os::unix::fs::symlink("package.toml", &manifest).expect("linked");
    }
    server.start_again();
    let found = server.get(&format!("/voice-models/{}", voice["id"]));
    assert_eq!(found["isUsable"], false);
    let reason = found["unusableReason"].as_str().expect("a reason");
    assert!(reason.contains("package.toml"), "{reason}");
    assert_eq!(server.get("/voice-models")["meta"]["total"], others);
}

#[test]
fn a_demo_for_which_there_is_no_room_is_not_stored_first() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let amber = exported(folder.path(), "vocalhost.amber-5");
    let room = fs::metadata(&amber).expect("a file").len() + tone().len() as u64 / 2;
    let server = Server::start(&["--storage-quota-bytes", &room.to_string()]);
    let form = Form::new().part("modelFile", part(&amber));
    let voice = read(server.post_to("/voice-models", form), 201);
    let files = stored(&server);
    let form = Form::new().part("demoFile", Part::bytes(tone()).file_name("x"));
    let path = format!("/voice-models/{}", voice["id"]);
    let refused = server.request(Method::PATCH, &path).multipart(form).send();
    let (status, code, _) = problem(refused.expect("it answers"));
    assert_eq!((status, code.as_str()), (429, "E_QUOTA_EXCEEDED"));
    assert_eq!((stored(&server), server.uploads()), (files, 0));
    assert_eq!(server.get(&path)["demoUrl"], voice["demoUrl"]);
}

#[test]
fn what_is_no_voice_is_refused_with_its_field_and_leaves_nothing_behind() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    Separator::of_shares("vocals", &[("vocals", 0.25)], "backing").write(folder.path());
    let separator = folder.path().join("test.vocals-1");
    let graph = fs::read(separator.join("graph.onnx")).expect("a graph");
    let text = |bytes: &[u8]| Part::bytes(bytes.to_vec()).file_name("x.pth");
    for (form, wanted) in [
        (Form::new().text("title", "Anna"), "modelFile required"),
        (
            Form::new().part("indexFile", text(b"x")),
            "modelFile required",
        ),
        (
            Form::new().part("modelFile", text(b"no model")),
            "modelFile model",
        ),
        // Nothing is asked about a model that is refused whatever the answers.
        (
            Form::new().part("modelFile", text(&graph)),
            "modelFile kind",
        ),
        (Form::new().part("modelFile", text(b"")), "modelFile model"),
        (
            Form::new().part(
                "modelFile",
                text(b"\x80\x02cos\nsystem\nX\x01\x00\x00\x00a\x85R."),
            ),
            "modelFile model",
        ),
        (
            Form::new().text("modelFile", "upload:none"),
            "modelFile exists",
        ),
        (
            Form::new()
                .part("modelFile", text(&graph))
                .text("tags", "x".repeat(65)),
            "tags length",
        ),
    ] {
        let (status, code, mistakes) = problem(server.post_to("/voice-models", form));
        assert_eq!(
            (status, code.as_str()),
            (422, "E_VALIDATION_FAILURE"),
            "{wanted}"
        );
        assert_eq!(mistakes, [wanted]);
    }
    let package = folder.path().join("separator.vmp");
    let arguments = [
        "models",
        "export",
        "test.vocals-1",
        package.to_str().expect("plain"),
        "--models-dir",
        folder.path().to_str().expect("plain"),
    ];
    assert!(vocalhost(server.data(), &arguments).status.success());
    let form = Form::new().part("modelFile", part(&package));
    let refused = problem(server.post_to("/voice-models", form));
    assert_eq!(refused.2, ["modelFile kind"]);
    let reader = server.key_of("reader", &["--scope", "read"]);
    let form = || Form::new().part("modelFile", part(&package));
    assert_eq!(
        problem(post(&server, &reader, "/voice-models", form())).0,
        403
    );
    let writer = server.key_of("writer", &[]);
    assert_eq!(
        problem(post(&server, &writer, "/admin/models", form())).0,
        403
    );
    assert_eq!((server.uploads(), stored(&server)), (0, 0));
    for folder in ["imports", "models"] {
        let left = fs::read_dir(server.data().join(folder)).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{folder}");
    }

    // A voice that would take up more than its owner may store.
    let users = server.get("/admin/users?perPage=1000");
    let user = users["data"].as_array().expect("a list").iter();
    let user = user
        .clone()
        .find(|user| user["name"] == "writer")
        .expect("the user");
    let request = server.request(Method::PATCH, &format!("/admin/users/{}", user["id"]));
    let limits = json!({ "storageQuotaBytes": 1_000_000 });
    assert_eq!(
        request.json(&limits).send().expect("it answers").status(),
        200
    );
    let amber = exported(folder.path(), "vocalhost.amber-5");
    let form = Form::new().part("modelFile", part(&amber));
    let (status, code, _) = problem(post(&server, &writer, "/voice-models", form));
    assert_eq!((status, code.as_str()), (429, "E_QUOTA_EXCEEDED"));
    assert_eq!(stored(&server), 0);
}
