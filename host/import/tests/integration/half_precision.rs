//! A voice in half precision from its file to a converted recording, held to the same voice in single precision.

use std::path::Path;

use vocalhost_audio::{Block, SpoolWriter};
use vocalhost_import::{Answers, ImportRequest, import};
use vocalhost_model::{Catalog, ConversionParameters, ModelError, Runtime, VoiceConverter};
use vocalhost_testing::encoder::encoder;
use vocalhost_testing::repository;
use vocalhost_testing::sound::sung;

/// The rate that voices listen at.
const RATE_HZ: u32 = 16_000;

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

/// What a voice of the catalogue makes of a sung vowel, at the voice's own rate.
fn spoken(catalog: &Catalog, id: &str, seed: u64) -> Vec<f32> {
    let runtime = Runtime::load(None).expect("the set-up has installed the library");
    let package = catalog.find(id).expect("the voice is there");
    let voice = VoiceConverter::load(&runtime, package, catalog, 1).expect("the voice loads");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut source = SpoolWriter::create(&folder.path().join("spool"), 1, RATE_HZ).expect("made");
    let vowel = Block::from_planar(1, sung(1.3, RATE_HZ, 170.0));
    source.write(&vowel).expect("written");
    let source = source.finish().expect("finished");
    let parameters = ConversionParameters {
        conversion_strength: 0.5,
        model_volume_mix: 0.5,
        pitch_shift: 0.0,
        auto_pitch: false,
        seed,
    };
    let mut sound = Vec::new();
    let mut sink = |block: Block| -> Result<(), ModelError> {
        sound.extend(block.into_planar());
        Ok(())
    };
    voice
        .convert(&source, &parameters, &mut sink, &mut |_| {})
        .expect("converts");
    sound
}

#[test]
fn a_voice_in_half_precision_converts_and_sounds_as_in_single_precision() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let single = imported("w-okada-v1-40k-f0", folder.path());
    let half = imported("w-okada-v1-40k-f0-half", folder.path());
    let listeners = folder.path().join("encoder");
    std::fs::create_dir(&listeners).expect("a folder");
    encoder(&listeners);
    let catalog = Catalog::open(&[folder.path().to_owned(), repository("models")]);
    let single = spoken(&catalog, &single, 7);
    let half = [7, 7, 8].map(|seed| spoken(&catalog, &half, seed));
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
