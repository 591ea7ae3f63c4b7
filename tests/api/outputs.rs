//! What the files of a result come as, which of them there are, and what goes under a converted voice.

use std::collections::BTreeSet;

use reqwest::blocking::multipart::{Form, Part};
use serde_json::{Value, json};
use vocalhost_testing::sound;

use super::harness::{Server, done, header, problem, samples, shared, tone_part};

fn conversion(server: &Server) -> Form {
    Form::new()
        .text("voiceModelId", server.voice())
        .part("soundFile", tone_part())
}

fn separation() -> Form {
    let mix = sound::wav_of(2, 16_000, &sound::sung(0.5, 16_000, 180.0));
    Form::new().part("inputFile", Part::bytes(mix).file_name("mix"))
}

fn file(server: &Server, url: &Value) -> Vec<u8> {
    server.fetch(url.as_str().expect("a link"))
}

/// How the address of a file ends.
fn ending(url: &Value) -> &str {
    let url = url.as_str().expect("a link");
    url.rsplit('.').next().unwrap_or_default()
}

fn media_type(server: &Server, url: &Value) -> String {
    let answer = server.anonymous(reqwest::Method::HEAD, url.as_str().expect("a link"));
    header(answer.send().expect("answers").headers(), "content-type")
}

#[test]
fn a_result_comes_in_the_format_that_was_asked_for() {
    let server = shared();
    for (format, extension, media, begins) in [
        ("wav16", "wav", "audio/wav", &b"RIFF"[..]),
        ("wav32f", "wav", "audio/wav", b"RIFF"),
        ("flac", "flac", "audio/flac", b"fLaC"),
        ("mp3", "mp3", "audio/mpeg", b"\xff"),
        ("opus", "opus", "audio/ogg", b"OggS"),
    ] {
        let form = conversion(&server).text("outputFormat", format);
        let record = done(&server, "/voice-conversions", form);
        assert_eq!(record["outputFormat"], format);
        let url = &record["outputFileUrl"];
        assert_eq!(ending(url), extension);
        assert_eq!(media_type(&server, url), media);
        assert!(file(&server, url).starts_with(begins), "{format}");
        assert_eq!(ending(&record["lossyOutputFileUrl"]), "mp3");
        if format == "wav16" {
            assert_eq!(file(&server, url).len(), 44 + 8_000 * 2);
        }
        if format == "opus" {
            let (decoded, _) = ruopus::decode_ogg_opus(&file(&server, url)).expect("decodes");
            assert_eq!(decoded.len(), 24_000, "half a second at 48 kHz");
        }
    }
}

#[test]
fn an_mp3_of_another_bit_rate_stands_beside_the_lossy_one() {
    let server = shared();
    let form = conversion(&server)
        .text("outputFormat", "mp3")
        .text("outputBitrate", "320");
    let record = done(&server, "/voice-conversions", form);
    let sizes =
        ["outputFileUrl", "lossyOutputFileUrl"].map(|name| file(&server, &record[name]).len());
    assert!(sizes[0] > sizes[1] * 3 / 2, "{sizes:?}");
}

#[test]
fn separations_come_in_every_format_and_still_add_up() {
    let server = shared();
    let form = separation().text("outputFormat", "wav16");
    let record = done(&server, "/stem-splits", form);
    let steps = |url: &Value| -> Vec<i32> {
        let file = file(&server, url);
        assert_eq!(file[34], 16, "bits");
        let samples = file[44..].chunks_exact(2);
        samples
            .map(|two| i32::from(i16::from_le_bytes([two[0], two[1]])))
            .collect()
    };
    let sum = |urls: &[&Value]| {
        let parts: Vec<Vec<i32>> = urls.iter().map(|url| steps(url)).collect();
        (0..parts[0].len()).map(move |at| parts.iter().map(|part| part[at]).sum::<i32>())
    };
    let stems = record["stemFileUrls"].as_array().expect("a list");
    let [vocals, drums, bass, other, backing] = &stems[..] else {
        panic!("five stems: {stems:?}");
    };
    let all = sum(&[&vocals["url"], &drums["url"], &bass["url"], &other["url"]]);
    let whole = sum(&[&vocals["url"], &backing["url"]]);
    assert!(all.zip(whole).all(|(all, whole)| (all - whole).abs() <= 2));
    let flac = done(
        &server,
        "/vocal-separations",
        separation().text("outputFormat", "flac"),
    );
    assert!(file(&server, &flac["vocalAudioFileUrl"]).starts_with(b"fLaC"));
}

#[test]
fn only_the_stems_that_are_asked_for_are_there() {
    let server = shared();
    for (collection, stems, models) in [
        ("/vocal-separations", vec!["harmony"], 3),
        ("/vocal-separations", vec!["backing"], 2),
        ("/stem-splits", vec!["drums", "bass"], 1),
    ] {
        let form = separation().text("stems", stems.join(","));
        let record = done(&server, collection, form);
        assert_eq!(record["stems"], json!(stems));
        for list in ["stemFileUrls", "lossyStemFileUrls"] {
            let listed = record[list].as_array().expect("a list").iter();
            let listed: Vec<_> = listed.map(|entry| entry["instrument"].clone()).collect();
            assert_eq!(json!(listed), json!(stems), "{collection}");
        }
        assert_eq!(record["models"].as_array().expect("a list").len(), models);
        for whole in ["vocalAudioFileUrl", "backingAudioFileUrl"] {
            assert!(file(&server, &record[whole]).starts_with(b"RIFF"));
        }
    }
}

