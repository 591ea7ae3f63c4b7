use std::path::PathBuf;

use std::fs;
use std::path::Path;

use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::{Value, json};
use vocalhost_model::{Catalog, FileRole, Package};
use vocalhost_testing::{repository, sound};

use super::harness::{Server, header, problem, shared, tone, until};

fn blend(server: &Server, body: &Value) -> Response {
    let request = server.request(Method::POST, "/voice-blender").json(body);
    request.send().expect("the server answers")
}

fn accepted(server: &Server, body: &Value) -> Value {
    let answer = blend(server, body);
    let status = answer.status();
    let record: Value = answer.json().expect("the answer is JSON");
    assert_eq!(status, 200, "{record:#}");
    record
}

fn ended(server: &Server, id: &Value) -> Value {
    until("the blend to end", || {
        let record = server.get(&format!("/voice-blender/{id}"));
        (record["status"] != "running").then_some(record)
    })
}

/// The numbers of the first voices that are no instruments.
fn voices(server: &Server) -> Vec<i64> {
    let instruments = server.get("/voice-models?instruments=true&perPage=1000");
    let voices = server.get("/voice-models?perPage=1000");
    let ids = |list: &Value| -> Vec<i64> {
        let rows = list["data"].as_array().expect("a list");
        rows.iter().filter_map(|row| row["id"].as_i64()).collect()
    };
    let instruments = ids(&instruments);
    let mut voices = ids(&voices);
    voices.retain(|id| !instruments.contains(id));
    voices
}

/// Whether a conversion with this voice succeeds.
fn converts(server: &Server, voice: &Value) {
    let record = converted(server, voice);
    assert_eq!(record["status"], "success", "{record:#}");
    assert_eq!(record["voiceModelId"], *voice);
}

/// The record of a conversion to a voice that has ended.
fn converted(server: &Server, voice: &Value) -> Value {
    let form = Form::new()
        .text("voiceModelId", voice.to_string())
        .part("soundFile", Part::bytes(tone()).file_name("tone.wav"));
    let record: Value = server.post(form).json().expect("the answer is JSON");
    server.ended(record["id"].as_i64().expect("the job was accepted"))
}

/// Changes a byte in the middle of every decoder below a folder.
fn damage_decoders(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("it is readable").path();
        if path.is_dir() {
            damage_decoders(&path);
        } else if path.file_name() == Some("decoder.onnx".as_ref()) {
            let mut bytes = fs::read(&path).expect("it can be read");
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0xff;
            fs::write(&path, bytes).expect("it can be written");
        }
    }
}

/// A blend inherits title, tags and picture that its owner gave a voice since, not those that the package was made with. Gives
/// the blend's number.
fn blends_as_it_is_today(server: &Server, voice: &Value, other: i64) -> Value {
    let path = format!("/voice-models/{voice}");
    let of_other = server.get(&format!("/voice-models/{other}"));
    let picture = server.fetch(of_other["imageUrl"].as_str().expect("a picture"));
    let change = Form::new()
        .text("tags", "zebra")
        .part("imageFile", Part::bytes(picture).file_name("other.png"));
    let changed = server
        .request(Method::PATCH, &path)
        .multipart(change)
        .send();
    assert_eq!(changed.expect("it answers").status(), 200);
    // The second is the other alone: a picture as the first must have it, whose two are the same now.
    let [first, second] = [0.5, 0.0].map(|alpha| {
        let record = accepted(
            server,
            &json!({"modelId1": voice, "modelId2": other, "alpha": alpha}),
        );
        let title = record["title"].as_str().expect("a title");
        assert!(title.starts_with("Trio + "), "{title}");
        let done = ended(server, &record["id"]);
        assert_eq!(done["status"], "success", "{done:#}");
        server.get(&format!("/voice-models/{}", record["outputModelId"]))
    });
    let tags = first["tags"].as_array().expect("tags");
    assert!(tags.contains(&json!("zebra")), "{tags:?}");
    let pictures =
        [&first, &second].map(|blend| server.fetch(blend["imageUrl"].as_str().expect("a picture")));
    assert!(pictures[0] == pictures[1], "the pictures differ");
    first["id"].clone()
}

