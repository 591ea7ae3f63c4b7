//! Voices blended into packages, and what comes out of them.

use std::fs;
use std::path::{Path, PathBuf};

use vocalhost_model::{
    BlendError, BlendOrder, BlendSource, BlendVoice, BlendedPackage, Catalog, ConversionParameters,
    Direction, FileRole, IndexCells, Manifest, Package, Runtime, TensorRole, VoiceConverter,
    check_family, check_size,
};

use super::sound::{
    PLAIN, cents_off, convert, difference_db, median_magnitude, models_folder, voice_from, vowel,
};

/// Voices of the repository that can be blended with one another: those of the first voice's family that are no
/// instruments.
fn family(catalog: &Catalog) -> Vec<&Package> {
    let voices: Vec<&Package> = catalog.voices().collect();
    let first = voices.first().expect("a voice").manifest();
    let fits = |voice: &&Package| {
        let facts = voice.manifest().voice.as_ref().expect("a voice");
        !facts.instrument && check_family(&[first, voice.manifest()]).is_ok()
    };
    let family: Vec<&Package> = voices.into_iter().filter(fits).collect();
    assert!(family.len() >= 4, "four voices of one family at least");
    family
}

/// Blends voices, each with its share, into a package in `folder`.
pub(super) fn blend(
    parts: &[(&Package, f64)],
    folder: &Path,
) -> Result<BlendedPackage, BlendError> {
    let voices: Vec<BlendVoice<'_>> = parts
        .iter()
        .map(|(package, share)| BlendVoice {
            package,
            share: *share,
            picture: None,
            demo: None,
        })
        .collect();
    let order = BlendOrder {
        id: "tests.blend-1",
        title: "A Blend",
        voices: &voices,
    };
    BlendedPackage::write(&order, folder)
}

/// A finished blend, and the folder that it lies in.
pub(super) fn sealed(parts: &[(&Package, f64)]) -> (tempfile::TempDir, Package) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut blend = blend(parts, folder.path()).expect("the voices blend");
    let package = blend.seal().expect("the blend is a package");
    package.verify().expect("its files are what it says");
    (folder, package)
}

/// Loads a voice with what it needs.
pub(super) fn load(package: &Package, catalog: &Catalog) -> VoiceConverter {
    let runtime = Runtime::load(None).expect("the set-up has installed the library");
    VoiceConverter::load(&runtime, package, catalog, 1).expect("the blend loads")
}

fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found: Vec<_> = fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let content = fs::read(&path).expect("a file");
            (path.file_name().expect("a name").into(), content)
        })
        .collect();
    found.sort();
    found
}

fn facts(package: &Package) -> &vocalhost_model::Voice {
    package.manifest().voice.as_ref().expect("a voice")
}

fn wandering(time: f64) -> f64 {
    160.0 * 2.0_f64.powf(0.3 * (std::f64::consts::TAU * 0.6 * time).sin())
}

#[test]
fn two_three_and_four_voices_blend_into_a_voice_that_keeps_the_pitch() {
    let catalog = Catalog::open(&[models_folder()]);
    let voices = family(&catalog);
    let source = vowel(3.0, wandering);
    for shares in [&[0.5, 0.5][..], &[0.2, 0.3, 0.5], &[0.25, 0.25, 0.25, 0.25]] {
        let parts: Vec<_> = voices.iter().copied().zip(shares.iter().copied()).collect();
        let (_folder, package) = sealed(&parts);
        let converted = convert(&load(&package, &catalog), &source, &PLAIN);
        let median = median_magnitude(&cents_off(&converted, wandering));
        assert!(median <= 20.0, "{shares:?}: {median} cents");
        let pitch: f64 = parts
            .iter()
            .map(|(part, share)| share * facts(part).mean_f0_hz.log2())
            .sum();
        let found = facts(&package).mean_f0_hz;
        assert!((found.log2() - pitch).abs() < 1e-9, "{found} Hz");
    }
}

