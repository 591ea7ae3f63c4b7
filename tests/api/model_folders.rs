//! The folder of an installation of UVR, RVC or Applio, listed and imported.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use vocalhost_testing::encoder::exported_encoder;
use vocalhost_testing::repository;

use super::harness::vocalhost;
use super::model_imports::{CHECKPOINT, INDEX};

fn put(folder: &Path, name: &str, content: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, content).expect("written");
}

/// What lies in an installation: a voice with its index, the same voice under another name, one that is cut off, what training and
/// other programs need, and a content encoder.
fn installation(folder: &Path) {
    let read = |path: &str| fs::read(repository(path)).expect("the fixture");
    let voice = read(CHECKPOINT);
    put(folder, "assets/weights/Anna.pth", &voice);
    put(folder, "assets/weights/backup/Anna.pth", &voice);
    put(folder, "assets/weights/Cut.pth", &voice[..voice.len() / 2]);
    put(folder, "assets/pretrained_v2/f0G40k.pth", &voice);
    put(folder, "logs/Anna/added_IVF1_Anna_v1.index", &read(INDEX));
    put(folder, "logs/Anna/G_2333333.pth", &voice);
    let wide = read("tests/fixtures/checkpoints/rvc-v2-40k.pth");
    put(folder, "logs/Wide/Wide.pth", &wide);
    // Of vectors with other channels than the voice has.
    put(folder, "logs/Wide/added_Wide.index", &read(INDEX));
    put(
        folder,
        "assets/rmvpe/rmvpe.ckpt",
        b"weights of some other program",
    );
    let encoder = exported_encoder(|channel| f32::from(channel) / 256.0, 1.0);
    put(folder, "assets/encoders/contentvec.onnx", &encoder);
}

fn import(data: &Path, folder: &Path, flags: &[&str]) -> Output {
    let folder = folder.to_str().expect("plain text");
    vocalhost(data, &[&["model", "import", folder], flags].concat())
}

/// The files of a folder in the order of a list, with what is said of their state.
fn states(output: &Output) -> Vec<(String, String)> {
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let models = told["models"].as_array().expect("a list");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    models
        .iter()
        .map(|one| (text(&one["file"]), text(&one["state"])))
        .collect()
}

