//! A voice in half precision from its file to a converted recording, held to the same voice in single precision.

use std::path::Path;

use vocalhost_import::{Answers, ImportRequest, import};
use vocalhost_model::{Catalog, ConversionParameters};

use super::sound::{PLAIN, convert, models_folder, voice_from, vowel};
use crate::support::encoder::encoder;
use crate::support::repository;

/// Imports a graph into a folder of packages and gives its id.
fn imported(name: &str, folder: &Path) -> String {
    let target = folder.join(name);
    std::fs::create_dir(&target).expect("a folder");
    let files = [repository(&format!(
        "tests/fixtures/voice_graphs/{name}.onnx"
    ))];
    let request = ImportRequest {
        files: &files,
        answers: &Answers::default(),
        target: &target,
        today: "2026-11-22",
        only: None,
        identities: &[],
    };
    import(&request).expect("a voice").id
}

#[test]
fn a_voice_in_half_precision_converts_and_sounds_as_in_single_precision() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let single = imported("w-okada-v1-40k-f0", folder.path());
    let half = imported("w-okada-v1-40k-f0-half", folder.path());
    let listeners = folder.path().join("encoder");
    std::fs::create_dir(&listeners).expect("a folder");
    encoder(&listeners);
    let catalog = Catalog::open(&[folder.path().to_owned(), models_folder()]);
    let source = vowel(1.3, |seconds| 150.0 + 40.0 * seconds);
    let spoken = |id: &str, seed| {
        let parameters = ConversionParameters { seed, ..PLAIN };
        convert(&voice_from(&catalog, id, 1), &source, &parameters)
    };
    let (single, half) = (
        spoken(&single, 7),
        [7, 7, 8].map(|seed| spoken(&half, seed)),
    );
    assert_eq!(half[0], half[1], "the same seed, the same sound");
    assert_ne!(half[0], half[2], "its noise comes from the seed");
    assert_eq!(single.len(), half[0].len());
    let energy =
        |samples: &mut dyn Iterator<Item = f32>| samples.map(|x| f64::from(x * x)).sum::<f64>();
    let loud = energy(&mut single.iter().copied());
    let apart = energy(&mut single.iter().zip(&half[0]).map(|(a, b)| a - b));
    assert!(loud / single.len() as f64 > 1e-5, "it is not silent");
    assert!(apart < 1e-3 * loud, "{apart} of {loud}");
}