#[test]
fn the_whole_share_sounds_like_that_voice_to_the_sample() {
    let catalog = Catalog::open(&[models_folder()]);
    let voices = family(&catalog);
    let (_folder, package) = sealed(&[(voices[0], 0.0), (voices[1], 1.0)]);
    let source = vowel(2.0, wandering);
    let full = ConversionParameters {
        conversion_strength: 1.0,
        ..PLAIN
    };
    let blended = convert(&load(&package, &catalog), &source, &full);
    let own = voice_from(&catalog, &voices[1].manifest().id, 1);
    assert!(blended == convert(&own, &source, &full));
}

#[test]
fn the_sound_moves_from_one_voice_to_the_other_with_the_share() {
    let catalog = Catalog::open(&[models_folder()]);
    let voices = family(&catalog);
    let source = vowel(2.0, wandering);
    let sound = |share: f64| {
        let (_folder, package) = sealed(&[(voices[0], share), (voices[1], 1.0 - share)]);
        convert(&load(&package, &catalog), &source, &PLAIN)
    };
    let first = sound(1.0);
    let away: Vec<f64> = [0.75, 0.5, 0.25, 0.0]
        .map(|share| difference_db(&sound(share), &first))
        .to_vec();
    assert!(away.is_sorted(), "{away:.1?} dB");
}

#[test]
fn the_same_order_gives_the_same_bytes() {
    let catalog = Catalog::open(&[models_folder()]);
    let voices = family(&catalog);
    let parts = [(voices[0], 0.4), (voices[1], 0.35), (voices[2], 0.25)];
    let (one, _) = sealed(&parts);
    let (other, _) = sealed(&parts);
    assert!(contents(one.path()) == contents(other.path()));
}

#[test]
fn licences_makers_and_notices_of_all_voices_come_along() {
    let catalog = Catalog::open(&[models_folder()]);
    let voices = family(&catalog);
    let parts = [(voices[0], 0.6), (voices[1], 0.4)];
    let (folder, package) = sealed(&parts);
    let manifest = package.manifest();
    assert_eq!(
        (manifest.id.as_str(), manifest.name.as_str()),
        ("tests.blend-1", "A Blend")
    );
    let card = fs::read_to_string(folder.path().join("card.md")).expect("a card");
    for (source, (part, share)) in manifest.blended.iter().zip(parts) {
        let part = part.manifest();
        assert_eq!((&source.id, &source.license), (&part.id, &part.license));
        assert!((source.share - share).abs() < 1e-12);
        for (whole, own) in [
            (&manifest.license, &part.license),
            (&manifest.attribution, &part.attribution),
            (&manifest.trained_on, &part.trained_on),
            (&manifest.consent, &part.consent),
        ] {
            assert!(whole.contains(own.as_str()), "{own} is not in {whole}");
            assert!(card.contains(own.as_str()), "{own} is not in the card");
        }
        for tag in &part.voice.as_ref().expect("a voice").tags {
            assert!(facts(&package).tags.contains(tag), "{tag}");
        }
        let notice = fs::read(parts_notice(&catalog, &part.id)).expect("a notice");
        let kept = contents(folder.path());
        assert!(kept.iter().any(|(_, content)| *content == notice));
    }
    assert!(package.file(FileRole::Picture).is_some());
    assert!(facts(&package).tags.contains(&"blend".to_owned()));
}

fn parts_notice(catalog: &Catalog, id: &str) -> PathBuf {
    let package = catalog.find(id).expect("the voice");
    package.file(FileRole::Notice).expect("it has a notice")
}

#[test]
fn a_blend_of_a_blend_names_the_voices_behind_it() {
    let catalog = Catalog::open(&[models_folder()]);
    let voices = family(&catalog);
    let (_folder, first) = sealed(&[(voices[0], 0.5), (voices[1], 0.5)]);
    let (_folder, second) = sealed(&[(&first, 0.5), (voices[0], 0.5)]);
    let sources: Vec<(&str, f64)> = second
        .manifest()
        .blended
        .iter()
        .map(|source| (source.id.as_str(), source.share))
        .collect();
    let id = |place: usize| voices[place].manifest().id.as_str();
    assert_eq!(sources, [(id(0), 0.75), (id(1), 0.25)]);
    let index = second.manifest().index.as_ref().expect("an index");
    let shares: Vec<f64> = index.parts.iter().map(|part| part.share).collect();
    assert_eq!(shares, [0.75, 0.25]);
    let converted = convert(&load(&second, &catalog), &vowel(2.0, wandering), &PLAIN);
    assert!(median_magnitude(&cents_off(&converted, wandering)) <= 20.0);
}

