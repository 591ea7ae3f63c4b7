//! What has to hold after whatever happened.

use std::collections::BTreeSet;

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use vocalhost_testing::poll;

use super::place::{PREFIX, Place};

/// Waits until every job has ended, and complains unless
///
/// - what was `accepted` is what is stored, each once,
/// - each ended once, in a result,
/// - every file of a result, and every recording, is in the bucket with its SHA-256,
/// - nothing else is in the bucket: no file of an attempt that was given up.
pub fn all_is_well(place: &Place, accepted: &[i64]) {
    poll::until("all jobs to end", || {
        let going_on = "SELECT COUNT(*) FROM jobs WHERE ended_at_us IS NULL";
        (place.ask(going_on) == 0).then_some(())
    });
    let given: BTreeSet<i64> = accepted.iter().copied().collect();
    assert_eq!(given.len(), accepted.len(), "a number was given twice");
    let stored = place.texts("SELECT CAST(id AS TEXT) FROM jobs");
    let stored: BTreeSet<i64> = stored.iter().filter_map(|id| id.parse().ok()).collect();
    assert_eq!(stored, given, "what was accepted is what is stored");
    let failed = place.texts("SELECT failure FROM jobs WHERE state <> 'succeeded'");
    assert_eq!(failed, [""; 0], "every job can be done");
    let ends = "SELECT COUNT(*) FROM job_events WHERE kind = 'ended'";
    assert_eq!(place.ask(ends), accepted.len() as i64, "each ended once");

    let mut named = BTreeSet::new();
    let inputs =
        "SELECT json_build_object('key', input_key, 'sha256', input_sha256)::text FROM jobs";
    let recordings = place.texts(inputs).into_iter().map(|text| parsed(&text));
    for recording in recordings {
        named.insert(holds(place, &recording["key"], &recording["sha256"]));
    }
    for result in place.texts("SELECT result FROM jobs") {
        let result = parsed(&result);
        let files = result["files"].as_array().expect("a result has files");
        // One that is still to be made has no digest yet.
        for file in files.iter().filter(|file| !file["sha256"].is_null()) {
            named.insert(holds(place, &file["key"], &file["sha256"]));
        }
    }
    let components = place.texts("SELECT digest FROM effects");
    let components = components.iter();
    named.extend(components.map(|digest| format!("{PREFIX}/effects/{digest}.wasm")));
    let mut before = Vec::new();
    poll::until("nothing else to be in the bucket", || {
        let strange: Vec<String> = place
            .s3
            .keys()
            .into_iter()
            .filter(|key| !named.contains(key) && !key.contains("/checks/"))
            .collect();
        if strange.is_empty() {
            return Some(());
        }
        if strange != before {
            eprintln!("nothing names {strange:?}");
            before = strange;
        }
        None
    });
}

/// The key of a file that is in the bucket with this content.
fn holds(place: &Place, key: &Value, sha256: &Value) -> String {
    let key = format!("{PREFIX}/{}", key.as_str().expect("a key"));
    let digest = Sha256::digest(place.s3.content(&key));
    assert_eq!(
        base16ct::lower::encode_string(&digest),
        sha256.as_str().expect("a digest"),
        "{key}"
    );
    key
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("it is JSON")
}