#[test]
fn a_blend_becomes_a_voice_of_its_owner_that_converts_and_blends_and_survives_a_restart() {
    let mut server = Server::start(&[]);
    let voices = voices(&server);
    let body = json!({
        "modelId1": voices[0], "modelId2": voices[1], "modelId3": voices[2],
        "alpha": 0.3, "alpha2": 0.6, "title": " Trio ", "metadata": {"take": "2"},
    });
    let answer = blend(&server, &body);
    assert_eq!(answer.status(), 200);
    let location = header(answer.headers(), "location");
    let record: Value = answer.json().expect("the answer is JSON");
    assert_eq!(
        location,
        server.url(&format!("/voice-blender/{}", record["id"]))
    );
    for (field, value) in [
        ("model1Id", json!(voices[0])),
        ("model2Id", json!(voices[1])),
        ("model3Id", json!(voices[2])),
        ("alpha", json!(0.3)),
        ("alpha2", json!(0.6)),
        ("alpha3", json!(0.1)),
        ("status", json!("running")),
        ("title", json!("Trio")),
        ("jobEndTime", Value::Null),
        ("error", Value::Null),
        ("metadata", json!({"take": "2"})),
    ] {
        assert_eq!(record[field], value, "{field}");
    }
    for absent in ["model4Id", "alpha4"] {
        assert!(record.get(absent).is_none(), "{absent}");
    }
    let done = ended(&server, &record["id"]);
    assert_eq!(done["status"], "success", "{done:#}");
    assert!(done.get("title").is_none() && done["jobEndTime"].is_string());
    let output = &record["outputModelId"];
    let path = format!("/voice-models/{output}");
    let model = server.get(&path);
    assert_eq!(
        (&model["title"], &model["isUsable"]),
        (&json!("Trio"), &json!(true))
    );
    let tags = model["tags"].as_array().expect("tags");
    assert!(tags.contains(&json!("blend")), "{tags:?}");
    let terms = &model["terms"];
    let sources = terms["sources"].as_array().expect("sources");
    assert_eq!(sources.len(), 3);
    for (source, share) in sources.iter().zip([0.3, 0.6, 0.1]) {
        let found = source["share"].as_f64().expect("a share");
        assert!((found - share).abs() < 1e-6, "{found} is not {share}");
    }
    let of_first = &server.get(&format!("/voice-models/{}", voices[0]))["terms"];
    for key in ["license", "attribution", "trainedOn", "consent"] {
        assert_eq!(sources[0][key], of_first[key], "{key}");
        assert!(!of_first[key].as_str().expect("a text").is_empty(), "{key}");
    }
    let picture = server.fetch(model["imageUrl"].as_str().expect("a picture"));
    assert_eq!(&picture[1..4], b"PNG");
    let demo = server.fetch(model["demoUrl"].as_str().expect("a demo"));
    assert!(demo.len() > 10_000, "{} bytes", demo.len());

    let stranger = server.key_of("stranger", &[]);
    for path in [&path, &format!("/voice-blender/{}", record["id"])] {
        let request = server.anonymous(Method::GET, &server.url(path));
        let answer = request.bearer_auth(&stranger).send().expect("it answers");
        assert_eq!(problem(answer).0, 403, "{path}");
    }
    let request = server.anonymous(Method::POST, &server.url("/voice-blender"));
    let theirs = json!({"modelId1": output, "modelId2": voices[0], "alpha": 0.5});
    let answer = request.bearer_auth(&stranger).json(&theirs).send();
    let mistakes = problem(answer.expect("it answers")).2;
    assert_eq!(mistakes, ["modelId1 exists"]);

    converts(&server, output);
    let second = blends_as_it_is_today(&server, output, voices[3]);

    server.kill();
    server.start_again();
    let model = server.get(&path);
    assert_eq!(model["isUsable"], true);
    assert!(server.fetch(model["demoUrl"].as_str().expect("a demo")) == demo);
    converts(&server, &second);

    // What the workers load lies in a cache, one folder a voice, which mends itself.
    let cached = cached_packages(&server);
    assert_eq!(cached.len(), 2, "{cached:?}");
    for folder in &cached {
        std::fs::remove_file(folder.join("package.toml")).expect("a package has a manifest");
    }
    converts(&server, &second);
    let whole = cached_packages(&server).into_iter();
    let whole = whole.filter(|folder| folder.join("package.toml").is_file());
    assert_eq!(whole.count(), 1);
    damaged_files_are_noticed(server, &second);
}

