use reqwest::Method;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::{Value, json};
use vocalhost_testing::separators::Separator;
use vocalhost_testing::sound;

use super::harness::{Server, header, problem, shared, tone_part, webm};

const SEPARATIONS: &str = "/vocal-separations";
const SPLITS: &str = "/stem-splits";

/// A second of two tones, different on both sides, 44.1 kHz.
fn mix() -> Vec<f32> {
    let low = sound::sung(1.0, 44_100, 130.0);
    let high = sound::sung(1.0, 44_100, 330.0);
    let sides = low.iter().zip(&high);
    sides
        .flat_map(|(low, high)| [0.6 * low + 0.2 * high, 0.3 * low + 0.5 * high])
        .collect()
}

fn mix_file() -> Vec<u8> {
    sound::wav(2, 44_100, &mix())
}

fn form_of(bytes: Vec<u8>) -> Form {
    Form::new().part("inputFile", Part::bytes(bytes).file_name("mix"))
}

/// Posts a form that must be accepted, and gives the path of the job.
fn accepted(server: &Server, collection: &str, form: Form) -> String {
    let answer = server.post_to(collection, form);
    let status = answer.status();
    let record: Value = answer.json().expect("the answer is JSON");
    assert_eq!(status, 200, "{record:#}");
    format!("{collection}/{}", record["id"])
}

/// The record of a job that succeeded.
fn succeeded(server: &Server, path: &str) -> Value {
    let record = server.ended_at(path);
    assert_eq!(record["status"], "success", "{record:#}");
    record
}

/// A WAV file of 24 bits, in steps of its samples.
#[derive(Debug, PartialEq, Eq)]
struct Steps {
    channels: u16,
    sample_rate_hz: u32,
    interleaved: Vec<i32>,
}

/// How the address of a file ends.
fn extension(url: &str) -> &str {
    url.rsplit('.').next().unwrap_or_default()
}

fn steps(server: &Server, url: &Value) -> Steps {
    let url = url.as_str().expect("a link");
    assert_eq!(extension(url), "wav");
    let file = server.fetch(url);
    assert_eq!((&file[..4], &file[36..40]), (&b"RIFF"[..], &b"data"[..]));
    assert_eq!(file[34], 24, "bits");
    let samples = file[44..].chunks_exact(3);
    Steps {
        channels: u16::from_le_bytes([file[22], file[23]]),
        sample_rate_hz: u32::from_le_bytes([file[24], file[25], file[26], file[27]]),
        interleaved: samples
            .map(|bytes| i32::from_le_bytes([0, bytes[0], bytes[1], bytes[2]]) >> 8)
            .collect(),
    }
}

/// The largest distance of the sum of `parts` from `whole`, in steps.
fn distance(parts: &[&Steps], whole: &[i32]) -> i32 {
    for part in parts {
        assert_eq!(part.interleaved.len(), whole.len());
    }
    let sum = |at: usize| parts.iter().map(|part| part.interleaved[at]).sum::<i32>();
    let distances = (0..whole.len()).map(|at| (sum(at) - whole[at]).abs());
    distances.max().expect("there is sound")
}

/// The stems in the order of the record.
fn stems(server: &Server, record: &Value) -> Vec<(String, Steps)> {
    let list = |name: &str| record[name].as_array().expect("a list").clone();
    let instrument = |entry: &Value| entry["instrument"].as_str().expect("a name").to_owned();
    let (lossless, lossy) = (list("stemFileUrls"), list("lossyStemFileUrls"));
    let names: Vec<String> = lossless.iter().map(instrument).collect();
    assert_eq!(names, lossy.iter().map(instrument).collect::<Vec<_>>());
    for entry in &lossy {
        let url = entry["url"].as_str().expect("a link");
        assert_eq!(extension(url), "mp3");
        assert!(server.fetch(url).len() > 1_000, "{url}");
    }
    let sounds = lossless.iter().map(|entry| steps(server, &entry["url"]));
    names.into_iter().zip(sounds).collect()
}

/// The 24-bit steps of the mix as the server got it, in 16 bits.
fn mix_steps() -> Vec<i32> {
    let data = mix_file()[44..].to_vec();
    let samples = data.chunks_exact(2);
    samples
        .map(|bytes| i32::from(i16::from_le_bytes([bytes[0], bytes[1]])) << 8)
        .collect()
}