#[test]
fn the_models_of_an_installation_are_listed_imported_and_known_again() {
    let place = tempfile::tempdir().expect("a folder");
    let (data, folder) = (place.path().join("data"), place.path().join("RVC"));
    let empty = place.path().join("none");
    fs::create_dir(&empty).expect("made");
    installation(&folder);
    let models = ["--models-dir", empty.to_str().expect("plain text")];
    let run = |flags: &[&str]| import(&data, &folder, &[&models[..], flags].concat());

    // Without anybody to ask it is not guessed what is meant.
    let asked = run(&[]);
    assert_eq!(asked.status.code(), Some(2), "{asked:?}");
    let said = String::from_utf8_lossy(&asked.stderr);
    assert!(said.contains("--all imports all that are new"), "{said}");

    let listed = run(&["--json"]);
    assert_eq!(listed.status.code(), Some(0), "{listed:?}");
    assert!(!data.exists(), "looking makes no data folder");
    let known = |file: &str, state: &str| (file.to_owned(), state.to_owned());
    let others = [
        known("assets/weights/backup/Anna.pth", "twin"),
        known("assets/rmvpe/rmvpe.ckpt", "other"),
        known("assets/weights/Cut.pth", "refused"),
    ];
    assert_eq!(
        states(&listed),
        [
            &[
                known("assets/encoders/contentvec.onnx", "new"),
                known("assets/weights/Anna.pth", "new"),
                known("logs/Wide/Wide.pth", "new"),
            ],
            &others[..],
        ]
        .concat()
    );
    let told: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    assert_eq!(told["ofTraining"], 1, "{told:#}");
    let voice = &told["models"][1];
    assert_eq!(
        (&voice["kind"], &voice["bytes"]),
        (&"voice".into(), &88_523.into())
    );
    assert!(
        voice["more"]
            .to_string()
            .contains("added_IVF1_Anna_v1.index"),
        "{voice:#}"
    );

    // One that is refused does not keep the others from coming in, and the status tells.
    let imported = run(&["--all"]);
    assert_eq!(imported.status.code(), Some(1), "{imported:?}");
    let (said, errors) = (
        String::from_utf8_lossy(&imported.stdout).into_owned(),
        String::from_utf8_lossy(&imported.stderr).into_owned(),
    );
    assert!(said.contains("imported voice 1 Anna"), "{said}");
    assert!(said.contains("channels"), "{said}");
    assert!(said.contains("imported: 2"), "{said}");
    assert!(
        errors.contains("refused: 2: logs/Wide/Wide.pth, assets/weights/Cut.pth"),
        "{errors}"
    );

    let again = run(&["--json"]);
    let states = states(&again);
    assert_eq!(states[0], known("assets/encoders/contentvec.onnx", "here"));
    assert_eq!(states[1], known("assets/weights/Anna.pth", "here"));
    let told: Value = serde_json::from_slice(&again.stdout).expect("JSON");
    assert_eq!(told["models"][1]["id"], "1", "{told:#}");

    // With everything in order there is nothing left to do, and the status says that, too.
    fs::remove_file(folder.join("assets/weights/Cut.pth")).expect("removed");
    fs::remove_file(folder.join("logs/Wide/added_Wide.index")).expect("removed");
    let rest = run(&["--all", "--json"]);
    assert_eq!(rest.status.code(), Some(0), "{rest:?}");
    let told: Value = serde_json::from_slice(&rest.stdout).expect("JSON");
    let made: Vec<&Value> = told["models"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|one| !one["imported"].is_null())
        .collect();
    assert_eq!(made.len(), 1, "{told:#}");
    assert_eq!(made[0]["imported"]["voice"]["title"], "Wide", "{told:#}");
}

