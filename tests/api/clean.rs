//! Separators of one purpose: what is taken out of a voice first, and who takes singing apart.

use std::fs;
use std::path::Path;

use reqwest::blocking::multipart::{Form, Part};
use serde_json::{Value, json};
use vocalhost_testing::repository;
use vocalhost_testing::separators::Separator;
use vocalhost_testing::sound;

use super::harness::{Server, act, done, problem, vocalhost};

const CONVERSIONS: &str = "/voice-conversions";

/// A server with the starter pack and what `write` puts into a folder of models.
fn server(folder: &Path, write: impl FnOnce(&Path)) -> Server {
    write(folder);
    let pack = repository("models");
    let flags = [pack.as_path(), folder]
        .map(|folder| ["--models-dir", folder.to_str().expect("plain text")]);
    Server::start(&flags.concat())
}

fn song() -> Vec<u8> {
    sound::wav_of(2, 44_100, &sound::sung(1.5, 44_100, 180.0))
}

fn form(server: &Server, clean: &str) -> Form {
    Form::new()
        .text("voiceModelId", server.voice())
        .part("soundFile", Part::bytes(song()).file_name("song.wav"))
        .text("clean", clean.to_owned())
}

fn ran(record: &Value, id: &str) -> bool {
    let models = record["models"].as_array().expect("models");
    models.iter().any(|model| model == id)
}

#[test]
fn a_voice_is_cleaned_by_the_models_that_are_there_and_a_step_without_one_is_refused() {
    let models = tempfile::tempdir().expect("a temporary folder");
    let server = server(models.path(), |folder| {
        Separator::of_shares("karaoke", &[("lead", 0.5)], "backing").write(folder);
        Separator::of_shares("denoise", &[("clean", 0.5)], "noise").write(folder);
    });
    // In whatever order it is asked for.
    let isolated = form(&server, "denoise,lead").text("isolateVocals", "true");
    let record = done(&server, CONVERSIONS, isolated);
    assert_eq!(record["clean"], json!(["lead", "denoise"]));
    assert!(ran(&record, "test.denoise-1"), "{record:#}");
    assert!(record["recombinedAudioFileUrl"].is_string(), "{record:#}");
    // The starter pack's separator of singing finds reverb, too.
    let record = done(&server, CONVERSIONS, form(&server, "dereverb"));
    assert_eq!(record["clean"], json!(["dereverb"]));
    assert_eq!(record["backingAudioFileUrl"], Value::Null);
    let (status, code, rules) = problem(server.post_to(CONVERSIONS, form(&server, "deecho,lead")));
    assert_eq!((status, code.as_str()), (422, "E_VALIDATION_FAILURE"));
    assert_eq!(rules, ["clean model"]);
    let (status, _, rules) = problem(server.post_to(CONVERSIONS, form(&server, "gargle")));
    assert_eq!((status, rules), (422, vec!["clean enum".to_owned()]));
    // A job that is tried again is cleaned as it was, as long as there is a model.
    let record = done(&server, CONVERSIONS, form(&server, "denoise"));
    let path = format!("{CONVERSIONS}/{}", record["id"]);
    let again: Value = act(&server, &format!("{path}/retry")).json().expect("JSON");
    assert_eq!(again["clean"], json!(["denoise"]), "{again:#}");
    server.ended_at(&format!("{CONVERSIONS}/{}", again["id"]));
    fs::remove_dir_all(models.path().join("test.denoise-1")).expect("removed");
    let (status, _, rules) = problem(act(&server, &format!("{path}/retry")));
    assert_eq!((status, rules), (422, vec!["clean model".to_owned()]));
}

#[test]
fn the_separator_that_is_named_or_newest_tells_the_lead_from_its_harmonies_and_its_reverb() {
    let models = tempfile::tempdir().expect("a temporary folder");
    Separator::of_shares("karaoke", &[("lead", 0.5)], "backing").write(models.path());
    Separator::of_shares("dereverb", &[("reverb", 0.5)], "dry").write(models.path());
    let [karaoke, dereverb] = ["test.karaoke-1", "test.dereverb-1"];
    let pack = repository("models");
    let flags = [pack.as_path(), models.path()]
        .map(|folder| ["--models-dir", folder.to_str().expect("plain text")]);
    let named = ["--separators", karaoke, "--separators", dereverb];
    let server = Server::start(&[&flags.concat()[..], &named].concat());
    let form = Form::new().part("inputFile", Part::bytes(song()).file_name("song.wav"));
    let record = done(&server, "/vocal-separations", form);
    assert!(
        ran(&record, karaoke) && ran(&record, dereverb),
        "{record:#}"
    );
    let stems = record["stemFileUrls"].as_array().expect("stems");
    assert_eq!(stems.len(), 4);
}

#[test]
fn commands_know_the_tasks_and_the_steps() {
    let place = tempfile::tempdir().expect("a temporary folder");
    // Not where every command finds them.
    let models = place.path().join("separators");
    for (task, stem, left) in [
        ("karaoke", "lead", "backing"),
        ("dereverb", "dry", "reverb"),
        ("deecho", "dry", "echo"),
        ("denoise", "noise", "clean"),
        ("crowd", "crowd", "clean"),
    ] {
        Separator::of_shares(task, &[(stem, 0.5)], left).write(&models);
        let input = place.path().join("in.wav");
        fs::write(&input, song()).expect("written");
        let [input, output, models] = [&input, &place.path().join(task), &models]
            .map(|path| path.to_str().expect("plain text").to_owned());
        let separate = [
            "separate",
            &input,
            &output,
            "--task",
            task,
            "--models-dir",
            &models,
        ];
        let told = vocalhost(place.path(), &separate);
        assert!(told.status.success(), "{told:?}");
        for name in [stem, left] {
            let file = Path::new(&output).join(format!("{name}.wav"));
            assert!(file.is_file(), "{}", file.display());
        }
    }
    let models = models.to_str().expect("plain text");
    let told = vocalhost(place.path(), &["models", "list", "--models-dir", models]);
    let list = String::from_utf8_lossy(&told.stdout);
    assert!(list.contains("usable, used for deecho"), "{list}");
    let pack = repository("models");
    let pack = pack.to_str().expect("plain text");
    let input = place.path().join("in.wav");
    let [input, output] = [&input, &place.path().join("out.wav")]
        .map(|path| path.to_str().expect("plain text").to_owned());
    let convert = |more: &[&str]| {
        let words = ["convert", &input, &output, "--voice", "vocalhost.amber-5"];
        let flags = ["--models-dir", pack];
        vocalhost(place.path(), &[&words[..], &flags, more].concat())
    };
    let told = convert(&["--clean", "lead,deecho", "--models-dir", models]);
    assert!(told.status.success(), "{told:?}");
    let told = convert(&["--clean", "deecho"]);
    assert_eq!(told.status.code(), Some(1), "{told:?}");
    let said = String::from_utf8_lossy(&told.stderr);
    assert!(said.contains("model for deecho"), "{said}");
    let told = convert(&["--clean", "polish"]);
    assert_eq!(told.status.code(), Some(2), "{told:?}");
}
