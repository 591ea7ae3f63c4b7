use std::fs;
use std::path::{Path, PathBuf};

use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::{Value, json};
use vocalhost_testing::repository;
use vocalhost_testing::separators::Separator;

use super::harness::{Server, header, problem, tone, tone_part, vocalhost};

/// A package of the repository in one file.
pub fn exported(folder: &Path, id: &str) -> PathBuf {
    let target = folder.join(format!("{id}.vmp"));
    let models = repository("models");
    let arguments = [
        "models",
        "export",
        id,
        target.to_str().expect("plain text"),
        "--models-dir",
        models.to_str().expect("plain text"),
    ];
    let output = vocalhost(&folder.join("none"), &arguments);
    assert!(output.status.success(), "{output:?}");
    target
}

pub fn part(path: &Path) -> Part {
    Part::bytes(fs::read(path).expect("a file")).file_name("model")
}

/// A request with somebody's key.
fn ask(
    server: &Server,
    key: &str,
    (method, path): (Method, &str),
) -> vocalhost_testing::client::Request {
    server.anonymous(method, &server.url(path)).bearer_auth(key)
}

pub fn post(server: &Server, key: &str, path: &str, form: Form) -> Response {
    let request = ask(server, key, (Method::POST, path)).multipart(form);
    request.send().expect("the server answers")
}

pub fn read(answer: Response, status: u16) -> Value {
    let found = answer.status();
    let record: Value = answer.json().expect("the answer is JSON");
    assert_eq!(found, status, "{record:#}");
    record
}

fn get(server: &Server, key: &str, path: &str) -> Value {
    let answer = ask(server, key, (Method::GET, path)).send();
    read(answer.expect("the server answers"), 200)
}

/// How many files the file store has of imported voices.
pub fn stored(server: &Server) -> usize {
    fn count(folder: &Path) -> usize {
        let Ok(entries) = fs::read_dir(folder) else {
            return 0;
        };
        let paths = entries.map(|entry| entry.expect("readable").path());
        paths
            .map(|path| if path.is_dir() { count(&path) } else { 1 })
            .sum()
    }
    count(&server.data().join("files/imports"))
}

/// The record of a conversion with a voice once it has ended.
fn converted(server: &Server, key: &str, voice: &Value) -> Value {
    let form = Form::new()
        .text("voiceModelId", voice.to_string())
        .part("soundFile", tone_part());
    let record = read(post(server, key, "/voice-conversions", form), 201);
    let path = format!("/voice-conversions/{}", record["id"]);
    super::harness::until("the conversion to end", || {
        let record = get(server, key, &path);
        (record["status"] != "running").then_some(record)
    })
}

/// A voice can neither be read, changed, deleted nor used with a key.
fn assert_no_business_of(server: &Server, key: &str, id: &Value) {
    let path = format!("/voice-models/{id}");
    for (method, request) in [
        (Method::GET, None),
        (Method::PATCH, Some(json!({ "title": "Mine" }))),
        (Method::DELETE, None),
    ] {
        let mut request_of = ask(server, key, (method.clone(), &path));
        if let Some(body) = &request {
            request_of = request_of.json(body);
        }
        let answer = request_of.send().expect("the server answers");
        assert_eq!(problem(answer).0, 403, "{method}");
    }
    let form = Form::new()
        .text("voiceModelId", id.to_string())
        .part("soundFile", tone_part());
    let refused = problem(post(server, key, "/voice-conversions", form));
    assert_eq!(refused.2, ["voiceModelId exists"]);
}

