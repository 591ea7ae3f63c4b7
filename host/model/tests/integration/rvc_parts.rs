//! Which encoder and which estimator a voice of RVC listens with, whatever comes and goes.

use std::fs;
use std::path::Path;

use vocalhost_model::{Catalog, Manifest, Package};

use super::rvc::{copy, edit};

fn copy_of(package: &Path, target: &Path) {
    fs::create_dir(target).expect("a folder");
    for entry in fs::read_dir(package).expect("the package") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), target.join(entry.file_name())).expect("a copy");
    }
}

#[test]
fn a_voice_listens_to_no_encoder_that_is_known_to_be_another() {
    let copy = copy();
    let folder = |name: &str| copy.path().join(name);
    for (name, id, identity, created) in [
        ("spin", "test.spin", Some("spin"), "2024-"),
        ("vec", "test.vec", Some("contentvec"), "2027-"),
    ] {
        copy_of(&folder("encoder"), &folder(name));
        edit(copy.path(), name, "test.hubert", id);
        edit(
            copy.path(),
            name,
            "created = \"2026-",
            &format!("created = \"{created}"),
        );
        if let Some(identity) = identity {
            let said = format!("[content]\nidentity = \"{identity}\"");
            edit(copy.path(), name, "[content]", &said);
        }
    }
    let open = || Catalog::open(&[copy.path().to_owned()]);
    let heard = |catalog: &Catalog| {
        let voice = catalog.find("test.rvc-voice").expect("the voice");
        let parts = catalog
            .parts(voice.manifest())
            .map_err(|missing| missing.to_string())?;
        Ok::<_, String>(parts.content.manifest().id.clone())
    };
    let catalog = open();
    // The oldest is another encoder than such voices were trained on; the newest changes nothing.
    assert_eq!(heard(&catalog).as_deref(), Ok("test.hubert"));
    let voice = catalog
        .find("test.rvc-voice")
        .expect("the voice")
        .manifest();
    let bound = |catalog: &Catalog, voice: &Manifest| {
        let encoder = catalog.encoder_to_bind(voice);
        encoder.map(|encoder| encoder.manifest().id.clone())
    };
    assert_eq!(bound(&catalog, voice).as_deref(), Some("test.vec"));
    let without = catalog.without("test.vec");
    assert_eq!(bound(&without, voice).as_deref(), Some("test.hubert"));
    let only_spin = without.without("test.hubert");
    assert_eq!(bound(&only_spin, voice), None);
    let missing = heard(&only_spin).expect_err("none fits");
    assert!(
        missing.contains("no content encoder is installed"),
        "{missing}"
    );
    edit(copy.path(), "voice", "[rvc]", "[rvc]\nencoder = \"spin\"");
    let spun = open();
    let voice = spun.find("test.rvc-voice").expect("the voice").manifest();
    assert_eq!(bound(&spun, voice).as_deref(), Some("test.spin"));

    // Whatever comes later: what is bound is bound.
    let package = Package::open(&folder("voice")).expect("the voice");
    package.bound_to("test.spin").expect("it is written down");
    let named = ["test.hubert".to_owned()];
    assert_eq!(
        heard(&open().preferring(&named)).as_deref(),
        Ok("test.spin")
    );
    assert_eq!(
        open()
            .bound(voice)
            .voice
            .expect("a voice")
            .content
            .as_deref(),
        Some("test.spin")
    );
    fs::remove_dir_all(folder("spin")).expect("removed");
    let missing = heard(&open()).expect_err("it is gone");
    assert!(missing.contains("under the id test.spin"), "{missing}");
}

#[test]
fn of_two_estimators_of_one_day_the_one_that_was_imported_later_is_newer() {
    let copy = copy();
    let other = copy.path().join("other");
    copy_of(&copy.path().join("estimator"), &other);
    // It comes first in the alphabet.
    edit(copy.path(), "other", "test.rmvpe", "test.a-rmvpe");
    let heard = || {
        let catalog = Catalog::open(&[copy.path().to_owned()]);
        let voice = catalog.find("test.rvc-voice").expect("the voice");
        let parts = catalog.parts(voice.manifest()).expect("all is there");
        parts.f0.expect("an estimator").manifest().id.clone()
    };
    assert_eq!(heard(), "test.rmvpe");
    let stamp = |name: &str, us: i64| {
        let package = Package::open(&copy.path().join(name)).expect("opens");
        package.imported_at(us).expect("it is written down");
    };
    stamp("estimator", 1_000_000);
    assert_eq!(heard(), "test.rmvpe");
    stamp("other", 1_000_001);
    assert_eq!(heard(), "test.a-rmvpe");
}
