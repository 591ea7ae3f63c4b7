use std::time::Instant;

use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::{Value, json};
use vocalhost_testing::poll::PATIENCE;
use vocalhost_testing::stranger::Stranger;

use super::harness::{Server, act, header, long_recording, problem, shared, tone_part, vocalhost};

/// A request to install `component`.
fn post(server: &Server, component: Vec<u8>) -> Response {
    let request = server
        .request(Method::POST, "/admin/effects")
        .header("content-type", "application/wasm")
        .body(component);
    request.send().expect("the server answers")
}

/// Installs an effect that must be taken, and gives its record.
fn install(server: &Server, effect: &Stranger) -> Value {
    let answer = post(server, effect.bytes());
    let status = answer.status();
    let record: Value = answer.json().expect("the answer is JSON");
    assert_eq!(status, 201, "{record:#}");
    record
}

/// Changes an effect; the answer must be the effect as it is now.
fn patch(server: &Server, name: &str, change: &Value) -> Value {
    let request = server.request(Method::PATCH, &format!("/admin/effects/{name}"));
    let answer = request.json(change).send().expect("the server answers");
    assert_eq!(answer.status(), 200, "{name} {change}");
    answer.json().expect("the answer is JSON")
}

/// Asks for a conversion of `sound` through the effect `name`.
fn convert(server: &Server, name: &str, deed: &str, sound: Part) -> Response {
    let chain = json!([{ "effect": name, "params": { "deed": deed } }]);
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .text("pre", chain.to_string())
        .part("soundFile", sound);
    server.post(form)
}

/// The id of a job through the effect `name`, which must be accepted.
fn accepted(server: &Server, name: &str, deed: &str) -> i64 {
    let answer = convert(server, name, deed, tone_part());
    assert_eq!(answer.status(), 201);
    let record: Value = answer.json().expect("the answer is JSON");
    record["id"].as_i64().expect("the record has an id")
}

/// The version that a job through the effect `name` ran.
fn ran(server: &Server, name: &str) -> Value {
    let record = server.ended(accepted(server, name, "nothing"));
    assert_eq!(record["status"], "success", "{record:#}");
    record["effects"][0]["version"].clone()
}

/// What a job through the effect `name` failed with.
fn failed(server: &Server, name: &str, deed: &str) -> (String, String) {
    let record = server.ended(accepted(server, name, deed));
    assert_eq!(record["status"], "error", "{record:#}");
    let text = |field: &str| record["error"][field].as_str().expect("a text").to_owned();
    (text("code"), text("message"))
}

/// The versions of the effect `id` that jobs may name.
fn listed(server: &Server, id: &str) -> Vec<Value> {
    let list = server.get("/effects");
    let effects = list["data"].as_array().expect("a list");
    let versions = effects.iter().filter(|effect| effect["id"] == id);
    versions.map(|effect| effect["version"].clone()).collect()
}

#[test]
fn an_effect_installed_over_the_api_runs_in_the_next_job() {
    let server = shared();
    let effect = Stranger::named("through");
    let answer = post(&server, effect.bytes());
    assert_eq!(answer.status(), 201);
    let address = server.url("/admin/effects/org.example.through@1.0.0");
    assert_eq!(header(answer.headers(), "location"), address);
    let record: Value = answer.json().expect("the answer is JSON");
    assert_eq!(record["origin"], "installed");
    assert_eq!(record["enabled"], true);
    assert_eq!(record["installedBy"], "admin");
    assert_eq!(
        record["limits"],
        json!({ "memoryBytes": 64 << 20, "workPerAudio": 10.0 })
    );
    assert_eq!(listed(&server, "org.example.through"), ["1.0.0"]);

    let job = server.ended(accepted(&server, "org.example.through", "nothing"));
    assert_eq!(job["status"], "success", "{job:#}");
    let used = json!([{
        "id": "org.example.through", "version": "1.0.0", "digest": record["digest"]
    }]);
    assert_eq!(job["effects"], used);

    let again = post(&server, effect.bytes());
    assert_eq!(again.status(), 200);
    assert_eq!(again.json::<Value>().expect("the answer is JSON"), record);
    let path = "/admin/effects/org.example.through%401.0.0";
    assert_eq!(server.get(path), record);
}