#[test]
fn a_voice_that_a_user_imports_is_the_users_alone_until_it_is_published_and_goes_without_a_trace() {
    let mut server = Server::start(&[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let amber = exported(folder.path(), "vocalhost.amber-5");
    let (anna, otto) = (server.key_of("anna", &[]), server.key_of("otto", &[]));
    let form = || {
        Form::new()
            .part("modelFile", part(&amber))
            .text("title", "Anna's own")
            .text("tags", "warm, mine")
    };
    let create = || {
        ask(&server, &anna, (Method::POST, "/voice-models"))
            .header("idempotency-key", "one")
            .multipart(form())
            .send()
            .expect("the server answers")
    };
    let answer = create();
    let location = header(answer.headers(), "location");
    let voice = read(answer, 201);
    let id = voice["id"].clone();
    let path = format!("/voice-models/{id}");
    assert_eq!(location, server.url(&path));
    assert_eq!(
        (&voice["title"], &voice["tags"], &voice["isUsable"]),
        (&json!("Anna's own"), &json!(["warm", "mine"]), &json!(true))
    );
    assert_eq!(voice["family"], "ddsp-rvc");
    let found = voice["found"].as_array().expect("sentences");
    assert!(!found.is_empty());
    // The same request is done once.
    let again = create();
    assert_eq!(header(again.headers(), "idempotency-replayed"), "true");
    assert_eq!(read(again, 201)["id"], id);
    assert_eq!(server.uploads(), 0, "nothing of the upload is left");

    let mine = get(&server, &anna, "/voice-models?myModels=true");
    assert_eq!(mine["meta"]["total"], 1);
    let picture = server.fetch(voice["imageUrl"].as_str().expect("a picture"));
    assert_eq!(&picture[1..4], b"PNG");
    assert_no_business_of(&server, &otto, &id);
    let done = converted(&server, &anna, &id);
    assert_eq!(done["status"], "success", "{done:#}");

    // It can be blended, and it is there after a restart.
    let flint = get(&server, &anna, "/voice-models?q=flint")["data"][0]["id"].clone();
    let body = json!({ "modelId1": id, "modelId2": flint, "alpha": 0.5 });
    let blend = ask(&server, &anna, (Method::POST, "/voice-blender")).json(&body);
    let blend = read(blend.send().expect("the server answers"), 200);
    let blend_path = format!("/voice-blender/{}", blend["id"]);
    let done = super::harness::until("the blend to end", || {
        let record = get(&server, &anna, &blend_path);
        (record["status"] != "running").then_some(record)
    });
    assert_eq!(done["status"], "success", "{done:#}");
    server.kill();
    server.start_again();
    assert_eq!(get(&server, &anna, &path)["isUsable"], true);

    let publish = |public: bool| {
        let request = server.request(Method::PATCH, &format!("/admin/models/{id}"));
        let answer = request.json(&json!({ "public": public })).send();
        assert_eq!(answer.expect("the server answers").status(), 200);
    };
    publish(true);
    assert_eq!(get(&server, &otto, &path)["title"], "Anna's own");
    let answer = ask(&server, &anna, (Method::DELETE, &path)).send();
    assert_eq!(
        problem(answer.expect("it answers")).0,
        403,
        "it is everybody's"
    );
    let done = converted(&server, &otto, &id);
    assert_eq!(done["model"]["title"], "Anna's own", "{done:#}");
    publish(false);
    // Somebody else's again, and called otherwise: what the record says is as it was then.
    let rename = ask(&server, &anna, (Method::PATCH, &path));
    let rename = rename.json(&json!({ "title": "Secret", "tags": ["new"] }));
    read(rename.send().expect("the server answers"), 200);
    assert_is_lost(&get(&server, &otto, "/voice-conversions"), &id);

    let usage = get(&server, &anna, "/usage")["storage"]["bytes"].clone();
    assert!(usage.as_u64() > Some(1_000_000), "{usage}");
    for voice in [&id, &blend["outputModelId"]] {
        let path = format!("/voice-models/{voice}");
        let answer = ask(&server, &anna, (Method::DELETE, &path)).send();
        assert_eq!(answer.expect("the server answers").status(), 204);
        let answer = ask(&server, &anna, (Method::GET, &path)).send();
        assert_eq!(problem(answer.expect("it answers")).0, 404);
    }
    assert_eq!(stored(&server), 0);
    // The record of the conversion outlives its voice.
    assert_is_lost(&get(&server, &anna, "/voice-conversions"), &id);
    let log = server.get("/admin/audit?order=desc&perPage=100");
    let actions: Vec<&str> = log["data"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|line| line["action"].as_str())
        .collect();
    for action in ["importModel", "publishModel", "removeModel"] {
        assert!(actions.contains(&action), "{action}: {actions:?}");
    }
}

/// The first of these conversions was made with a voice that is gone.
fn assert_is_lost(list: &Value, id: &Value) {
    let job = &list["data"][0];
    let voice = &job["model"];
    assert_eq!((&voice["id"], &job["voiceModelId"]), (id, id), "{job:#}");
    assert_eq!(voice["title"], "Anna's own", "{job:#}");
    let rest = [&voice["tags"], &voice["imageUrl"], &voice["isUsable"]];
    assert_eq!(rest, [&json!([]), &Value::Null, &json!(false)], "{job:#}");
}

#[test]
fn a_deleted_user_takes_imported_voices_along() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let amber = exported(folder.path(), "vocalhost.amber-5");
    let anna = server.key_of("anna", &[]);
    let form = Form::new()
        .part("modelFile", part(&amber))
        .text("title", "Anna's own");
    read(post(&server, &anna, "/voice-models", form), 201);
    assert!(stored(&server) > 0);
    let gone = vocalhost(server.data(), &["users", "delete", "anna"]);
    assert!(gone.status.success(), "{gone:?}");
    assert_eq!(stored(&server), 0);
}

#[test]
fn the_owner_gives_a_voice_another_title_tags_picture_and_demo() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let amber = exported(folder.path(), "vocalhost.amber-5");
    let form = Form::new().part("modelFile", part(&amber));
    let voice = read(server.post_to("/voice-models", form), 201);
    assert_eq!(voice["title"], "Amber");
    let path = format!("/voice-models/{}", voice["id"]);
    let patch = |body: &Value| {
        let request = server.request(Method::PATCH, &path).json(body);
        request.send().expect("the server answers")
    };
    let changed = read(
        patch(&json!({ "title": " Bernstein ", "tags": ["a", " b "] })),
        200,
    );
    assert_eq!(
        (&changed["title"], &changed["tags"]),
        (&json!("Bernstein"), &json!(["a", "b"]))
    );
    assert_eq!(server.get("/voice-models?tag=b")["meta"]["total"], 1);
    for (body, wanted) in [
        (json!({}), "body required"),
        (json!({ "title": "" }), "title length"),
        (json!({ "tags": "a" }), "tags array"),
        (json!({ "name": "x" }), "name exists"),
    ] {
        let (status, _, mistakes) = problem(patch(&body));
        assert_eq!((status, mistakes), (422, vec![wanted.to_owned()]), "{body}");
    }
    let send = |form: Form| {
        let request = server.request(Method::PATCH, &path).multipart(form);
        request.send().expect("the server answers")
    };
    let before = server.fetch(changed["imageUrl"].as_str().expect("a picture"));
    let jpeg = b"\xff\xd8\xff\xc0\0\x0b\x08\0\x20\0\x20 as far as anybody looks".to_vec();
    let form = Form::new()
        .text("name", "passed over in every form")
        .part("imageFile", Part::bytes(jpeg.clone()).file_name("a.svg"))
        .part("demoFile", Part::bytes(tone()).file_name("x"));
    let changed = read(send(form), 200);
    let link = changed["imageUrl"].as_str().expect("a picture");
    assert_eq!(link.rsplit('.').next(), Some("jpg"), "{link}");
    assert!(server.fetch(link) == jpeg && jpeg != before);
    // The same again changes nothing, least of all the file.
    let again = Form::new().part("imageFile", Part::bytes(jpeg.clone()).file_name("a"));
    let again = read(send(again), 200);
    assert!(server.fetch(again["imageUrl"].as_str().expect("a picture")) == jpeg);
    let demo = changed["demoUrl"].as_str().expect("a demo");
    assert!(server.fetch(demo) == tone());
    let files = stored(&server);
    let png = |width: u32| {
        let size = [width, 8].map(u32::to_be_bytes).concat();
        [b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".as_slice(), &size].concat()
    };
    let form = Form::new().part("imageFile", Part::bytes(png(4_096)).file_name("a"));
    read(send(form), 200);
    assert_eq!(stored(&server), files, "the old picture is gone");
    for (field, bytes, wanted) in [
        (
            "imageFile",
            b"<svg onload=\"x\"/>".to_vec(),
            "imageFile format",
        ),
        ("demoFile", b"no sound".to_vec(), "demoFile format"),
        ("imageFile", png(4_097), "imageFile pixels"),
        ("imageFile", png(1 << 31), "imageFile pixels"),
        ("imageFile", png(8)[..20].to_vec(), "imageFile format"),
        ("imageFile", vec![0; (8 << 20) + 1], "imageFile size"),
    ] {
        let form = Form::new().part(field, Part::bytes(bytes).file_name("a"));
        let (status, _, mistakes) = problem(send(form));
        assert_eq!((status, mistakes), (422, vec![wanted.to_owned()]));
    }
    assert_eq!(server.uploads(), 0);
}

/// The separators that a vocal separation used.
fn separated_by(server: &Server) -> Value {
    let form = Form::new()
        .text("stems", "vocals")
        .part("inputFile", tone_part());
    let record = read(server.post_to("/vocal-separations", form), 200);
    let record = server.ended_at(&format!("/vocal-separations/{}", record["id"]));
    assert_eq!(record["status"], "success", "{record:#}");
    record["models"].clone()
}

#[test]
fn a_separator_that_an_operator_imports_works_at_once_and_is_gone_at_once() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    Separator::of_shares("vocals", &[("vocals", 0.25)], "backing").write(folder.path());
    // Newer than those that come along.
    let manifest = folder.path().join("test.vocals-1/package.toml");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    let text = text.replace("2026-11-21", "2100-01-01");
    fs::write(&manifest, text).expect("written");
    let package = folder.path().join("separator.vmp");
    let plain = |path: &Path| path.to_str().expect("plain text").to_owned();
    let models = plain(folder.path());
    let export = [
        "models",
        "export",
        "test.vocals-1",
        &plain(&package),
        "--models-dir",
        &models,
    ];
    assert!(vocalhost(server.data(), &export).status.success());
    let before = separated_by(&server);

    let form = || {
        Form::new()
            .part("modelFile", part(&package))
            .text("packageId", "zz.vocals")
    };
    let answer = server.post_to("/admin/models", form());
    let path = "/admin/packages/zz.vocals";
    assert_eq!(header(answer.headers(), "location"), server.url(path));
    let imported = read(answer, 201);
    assert_eq!(
        (&imported["kind"], &imported["task"]),
        (&json!("separator"), &json!("vocals"))
    );
    assert_eq!(imported["usedFor"], "vocals", "{imported:#}");
    assert_eq!(imported["stems"], json!(["vocals"]));
    let before_it = server.get("/admin/packages/vocalhost.vocals-2");
    assert_eq!(before_it["usedFor"], Value::Null);
    assert_eq!(server.get(path)["packageId"], "zz.vocals");
    let (status, code, _) = problem(server.post_to("/admin/models", form()));
    assert_eq!((status, code.as_str()), (409, "E_MODEL_ID_TAKEN"));
    let after = separated_by(&server);
    assert!(after.to_string().contains("zz.vocals"), "{after} {before}");
    let answer = server.request(Method::DELETE, path).send();
    assert_eq!(answer.expect("the server answers").status(), 204);
    assert_eq!(separated_by(&server), before);
    let answer = server.request(Method::DELETE, path).send();
    assert_eq!(problem(answer.expect("it answers")).0, 404);
    let answer = server
        .request(Method::DELETE, "/admin/packages/vocalhost.vocals-1")
        .send();
    assert_eq!(
        problem(answer.expect("it answers")).1,
        "E_MODEL_NOT_IMPORTED"
    );

    // The command line does the same beside the running server.
    let import = ["models", "import", &plain(&package), "--id", "zz.other"];
    let output = vocalhost(server.data(), &import);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        server.get("/admin/packages/zz.other")["family"],
        "wave-to-stems"
    );
    let after = separated_by(&server);
    assert!(after.to_string().contains("zz.other"), "{after}");
    let amber = exported(folder.path(), "vocalhost.amber-5");
    let import = [
        "models",
        "import",
        &plain(&amber),
        "--name",
        "Copy",
        "--json",
    ];
    let output = vocalhost(server.data(), &import);
    assert!(output.status.success(), "{output:?}");
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(told["voice"]["public"], true, "{told:#}");
    let voice = told["voice"]["id"].clone();
    let otto = server.key_of("otto", &[]);
    assert_dressed_by_an_administrator(&server, &otto, &voice);
    let done = converted(&server, &otto, &voice);
    assert_eq!(done["status"], "success", "{done:#}");
    let number = voice.to_string();
    let copy = folder.path().join("copy.vmp");
    let export = ["models", "export", &number, &plain(&copy)];
    assert!(vocalhost(server.data(), &export).status.success());
    assert!(copy.is_file());
    let show = vocalhost(server.data(), &["models", "show", &number, "--json"]);
    let shown: Value = serde_json::from_slice(&show.stdout).expect("JSON");
    assert_eq!(shown["title"], "Copy");
    let remove = vocalhost(server.data(), &["models", "remove", &number]);
    assert!(remove.status.success(), "{remove:?}");
    let answer = ask(
        &server,
        &otto,
        (Method::GET, &format!("/voice-models/{number}")),
    )
    .send();
    assert_eq!(problem(answer.expect("it answers")).0, 404);
}

/// Whoever administers gives a voice of everybody tags and a demo; nobody else does, and a folder's voice stays as its folder says.
fn assert_dressed_by_an_administrator(server: &Server, other: &str, voice: &Value) {
    let path = format!("/voice-models/{voice}");
    let tags = json!({ "tags": ["warm"] });
    let refused = ask(server, other, (Method::PATCH, &path))
        .json(&tags)
        .send();
    assert_eq!(problem(refused.expect("it answers")).0, 403);
    let form = Form::new()
        .text("tags", "warm, low")
        .part("demoFile", Part::bytes(tone()).file_name("x"));
    let changed = server.request(Method::PATCH, &path).multipart(form).send();
    let changed = read(changed.expect("it answers"), 200);
    assert_eq!(changed["tags"], json!(["warm", "low"]));
    assert!(changed["demoUrl"].is_string(), "{changed:#}");
    let refused = server
        .request(Method::PATCH, "/voice-models/1")
        .json(&tags)
        .send();
    let (status, code, _) = problem(refused.expect("it answers"));
    assert_eq!((status, code.as_str()), (409, "E_MODEL_NOT_IMPORTED"));
}