#[test]
fn a_new_job_is_a_complete_record() {
    let server = shared();
    for collection in [SEPARATIONS, SPLITS] {
        let form = form_of(mix_file())
            .text("metadata[take]", "2")
            .text("unknown", "is ignored");
        let answer = server.post_to(collection, form);
        assert_eq!(answer.status(), 200);
        let location = header(answer.headers(), "location");
        let record: Value = answer.json().expect("the answer is JSON");
        let path = format!("{collection}/{}", record["id"]);
        assert_eq!(location, server.url(&path));
        insta::allow_duplicates! {
            insta::assert_json_snapshot!(record, {
                ".id" => "[id]",
                ".createdAt" => "[timestamp]",
                ".jobStartTime" => "[timestamp]",
                ".queuePosition" => "[position]",
            }, @r###"
            {
              "id": "[id]",
              "createdAt": "[timestamp]",
              "type": "separate",
              "status": "running",
              "jobStartTime": "[timestamp]",
              "jobEndTime": null,
              "vocalAudioFileUrl": null,
              "lossyVocalAudioFileUrl": null,
              "backingAudioFileUrl": null,
              "stemFileUrls": [],
              "lossyStemFileUrls": [],
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
              "foldedFrom": null,
              "stems": null,
              "outputFormat": "wav24",
              "outputBitrate": null,
              "outputLoudness": null,
              "lossy": "with-job"
            }
            "###);
        }
        let listed = server.get(&format!("{collection}?order=desc&perPage=100"));
        let rows = listed["data"].as_array().expect("a list");
        let same = rows.iter().find(|row| row["id"] == record["id"]);
        assert_eq!(
            same.expect("the job is listed")["createdAt"],
            record["createdAt"]
        );
        assert_eq!(server.get(&path)["metadata"], json!({"take": "2"}));
    }
}

#[test]
fn a_separation_adds_up_to_the_recording() {
    let server = shared();
    let path = accepted(&server, SEPARATIONS, form_of(mix_file()));
    let record = succeeded(&server, &path);
    assert_eq!(
        (&record["stage"], &record["progress"]),
        (&json!("done"), &json!(100.0))
    );
    assert_eq!(record["foldedFrom"], Value::Null);
    assert!(record["jobEndTime"].is_string());
    assert_eq!(
        record["modelsUsed"].as_array().map(Vec::len),
        Some(3),
        "{record:#}"
    );
    let lossy = record["lossyVocalAudioFileUrl"].as_str().expect("a link");
    assert_eq!(extension(lossy), "mp3");
    let vocal = steps(&server, &record["vocalAudioFileUrl"]);
    let backing = steps(&server, &record["backingAudioFileUrl"]);
    assert_eq!((vocal.channels, vocal.sample_rate_hz), (2, 44_100));
    assert_eq!(record["gainDb"], Value::Null, "nothing clips");
    assert!(distance(&[&vocal, &backing], &mix_steps()) <= 1);
    let stems = stems(&server, &record);
    let names: Vec<&str> = stems.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["vocals", "harmony", "reverb", "backing"]);
    let sounds: Vec<&Steps> = stems.iter().map(|(_, sound)| sound).collect();
    assert!(distance(&sounds[..3], &vocal.interleaved) <= 1);
    assert_eq!(sounds[3], &backing);
}

#[test]
fn a_split_of_a_browsers_recording_adds_up_and_keeps_its_shape() {
    let server = shared();
    let path = accepted(&server, SPLITS, form_of(webm()));
    let record = succeeded(&server, &path);
    assert_eq!(
        record["models"].as_array().map(Vec::len),
        Some(1),
        "{record:#}"
    );
    let vocal = steps(&server, &record["vocalAudioFileUrl"]);
    let backing = steps(&server, &record["backingAudioFileUrl"]);
    assert_eq!((vocal.channels, vocal.sample_rate_hz), (2, 48_000));
    assert_eq!(vocal.interleaved.len(), 2 * 24_123);
    let stems = stems(&server, &record);
    let names: Vec<&str> = stems.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["vocals", "drums", "bass", "other", "backing"]);
    let sounds: Vec<&Steps> = stems.iter().map(|(_, sound)| sound).collect();
    assert_eq!((sounds[0], sounds[4]), (&vocal, &backing));
    assert!(distance(&sounds[1..4], &backing.interleaved) <= 1);
}