#[test]
fn the_component_of_an_effect_is_given_to_whoever_may_name_it_in_a_job() {
    let server = shared();
    let effect = Stranger::named("granted");
    install(&server, &effect);
    let reader = server.key_of("listener", &["--scope", "read"]);
    let ask = |path: &str, etag: &str| {
        let request = server.anonymous(Method::GET, &server.url(path));
        let request = request.bearer_auth(&reader).header("if-none-match", etag);
        request.send().expect("the server answers")
    };
    let path = "/effects/org.example.granted/component";
    let answer = ask(path, "\"another\"");
    assert_eq!(answer.status(), 200);
    let media_type = header(answer.headers(), "content-type");
    assert_eq!(media_type, "application/wasm");
    let etag = header(answer.headers(), "etag");
    assert_eq!(answer.bytes().expect("it is sent"), effect.bytes());
    assert_eq!(ask(path, &etag).status(), 304);
    let versioned = "/effects/org.example.granted%401.0.0/component";
    assert_eq!(ask(versioned, &etag).status(), 304);

    // Those that come along, too, by their short name.
    let built_in = ask("/effects/reverb/component", "");
    let listed = server.get("/effects");
    let reverb = listed["data"].as_array().expect("a list").iter();
    let reverb = reverb
        .filter(|effect| effect["alias"] == "reverb")
        .find_map(|effect| effect["digest"].as_str())
        .expect("it is there");
    let etag = header(built_in.headers(), "etag");
    assert_eq!(etag.trim_matches('"'), reverb);

    patch(
        &server,
        "org.example.granted@1.0.0",
        &json!({ "enabled": false }),
    );
    let (status, code, _) = problem(ask(path, ""));
    assert_eq!((status, code.as_str()), (404, "E_ROW_NOT_FOUND"));
    let unknown = ask("/effects/org.example.nothing/component", "");
    assert_eq!(problem(unknown).0, 404);
}

