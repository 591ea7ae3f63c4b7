//! Voices that take the places of earlier generations of them: a job that names one of those gets the later one, and is told.

use std::fs;
use std::path::Path;

use reqwest::Method;
use reqwest::blocking::multipart::Form;
use serde_json::{Value, json};
use vocalhost_testing::repository;

use super::harness::{Server, act, done, tone, tone_part, vocalhost};

/// Amber as one of its generations, in a folder of voices.
fn amber(folder: &Path, generation: u32) {
    let target = folder.join(format!("amber-{generation}"));
    fs::create_dir(&target).expect("a folder");
    for entry in fs::read_dir(repository("models/vocalhost.amber-5")).expect("the package") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), target.join(entry.file_name())).expect("a copy");
    }
    let path = target.join("package.toml");
    let text = fs::read_to_string(&path).expect("a manifest");
    let id = format!("id = \"tests.amber-{generation}\"");
    let text = text.replacen("id = \"vocalhost.amber-5\"", &id, 1);
    fs::write(path, text).expect("written");
}

fn replaced(field: &str) -> Value {
    json!([{
        "code": "voice_replaced",
        "message": "the voice was tests.amber-2 before, whose place tests.amber-3 has taken",
        "atSeconds": null,
        "seconds": null,
        "field": field,
    }])
}

#[test]
fn a_job_that_names_a_voice_whose_package_is_gone_gets_its_successor_and_is_told() {
    let voices = tempfile::tempdir().expect("a temporary folder");
    amber(voices.path(), 2);
    let parts = ["vocalhost.content-5", "vocalhost.f0-3", "vocalhost.oak-5"];
    let folders = parts.map(|part| repository("models").join(part));
    let folders = [folders.to_vec(), vec![voices.path().to_owned()]].concat();
    let flags = folders
        .iter()
        .flat_map(|folder| ["--models-dir", folder.to_str().expect("plain text")]);
    let flags: Vec<&str> = flags.collect();
    let server = Server::start(&flags);
    let number = |title: &str| {
        let found = server.get(&format!("/voice-models?q={title}"));
        found["data"][0]["id"].clone()
    };
    let (voice, other) = (number("amber"), number("oak"));
    let convert = || {
        let form = Form::new().text("voiceModelId", voice.to_string());
        form.part("soundFile", tone_part())
    };
    let before = done(&server, "/voice-conversions", convert());
    assert_eq!(before["warnings"], json!([]));

    fs::remove_dir_all(voices.path().join("amber-2")).expect("the package is there");
    amber(voices.path(), 3);
    let path = "/voice-conversions";
    let created: Value = server.post(convert()).json().expect("JSON");
    assert_eq!(created["warnings"], replaced("voiceModelId"), "{created:#}");
    let after = server.ended_at(&format!("{path}/{}", created["id"]));
    assert_eq!(after["warnings"], created["warnings"], "{after:#}");
    assert_eq!(after["modelsUsed"][0]["id"], "tests.amber-3");
    let again = act(&server, &format!("{path}/{}/retry", before["id"]));
    let again: Value = again.json().expect("JSON");
    assert_eq!(again["warnings"], created["warnings"], "{again:#}");
    // What was made with the earlier one was made with it.
    let before = server.get(&format!("{path}/{}", before["id"]));
    assert_eq!(before["warnings"], json!([]));

    let blend = json!({ "modelId1": other, "modelId2": voice, "alpha": 0.5 });
    let blend = server.request(Method::POST, "/voice-blender").json(&blend);
    let created: Value = blend.send().expect("it answers").json().expect("JSON");
    assert_eq!(created["warnings"], replaced("modelId2"), "{created:#}");
    let after = server.ended_at(&format!("/voice-blender/{}", created["id"]));
    assert_eq!(after["warnings"], created["warnings"], "{after:#}");
    assert_eq!(after["status"], "success");
    commands_tell_it(&server, &voice, &flags);
}

/// Commands know the voice by the id of its earlier package, and by its number.
fn commands_tell_it(server: &Server, voice: &Value, flags: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (input, output) = (folder.path().join("in.wav"), folder.path().join("out.wav"));
    fs::write(&input, tone()).expect("written");
    let [input, output] = [&input, &output].map(|path| path.to_str().expect("plain text"));
    for named in ["tests.amber-2", &voice.to_string()] {
        let convert = ["convert", input, output, "--voice", named, "--json"];
        let told = vocalhost(server.data(), &[&convert, flags].concat());
        assert!(told.status.success(), "{named}: {told:?}");
        let answer: Value = serde_json::from_slice(&told.stdout).expect("JSON");
        let warnings = &answer["warnings"];
        assert_eq!(warnings[0]["code"], "voice_replaced", "{named}: {answer:#}");
        let said = String::from_utf8_lossy(&told.stderr);
        assert!(
            said.contains("whose place tests.amber-3 has taken"),
            "{said}"
        );
    }
    let convert = [
        "convert",
        input,
        output,
        "--voice",
        "tests.amber-3",
        "--json",
    ];
    let told = vocalhost(server.data(), &[&convert, flags].concat());
    let answer: Value = serde_json::from_slice(&told.stdout).expect("JSON");
    assert_eq!(answer["warnings"], json!([]));
}
