//! What a job's recording and results look like.

use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::Value;
use vocalhost_testing::sound;

use super::harness::{Server, header, problem, shared, tone_part};

fn ask(server: &Server, path: &str) -> Response {
    server.request(Method::GET, path).send().expect("answers")
}

fn converted(server: &Server, format: &str) -> String {
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .text("outputFormat", format.to_owned())
        .part("soundFile", tone_part());
    let record: Value = server.post(form).json().expect("the answer is JSON");
    let path = format!("/voice-conversions/{}", record["id"]);
    assert_eq!(server.ended_at(&path)["status"], "success");
    path
}

fn reach(peaks: &Value, which: &str) -> f64 {
    let values = peaks["channels"][0][which].as_array().expect("a list");
    let values = values
        .iter()
        .map(|value| value.as_f64().expect("a number").abs());
    values.fold(0.0, f64::max)
}

#[test]
fn peaks_are_those_of_the_recording() {
    let server = shared();
    // A second of a ramp on the left and its mirror on the right.
    let ramp: Vec<f32> = (0..16_000)
        .flat_map(|at| [at as f32 / 16_000.0, -(at as f32) / 16_000.0])
        .collect();
    let form = Form::new().part(
        "inputFile",
        Part::bytes(sound::wav(2, 16_000, &ramp)).file_name("r"),
    );
    let record: Value = server.post_to("/stem-splits", form).json().expect("JSON");
    let path = format!("/stem-splits/{}", record["id"]);
    let peaks = server.get(&format!("{path}/peaks?points=10"));
    assert_eq!(peaks["file"], "input");
    assert_eq!(
        (&peaks["sampleRate"], &peaks["frames"]),
        (&16_000.into(), &16_000.into())
    );
    assert_eq!(peaks["points"], 10);
    assert_eq!(peaks["channels"].as_array().expect("a list").len(), 2);
    for point in 0..10 {
        let at = |channel: usize, which: &str| {
            peaks["channels"][channel][which][point]
                .as_f64()
                .expect("a number")
        };
        let (low, high) = (point as f64 / 10.0, (point + 1) as f64 / 10.0);
        assert!((at(0, "min") - low).abs() < 1e-3 && (at(0, "max") - high).abs() < 1e-3);
        assert!((at(1, "min") + high).abs() < 1e-3 && (at(1, "max") + low).abs() < 1e-3);
    }
    assert_eq!(server.get(&format!("{path}/peaks"))["points"], 1_024);
    server.ended_at(&path);
}

#[test]
fn every_sound_of_a_job_has_peaks_and_a_spectrogram() {
    let server = shared();
    for format in ["flac", "opus"] {
        let path = converted(&server, format);
        for file in ["input", "output"] {
            let peaks = server.get(&format!("{path}/peaks?file={file}"));
            assert!(reach(&peaks, "max") > 0.01, "{peaks:#}");
            let address = format!("{path}/spectrogram?file={file}");
            let [first, again] = [0, 1].map(|_| {
                let picture = ask(&server, &address);
                assert_eq!(picture.status(), 200);
                assert_eq!(header(picture.headers(), "content-type"), "image/png");
                picture.bytes().expect("arrives").to_vec()
            });
            assert_eq!(&first[..8], b"\x89PNG\r\n\x1a\n");
            let size = |at: usize| {
                u32::from_be_bytes([first[at], first[at + 1], first[at + 2], first[at + 3]])
            };
            assert_eq!((size(16), size(20)), (1_024, 256));
            assert_eq!(first, again);
        }
    }
}

#[test]
fn what_is_not_there_has_no_portrait() {
    let server = shared();
    let path = converted(&server, "wav24");
    for asked in [
        "peaks?file=recombined",
        "spectrogram?file=stem-vocals",
        "peaks?file=../input",
    ] {
        let (status, code, _) = problem(ask(&server, &format!("{path}/{asked}")));
        assert_eq!((status, code.as_str()), (404, "E_ROW_NOT_FOUND"), "{asked}");
    }
    let (status, _, _) = problem(ask(&server, "/voice-conversions/999999/peaks"));
    assert_eq!(status, 404);
    let wrong_kind = path.replace("voice-conversions", "stem-splits");
    assert_eq!(problem(ask(&server, &format!("{wrong_kind}/peaks"))).0, 404);
    for points in ["0", "8193", "x", "-1"] {
        let (status, _, mistakes) = problem(ask(&server, &format!("{path}/peaks?points={points}")));
        assert_eq!((status, mistakes), (422, vec!["points range".to_owned()]));
    }
    let stranger = server.key_of("portrait-stranger", &[]);
    let answer = server
        .anonymous(Method::GET, &server.url(&format!("{path}/peaks")))
        .bearer_auth(stranger)
        .send()
        .expect("answers");
    assert_eq!(problem(answer).0, 403);
}

#[test]
fn the_portrait_of_a_deleted_file_is_gone_even_if_it_was_made() {
    let server = Server::start(&[]);
    let path = converted(&server, "wav24");
    for file in ["input", "output"] {
        server.get(&format!("{path}/peaks?file={file}"));
    }
    let files = server.data().join("files");
    std::fs::remove_dir_all(files.join("inputs")).expect("it is there");
    let asked = format!("{path}/peaks?file=input");
    let (status, code, _) = problem(ask(&server, &asked));
    assert_eq!((status, code.as_str()), (410, "E_INPUT_EXPIRED"));
    assert_eq!(
        ask(&server, &format!("{path}/peaks?file=output")).status(),
        200
    );
}
