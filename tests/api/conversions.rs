use reqwest::Method;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::{Value, json};

use super::harness::{Server, header, problem, shared, tone, tone_part, webm};

#[test]
fn a_new_job_is_a_complete_record() {
    let server = shared();
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .text("pitchShift", "-2.5")
        .text("seed", "7")
        .text("metadata", r#"{"take":"2"}"#)
        .text("unknown", "is ignored")
        .part(
            "cover",
            Part::bytes(vec![7; 100_000]).file_name("ignored.png"),
        )
        .part("soundFile", tone_part());
    let answer = server.post(form);
    assert_eq!(answer.status(), 201);
    let location = header(answer.headers(), "location");
    let record: Value = answer.json().expect("the answer is JSON");
    let id = &record["id"];
    assert_eq!(location, server.url(&format!("/voice-conversions/{id}")));
    let mut voice = server.get(&format!("/voice-models/{}", record["voiceModelId"]));
    // Only the voice itself says them.
    voice.as_object_mut().expect("a record").remove("terms");
    assert_eq!(record["model"], voice);
    assert_eq!(record["metadata"], json!({"take": "2"}));
    insta::assert_json_snapshot!(record, {
        ".id" => "[id]",
        ".createdAt" => insta::dynamic_redaction(timestamp),
        ".jobStartTime" => insta::dynamic_redaction(timestamp),
        ".queuePosition" => "[position]",
        ".voiceModelId" => "[voice]",
        ".model" => "[voice record]",
    }, @r###"
    {
      "id": "[id]",
      "createdAt": "[timestamp]",
      "type": "infer",
      "voiceModelId": "[voice]",
      "status": "running",
      "jobStartTime": "[timestamp]",
      "jobEndTime": null,
      "outputFileUrl": null,
      "lossyOutputFileUrl": null,
      "recombinedAudioFileUrl": null,
      "vocalAudioFileUrl": null,
      "lossyVocalAudioFileUrl": null,
      "backingAudioFileUrl": null,
      "stemFileUrls": [],
      "lossyStemFileUrls": [],
      "model": "[voice record]",
      "conversionStrength": 0.5,
      "modelVolumeMix": 0.5,
      "pitchShift": -2.5,
      "autoPitch": false,
      "suggestedPitchShift": null,
      "seed": 7,
      "isolateVocals": false,
      "clean": [],
      "f0Method": "auto",
      "protect": null,
      "speakerId": null,
      "silenceGate": null,
      "stage": "queued",
      "progress": 0.0,
      "queuePosition": "[position]",
      "error": null,
      "metadata": {
        "take": "2"
      },
      "priority": 0,
      "retryOf": null,
      "webhookUrl": null,
      "timings": null,
      "effects": null,
      "provider": null,
      "models": null,
      "modelsUsed": null,
      "filesExpired": null,
      "gainDb": null,
      "loudness": null,
      "warnings": [],
      "archiveUrl": null,
      "outputFormat": "wav24",
      "outputBitrate": null,
      "outputLoudness": null,
      "lossy": "with-job"
    }
    "###);
    let listed = server.get("/voice-conversions?order=desc&perPage=100");
    let rows = listed["data"].as_array().expect("a list");
    let same = rows
        .iter()
        .find(|row| row["id"] == *id)
        .expect("the job is listed");
    assert_eq!(same["createdAt"], record["createdAt"]);
    assert_eq!(server.get(&format!("/voice-conversions/{id}"))["seed"], 7);
}

/// Replaces a timestamp of the right shape.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the signature that redactions have"
)]
fn timestamp(
    value: insta::internals::Content,
    _: insta::internals::ContentPath<'_>,
) -> &'static str {
    let text = value.as_str().expect("a timestamp is text");
    let shape: String = text
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    assert_eq!(shape, "0000-00-00 00:00:00.000000 +00:00");
    "[timestamp]"
}

#[test]
fn somebody_elses_job_is_forbidden_and_not_listed() {
    let server = shared();
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .part("soundFile", tone_part());
    let record: Value = server.post(form).json().expect("the answer is JSON");
    let other = server.key_of("somebody-else", &[]);
    let url = server.url(&format!("/voice-conversions/{}", record["id"]));
    let answer = server
        .anonymous(Method::GET, &url)
        .bearer_auth(&other)
        .send();
    let (status, code, _) = problem(answer.expect("the server answers"));
    assert_eq!((status, code.as_str()), (403, "E_FORBIDDEN_EXCEPTION"));
    let list = server
        .anonymous(Method::GET, &server.url("/voice-conversions"))
        .bearer_auth(&other);
    let list: Value = list
        .send()
        .and_then(reqwest::blocking::Response::json)
        .expect("a list");
    assert_eq!(list["meta"]["total"], 0);
}

