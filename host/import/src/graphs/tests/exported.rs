//! Voices as torch's exporter writes them (`tests/parity/voice_graphs/golden.py`), held to torch's own run of the same weights.

use std::fs;

use serde_json::Value;
use vocalhost_testing::repository;

use super::made;
use crate::rvc::testing::largest_difference;

#[test]
fn graphs_in_single_and_in_half_precision_sound_as_torch_says() {
    let folder = repository("tests/fixtures/voice_graphs");
    let text = fs::read_to_string(folder.join("golden.json")).expect("the fixture");
    let golden: Value = serde_json::from_str(&text).expect("JSON");
    for (name, most, said) in [
        (
            "w-okada-v1-40k-f0",
            1e-5,
            "2 of its nodes drew random numbers",
        ),
        ("w-okada-v1-40k-f0-half", 1e-2, "It works in half precision"),
    ] {
        let graph = fs::read(folder.join(format!("{name}.onnx"))).expect("the fixture");
        let voice = made(&[("voice.onnx", graph)], &[]).expect("a voice");
        assert!(voice.found().contains(said), "{}", voice.found());
        assert!(
            voice.found().contains("hubert_base, layer 9"),
            "{}",
            voice.found()
        );
        let largest = largest_difference(&voice.package(), &golden, name);
        assert!(largest <= most, "{name}: {largest:e}");
    }
}
