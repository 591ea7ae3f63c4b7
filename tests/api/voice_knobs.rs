//! What a job may choose about its voice: how the pitch is found, what retrieval leaves alone, which speaker is heard, and whether the
//! voice is shut off in silence.

use reqwest::blocking::multipart::{Form, Part};
use serde_json::{Value, json};
use vocalhost_testing::encoder::encoder;
use vocalhost_testing::sound::{noise, sung, wav_of};

use super::harness::{Server, done, problem, samples, shared, tone_part};
use super::model_imports::{CHECKPOINT, INDEX, fixture, server_with};

const RATE_HZ: u32 = 16_000;

/// A server with a voice of RVC that has three speakers and an index, and the number of the voice.
fn with_rvc() -> (Server, String) {
    let server = server_with(encoder);
    let form = Form::new()
        .part("modelFile", fixture(CHECKPOINT))
        .part("indexFile", fixture(INDEX));
    let voice: Value = server.post_to("/voice-models", form).json().expect("JSON");
    assert_eq!(voice["isUsable"], true, "{voice:#}");
    let id = voice["id"].to_string();
    (server, id)
}

/// A second that is sung, a second of digital silence, and a second of hiss.
fn recording() -> Part {
    let second = RATE_HZ as usize;
    let hiss = noise(3, second).into_iter().map(|sample| sample * 0.2);
    let mono: Vec<f32> = sung(1.0, RATE_HZ, 220.0)
        .into_iter()
        .chain(vec![0.0; second])
        .chain(hiss)
        .collect();
    Part::bytes(wav_of(1, RATE_HZ, &mono)).file_name("sung.wav")
}

fn asked(voice: &str, knobs: &[(&'static str, &'static str)]) -> Form {
    let plain = [("conversionStrength", "1"), ("modelVolumeMix", "1")];
    let form = Form::new()
        .text("voiceModelId", voice.to_owned())
        .part("soundFile", recording());
    let knobs = plain.iter().chain(knobs);
    knobs.fold(form, |form, (name, text)| form.text(*name, *text))
}

/// The record of a job with these knobs and the samples that it gives.
fn heard(
    server: &Server,
    voice: &str,
    knobs: &[(&'static str, &'static str)],
) -> (Value, Vec<f32>) {
    let record = done(server, "/voice-conversions", asked(voice, knobs));
    let url = record["outputFileUrl"].as_str().expect("a link");
    let sound = samples(&server.fetch(url));
    assert_eq!(sound.len(), 3 * RATE_HZ as usize);
    (record, sound)
}

/// What lies between two tenths of seconds.
fn between(sound: &[f32], tenths: std::ops::Range<usize>) -> &[f32] {
    let tenth = RATE_HZ as usize / 10;
    &sound[tenths.start * tenth..tenths.end * tenth]
}

#[test]
fn a_voice_of_rvc_takes_every_knob_and_its_record_echoes_it() {
    let (server, voice) = with_rvc();
    let (record, plain) = heard(&server, &voice, &[]);
    for (knob, value) in [
        ("f0Method", json!("auto")),
        ("protect", Value::Null),
        ("speakerId", Value::Null),
        ("silenceGate", Value::Null),
    ] {
        assert_eq!(record[knob], value, "{knob}: {record:#}");
    }
    // As its package has it.
    assert!(heard(&server, &voice, &[("protect", "0.33"), ("speakerId", "0")]).1 == plain);

    let (record, other) = heard(&server, &voice, &[("speakerId", "2")]);
    assert_eq!(record["speakerId"], 2);
    assert!(other != plain, "another speaker sounds alike");

    let used = |record: &Value| -> Vec<String> {
        let used = record["modelsUsed"].as_array().expect("a list").iter();
        used.map(|model| model["id"].as_str().expect("an id").to_owned())
            .collect()
    };
    assert!(used(&record).contains(&"vocalhost.f0-3".to_owned()));
    let (record, pyin) = heard(&server, &voice, &[("f0Method", "pyin")]);
    assert_eq!(record["f0Method"], "pyin");
    let method = used(&record);
    assert!(!method.contains(&"vocalhost.f0-3".to_owned()), "{method:?}");
    assert!(pyin != plain, "pYIN hears what the network hears");

    // pYIN gives hiss no pitch, and what retrieval changes there is held back.
    let protect = |share: &'static str| {
        let knobs = [("f0Method", "pyin"), ("protect", share)];
        let (record, sound) = heard(&server, &voice, &knobs);
        assert_eq!(record["protect"].to_string(), share);
        between(&sound, 22..28).to_vec()
    };
    assert!(protect("0.0") != protect("0.5"), "nothing is protected");

    let silence = |gate: &'static str| {
        let (record, sound) = heard(&server, &voice, &[("silenceGate", gate)]);
        assert_eq!(record["silenceGate"].to_string(), gate);
        between(&sound, 11..19).to_vec()
    };
    assert!(silence("true").iter().all(|sample| *sample == 0.0));
    assert!(
        silence("false") == between(&plain, 11..19),
        "RVC has no gate"
    );
    assert!(silence("false").iter().any(|sample| *sample != 0.0));
}

#[test]
fn a_knob_that_cannot_be_is_refused_with_what_can_be() {
    let (server, voice) = with_rvc();
    for (knob, text, rule) in [
        ("speakerId", "3", "range"),
        ("speakerId", "-1", "number"),
        ("protect", "0.6", "range"),
        ("silenceGate", "perhaps", "boolean"),
        ("f0Method", "rmvpe.none", "enum"),
    ] {
        let refused = server.post(asked(&voice, &[(knob, text)]));
        assert_eq!(refused.status(), 422, "{knob} {text}");
        let body: Value = refused.json().expect("JSON");
        let mistake = &body["errors"][0];
        assert_eq!(mistake["field"], knob, "{body:#}");
        assert_eq!(mistake["rule"], rule, "{body:#}");
        if knob == "f0Method" {
            let choices = json!(["auto", "pyin", "vocalhost.f0-3"]);
            assert_eq!(mistake["args"]["choices"], choices);
        }
    }
}

#[test]
fn a_voice_without_a_knob_refuses_it_and_names_its_family() {
    let server = shared();
    let voice = server.voice();
    for knob in [("protect", "0.2"), ("speakerId", "0")] {
        let refused = server.post(asked(&voice, &[knob]));
        assert_eq!(refused.status(), 422);
        let body: Value = refused.json().expect("JSON");
        let mistake = &body["errors"][0];
        assert_eq!(
            (&mistake["field"], &mistake["rule"]),
            (&json!(knob.0), &json!("family"))
        );
        let said = mistake["message"].as_str().expect("a message");
        assert!(said.contains("ddsp-rvc"), "{said}");
    }
    let (_, gated) = heard(&server, &voice, &[]);
    assert!(between(&gated, 11..19).iter().all(|sample| *sample == 0.0));
    let (record, open) = heard(
        &server,
        &voice,
        &[("silenceGate", "false"), ("f0Method", "pyin")],
    );
    assert!(between(&open, 11..19).iter().any(|sample| *sample != 0.0));
    assert_eq!(
        (&record["silenceGate"], &record["f0Method"]),
        (&json!(false), &json!("pyin"))
    );

    let form = Form::new()
        .part("soundFile", tone_part())
        .text("speakerId", "x");
    let (status, _, mistakes) = problem(server.post(form));
    assert_eq!((status, mistakes.len()), (422, 2), "{mistakes:?}");
}
