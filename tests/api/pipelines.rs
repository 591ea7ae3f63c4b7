use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::blocking::multipart::Form;
use serde_json::{Value, json};
use vocalhost_store::{NewPipeline, Store};
use vocalhost_testing::client::Request;

use super::harness::{Server, header, problem, shared, tone_part, vocalhost};

/// A user of the shared server with a key for that user's own things.
struct User<'a> {
    server: &'a Server,
    key: String,
}

impl<'a> User<'a> {
    fn new(server: &'a Server, name: &str) -> Self {
        let key = server.key_of(name, &[]);
        Self { server, key }
    }

    fn with_scope(server: &'a Server, name: &str, scope: &str) -> Self {
        let key = server.key_of(name, &["--scope", scope]);
        Self { server, key }
    }

    fn request(&self, method: Method, path: &str) -> Request {
        let url = self.server.url(path);
        self.server.anonymous(method, &url).bearer_auth(&self.key)
    }

    fn send(&self, method: Method, path: &str) -> Response {
        let request = self.request(method, path);
        request.send().expect("the server answers")
    }

    fn send_json(&self, method: Method, path: &str, body: &Value) -> Response {
        let request = self.request(method, path).json(body);
        request.send().expect("the server answers")
    }

    fn save(&self, body: &Value) -> Response {
        self.send_json(Method::POST, "/pipelines", body)
    }

    fn saved(&self, name: &str, chain: &Value) -> Value {
        let answer = self.save(&json!({ "name": name, "chain": chain }));
        let status = answer.status();
        let record: Value = answer.json().expect("the answer is JSON");
        assert_eq!(status, 201, "{record:#}");
        record
    }

    fn get(&self, path: &str) -> Value {
        let answer = self.send(Method::GET, path);
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().expect("the answer is JSON")
    }

    fn names(&self, query: &str) -> Vec<String> {
        let list = self.get(&format!("/pipelines?perPage=1000{query}"));
        let rows = list["data"].as_array().expect("a list").iter();
        rows.map(|row| row["name"].as_str().expect("a name").to_owned())
            .collect()
    }

    fn convert(&self, chains: &[(&'static str, &'static str)]) -> Response {
        let mut form = Form::new().text("voiceModelId", self.server.voice());
        for (field, text) in chains {
            form = form.text(*field, *text);
        }
        let form = form.part("soundFile", tone_part());
        let request = self.request(Method::POST, "/voice-conversions");
        request.multipart(form).send().expect("the server answers")
    }
}

fn wide() -> Value {
    json!([{"effect": "reverb", "params": {"width": 1.0}}, "noiseGate"])
}

#[test]
fn a_pipeline_is_made_read_replaced_and_deleted() {
    let server = shared();
    let user = User::new(&server, "pipeline-maker");
    let body = json!({"name": "my_take-2", "chain": wide(), "more": "is ignored"});
    let answer = user.save(&body);
    assert_eq!(answer.status(), 201);
    let location = header(answer.headers(), "location");
    assert_eq!(location, server.url("/pipelines/my_take-2"));
    let made: Value = answer.json().expect("the answer is JSON");
    assert_eq!(made["name"], "my_take-2");
    assert_eq!(made["shared"], false);
    assert_eq!(made["isMine"], true);
    // As it was written, not as it was understood.
    assert_eq!(made["chain"].to_string(), wide().to_string());
    assert_eq!(user.get("/pipelines/my_take-2"), made);

    let body = json!({"name": "my_take-2", "chain": ["vocalhost.reverb@1.0.0"]});
    let answer = user.send_json(Method::PUT, "/pipelines/my_take-2", &body);
    assert_eq!(answer.status(), 200);
    let replaced: Value = answer.json().expect("the answer is JSON");
    assert_eq!(replaced["chain"], body["chain"]);
    assert_eq!(replaced["createdAt"], made["createdAt"]);
    assert_eq!(user.get("/pipelines/my_take-2"), replaced);
    assert_eq!(user.names("&myPipelines=1"), ["my_take-2"]);

    let answer = user.send(Method::DELETE, "/pipelines/my_take-2");
    assert_eq!(answer.status(), 204);
    for method in [Method::GET, Method::DELETE] {
        let (status, code, _) = problem(user.send(method, "/pipelines/my_take-2"));
        assert_eq!((status, code.as_str()), (404, "E_ROW_NOT_FOUND"));
    }
    let answer = user.send_json(Method::PUT, "/pipelines/my_take-2", &body);
    assert_eq!(problem(answer).0, 404);
}

