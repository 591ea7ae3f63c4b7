use serde_json::Value;

use super::{effect, said};

#[test]
fn a_bench_tells_every_length_rate_and_number_of_channels() {
    let folder = tempfile::tempdir().expect("a folder");
    let done = effect(
        folder.path(),
        &["bench", "vocalhost.gain", "--rounds", "1", "--json"],
    );
    assert!(done.status.success(), "{}", said(&done));
    let record: Value = serde_json::from_slice(&done.stdout).expect("it is JSON");
    assert_eq!(record["id"], "vocalhost.gain");
    assert!(
        record["memoryBytes"]
            .as_u64()
            .is_some_and(|bytes| bytes >= 65_536)
    );
    let rates = record["rates"].as_array().expect("a list");
    assert_eq!(rates.len(), 2 * 2 * 5);
    for rate in rates {
        assert!(
            rate["timesRealTime"]
                .as_f64()
                .is_some_and(|times| times > 0.0),
            "{rate}"
        );
    }
    let effects = std::fs::read_dir(folder.path()).expect("readable").count();
    assert_eq!(effects, 0, "a bench leaves nothing behind");
}

#[test]
fn the_table_names_what_was_measured() {
    let folder = tempfile::tempdir().expect("a folder");
    let done = effect(
        folder.path(),
        &[
            "bench",
            "vocalhost.gain",
            "--rounds",
            "1",
            "--preset",
            "half",
        ],
    );
    assert!(done.status.success(), "{}", said(&done));
    let table = String::from_utf8(done.stdout).expect("text");
    for words in [
        "gain_db -6 dB",
        "load cold",
        "load from cache",
        "silence",
        "44100 Hz, mono",
        "48000 Hz, stereo",
        "16384",
    ] {
        assert!(table.contains(words), "{words} is missing: {table}");
    }
}

#[test]
fn wrong_settings_and_no_rounds_are_wrong_usage() {
    let folder = tempfile::tempdir().expect("a folder");
    for arguments in [["--set", "x=1"], ["--rounds", "0"]] {
        let done = effect(
            folder.path(),
            &[&["bench", "vocalhost.gain"], &arguments[..]].concat(),
        );
        assert_eq!(done.status.code(), Some(2), "{}", said(&done));
    }
}
