//! Whole blends with the packages of the repository, in this process.

use std::collections::BTreeMap;
use std::path::Path;

use vocalhost_audio::Decoder;
use vocalhost_job::{BlendPart, BlendSpec, FailureCode, FileRole, JobResult, JobStage, Progress};
use vocalhost_model::{Catalog, Package, Runtime, check_family};
use vocalhost_pipeline::{Beside, Blend, PipelineError, blend};
use vocalhost_testing::repository;

use super::LIMITS;

/// Blends the first voices of a catalogue's first family by these shares.
fn blended(
    catalog: &Catalog,
    shares: &[f64],
    scratch: &Path,
    threads: usize,
    report: &mut dyn FnMut(Progress),
) -> Result<JobResult, PipelineError> {
    blended_beside(catalog, shares, &BTreeMap::new(), scratch, threads, report)
}

/// The same with files that people gave the voices, by the voices' numbers.
fn blended_beside(
    catalog: &Catalog,
    shares: &[f64],
    beside: &BTreeMap<i64, Beside>,
    scratch: &Path,
    threads: usize,
    report: &mut dyn FnMut(Progress),
) -> Result<JobResult, PipelineError> {
    let runtime = Runtime::load(None).expect("ONNX Runtime is installed by set-up");
    let first = catalog
        .voices()
        .next()
        .expect("the starter pack has voices");
    let family = catalog
        .voices()
        .filter(|voice| check_family(&[first.manifest(), voice.manifest()]).is_ok());
    let voices: BTreeMap<i64, _> = (1..)
        .zip(family.map(|voice| voice.folder().to_owned()))
        .collect();
    let parts = (1..).zip(shares).map(|(model_id, share)| BlendPart {
        model_id,
        title: (model_id == 1).then(|| "Renamed".to_owned()),
        tags: (model_id == 1).then(|| vec!["given".to_owned()]),
        share: *share,
    });
    let spec = BlendSpec {
        title: "A Blend".to_owned(),
        parts: parts.collect(),
        successions: Vec::new(),
        output_model_id: 9,
        output_package_id: "blend.9".to_owned(),
    };
    let job = Blend {
        spec: &spec,
        voices: &voices,
        beside,
        scratch,
        runtime: &runtime,
        models: catalog,
        threads,
        limits: LIMITS,
    };
    blend(&job, report)
}

#[test]
fn the_package_is_whole_with_a_demo_and_the_same_for_any_number_of_threads() {
    let catalog = Catalog::open(&[repository("models")]);
    let folders = [1, 2].map(|threads| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut seen = Vec::new();
        let mut report = |progress: Progress| seen.push(progress);
        let result = blended(&catalog, &[0.4, 0.6], folder.path(), threads, &mut report)
            .expect("the voices blend");
        assert!(seen.is_sorted_by(|a, b| a.percent <= b.percent));
        assert!(
            seen.iter()
                .any(|progress| progress.stage == JobStage::Inference)
        );
        (folder, result)
    });
    let (folder, result) = &folders[0];
    assert!(result.files == folders[1].1.files, "two threads differ");
    assert!(
        result
            .files
            .iter()
            .all(|file| file.role == FileRole::Package)
    );
    let voices: Vec<_> = catalog.voices().map(|voice| &voice.manifest().id).collect();
    assert!(
        result
            .models
            .iter()
            .all(|model| voices.contains(&&model.id))
            && result.models.len() == 2
    );

    // Only the files of the result are the package.
    let copy = tempfile::tempdir().expect("a temporary folder");
    for file in &result.files {
        let copied = std::fs::copy(folder.path().join(&file.key), copy.path().join(&file.key));
        let content = file.content.as_ref().expect("it is made");
        assert_eq!(copied.expect("a copy"), content.bytes);
    }
    let package = Package::open(copy.path()).expect("a package");
    package.verify().expect("its files are what it says");
    let manifest = package.manifest();
    assert_eq!(
        (manifest.id.as_str(), manifest.name.as_str()),
        ("blend.9", "A Blend")
    );
    // A voice has the title that it was given since, others have that of their packages.
    let names: Vec<_> = manifest
        .blended
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    assert_eq!(names[0], "Renamed");
    assert_ne!(names[1], "Renamed");
    let demo = package
        .file(vocalhost_model::FileRole::Demo)
        .expect("a demo");
    let mut decoder = Decoder::open(&demo, &LIMITS).expect("sound");
    let mut peak = 0.0_f32;
    let mut frames = 0;
    while let Some(block) = decoder.next_block().expect("decodes") {
        frames += block.frames();
        peak = block
            .as_planar()
            .iter()
            .fold(peak, |peak, sample| peak.max(sample.abs()));
    }
    let seconds = frames as f64 / f64::from(decoder.info().sample_rate_hz);
    assert!(
        (seconds - result.duration_s).abs() < 0.1 && seconds > 1.0,
        "{seconds} s"
    );
    assert!((0.6..=1.0).contains(&peak), "peak {peak}");
}

#[test]
fn a_demo_that_cannot_be_read_gives_way_to_that_of_the_next_share() {
    let catalog = Catalog::open(&[repository("models")]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let unreadable = folder.path().join("given");
    std::fs::write(&unreadable, "no sound").expect("written");
    let given = Beside {
        picture: None,
        demo: Some(unreadable),
    };
    let mut second = String::new();
    let mut card = |beside: &BTreeMap<i64, Beside>| {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let shares = [0.6, 0.4];
        let result = blended_beside(&catalog, &shares, beside, scratch.path(), 1, &mut |_| {})
            .expect("the voices blend");
        second.clone_from(&result.models[1].id);
        std::fs::read_to_string(scratch.path().join("card.md")).expect("a card")
    };
    let of_first = "demo recording is that of Renamed";
    let both = [(1, given.clone()), (2, given.clone())].into();
    let (plain, first_given) = (card(&BTreeMap::new()), card(&[(1, given)].into()));
    let both_given = card(&both);
    let second = catalog.find(&second).expect("one of the starter pack");
    let of_second = format!("demo recording is that of {}", second.manifest().name);
    assert!(plain.contains(of_first), "{plain}");
    assert!(first_given.contains(&of_second), "{first_given}");
    assert!(
        !both_given.contains("demo recording is that of"),
        "{both_given}"
    );
}

#[test]
fn a_voice_that_is_damaged_makes_the_blend_fail_with_a_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = Catalog::open(&[repository("models")]);
    for package in source.packages() {
        let target = folder.path().join(&package.manifest().id);
        std::fs::create_dir(&target).expect("a folder");
        for entry in std::fs::read_dir(package.folder()).expect("the package") {
            let entry = entry.expect("an entry");
            std::fs::copy(entry.path(), target.join(entry.file_name())).expect("a copy");
        }
    }
    let catalog = Catalog::open(&[folder.path().to_owned()]);
    let first = catalog.voices().next().expect("a voice");
    let graph = first
        .file(vocalhost_model::FileRole::Graph)
        .expect("a graph");
    let mut bytes = std::fs::read(&graph).expect("readable");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&graph, bytes).expect("written");
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let error = blended(&catalog, &[0.5, 0.5], scratch.path(), 1, &mut |_| {})
        .expect_err("the graph is not what the manifest says");
    assert_eq!(error.failure().code, FailureCode::ModelUnavailable);
    assert!(error.to_string().contains("SHA-256"), "{error}");
}