/// A damaged copy in the cache fails one job and is fetched anew for the next; a damaged original is noted with the voice.
fn damaged_files_are_noticed(mut server: Server, voice: &Value) {
    server.kill();
    damage_decoders(&server.data().join("voice-cache"));
    server.start_again();
    let record = converted(&server, voice);
    assert_eq!(record["error"]["code"], "model_unavailable", "{record:#}");
    converts(&server, voice);

    server.kill();
    fs::remove_dir_all(server.data().join("voice-cache")).expect("there is a cache");
    damage_decoders(&server.data().join("files/voices"));
    server.start_again();
    let record = converted(&server, voice);
    assert_eq!(
        record["error"]["message"],
        "The voice model cannot be used: its decoder.onnx is damaged."
    );
    let model = server.get(&format!("/voice-models/{voice}"));
    assert_eq!(
        (&model["isUsable"], &model["unusableReason"]),
        (&json!(false), &json!("its decoder.onnx is damaged"))
    );
}

fn cached_packages(server: &Server) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(server.data().join("voice-cache")).expect("there is a cache");
    let paths = entries.map(|entry| entry.expect("it is readable").path());
    paths.collect()
}

#[test]
fn what_cannot_be_blended_is_refused_with_its_field_and_rule() {
    let server = shared();
    let voices = voices(&server);
    let (a, b) = (voices[0], voices[1]);
    let missing = 1_000_000;
    for (body, wanted) in [
        (
            json!({}),
            vec!["modelId1 required", "modelId2 required", "alpha required"],
        ),
        (
            json!({"modelId1": a, "modelId2": a, "alpha": 0.5}),
            vec!["modelId2 distinct"],
        ),
        (
            json!({"modelId1": a, "modelId2": missing, "alpha": 0.5}),
            vec!["modelId2 exists"],
        ),
        (
            json!({"modelId1": a, "modelId2": b, "alpha": 1.5}),
            vec!["alpha range"],
        ),
        (
            json!({"modelId1": a, "modelId2": b, "modelId3": voices[2], "alpha": 0.7, "alpha2": 0.7}),
            vec!["alpha sum"],
        ),
    ] {
        let (status, code, mistakes) = problem(blend(&server, &body));
        assert_eq!(
            (status, code.as_str()),
            (422, "E_VALIDATION_FAILURE"),
            "{body}"
        );
        assert_eq!(mistakes, wanted, "{body}");
    }
    let form = Form::new().text("modelId1", a.to_string());
    let request = server
        .request(Method::POST, "/voice-blender")
        .multipart(form);
    let answer = request.send().expect("the server answers");
    assert_eq!(problem(answer).0, 415);
    let answer = server.request(Method::GET, "/voice-blender/999999").send();
    assert_eq!(problem(answer.expect("the server answers")).0, 404);
    let list = server.get("/voice-blender");
    assert_eq!(list["meta"]["perPage"], 50);
}