#[test]
fn the_demo_comes_from_the_largest_share_and_knows_the_way_to_the_blends_pitch() {
    let catalog = Catalog::open(&[models_folder()]);
    let voices = family(&catalog);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut made = blend(&[(voices[0], 0.3), (voices[1], 0.7)], folder.path()).expect("blends");
    let sources = made.take_demo_sources();
    let [demo, other] = &sources[..] else {
        panic!("both voices have demos");
    };
    assert_eq!(other.voice, voices[0].manifest().name);
    let file = voices[1].file(FileRole::Demo).expect("a demo");
    assert!(demo.sound == fs::read(&file).expect("readable"));
    let before = made.seal().expect("a package");
    let way = 12.0 * (facts(&before).mean_f0_hz / facts(voices[1]).mean_f0_hz).log2();
    assert!((demo.semitones - way).abs() < 1e-9);
    made.add_demo("demo.mp3", &file, demo).expect("added");
    let after = made.seal().expect("a package still");
    after.verify().expect("its files are what it says");
    assert!(before.file(FileRole::Demo).is_none() && after.file(FileRole::Demo).is_some());
}

/// A copy of a voice with its manifest changed, and its graph where `graph` does something.
fn changed(
    voice: &Package,
    manifest: impl Fn(String) -> String,
    graph: impl Fn(&mut Vec<u8>),
) -> (tempfile::TempDir, Package) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, mut content) in contents(voice.folder()) {
        if name == Path::new("package.toml") {
            let text = String::from_utf8(content).expect("text");
            content = manifest(text).into_bytes();
        }
        fs::write(folder.path().join(name), content).expect("a copy");
    }
    let path = voice.file(FileRole::Graph).expect("a graph");
    let name = path.file_name().expect("a name");
    let mut content = fs::read(&path).expect("a graph");
    graph(&mut content);
    fs::write(folder.path().join(name), &content).expect("written");
    // The checksum is the manifest's business; the order of a hash and its size is not.
    let (_, entry) = voice.manifest().file(FileRole::Graph).expect("a graph");
    let path = folder.path().join("package.toml");
    let text = fs::read_to_string(&path).expect("a manifest");
    fs::write(&path, text.replace(&entry.sha256, &sha256(&content))).expect("written");
    let package = Package::open(folder.path()).expect("still a package");
    (folder, package)
}

fn sha256(content: &[u8]) -> String {
    use sha2::Digest as _;
    base16ct::lower::encode_string(&sha2::Sha256::digest(content))
}

#[test]
fn graphs_that_differ_in_more_than_their_weights_are_refused_with_the_difference() {
    let catalog = Catalog::open(&[models_folder()]);
    let voices = family(&catalog);
    // An operator of the same length, so that the file stays well formed.
    let swap = |file: &mut Vec<u8>| {
        // Field 4 of a node, four bytes long: its operator.
        let place = file.windows(6).position(|bytes| bytes == b"\x22\x04Conv");
        let place = place.expect("a decoder has convolutions") + 2;
        file[place..place + 4].copy_from_slice(b"Cosh");
    };
    let (_kept, other) = changed(voices[1], |text| text, swap);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let error = blend(&[(voices[0], 0.5), (&other, 0.5)], folder.path()).expect_err("refused");
    let message = error.to_string();
    assert!(
        message.contains("Cosh") && message.contains("node"),
        "{message}"
    );
    let cut = |file: &mut Vec<u8>| {
        let middle = file.len() / 2;
        file[middle..].fill(0xff);
    };
    let (_kept, broken) = changed(voices[1], |text| text, cut);
    let error = blend(&[(voices[0], 0.5), (&broken, 0.5)], folder.path()).expect_err("refused");
    let message = error.to_string();
    assert!(message.contains(&voices[1].manifest().name), "{message}");
}

