//! Built-in effects of a release that is not the servers' own.

use reqwest::Method;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::{Value, json};
use vocalhost_testing::sound;
use vocalhost_testing::stranger::Stranger;

use super::node::{Node, surely};
use super::place::Place;

/// The digests of the effects that a server offers under an id.
fn offered(node: &Node, key: &str, id: &str) -> Vec<String> {
    let listed = node.get_surely("/effects", key);
    let listed: Value = listed.json().expect("JSON");
    let effects = listed["data"].as_array().expect("a list").iter();
    let effects = effects.filter(|effect| effect["id"] == id);
    let digests = effects.filter_map(|effect| effect["digest"].as_str());
    digests.map(str::to_owned).collect()
}

#[test]
fn a_job_with_a_built_in_effect_of_another_release_is_done_by_a_server_that_lacks_it() {
    let place = Place::new();
    let node = place.node();
    let key = place.key.as_str();
    let component = Stranger::named("another").bytes();
    let installed = surely(|| {
        let request = node.request_with(Method::POST, "/admin/effects", key);
        let request = request.header("content-type", "application/wasm");
        request.body(component.clone())
    });
    assert_eq!(installed.status(), 201);
    let installed: Value = installed.json().expect("JSON");
    // Such as a server of another release enters it: the component is in the bucket, and the row says that it is built in.
    place.run(
        "UPDATE effects SET origin = 'builtin', carried_at_us = now_us() WHERE effect_id = 'org.example.another'",
    );
    // One that starts now leaves it as it is, and so does its own restart.
    let other = place.node();
    let id = "org.example.another";
    assert_eq!(
        offered(&other, key, id),
        [installed["digest"].as_str().expect("a digest")]
    );
    let chain = json!([{ "effect": id, "params": { "deed": "nothing" } }, "vocalhost.gain"]);
    let tone = sound::wav_of(1, 16_000, &sound::sung(0.5, 16_000, 220.0));
    let accepted = surely(|| {
        let file = Part::bytes(tone.clone()).file_name("tone.wav");
        let form = Form::new()
            .text("voiceModelId", "1")
            .text("pre", chain.to_string())
            .part("soundFile", file);
        let request = other.request_with(Method::POST, "/voice-conversions", key);
        request.multipart(form)
    });
    let status = accepted.status();
    let record: Value = accepted.json().expect("JSON");
    assert_eq!(status, 201, "{record:#}");
    other.until_ended(&format!("/voice-conversions/{}", record["id"]), key);

    // Of what a server carries itself it offers its own, once, and its component lies where others find it.
    place.run(
        "INSERT INTO effects (digest, effect_id, version, vendor, descriptor, origin, enabled, bytes, installed_at_us, carried_at_us) \
         SELECT repeat('ab', 32), effect_id, version, vendor, descriptor, origin, enabled, bytes, installed_at_us, now_us() + 1 \
         FROM effects WHERE effect_id = 'vocalhost.gain'",
    );
    place.run("UPDATE effects_revision SET revision = revision + 1");
    let own = offered(&other, key, "vocalhost.gain");
    let [own] = own.as_slice() else {
        panic!("{own:?}");
    };
    assert_ne!(*own, "ab".repeat(32));
    let stored = format!("{}/effects/{own}.wasm", super::place::PREFIX);
    assert!(place.s3.keys().contains(&stored));
}