#[test]
fn parts_come_in_any_order_and_texts_may_look_like_files() {
    let server = shared();
    let as_file = |text: String| {
        Part::text(text)
            .file_name("blob")
            .mime_str("application/octet-stream")
            .expect("a type")
    };
    let forms = [
        Form::new()
            .part("soundFile", tone_part())
            .text("voiceModelId", server.voice()),
        Form::new()
            .part("voiceModelId", as_file(server.voice()))
            .part(
                "pre",
                as_file(r#"{"highPassFilter":{"cutoffFrequencyHz":"80"}}"#.to_owned()),
            )
            .part(
                "soundFile",
                Part::bytes(tone())
                    .file_name("x.exe")
                    .mime_str("text/plain")
                    .expect("a type"),
            ),
        Form::new()
            .text("voiceModelId", server.voice())
            .part("soundFile", Part::bytes(tone())),
    ];
    for form in forms {
        let answer = server.post(form);
        assert_eq!(answer.status(), 201, "{:?}", answer.text());
    }
}

#[test]
fn all_mistakes_of_a_form_are_reported_at_once() {
    let server = shared();
    let form = Form::new()
        .text("conversionStrength", "NaN")
        .text("modelVolumeMix", "2")
        .text("pitchShift", "25")
        .text("seed", "-1")
        .text(
            "pre",
            r#"{"noGate":{},"highPassFilter":{"cutoff":1,"cutoff_frequency_hz":-1}}"#,
        )
        .text("post[highPassFilter]", "")
        .text("metadata", "[]")
        .part(
            "soundFile",
            Part::bytes(b"no sound at all".to_vec()).file_name("a.wav"),
        );
    let (status, code, mistakes) = problem(server.post(form));
    assert_eq!((status, code.as_str()), (422, "E_VALIDATION_FAILURE"));
    assert_eq!(
        mistakes,
        [
            "voiceModelId required",
            "conversionStrength number",
            "modelVolumeMix range",
            "pitchShift range",
            "seed number",
            "pre.noGate exists",
            "pre.highPassFilter.cutoff exists",
            "pre.highPassFilter.cutoff_frequency_hz range",
            "post.highPassFilter enum",
            "metadata object",
            "soundFile format",
        ]
    );
}

#[test]
fn a_recording_that_cannot_be_used_is_refused_with_its_rule() {
    let server = shared();
    let mut many_channels = tone();
    many_channels[22..24].copy_from_slice(&9_u16.to_le_bytes());
    let mut low_rate = tone();
    low_rate[24..28].copy_from_slice(&4_000_u32.to_le_bytes());
    let mut other_codec = webm();
    let codec = other_codec.windows(6).position(|name| name == b"A_OPUS");
    let codec = codec.expect("the fixture is Opus");
    other_codec[codec..codec + 6].copy_from_slice(b"A_ALAC");
    for (bytes, rule) in [
        (vec![], "soundFile empty"),
        (b"OggS\x00\x02".to_vec(), "soundFile format"),
        (webm(), "soundFile format"),
        // Another codec would not make it a format that is taken.
        (other_codec, "soundFile format"),
        (many_channels, "soundFile channels"),
        (low_rate, "soundFile sampleRate"),
    ] {
        let form = Form::new()
            .text("voiceModelId", server.voice())
            .part("soundFile", Part::bytes(bytes).file_name("a.wav"));
        let (status, _, mistakes) = problem(server.post(form));
        assert_eq!(status, 422);
        assert_eq!(mistakes, [rule]);
    }
    let form = Form::new().text("voiceModelId", server.voice());
    assert_eq!(problem(server.post(form)).2, ["soundFile required"]);
}

#[test]
fn a_format_that_is_not_taken_comes_with_those_that_are() {
    let server = shared();
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .part("soundFile", Part::bytes(webm()).file_name("a.wav"));
    let refused: Value = server.post(form).json().expect("a problem is JSON");
    let mistake = &refused["errors"][0];
    assert_eq!(
        mistake["message"],
        "the file is webm; accepted are wav, mp3 and flac"
    );
    assert_eq!(mistake["args"]["formats"], json!(["wav", "mp3", "flac"]));
}

#[test]
fn an_unknown_voice_is_the_same_mistake_as_one_that_cannot_be() {
    let server = shared();
    let refused = |voice: &str| {
        let form = Form::new()
            .text("voiceModelId", voice.to_owned())
            .part("soundFile", tone_part());
        let body: Value = server.post(form).json().expect("a problem is JSON");
        body["errors"].clone()
    };
    let unknown = refused("999999");
    assert_eq!(unknown[0]["rule"], "exists");
    assert_eq!(refused("-1"), unknown);
    assert_eq!(refused("99999999999999999999"), unknown);
}

#[test]
fn another_content_type_is_unsupported() {
    let server = shared();
    for content_type in ["application/json", "multipart/form-data", "text/plain"] {
        let answer = server
            .request(Method::POST, "/voice-conversions")
            .header("content-type", content_type)
            .body("{}")
            .send()
            .expect("the server answers");
        let (status, code, _) = problem(answer);
        assert_eq!(
            (status, code.as_str()),
            (415, "E_UNSUPPORTED_MEDIA_TYPE"),
            "{content_type}"
        );
    }
}

#[test]
fn a_user_with_too_many_waiting_jobs_is_told_so() {
    // The scheduler of this server takes nothing: its models folder gives voices, but one job may wait at most.
    let server = Server::start(&["--max-queued-per-user", "1", "--max-running-per-user", "1"]);
    let voice = server.voice();
    let refused = super::harness::until("the queue to be full", || {
        let form = Form::new()
            .text("voiceModelId", voice.clone())
            .part("soundFile", tone_part());
        let answer = server.post(form);
        (answer.status() != 201).then_some(answer)
    });
    header(refused.headers(), "retry-after");
    let (status, code, _) = problem(refused);
    assert_eq!((status, code.as_str()), (429, "E_QUOTA_EXCEEDED"));
    assert_eq!(server.uploads(), 0);
}