#[test]
fn voices_of_another_family_are_refused_by_their_manifests() {
    let catalog = Catalog::open(&[models_folder()]);
    let voices = family(&catalog);
    let first: &Manifest = voices[0].manifest();
    let speaker = facts(voices[0]).speaker;
    let content = facts(voices[0]).content.as_deref();
    let content = content.expect("this family names its encoder");
    let pitchf = first.tensor(Direction::In, TensorRole::Pitchf);
    let pitchf = &pitchf.expect("a decoder has one").name;
    for (from, to, expected) in [
        (
            format!("content = \"{content}\""),
            "content = \"other\"",
            "content encoder",
        ),
        (format!("speaker = {speaker}"), "speaker = 97", "speaker"),
        (
            format!("name = \"{pitchf}\""),
            "name = \"hertz\"",
            pitchf.as_str(),
        ),
    ] {
        let (_kept, other) = changed(voices[1], |text| text.replacen(&from, to, 1), |_| {});
        let error = check_family(&[first, other.manifest()]).expect_err("refused");
        assert!(error.reason.contains(expected), "{error}");
        assert_eq!(error.other, voices[1].manifest().name);
    }
}

#[test]
fn shares_and_numbers_of_voices_that_make_no_sense_are_refused() {
    let catalog = Catalog::open(&[models_folder()]);
    let voices = family(&catalog);
    let folder = tempfile::tempdir().expect("a temporary folder");
    for shares in [
        &[0.5, 0.6][..],
        &[-0.5, 1.5],
        &[f64::NAN, 0.5],
        &[1.0],
        &[0.2; 5],
    ] {
        let cycle = voices.iter().copied().cycle();
        let parts: Vec<_> = cycle.zip(shares.iter().copied()).collect();
        let error = blend(&parts, folder.path()).expect_err("refused");
        assert!(
            matches!(error, BlendError::Shares(_) | BlendError::Count(_)),
            "{shares:?}: {error}"
        );
    }
}

#[test]
fn only_a_blend_of_instruments_says_that_it_is_one() {
    let catalog = Catalog::open(&[models_folder()]);
    let voice = *family(&catalog).first().expect("a voice");
    let instruments: Vec<&Package> = catalog
        .voices()
        .filter(|voice| facts(voice).instrument)
        .collect();
    for (second, is_instrument) in [(voice, false), (instruments[1], true)] {
        let (_folder, package) = sealed(&[(instruments[0], 0.5), (second, 0.5)]);
        assert_eq!(facts(&package).instrument, is_instrument);
        let tags = &facts(&package).tags;
        assert_eq!(tags.iter().any(|tag| tag == "instrument"), is_instrument);
    }
}

#[test]
fn what_people_gave_a_voice_goes_before_what_its_package_has() {
    let catalog = Catalog::open(&[models_folder()]);
    let voices = family(&catalog);
    let given = tempfile::tempdir().expect("a temporary folder");
    let (picture, demo) = (given.path().join("picture.png"), given.path().join("demo"));
    let of_other = voices[1].file(FileRole::Picture).expect("it has a picture");
    fs::copy(of_other, &picture).expect("a copy");
    fs::write(&demo, "sound of its own").expect("written");
    let tags = ["given".to_owned()];
    let first = voices[0].clone().called("Today", Some(&tags));
    let part = |package, share| BlendVoice {
        package,
        share,
        picture: None,
        demo: None,
    };
    let changed = BlendVoice {
        picture: Some(&picture),
        demo: Some(&demo),
        ..part(&first, 0.9)
    };
    let write = |voices: &[BlendVoice<'_>]| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let order = BlendOrder {
            id: "tests.blend-1",
            title: "A Blend",
            voices,
        };
        let mut blend = BlendedPackage::write(&order, folder.path()).expect("the voices blend");
        let demo = blend.take_demo_sources().swap_remove(0).sound;
        let package = blend.seal().expect("the blend is a package");
        let picture = package.file(FileRole::Picture).expect("a picture");
        (
            demo,
            fs::read(picture).expect("a file"),
            facts(&package).tags.clone(),
        )
    };
    let (demo, picture, tags) = write(&[changed, part(voices[1], 0.1)]);
    assert_eq!(demo, b"sound of its own");
    assert_eq!(tags[0], "given");
    // Both have the same picture now, so that of the blend is it, too.
    let (_, alone, _) = write(&[part(voices[1], 1.0), part(voices[0], 0.0)]);
    assert!(picture == alone);
}