#[test]
fn what_is_said_of_one_model_is_not_said_of_a_folder() {
    let place = tempfile::tempdir().expect("a folder");
    let (data, folder) = (place.path().join("data"), place.path().join("RVC"));
    installation(&folder);
    for flags in [
        &["--all", "--name", "Anna"][..],
        &["--all", "--id", "mine"],
        &["--all", "--set", "speaker=1"],
    ] {
        let refused = import(&data, &folder, flags);
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(
            said.contains(&format!("{} is said of one model", flags[1])),
            "{said}"
        );
    }
    let file = folder.join("assets/weights/Anna.pth");
    let refused = import(&data, &file, &["--all"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(!data.exists());
}

#[test]
fn separators_get_the_settings_that_belong_to_them_and_bags_are_one_model() {
    let place = tempfile::tempdir().expect("a folder");
    let (data, folder) = (place.path().join("data"), place.path().join("UVR"));
    let empty = place.path().join("none");
    fs::create_dir(&empty).expect("made");
    let copy = |from: &str, to: &str| {
        let from = repository("tests/fixtures").join(from);
        put(&folder, to, &fs::read(from).expect("the fixture"));
    };
    let uvr = "models/MDX_Net_Models";
    copy("separators/bs.ckpt", &format!("{uvr}/bs.ckpt"));
    let configs = format!("{uvr}/model_data/mdx_c_configs");
    copy("separators/bs.yaml", &format!("{configs}/BS.yaml"));
    copy("separators/mel.ckpt", "mine/vocals.ckpt");
    copy("separators/mel.yaml", "mine/vocals.yaml");
    let demucs = "models/Demucs_Models/v3_v4_repo";
    let [bag, first, second] = [
        "htdemucs_ft.yaml",
        "f7e0c4bc-11223344.th",
        "04573f0d-55667788.th",
    ];
    // Twins, which belong to it all the same.
    copy("demucs/955717e8-11223344.th", &format!("{demucs}/{first}"));
    copy("demucs/955717e8-11223344.th", &format!("{demucs}/{second}"));
    let text = b"models: ['f7e0c4bc', '04573f0d']\nweights: [[1, 0, .5, 1], [0, 1, .5, 0]]\n";
    put(&folder, &format!("{demucs}/{bag}"), text);
    let half = format!("{demucs}/half.yaml");
    put(&folder, &half, b"models: ['00000000']\n");
    let models = ["--models-dir", empty.to_str().expect("plain text")];
    let run = |flags: &[&str]| import(&data, &folder, &[&models[..], flags].concat());

    let listed = run(&["--json"]);
    assert_eq!(listed.status.code(), Some(0), "{listed:?}");
    let known = |file: &str, state: &str| (file.to_owned(), state.to_owned());
    assert_eq!(
        states(&listed),
        [
            known("mine/vocals.ckpt", "new"),
            known(&format!("{uvr}/bs.ckpt"), "new"),
            known(&format!("{demucs}/{bag}"), "new"),
            known(&half, "other"),
        ]
    );
    let told: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    for (place, wanted) in [
        (0, &["vocals.yaml"][..]),
        (1, &["BS.yaml"]),
        (2, &[first, second]),
    ] {
        let more = told["models"][place]["more"].as_array().expect("a list");
        let ends = more.iter().zip(wanted).all(|(file, name)| {
            file.as_str()
                .is_some_and(|file| file.ends_with(&format!("/{name}")))
        });
        assert!(ends && more.len() == wanted.len(), "{told:#}");
    }
    let imported = run(&["--all"]);
    assert_eq!(imported.status.code(), Some(0), "{imported:?}");
    let again = states(&run(&["--json"]));
    let here = again.iter().filter(|(_, state)| state == "here").count();
    assert_eq!(here, 3, "{again:?}");
}

#[test]
fn encoders_come_in_from_the_folders_that_hold_their_weights_and_settings() {
    let place = tempfile::tempdir().expect("a folder");
    let (data, folder) = (place.path().join("data"), place.path().join("Applio"));
    let empty = place.path().join("none");
    fs::create_dir(&empty).expect("made");
    let of_applio = "rvc/models/embedders";
    for name in [
        "contentvec/model.safetensors",
        "contentvec/config.json",
        "japanese-hubert-base/pytorch_model.bin",
        "japanese-hubert-base/config.json",
    ] {
        let encoder = fs::read(repository("tests/fixtures/encoders").join(name));
        let to = format!("{of_applio}/{name}");
        put(&folder, &to, &encoder.expect("the fixture"));
    }
    // The same weights in the other form, and what holds no weights.
    let both = format!("{of_applio}/contentvec/pytorch_model.bin");
    put(&folder, &both, b"the same once more");
    put(&folder, &format!("{of_applio}/contentvec/vocab.bin"), b"");
    let models = ["--models-dir", empty.to_str().expect("plain text")];
    let run = |flags: &[&str]| import(&data, &folder, &[&models[..], flags].concat());

    let known = |file: &str, state: &str| (format!("{of_applio}/{file}"), state.to_owned());
    let files = [
        "contentvec/model.safetensors",
        "japanese-hubert-base/pytorch_model.bin",
    ];
    let listed = run(&["--json"]);
    assert_eq!(states(&listed), files.map(|file| known(file, "new")));
    let told: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    let more = told["models"][0]["more"].to_string();
    assert!(more.contains("contentvec/config.json"), "{told:#}");

    let imported = run(&["--all"]);
    assert_eq!(imported.status.code(), Some(0), "{imported:?}");
    let said = String::from_utf8_lossy(&imported.stdout);
    assert!(said.contains("It is the encoder contentvec"), "{said}");
    assert_eq!(
        states(&run(&["--json"])),
        files.map(|file| known(file, "here"))
    );
}
