use reqwest::Method;
use serde_json::Value;

use super::harness::{header, problem, shared};

#[test]
fn the_voices_are_listed_with_all_their_fields() {
    let server = shared();
    let list = server.get("/voice-models");
    let voices = list["data"].as_array().expect("a list");
    assert!(voices.len() >= 3);
    for voice in voices {
        let fields: Vec<&str> = voice
            .as_object()
            .expect("a record")
            .keys()
            .map(String::as_str)
            .collect();
        assert_eq!(
            fields,
            [
                "id",
                "title",
                "tags",
                "imageUrl",
                "demoUrl",
                "twitterLink",
                "instagramLink",
                "tiktokLink",
                "spotifyLink",
                "youtubeLink",
                "isUsable",
                "unusableReason"
            ]
        );
        assert_eq!(voice["isUsable"], true);
        assert_eq!(voice["unusableReason"], Value::Null);
        let id = &voice["id"];
        assert_eq!(
            server.get(&format!("/voice-models/{id}"))["title"],
            voice["title"]
        );
    }
    assert_eq!(list["meta"]["total"], voices.len());
}

#[test]
fn filters_narrow_the_list_of_voices() {
    let server = shared();
    let total =
        |query: &str| server.get(&format!("/voice-models?{query}"))["meta"]["total"].clone();
    let all = total("");
    assert_eq!(total("myModels=false&instruments=0"), all);
    assert_eq!(total("myModels=TRUE"), 0);
    let instruments = total("instruments=1").as_u64();
    assert!(instruments >= Some(2) && instruments < all.as_u64());
    let first = server.get("/voice-models?perPage=1")["data"][0].clone();
    let title = first["title"].as_str().expect("a title");
    let found = server.get(&format!(
        "/voice-models?q={}",
        title.to_uppercase().replace(' ', "+")
    ));
    assert_eq!(found["data"][0]["id"], first["id"]);
    let tag = first["tags"][0].as_str().expect("a tag");
    let tagged = server.get(&format!("/voice-models?tag={tag}"));
    let ids: Vec<&Value> = tagged["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|voice| &voice["id"])
        .collect();
    assert!(ids.contains(&&first["id"]));
    assert_eq!(total("q=nobody+is+called+this"), 0);
}

#[test]
fn pages_are_cut_counted_and_linked() {
    let server = shared();
    let answer = server
        .request(Method::GET, "/voice-models?perPage=2&page=2&order=desc")
        .send();
    let answer = answer.expect("the server answers");
    let link = header(answer.headers(), "link");
    let url = server.url("/voice-models");
    assert!(
        link.contains(&format!(
            "<{url}?perPage=2&order=desc&page=1>; rel=\"first\""
        )),
        "{link}"
    );
    let list: Value = answer.json().expect("the answer is JSON");
    let meta = &list["meta"];
    assert_eq!(meta["currentPage"], 2);
    assert_eq!(meta["perPage"], 2);
    assert_eq!(meta["firstPageUrl"], "/?page=1");
    assert_eq!(meta["previousPageUrl"], "/?page=1");
    let past = server.get("/voice-models?page=1000");
    assert_eq!(past["data"], serde_json::json!([]));
    assert_eq!(past["meta"]["nextPageUrl"], Value::Null);
    assert_eq!(
        server.get("/voice-models?perPage=5000")["meta"]["perPage"],
        1000
    );
    assert_eq!(
        server.get("/voice-conversions?perPage=5000")["meta"]["perPage"],
        100
    );
    assert_eq!(server.get("/voice-conversions")["meta"]["perPage"], 10);
    let ids = |order: &str| -> Vec<i64> {
        let list = server.get(&format!("/voice-models?order={order}"));
        list["data"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|voice| voice["id"].as_i64())
            .collect()
    };
    let mut descending = ids("desc");
    descending.reverse();
    assert_eq!(ids("asc"), descending);
}

#[test]
fn every_mistake_in_a_query_is_named() {
    let server = shared();
    for (path, wanted) in [
        (
            "/voice-models?myModels=yes&instruments=2&page=x",
            vec!["page number", "myModels boolean", "instruments boolean"],
        ),
        (
            "/voice-conversions?status=done&perPage=0",
            vec!["perPage range", "status enum"],
        ),
        ("/effects?order=up", vec!["order enum"]),
    ] {
        let answer = server
            .request(Method::GET, path)
            .send()
            .expect("the server answers");
        let (status, code, mistakes) = problem(answer);
        assert_eq!(
            (status, code.as_str()),
            (422, "E_VALIDATION_FAILURE"),
            "{path}"
        );
        assert_eq!(mistakes, wanted, "{path}");
    }
}

#[test]
fn the_effects_of_the_contract_are_listed_with_their_parameters() {
    let server = shared();
    let list = server.get("/effects");
    let effects = list["data"].as_array().expect("a list");
    for (alias, parameters) in [
        (
            "noiseGate",
            vec!["threshold_db", "ratio", "attack_ms", "release_ms"],
        ),
        ("highPassFilter", vec!["cutoff_frequency_hz"]),
    ] {
        let Some(effect) = effects.iter().find(|effect| effect["alias"] == alias) else {
            // An effect that is not built in yet is not listed either.
            continue;
        };
        let ids: Vec<&str> = effect["parameters"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|parameter| parameter["id"].as_str())
            .collect();
        assert_eq!(ids, parameters);
        assert_eq!(effect["digest"].as_str().map(str::len), Some(64));
    }
    assert!(!effects.is_empty());
}

#[test]
fn health_needs_no_key() {
    let server = shared();
    for path in ["livez", "readyz"] {
        let url = format!("http://{}/{path}", server.address);
        super::harness::until("the server to be ready", || {
            let answer = server.anonymous(Method::GET, &url).send().ok()?;
            (answer.status() == 200).then_some(())
        });
    }
}