#[test]
fn what_the_command_line_does_a_running_server_sees_at_once() {
    let server = shared();
    let file = server.data().join("console.wasm");
    std::fs::write(&file, Stranger::named("console").bytes()).expect("it can be written");
    let file = file.to_str().expect("the path is text");
    let id = "org.example.console";
    let run = |arguments: &[&str]| {
        let output = vocalhost(server.data(), arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("it prints text")
    };
    assert_eq!(
        run(&["effect", "install", file]).trim(),
        format!("installed {id}@1.0.0")
    );
    assert_eq!(listed(&server, id), ["1.0.0"]);
    assert_eq!(ran(&server, id), "1.0.0");
    run(&["effect", "disable", id]);
    assert!(listed(&server, id).is_empty());
    let shown: Value =
        serde_json::from_str(&run(&["effect", "show", id, "--json"])).expect("it prints JSON");
    assert_eq!(shown["enabled"], false);
    assert_eq!(shown, server.get(&format!("/admin/effects/{id}")));
    run(&["effect", "enable", id]);
    run(&["effect", "limit", id, "--memory-bytes", "1000000"]);
    let limits = &server.get(&format!("/admin/effects/{id}"))["limits"];
    assert_eq!(limits["memoryBytes"], 1_000_000);
    for (flag, wrong) in [("--memory-bytes", "1"), ("--work-per-audio", "-1")] {
        let wrong = format!("{flag}={wrong}");
        let output = vocalhost(server.data(), &["effect", "limit", id, &wrong]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(&format!("{flag} must be between")), "{said}");
    }
    assert!(run(&["effect", "list"]).contains(id));
    run(&["effect", "remove", id]);
    assert!(listed(&server, id).is_empty());
    let output = vocalhost(server.data(), &["effect", "show", id]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn versions_live_side_by_side_and_the_record_says_which_ran() {
    let server = shared();
    let old = Stranger::named("version");
    let id = "org.example.version";
    install(&server, &old);
    install(&server, &old.version("1.1.0"));
    assert_eq!(listed(&server, id), ["1.0.0", "1.1.0"]);
    assert_eq!(ran(&server, id), "1.1.0");
    assert_eq!(ran(&server, &format!("{id}@1.0.0")), "1.0.0");

    let request = server.request(Method::PATCH, &format!("/admin/effects/{id}"));
    let answer = request.json(&json!({ "enabled": false })).send();
    let (status, _, mistakes) = problem(answer.expect("the server answers"));
    assert_eq!((status, mistakes), (422, vec!["id version".to_owned()]));

    patch(
        &server,
        &format!("{id}@1.1.0"),
        &json!({ "enabled": false }),
    );
    assert_eq!(ran(&server, id), "1.0.0");
    let answer = convert(&server, &format!("{id}@1.1.0"), "nothing", tone_part());
    assert_eq!(problem(answer).2, ["pre.0.effect exists"]);
    patch(&server, &format!("{id}@1.1.0"), &json!({ "enabled": true }));
    assert_eq!(ran(&server, id), "1.1.0");
}

#[test]
fn a_job_that_was_accepted_before_the_removal_still_finishes() {
    let server = Server::start(&[]);
    let id = "org.example.removed";
    let digest = install(&server, &Stranger::named("removed"))["digest"].clone();
    // There is one worker, so the second job waits while the first one runs.
    let busy = server.accepted(long_recording());
    server.until_inference(busy);
    let waiting = accepted(&server, id, "nothing");
    let removal = server.request(Method::DELETE, &format!("/admin/effects/{id}@1.0.0"));
    let answer = removal.send().expect("the server answers");
    assert_eq!(answer.status(), 204);
    assert_eq!(server.job(waiting)["stage"], "queued");

    let answer = convert(&server, id, "nothing", tone_part());
    assert_eq!(problem(answer).2, ["pre.0.effect exists"]);
    let cancelled = act(&server, &format!("/voice-conversions/{busy}/cancel"));
    assert_eq!(cancelled.status(), 200);
    let record = server.ended(waiting);
    assert_eq!(record["status"], "success", "{record:#}");
    assert_eq!(record["effects"][0]["digest"], digest);
}

#[test]
fn a_name_that_is_somebody_elses_is_refused() {
    let server = shared();
    let first = Stranger::named("vendors");
    install(&server, &first);
    let other = first.version("2.0.0").with("Example", "Another");
    let built_in = first.with("org.example.vendors", "vocalhost.reverb-01");
    for (effect, code) in [
        (other, "E_EFFECT_ID_TAKEN"),
        (built_in, "E_EFFECT_ID_TAKEN"),
        (
            first.with("Misbehaves on demand.", "Behaves very nicely.."),
            "E_EFFECT_VERSION_TAKEN",
        ),
    ] {
        let (status, said, _) = problem(post(&server, effect.bytes()));
        assert_eq!((status, said.as_str()), (409, code));
    }
    assert_eq!(listed(&server, "org.example.vendors"), ["1.0.0"]);
    let request = server.request(Method::DELETE, "/admin/effects/vocalhost.reverb");
    let (status, code, _) = problem(request.send().expect("the server answers"));
    assert_eq!((status, code.as_str()), (409, "E_EFFECT_BUILT_IN"));
}

#[test]
fn what_is_no_effect_is_refused_with_the_reason_in_bounded_time() {
    let server = shared();
    let wat = |text: &str| wat::parse_str(text).expect("the text is WebAssembly");
    let effect = Stranger::named("refused");
    let whole = effect.bytes();
    let cases = [
        (b"RIFF, or so it says".to_vec(), "does not begin like one"),
        (wat("(module)"), "it is a core module"),
        (whole[..whole.len() / 2].to_vec(), "is not a"),
        (
            wat(r#"(component (import "open-sesame" (func)))"#),
            "imports open-sesame",
        ),
        (wat("(component)"), "is not an effect"),
        (
            effect.describing("loop").bytes(),
            "ran out of time in describe",
        ),
        (
            effect.describing("grow").bytes(),
            "ran out of memory in describe",
        ),
        (effect.describing("panic").bytes(), "flux capacitor"),
    ];
    for (component, reason) in cases {
        let asked = Instant::now();
        let answer = post(&server, component);
        assert!(asked.elapsed() < PATIENCE, "{reason}");
        assert_eq!(answer.status(), 422, "{reason}");
        let body: Value = answer.json().expect("a problem is JSON");
        let message = body["errors"][0]["message"].as_str().expect("a text");
        assert!(message.contains(reason), "{message}");
    }
    assert!(listed(&server, "org.example.refused").is_empty());
}

#[test]
fn a_body_of_another_type_or_size_is_refused() {
    let server = shared();
    let request = server.request(Method::POST, "/admin/effects").body("wasm");
    let (status, code, _) = problem(request.send().expect("the server answers"));
    assert_eq!((status, code.as_str()), (415, "E_UNSUPPORTED_MEDIA_TYPE"));
    let (status, _, mistakes) = problem(post(&server, vec![0; (16 << 20) + 1]));
    assert_eq!((status, mistakes), (422, vec!["body size".to_owned()]));
    let request = server.request(Method::PATCH, "/admin/effects/vocalhost.reverb");
    let answer = request.json(&json!({ "memoryBytes": 1, "enabled": true }));
    let (status, _, mistakes) = problem(answer.send().expect("the server answers"));
    assert_eq!(
        (status, mistakes),
        (422, vec!["memoryBytes range".to_owned()])
    );
}

#[test]
fn an_effects_own_limits_hold_for_its_jobs() {
    let server = shared();
    let id = "org.example.limited";
    install(&server, &Stranger::named("limited"));
    let name = format!("{id}@1.0.0");
    let page = json!({ "memoryBytes": 65_536 });
    assert_eq!(
        patch(&server, &name, &page)["overrides"]["memoryBytes"],
        65_536
    );
    let (code, message) = failed(&server, id, "nothing");
    assert_eq!(code, "effect_failed");
    assert!(message.contains(id), "{message}");
    assert!(message.contains("ran out of memory"), "{message}");

    let change = json!({ "memoryBytes": null, "workPerAudio": 0.001 });
    patch(&server, &name, &change);
    let (_, message) = failed(&server, id, "nothing");
    assert!(message.contains("ran out of time in process"), "{message}");

    patch(&server, &name, &json!({ "workPerAudio": null }));
    assert_eq!(ran(&server, id), "1.0.0");
}

#[test]
fn a_hostile_effect_fails_its_own_job_with_the_cause_and_no_other() {
    let server = shared();
    let id = "org.example.nuisanc";
    install(&server, &Stranger::named("nuisanc"));
    let hostile = ["panic", "loop", "grow", "nan"].map(|deed| {
        let job = accepted(&server, id, deed);
        (job, accepted(&server, id, "nothing"))
    });
    for (job, beside) in hostile {
        let record = server.ended(job);
        assert_eq!(record["error"]["code"], "effect_failed", "{record:#}");
        assert_eq!(record["effects"][0]["version"], "1.0.0", "{record:#}");
        let message = record["error"]["message"].as_str().expect("a text");
        assert!(message.contains(id), "{message}");
        let record = server.ended(beside);
        assert_eq!(record["status"], "success", "{record:#}");
    }
}

#[test]
fn only_a_key_with_the_scope_admin_manages_effects() {
    let server = shared();
    let key = server.key_of("no-admin", &["--scope", "read,write"]);
    for (method, path) in [
        (Method::GET, "/admin/effects"),
        (Method::POST, "/admin/effects"),
        (Method::GET, "/admin/effects/vocalhost.reverb"),
        (Method::PATCH, "/admin/effects/vocalhost.reverb"),
        (Method::DELETE, "/admin/effects/vocalhost.reverb"),
    ] {
        let url = server.url(path);
        let anonymous = server.anonymous(method.clone(), &url);
        assert_eq!(anonymous.send().expect("it answers").status(), 401);
        let request = server.anonymous(method, &url).bearer_auth(&key);
        let (status, code, _) = problem(request.send().expect("it answers"));
        assert_eq!((status, code.as_str()), (403, "E_FORBIDDEN_EXCEPTION"));
    }
    let unknown = server.request(Method::GET, "/admin/effects/org.example.nobody");
    assert_eq!(problem(unknown.send().expect("it answers")).0, 404);
}