#[test]
fn every_mistake_of_a_pipeline_is_reported_with_its_path() {
    let server = shared();
    let user = User::new(&server, "pipeline-mistaker");
    user.saved("taken", &wide());
    let long = "x".repeat(65);
    let chain = json!(["noGate", {"effect": "reverb", "params": {"width": 2, "size": 1}}, 3]);
    for (body, wanted) in [
        (json!({}), vec!["name required", "chain required"]),
        (
            json!({"name": 3, "shared": "yes", "chain": {"reverb": {}}}),
            vec!["name string", "shared boolean", "chain array"],
        ),
        (json!({"name": "", "chain": []}), vec!["name pattern"]),
        (json!({"name": "Take", "chain": []}), vec!["name pattern"]),
        (json!({"name": "a/b", "chain": []}), vec!["name pattern"]),
        (json!({"name": long, "chain": []}), vec!["name pattern"]),
        (json!({"name": "taken", "chain": []}), vec!["name unique"]),
        (
            json!({"name": "x", "chain": chain}),
            vec![
                "chain.2 object",
                "chain.0.effect exists",
                "chain.1.params.width range",
                "chain.1.params.size exists",
            ],
        ),
    ] {
        let (status, code, mistakes) = problem(user.save(&body));
        assert_eq!((status, code.as_str()), (422, "E_VALIDATION_FAILURE"));
        assert_eq!(mistakes, wanted, "{body}");
    }
    let body = json!({"name": "another", "chain": ["gone"]});
    let answer = user.send_json(Method::PUT, "/pipelines/taken", &body);
    assert_eq!(problem(answer).2, ["name same", "chain.0.effect exists"]);
    assert_eq!(user.get("/pipelines/taken")["chain"], wide());
    assert_eq!(user.names("&myPipelines=1"), ["taken"]);
}

#[test]
fn a_body_that_is_no_json_object_is_refused() {
    let server = shared();
    let user = User::new(&server, "pipeline-babbler");
    let send = |content_type: &str, body: String| {
        let request = user.request(Method::POST, "/pipelines");
        let request = request.header("content-type", content_type).body(body);
        problem(request.send().expect("the server answers"))
    };
    let (status, code, _) = send("text/plain", "{}".to_owned());
    assert_eq!((status, code.as_str()), (415, "E_UNSUPPORTED_MEDIA_TYPE"));
    let too_long = format!("{{\"name\":\"{}\"}}", "x".repeat(128 << 10));
    for (body, wanted) in [
        ("", "body json"),
        ("[]", "body object"),
        ("{\"name\":", "body json"),
        (too_long.as_str(), "body size"),
    ] {
        let (status, _, mistakes) = send("Application/JSON; charset=utf-8", body.to_owned());
        assert_eq!(status, 422);
        assert_eq!(mistakes, [wanted]);
    }
    let answer = user.send(Method::POST, "/pipelines/x");
    assert_eq!(
        header(answer.headers(), "allow"),
        "DELETE, GET, HEAD, OPTIONS, PUT"
    );
    assert_eq!(problem(answer).0, 405);
}