#[test]
fn effects_run_on_the_mix_and_on_each_file() {
    let server = shared();
    let form = form_of(mix_file())
        .text("pre", r#"{"highPassFilter":{"cutoff_frequency_hz":200}}"#)
        .text(
            "post",
            r#"[{"effect":"vocalhost.gain","params":{"gain_db":-20}}]"#,
        );
    let record = succeeded(&server, &accepted(&server, SPLITS, form));
    let effects = record["effects"].as_array().expect("a list");
    let ids: Vec<&str> = effects
        .iter()
        .filter_map(|effect| effect["id"].as_str())
        .collect();
    assert_eq!(ids, ["vocalhost.high-pass", "vocalhost.gain"]);
    let loudest = |steps: &[i32]| steps.iter().map(|step| step.abs()).max().expect("sound");
    let vocal = steps(&server, &record["vocalAudioFileUrl"]);
    let backing = steps(&server, &record["backingAudioFileUrl"]);
    let sum: Vec<i32> = vocal
        .interleaved
        .iter()
        .zip(&backing.interleaved)
        .map(|(a, b)| a + b)
        .collect();
    let share = f64::from(loudest(&sum)) / f64::from(loudest(&mix_steps()));
    assert!((0.02..0.15).contains(&share), "{share}");
}

#[test]
fn more_than_two_channels_are_folded_and_the_record_says_so() {
    let server = shared();
    let tone = sound::sung(0.5, 16_000, 220.0);
    let form = form_of(sound::wav_of(6, 16_000, &tone));
    let record = succeeded(&server, &accepted(&server, SPLITS, form));
    assert_eq!(record["foldedFrom"], 6);
    let vocal = steps(&server, &record["vocalAudioFileUrl"]);
    assert_eq!((vocal.channels, vocal.sample_rate_hz), (2, 16_000));
    assert_eq!(vocal.interleaved.len(), 2 * tone.len());
}

#[test]
fn all_mistakes_of_a_form_are_reported_at_once() {
    let server = shared();
    for collection in [SEPARATIONS, SPLITS] {
        let form = form_of(b"OggS\x00\x02".to_vec())
            .text("pre", r#"{"noGate":{}}"#)
            .text("post[highPassFilter]", "")
            .text("metadata", "[]");
        let (status, code, mistakes) = problem(server.post_to(collection, form));
        assert_eq!((status, code.as_str()), (422, "E_VALIDATION_FAILURE"));
        assert_eq!(
            mistakes,
            [
                "pre.noGate exists",
                "post.highPassFilter enum",
                "metadata object",
                "inputFile format",
            ]
        );
        let under_another_name = Form::new().part("soundFile", tone_part());
        let (_, _, mistakes) = problem(server.post_to(collection, under_another_name));
        assert_eq!(mistakes, ["inputFile required"]);
    }
    let refused = server.post_to(SPLITS, form_of(b"OggS\x00\x02".to_vec()));
    let refused: Value = refused.json().expect("a problem is JSON");
    assert_eq!(
        refused["errors"][0]["message"],
        "the file is Ogg; accepted are wav, webm, mp3 and flac"
    );
}

#[test]
fn what_no_separator_can_do_is_refused_instead_of_accepted_to_fail() {
    let models = tempfile::tempdir().expect("a temporary folder");
    Separator::of_shares("vocals", &[("vocals", 0.25)], "backing").write(models.path());
    let folder = models.path().to_str().expect("a plain path");
    let server = Server::start(&["--models-dir", folder]);
    let cases = [
        (SPLITS, form_of(mix_file()), "stems"),
        // What is sung would have to be taken apart.
        (SEPARATIONS, form_of(mix_file()), "lead"),
    ];
    for (collection, form, task) in cases {
        let answer = server.post_to(collection, form);
        assert!(answer.headers().contains_key("retry-after"));
        let status = answer.status();
        let body: Value = answer.json().expect("JSON");
        assert_eq!(
            (status.as_u16(), &body["code"]),
            (503, &json!("E_SERVICE_UNAVAILABLE"))
        );
        let detail = format!("No separator for the task {task} is installed on this server.");
        let said = body["detail"].as_str().expect("a reason");
        assert!(said.starts_with(&detail), "{said}");
        assert_eq!(server.get(collection)["meta"]["total"], 0);
    }
    // What is wrong with a request comes first.
    let form = form_of(mix_file()).text("priority", "99");
    let (status, _, mistakes) = problem(server.post_to(SPLITS, form));
    assert_eq!((status, mistakes), (422, vec!["priority range".to_owned()]));
    let form = form_of(mix_file()).text("stems", "backing");
    let path = accepted(&server, SEPARATIONS, form);
    succeeded(&server, &path);
    std::fs::remove_dir_all(models.path().join("test.vocals-1")).expect("removed");
    let (status, code, _) = problem(server.post_to(&format!("{path}/retry"), Form::new()));
    assert_eq!((status, code.as_str()), (503, "E_SERVICE_UNAVAILABLE"));
}

#[test]
fn a_file_over_50_mb_is_refused_and_not_kept() {
    let server = Server::start(&[]);
    for collection in [SEPARATIONS, SPLITS] {
        let form = form_of(vec![0; (50 << 20) + 1]);
        let answer = server.post_to(collection, form);
        assert_eq!(problem(answer).2, ["inputFile size"]);
    }
    assert_eq!(server.uploads(), 0);
}

#[test]
fn kinds_do_not_see_each_others_jobs_nor_users_each_others() {
    let server = shared();
    let path = accepted(&server, SEPARATIONS, form_of(mix_file()));
    let id = path.rsplit('/').next().expect("an id");
    for other in [SPLITS, "/voice-conversions"] {
        let answer = server.request(Method::GET, &format!("{other}/{id}")).send();
        let (status, code, _) = problem(answer.expect("the server answers"));
        assert_eq!((status, code.as_str()), (404, "E_ROW_NOT_FOUND"), "{other}");
    }
    let other = server.key_of("another-singer", &[]);
    let asked = |path: &str| {
        let request = server.anonymous(Method::GET, &server.url(path));
        request
            .bearer_auth(&other)
            .send()
            .expect("the server answers")
    };
    let (status, code, _) = problem(asked(&path));
    assert_eq!((status, code.as_str()), (403, "E_FORBIDDEN_EXCEPTION"));
    let list: Value = asked(SEPARATIONS).json().expect("a list");
    assert_eq!(
        (&list["data"], &list["meta"]["total"]),
        (&json!([]), &json!(0))
    );
}

#[test]
fn lists_and_methods_are_those_of_conversions() {
    let server = shared();
    for collection in [SEPARATIONS, SPLITS] {
        let list = server.get(&format!("{collection}?page=1000"));
        assert_eq!(
            (&list["data"], &list["meta"]["perPage"]),
            (&json!([]), &json!(10))
        );
        for (query, mistake) in [
            ("page=0", "page range"),
            ("order=up", "order enum"),
            ("status=lost", "status enum"),
        ] {
            let path = format!("{collection}?{query}");
            let answer = server.request(Method::GET, &path).send();
            let (status, _, mistakes) = problem(answer.expect("the server answers"));
            assert_eq!((status, mistakes), (422, vec![mistake.to_owned()]));
        }
        let answer = server.request(Method::DELETE, collection).send();
        let answer = answer.expect("the server answers");
        assert_eq!(
            header(answer.headers(), "allow"),
            "GET, HEAD, OPTIONS, POST"
        );
        assert_eq!(answer.status(), 405);
        let answer = server.request(Method::POST, collection).body("{}").send();
        assert_eq!(answer.expect("the server answers").status(), 415);
    }
}

#[test]
fn a_recording_without_sound_has_silent_stems() {
    let server = shared();
    let silence = sound::wav_of(1, 22_050, &vec![0.0; 5_000]);
    let record = succeeded(&server, &accepted(&server, SEPARATIONS, form_of(silence)));
    let stems = stems(&server, &record);
    assert_eq!(stems.len(), 4);
    for (name, sound) in stems {
        assert_eq!(
            (sound.channels, sound.interleaved.len()),
            (1, 5_000),
            "{name}"
        );
        assert!(sound.interleaved.iter().all(|step| *step == 0), "{name}");
    }
}