#[test]
fn what_one_voice_cannot_hold_is_not_blended() {
    let catalog = Catalog::open(&[models_folder()]);
    let voices = family(&catalog);
    let with_rows = |voice: &Package, sha256: &str| {
        let mut manifest = voice.manifest().clone();
        manifest.index.as_mut().expect("an index").rows = 150_000;
        for file in manifest.files.values_mut() {
            file.sha256 = sha256.to_owned();
        }
        manifest
    };
    let (a, b) = (with_rows(voices[0], "a"), with_rows(voices[1], "b"));
    let error = check_size(&[(&a, 0.5), (&b, 0.5)]).expect_err("it is too much");
    let said = error.to_string();
    assert!(said.contains("300000 index rows"), "{said}");
    assert!(said.contains("at most 200000"), "{said}");
    // Neither what leaves nothing counts, nor the same rows twice.
    check_size(&[(&a, 1.0), (&b, 0.0)]).expect("they fit");
    let mut again = with_rows(voices[1], "a");
    again.index.clone_from(&a.index);
    check_size(&[(&a, 0.5), (&again, 0.5)]).expect("they fit");
    // Cells lie in the same file as the rows.
    let mut in_cells = with_rows(voices[0], "cells");
    let index = in_cells.index.as_mut().expect("an index");
    (index.rows, index.dim) = (1_000, 8_192);
    check_size(&[(&in_cells, 1.0)]).expect("it fits");
    let index = in_cells.index.as_mut().expect("an index");
    index.cells = Some(IndexCells {
        count: 65_536,
        probe: 1,
    });
    let error = check_size(&[(&in_cells, 1.0)]).expect_err("it is too much");
    assert!(error.to_string().contains("bytes of indexes"), "{error}");
}

#[test]
fn terms_and_notices_that_one_voice_cannot_hold_are_not_blended() {
    let catalog = Catalog::open(&[models_folder()]);
    let voices = family(&catalog);
    let with = |voice: &Package, sources: usize, notices: usize| {
        let mut manifest = voice.manifest().clone();
        let mut source = BlendSource {
            id: "tests.source".to_owned(),
            name: "Source".to_owned(),
            version: "1.0.0".to_owned(),
            share: 1.0 / sources as f64,
            license: "MIT".to_owned(),
            attribution: "я".repeat(2_000),
            trained_on: "я".repeat(2_000),
            consent: "я".repeat(2_000),
            source_url: None,
        };
        for number in 0..sources {
            source.id = format!("{}.{number}", manifest.id);
            manifest.blended.push(source.clone());
        }
        let (_, mut notice) = manifest
            .files
            .iter()
            .find(|(_, file)| file.role == FileRole::Notice)
            .map(|(name, file)| (name.clone(), file.clone()))
            .expect("a notice");
        for number in 0..notices {
            notice.sha256 = format!("{}-{number}", manifest.id);
            let name = format!("NOTICE-{number}");
            manifest.files.insert(name, notice.clone());
        }
        manifest
    };
    let refused =
        |a: &Manifest, b: &Manifest| check_size(&[(a, 0.5), (b, 0.5)]).map_err(|e| e.to_string());
    let [few, many, noticed] = [(2, 0), (20, 0), (1, 40)].map(|(sources, notices)| {
        [voices[0], voices[1]].map(|voice| with(voice, sources, notices))
    });
    refused(&few[0], &few[1]).expect("they fit");
    let said = refused(&many[0], &many[1]).expect_err("it is too much");
    assert!(
        said.contains("bytes of terms, and a voice has at most 262144"),
        "{said}"
    );
    let said = refused(&noticed[0], &noticed[1]).expect_err("it is too much");
    assert!(
        said.contains("files with their notices, and a voice has at most 64"),
        "{said}"
    );
}