#[test]
fn somebody_elses_pipeline_is_not_there() {
    let server = shared();
    let owner = User::new(&server, "pipeline-owner");
    let other = User::new(&server, "pipeline-other");
    owner.saved("private-one", &wide());
    for path in ["/pipelines/private-one", "/pipelines/never-saved"] {
        let mut answers = [Method::GET, Method::DELETE].map(|method| other.send(method, path));
        answers.sort_by_key(Response::status);
        let put = other.send_json(Method::PUT, path, &json!({"chain": []}));
        for answer in answers.into_iter().chain([put]) {
            let (status, code, _) = problem(answer);
            assert_eq!((status, code.as_str()), (404, "E_ROW_NOT_FOUND"), "{path}");
        }
    }
    let refused = |chain| {
        let body: Value = other.convert(&[("pre", chain)]).json().expect("a problem");
        body["errors"].clone()
    };
    let unknown = refused(r#"{"pipeline":"never-saved"}"#);
    assert_eq!(unknown[0]["field"], "pre.pipeline");
    assert_eq!(refused(r#"{"pipeline":"private-one"}"#), unknown);
    assert!(other.names("&myPipelines=1").is_empty());
    // The name is still free for everybody else.
    other.saved("private-one", &json!(["delay"]));
    assert_eq!(owner.get("/pipelines/private-one")["chain"], wide());
    assert_eq!(
        owner.send(Method::GET, "/pipelines/private-one").status(),
        200
    );
}

#[test]
fn sharing_takes_a_key_for_administration_and_makes_a_name_everybodys() {
    let server = shared();
    let admin = User::with_scope(&server, "pipeline-admin", "read,write,admin");
    let same = User::new(&server, "pipeline-admin");
    let other = User::new(&server, "pipeline-guest");
    let body = json!({"name": "house-sound", "shared": true, "chain": wide()});
    let (status, code, _) = problem(same.save(&body));
    assert_eq!((status, code.as_str()), (403, "E_FORBIDDEN_EXCEPTION"));
    assert_eq!(admin.save(&body).status(), 201);

    let seen = other.get("/pipelines/house-sound");
    assert_eq!(seen["chain"], wide());
    assert_eq!(seen["shared"], true);
    assert_eq!(seen["isMine"], false);
    assert!(other.names("").contains(&"house-sound".to_owned()));
    assert!(other.names("&myPipelines=1").is_empty());
    let private = json!({"chain": []});
    for user in [&other, &same] {
        let answers = [
            user.send_json(Method::PUT, "/pipelines/house-sound", &private),
            user.send(Method::DELETE, "/pipelines/house-sound"),
        ];
        for answer in answers {
            assert_eq!(problem(answer).0, 403);
        }
    }
    assert_eq!(
        other.convert(&[("pre[pipeline]", "house-sound")]).status(),
        201
    );

    // A user's own pipeline comes first, and takes the shared one's place in the list.
    other.saved("house-sound", &json!(["delay"]));
    assert_eq!(other.get("/pipelines/house-sound")["isMine"], true);
    let mine = other.names("");
    let count = mine.iter().filter(|name| *name == "house-sound").count();
    assert_eq!(count, 1);
    let answer = admin.send_json(Method::PUT, "/pipelines/house-sound", &private);
    assert_eq!(answer.status(), 200);
    let third = User::new(&server, "pipeline-third");
    assert_eq!(
        problem(third.send(Method::GET, "/pipelines/house-sound")).0,
        404
    );
}

#[test]
fn a_key_for_reading_saves_nothing() {
    let server = shared();
    let writer = User::new(&server, "pipeline-reader");
    let reader = User::with_scope(&server, "pipeline-reader", "read");
    writer.saved("mine", &wide());
    assert_eq!(reader.get("/pipelines/mine")["chain"], wide());
    for answer in [
        reader.save(&json!({"name": "other", "chain": []})),
        reader.send_json(Method::PUT, "/pipelines/mine", &json!({"chain": []})),
        reader.send(Method::DELETE, "/pipelines/mine"),
    ] {
        assert_eq!(problem(answer).0, 403);
    }
    assert_eq!(writer.names("&myPipelines=1"), ["mine"]);
}

#[test]
fn pipelines_are_listed_in_pages() {
    let server = shared();
    let user = User::new(&server, "pipeline-lister");
    for name in ["c", "a", "b"] {
        user.saved(name, &json!([]));
    }
    assert_eq!(user.names("&myPipelines=true"), ["c", "a", "b"]);
    assert_eq!(user.names("&myPipelines=true&order=desc"), ["b", "a", "c"]);
    let page = user.get("/pipelines?myPipelines=1&perPage=2&page=2");
    assert_eq!(page["data"][0]["name"], "b");
    assert_eq!(page["meta"]["total"], 3);
    assert_eq!(page["meta"]["lastPage"], 2);
    let (status, _, mistakes) = problem(user.send(Method::GET, "/pipelines?page=0&myPipelines=x"));
    assert_eq!(status, 422);
    assert_eq!(mistakes, ["page range", "myPipelines boolean"]);
}

#[test]
fn a_conversion_runs_the_chain_that_a_pipeline_stands_for() {
    let server = shared();
    let user = User::new(&server, "pipeline-singer");
    user.saved("clean", &json!(["highPassFilter", "noiseGate"]));
    user.saved(
        "room",
        &json!([{"effect": "delay", "params": {"mix": "0.1"}}]),
    );
    let answer = user.convert(&[
        ("pre", r#"{"pipeline":"clean"}"#),
        ("post[pipeline]", "room"),
    ]);
    let status = answer.status();
    let record: Value = answer.json().expect("the answer is JSON");
    assert_eq!(status, 201, "{record:#}");
    // What the job runs is decided: the pipeline may go.
    assert_eq!(user.send(Method::DELETE, "/pipelines/room").status(), 204);
    let path = format!("/voice-conversions/{}", record["id"]);
    let ended = super::harness::until("the job to end", || {
        let record = user.get(&path);
        (record["status"] != "running").then_some(record)
    });
    assert_eq!(ended["status"], "success", "{ended:#}");
    let effects = ended["effects"].as_array().expect("a list").iter();
    let ids: Vec<_> = effects.map(|effect| effect["id"].clone()).collect();
    assert_eq!(
        ids,
        [
            "vocalhost.high-pass",
            "vocalhost.noise-gate",
            "vocalhost.delay"
        ]
    );
}

#[test]
fn a_pipeline_beside_effects_or_out_of_date_is_refused() {
    let server = shared();
    let user = User::new(&server, "pipeline-keeper");
    user.saved("fine", &wide());
    for form in [
        vec![("pre", r#"{"pipeline":"fine","noiseGate":{}}"#)],
        vec![("pre[pipeline]", "fine"), ("pre", "noiseGate")],
    ] {
        let (status, _, mistakes) = problem(user.convert(&form));
        assert_eq!(status, 422);
        assert_eq!(mistakes, ["pre form"]);
    }
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    runtime.block_on(async {
        let store = Store::open(&server.data().join("vocalhost.sqlite")).await;
        let store = store.expect("the database opens beside the server");
        let owner = store.user_id("pipeline-keeper").await;
        let old = NewPipeline {
            owner_id: owner
                .expect("the store answers")
                .expect("the user is there"),
            name: "old".to_owned(),
            shared: false,
            chain: json!(["com.example.gone@0.9.0", {"effect": "reverb", "params": {"width": 9}}]),
        };
        let saved = store.create_pipeline(&old, 10, 1).await;
        saved.expect("the store takes what a former release took");
        store.close().await;
    });
    let (status, _, mistakes) = problem(user.convert(&[("post", r#"{"pipeline":"old"}"#)]));
    assert_eq!(status, 422);
    assert_eq!(
        mistakes,
        [
            "post.pipeline.old.0.effect exists",
            "post.pipeline.old.1.params.width range"
        ]
    );
    // It can still be looked at, which is how its owner finds out.
    assert_eq!(
        user.get("/pipelines/old")["chain"][0],
        "com.example.gone@0.9.0"
    );
}

#[test]
fn the_command_line_and_the_server_see_the_same_pipelines() {
    let server = shared();
    let user = User::new(&server, "pipeline-typist");
    let run = |arguments: &[&str]| {
        let arguments = [&["pipeline"], arguments].concat();
        let output = vocalhost(server.data(), &arguments);
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let parsed = |text: &str| -> Value { serde_json::from_str(text).expect("JSON") };
    let chain = wide().to_string();
    let typed = ["save", "typed", &chain, "--user", "pipeline-typist"];
    assert_eq!(run(&typed), (Some(0), String::new(), String::new()));
    assert_eq!(user.get("/pipelines/typed")["chain"], wide());

    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), "[\"delay\"]").expect("it can be written");
    let path = file.path().to_str().expect("a plain path");
    let (status, output, _) = run(&[
        "save",
        "typed",
        path,
        "--user",
        "pipeline-typist",
        "--shared",
        "--json",
    ]);
    assert_eq!(status, Some(0));
    let saved = parsed(&output);
    assert_eq!(saved["user"], "pipeline-typist");
    assert_eq!(saved["shared"], true);
    let guest = User::new(&server, "pipeline-typed-for");
    assert_eq!(guest.get("/pipelines/typed")["chain"], json!(["delay"]));
    assert_eq!(parsed(&run(&["show", "typed", "--json"]).1), saved);
    let shown = run(&["show", "typed", "--user", "pipeline-typed-for"]);
    assert_eq!(parsed(&shown.1), json!(["delay"]));
    let listed = parsed(&run(&["list", "--shared", "--user", "pipeline-typist", "--json"]).1);
    assert_eq!(listed, json!([saved]));
    assert!(run(&["list"]).1.contains("typed"));

    assert_eq!(
        run(&["remove", "typed", "--user", "pipeline-typist"]).0,
        Some(0)
    );
    assert_eq!(problem(user.send(Method::GET, "/pipelines/typed")).0, 404);
    for (arguments, wanted) in [
        (vec!["show", "typed"], "there is no shared pipeline typed"),
        (
            vec!["remove", "typed", "--user", "pipeline-typist"],
            "there is no pipeline typed of pipeline-typist",
        ),
        (
            vec!["list", "--user", "nobody-at-all"],
            "there is no user nobody-at-all",
        ),
        (
            vec!["save", "x", r#"["gone"]"#, "--user", "pipeline-typist"],
            "chain.0.effect: There is no installed effect \"gone\"; the list of effects has their ids.",
        ),
        (
            vec!["save", "x", "[", "--user", "pipeline-typist"],
            "it is no JSON",
        ),
        (
            vec!["save", "x", "/nowhere", "--user", "pipeline-typist"],
            "cannot read /nowhere",
        ),
    ] {
        let (status, output, message) = run(&arguments);
        assert_eq!((status, output.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(message.contains(wanted), "{arguments:?}: {message}");
    }
    for wrong in [vec!["show", "NAME"], vec!["save", "x", "[]"], vec!["show"]] {
        assert_eq!(run(&wrong).0, Some(2), "{wrong:?}");
    }
}