/// A copy of a voice of the repository under another id and title, with one line of its manifest changed, the one that
/// begins like `line`, and with its graph changed.
fn other_voice(
    folder: &Path,
    voice: &Package,
    title: &str,
    line: &str,
    graph: impl Fn(&mut Vec<u8>),
) {
    use sha2::Digest as _;

    let target = folder.join(title);
    fs::create_dir(&target).expect("a folder");
    for entry in fs::read_dir(voice.folder()).expect("the package") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), target.join(entry.file_name())).expect("a copy");
    }
    let (name, entry) = voice.manifest().file(FileRole::Graph).expect("a graph");
    let mut bytes = fs::read(target.join(name)).expect("a graph");
    graph(&mut bytes);
    fs::write(target.join(name), &bytes).expect("written");
    let hash = base16ct::lower::encode_string(&sha2::Sha256::digest(&bytes));
    let text = fs::read_to_string(target.join(Package::MANIFEST_NAME)).expect("a manifest");
    let key = |line: &str| line.split_once(" = ").map(|(key, _)| key.to_owned());
    let mut fresh = vec![
        format!("id = \"tests.{}\"", title.to_lowercase()),
        format!("name = \"{title}\""),
        line.to_owned(),
    ];
    let lines = text.lines().map(|line| {
        let place = fresh.iter().position(|fresh| key(fresh) == key(line));
        // Once each: tensors have names, too.
        place.map_or_else(|| line.to_owned(), |place| fresh.remove(place))
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let text = text.replace(&entry.sha256, &hash);
    fs::write(target.join(Package::MANIFEST_NAME), text).expect("written");
}

#[test]
fn another_family_is_refused_at_once_and_another_graph_fails_the_job_and_takes_the_voice_away() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let catalog = Catalog::open(&[repository("models")]);
    let voice = catalog
        .voices()
        .next()
        .expect("the starter pack has voices");
    other_voice(folder.path(), voice, "Speaker", "speaker = 97", |_| {});
    other_voice(
        folder.path(),
        voice,
        "Graph",
        "version = \"2.0.0\"",
        |graph| {
            // Field 4 of a node, four bytes long: its operator.
            let place = graph.windows(6).position(|bytes| bytes == b"\x22\x04Conv");
            let place = place.expect("a decoder has convolutions") + 2;
            graph[place..place + 4].copy_from_slice(b"Cosh");
        },
    );
    let extra = folder.path().to_str().expect("a plain path");
    let pack = repository("models");
    let pack = pack.to_str().expect("a plain path");
    let server = Server::start(&["--models-dir", pack, "--models-dir", extra]);
    let find = |title: &str| {
        let found = server.get(&format!("/voice-models?q={title}"));
        found["data"][0]["id"].clone()
    };
    let (own, speaker, graph) = (find(&voice.manifest().name), find("Speaker"), find("Graph"));

    let body = json!({"modelId1": own, "modelId2": speaker, "alpha": 0.5});
    let (status, _, mistakes) = problem(blend(&server, &body));
    assert_eq!(
        (status, mistakes),
        (422, vec!["modelId2 family".to_owned()])
    );

    let body = json!({"modelId1": own, "modelId2": graph, "alpha": 0.5});
    let record = accepted(&server, &body);
    let done = ended(&server, &record["id"]);
    assert_eq!(done["status"], "error", "{done:#}");
    assert_eq!(done["error"]["code"], "models_differ");
    assert_eq!(done["error"]["retryable"], false);
    let message = done["error"]["message"].as_str().expect("a message");
    assert!(
        message.contains("Cosh") && message.contains("Graph"),
        "{message}"
    );
    let path = format!("/voice-models/{}", record["outputModelId"]);
    let answer = server.request(Method::GET, &path).send();
    assert_eq!(problem(answer.expect("the server answers")).0, 404);
    assert_eq!(
        server.get("/voice-models?myModels=true")["meta"]["total"],
        0
    );
}

#[test]
fn a_voice_in_the_making_is_seen_by_its_owner_and_cannot_be_used() {
    let server = Server::start(&[]);
    // Something else keeps the only worker busy.
    let long = sound::wav_of(1, 16_000, &sound::sung(150.0, 16_000, 220.0));
    let busy = server.accepted(long);
    server.until_inference(busy);
    let voices = voices(&server);
    let body = json!({"modelId1": voices[0], "modelId2": voices[1], "alpha": 0.5});
    let record = accepted(&server, &body);
    assert_eq!(record["queuePosition"], 1);
    let output = &record["outputModelId"];
    let model = server.get(&format!("/voice-models/{output}"));
    assert_eq!(
        [&model["isUsable"], &model["imageUrl"], &model["terms"]],
        [&json!(false), &Value::Null, &Value::Null]
    );
    let mine = server.get("/voice-models?myModels=true");
    assert_eq!(mine["data"][0]["id"], *output);
    let body = json!({"modelId1": voices[0], "modelId2": output, "alpha": 0.5});
    assert_eq!(problem(blend(&server, &body)).2, ["modelId2 exists"]);
    let form = Form::new()
        .text("voiceModelId", output.to_string())
        .part("soundFile", Part::bytes(tone()).file_name("tone.wav"));
    assert_eq!(problem(server.post(form)).2, ["voiceModelId exists"]);
}
