//! What recordings may lack, and what one request does for a whole song.

use reqwest::blocking::multipart::{Form, Part};
use vocalhost_testing::sound;

use super::harness::{Server, done, posted, problem, shared, tone, tone_part};

fn conversion(server: &Server) -> Form {
    Form::new().text("voiceModelId", server.voice())
}

/// A WAV whose header tells of twice as much as there is.
fn cut() -> Part {
    let mut wav = tone();
    wav.truncate(wav.len() / 2);
    Part::bytes(wav).file_name("cut.wav")
}

#[test]
fn a_cut_recording_is_heard_as_far_as_it_goes_and_the_record_says_so_from_the_beginning() {
    let server = shared();
    let form = conversion(&server).part("soundFile", cut());
    let created = posted(&server, "/voice-conversions", form);
    assert_eq!(created["warnings"][0]["code"], "input_cut", "{created:#}");
    let record = server.ended_at(&format!("/voice-conversions/{}", created["id"]));
    assert_eq!(record["status"], "success", "{record:#}");
    assert_eq!(record["warnings"], created["warnings"]);
    assert!(
        record["warnings"][0]["atSeconds"]
            .as_f64()
            .expect("a place")
            > 0.0
    );

    let whole = done(
        &server,
        "/voice-conversions",
        conversion(&server).part("soundFile", tone_part()),
    );
    assert_eq!(whole["warnings"], serde_json::json!([]));
}

#[test]
fn a_cut_recording_is_refused_where_that_was_asked_for() {
    let server = shared();
    for (collection, field) in [
        ("/voice-conversions", "soundFile"),
        ("/vocal-separations", "inputFile"),
    ] {
        let mut form = Form::new().part(field, cut()).text("strictInput", "true");
        if field == "soundFile" {
            form = form.text("voiceModelId", server.voice());
        }
        let (status, code, rules) = problem(server.post_to(collection, form));
        assert_eq!((status, code.as_str()), (422, "E_VALIDATION_FAILURE"));
        assert!(
            rules.iter().any(|rule| rule.starts_with(field)),
            "{rules:?}"
        );
    }
}

#[test]
fn the_singer_of_a_song_is_replaced_by_one_request() {
    let server = shared();
    let song = sound::wav_of(2, 44_100, &sound::sung(1.5, 44_100, 180.0));
    let part = || Part::bytes(song.clone()).file_name("song.wav");
    let form = conversion(&server)
        .part("soundFile", part())
        .text("isolateVocals", "true");
    let record = done(&server, "/voice-conversions", form);
    for field in ["outputFileUrl", "recombinedAudioFileUrl"] {
        let file = server.fetch(record[field].as_str().expect("a link"));
        assert!(file.starts_with(b"RIFF"), "{field}");
    }
    let both = conversion(&server)
        .part("soundFile", part())
        .part("backingSoundFile", part())
        .text("isolateVocals", "true");
    let (status, _, rules) = problem(server.post_to("/voice-conversions", both));
    assert_eq!(status, 422, "{rules:?}");
}

#[test]
fn a_result_is_as_loud_as_it_was_asked_to_be() {
    let server = shared();
    let form = conversion(&server)
        .part(
            "soundFile",
            Part::bytes(sound::wav_of(1, 44_100, &sound::sung(3.0, 44_100, 180.0))),
        )
        .text("outputLoudness", "-30");
    let record = done(&server, "/voice-conversions", form);
    let loudness = &record["loudness"]["output"]["integratedLufs"];
    let found = loudness.as_f64().unwrap_or_else(|| panic!("{record:#}"));
    assert!((found + 30.0).abs() < 0.2, "{found} LUFS");
    assert!(record["gainDb"].is_number(), "{record:#}");
    // Louder than its peaks allow: they decide.
    let form = conversion(&server)
        .part("soundFile", tone_part())
        .text("outputLoudness", "-5");
    let record = done(&server, "/voice-conversions", form);
    let peak = &record["loudness"]["output"]["truePeakDbtp"];
    let peak = peak.as_f64().unwrap_or_else(|| panic!("{record:#}"));
    assert!(peak < -0.9, "{peak} dBTP");
    for wrong in ["-41", "0", "loud"] {
        let form = conversion(&server)
            .part("soundFile", tone_part())
            .text("outputLoudness", wrong);
        let (status, _, rules) = problem(server.post_to("/voice-conversions", form));
        assert_eq!(status, 422, "{wrong}");
        assert!(
            rules.iter().any(|rule| rule.starts_with("outputLoudness")),
            "{rules:?}"
        );
    }
}