#[test]
fn what_there_is_not_is_refused() {
    let server = shared();
    for (collection, form, wanted) in [
        (
            "/voice-conversions",
            conversion(&server).text("outputFormat", "aac"),
            "outputFormat enum",
        ),
        (
            "/voice-conversions",
            conversion(&server).text("outputBitrate", "192"),
            "outputBitrate unused",
        ),
        (
            "/stem-splits",
            separation().text("stems", "vocals,harmony"),
            "stems enum",
        ),
        (
            "/vocal-separations",
            separation().text("stems", "[\"drums\"]"),
            "stems enum",
        ),
        (
            "/voice-conversions",
            conversion(&server).part("backingSoundFile", Part::bytes(b"noise".to_vec())),
            "backingSoundFile format",
        ),
    ] {
        let (status, code, mistakes) = problem(server.post_to(collection, form));
        assert_eq!((status, code.as_str()), (422, "E_VALIDATION_FAILURE"));
        assert_eq!(mistakes, [wanted]);
    }
}

#[test]
fn the_voice_lies_over_the_backing_from_the_start() {
    let server = shared();
    let plain = done(&server, "/voice-conversions", conversion(&server));
    assert_eq!(plain["recombinedAudioFileUrl"], Value::Null);
    // Shorter than the voice, at its rate, and in stereo.
    let quiet = sound::wav(2, 16_000, &[0.25, 0.125].repeat(4_000));
    let form = conversion(&server).part("backingSoundFile", Part::bytes(quiet).file_name("b.wav"));
    let record = done(&server, "/voice-conversions", form);
    assert_eq!(record["gainDb"], Value::Null);
    let voice = samples(&file(&server, &record["outputFileUrl"]));
    let both = samples(&file(&server, &record["recombinedAudioFileUrl"]));
    assert_eq!((voice.len(), both.len()), (8_000, 8_000));
    for (at, (voice, both)) in voice.iter().zip(&both).enumerate() {
        let under = if at < 4_000 { 0.1875 } else { 0.0 };
        assert!((both - voice - under).abs() < 1e-4, "frame {at}");
    }
    let loudness: BTreeSet<String> = record["loudness"]
        .as_object()
        .expect("an object")
        .keys()
        .cloned()
        .collect();
    assert_eq!(
        loudness,
        ["input", "output", "recombined"].map(str::to_owned).into()
    );
}

#[test]
fn a_backing_of_another_rate_and_length_is_made_to_fit_and_one_gain_guards_both() {
    let server = shared();
    let loud = sound::wav(1, 44_100, &vec![0.99; 88_200]);
    let form = conversion(&server).part("backingSoundFile", Part::bytes(loud).file_name("b.wav"));
    let record = done(&server, "/voice-conversions", form);
    let gain_db = record["gainDb"].as_f64().expect("the guard had to act");
    assert!(gain_db < 0.0);
    let gain = 10.0_f32.powf(gain_db as f32 / 20.0);
    let voice = samples(&file(&server, &record["outputFileUrl"]));
    let both = samples(&file(&server, &record["recombinedAudioFileUrl"]));
    assert_eq!((voice.len(), both.len()), (8_000, 8_000));
    let middle = 1_000..7_000;
    for at in middle {
        assert!(
            (both[at] - voice[at] - 0.99 * gain).abs() < 0.01,
            "frame {at}"
        );
    }
}

#[test]
fn loudness_is_measured_for_the_recording_and_every_sound() {
    let server = shared();
    let record = done(&server, "/voice-conversions", conversion(&server));
    for sound in ["input", "output"] {
        let loudness = &record["loudness"][sound];
        let lufs = loudness["integratedLufs"].as_f64().expect("is loud");
        let peak = loudness["truePeakDbtp"].as_f64().expect("has a peak");
        assert!(
            (-60.0..0.0).contains(&lufs) && peak > lufs && peak < 3.0,
            "{record:#}"
        );
    }
    let silence = sound::wav(1, 16_000, &vec![0.0; 8_000]);
    let form = Form::new().part("inputFile", Part::bytes(silence).file_name("silence"));
    let record = done(&server, "/stem-splits", form);
    let nothing = json!({"integratedLufs": null, "truePeakDbtp": null});
    assert_eq!(record["loudness"]["input"], nothing);
    let names: Vec<_> = record["loudness"]
        .as_object()
        .expect("an object")
        .keys()
        .collect();
    assert_eq!(
        names,
        [
            "input",
            "vocal",
            "stem-vocals",
            "stem-drums",
            "stem-bass",
            "stem-other",
            "backing",
            "stem-backing"
        ]
    );
}
