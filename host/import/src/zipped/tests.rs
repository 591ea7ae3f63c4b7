//! Archives with voices in them, and archives that were made to do harm.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::unpack::tame;
use crate::testing::import_into;
use crate::{ImportError, Imported};
use vocalhost_model::Package;
use vocalhost_testing::archive::{Member, zip, zip_of};
use vocalhost_testing::repository;

const MODEL: &str = "Anna.pth";

fn fixture(path: &str) -> Vec<u8> {
    fs::read(repository("tests/fixtures").join(path)).expect("the fixture")
}

fn checkpoint() -> Vec<u8> {
    fixture("checkpoints/rvc-v1-48k-f0.pth")
}

fn index() -> Vec<u8> {
    fixture("index/ivf-256.index")
}

fn attempt(folder: &Path, archive: &[u8]) -> Result<Imported, ImportError> {
    let (file, target) = (folder.join("download.zip"), folder.join("package"));
    fs::write(&file, archive).expect("written");
    fs::create_dir(&target).expect("a folder");
    import_into(&target, &[file], None)
}

/// What an archive becomes.
fn made(archive: &[u8]) -> (Imported, Package, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let imported = attempt(folder.path(), archive).expect("it is imported");
    let package = Package::open(&folder.path().join("package")).expect("a package");
    package.verify().expect("the files have their hashes");
    (imported, package, folder)
}

/// Why an archive is refused; nothing is written outside of the folder that it is to become, and nothing is left in that.
fn refusal(archive: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    match attempt(folder.path(), archive) {
        Err(ImportError::Refused { file, reason }) => {
            assert_eq!(file, folder.path().join("download.zip"), "{reason}");
            let mut left: Vec<String> = fs::read_dir(folder.path())
                .expect("the folder")
                .map(|entry| entry.expect("an entry").file_name())
                .map(|name| name.to_string_lossy().into_owned())
                .collect();
            left.sort();
            assert_eq!(left, ["download.zip", "package"], "{reason}");
            reason
        }
        Err(other) => panic!("it is refused otherwise: {other}"),
        Ok(imported) => panic!("it is imported: {:?}", imported.found),
    }
}

#[test]
fn a_voice_and_its_index_come_out_of_an_archive_and_the_rest_is_named() {
    let others = [
        Member::deflated("Anna/read me.txt", b"Hello."),
        Member::stored("__MACOSX/Anna/._Anna.pth", b"\0\x05\x16\x07"),
        Member::stored("Anna/sample.zip", &zip(&[])),
    ];
    let folder = Member::stored("Anna/", b"");
    for (model, its_index) in [
        (
            Member::deflated("Anna/Anna.pth", &checkpoint()),
            Member::deflated("Anna/added.INDEX", &index()),
        ),
        (
            Member::stored("Anna/Anna.pth", &checkpoint()),
            Member::stored("Anna/added.INDEX", &index()),
        ),
    ] {
        let [text, mac, inner] = others.clone();
        let archive = zip(&[folder.clone(), text, its_index, mac, model, inner]);
        let (imported, package, _folder) = made(&archive);
        assert_eq!(package.manifest().name, "Anna");
        assert!(package.manifest().index.is_some());
        assert_eq!(
            imported.found[..2],
            [
                "From an archive (ZIP): \"Anna/Anna.pth\" and its index \"Anna/added.INDEX\".",
                "Passed over in the archive: \"Anna/read me.txt\", \"__MACOSX/Anna/._Anna.pth\", \"Anna/sample.zip\"."
            ]
        );
        assert!(imported.found[2].starts_with("A checkpoint of RVC"));
    }
}

#[test]
fn an_archive_gives_the_same_package_as_its_files() {
    let (_, packed, _folder) = made(&zip(&[Member::deflated("a/b/Anna.pth", &checkpoint())]));
    let folder = tempfile::tempdir().expect("a folder");
    let (file, target) = (folder.path().join("Anna.pth"), folder.path().join("p"));
    fs::write(&file, checkpoint()).expect("written");
    fs::create_dir(&target).expect("a folder");
    import_into(&target, &[file], None).expect("it is imported");
    let plain = Package::open(&target).expect("a package");
    let text = |package: &Package| {
        let path = package.folder().join(Package::MANIFEST_NAME);
        fs::read_to_string(path).expect("a manifest")
    };
    assert_eq!(text(&packed), text(&plain));
}

#[test]
fn what_torch_wrote_is_no_archive_of_files() {
    let (imported, ..) = made(&checkpoint());
    assert!(imported.found[0].starts_with("A checkpoint of RVC"));
    // Neither is one that was packed once more on the way, which says what it is.
    let packed = zip(&[Member::deflated("Anna/data.pkl", b"\x80\x02}.")]);
    assert!(refusal(&packed).contains("packs its entry"));
}

/// An archive of this file, changed.
fn with(member: &Member, change: impl FnOnce(&mut Member)) -> Vec<u8> {
    let mut changed = member.clone();
    change(&mut changed);
    zip(&[changed])
}

/// Holds archives to the reasons that they are refused for.
fn assert_refused(cases: Vec<(Vec<u8>, &str)>) {
    for (archive, reason) in cases {
        let said = refusal(&archive);
        assert!(said.contains(reason), "{said}, not: {reason}");
    }
}

#[test]
fn files_that_are_not_what_their_archive_says_are_refused_with_the_reason() {
    let sound = checkpoint();
    let stored = Member::stored(MODEL, &sound);
    let deflated = Member::deflated(MODEL, &sound);
    let zeros = Member::deflated(MODEL, &vec![0; 64 << 20]);
    let checksum = "its checksum is another than the archive says";
    let many = "more than the 10 bytes that the archive says";
    let huge = "unpacks to 1099511627776 bytes";
    assert_refused(vec![
        (with(&stored, |file| file.crc = 7), checksum),
        (with(&deflated, |file| file.crc = 7), checksum),
        (with(&stored, |file| file.packed[40_000] ^= 1), checksum),
        (
            with(&deflated, |file| file.packed[2_000..2_400].fill(0xff)),
            "is damaged: it",
        ),
        (
            with(&deflated, |file| {
                file.packed.truncate(1_000);
                file.packed_bytes = 1_000;
            }),
            "is damaged: it",
        ),
        (with(&deflated, |file| file.bytes = 10), many),
        (with(&stored, |file| file.bytes = 10), many),
        (
            with(&deflated, |file| file.bytes = 900_000),
            "bytes where the archive says 900000",
        ),
        (with(&stored, |file| file.bytes = 1 << 40), huge),
        (with(&deflated, |file| file.bytes = 1 << 40), huge),
        (
            with(&deflated, |file| file.bytes = u64::MAX),
            "unpacks to 18446744073709551615 bytes",
        ),
        (with(&zeros, |_| {}), "more than 50 times its length"),
        // A bomb that hides what it becomes.
        (
            with(&zeros, |file| file.bytes = 500_000),
            "more than the 500000 bytes that the archive says",
        ),
        // So far its checksum is right.
        (
            with(&zeros, |file| {
                file.bytes = 1 << 19;
                file.crc = crc32fast::hash(&vec![0; 1 << 19]);
            }),
            "more than the 524288 bytes that the archive says",
        ),
    ]);
}

#[test]
fn files_that_cannot_be_taken_or_are_not_there_are_refused_with_the_reason() {
    let sound = checkpoint();
    let stored = Member::stored(MODEL, &sound);
    let deflated = Member::deflated(MODEL, &sound);
    let link = Member::stored(MODEL, b"/etc/passwd");
    let two = [stored.clone(), Member::stored("readme.txt", b"Hello.")];
    let nothing = "there is nothing where it lists";
    let short = "is longer than what there is of it";
    assert_refused(vec![
        (
            with(&stored, |file| file.flags = 1),
            "is encrypted with a password",
        ),
        (
            with(&deflated, |file| (file.method, file.flags) = (99, 1)),
            "is encrypted with a password",
        ),
        (
            with(&deflated, |file| file.method = 14),
            "is packed in another way than ZIP's usual one",
        ),
        (
            with(&link, |file| file.mode = 0o120_777),
            "is a link to another file",
        ),
        (
            with(&stored, |file| file.local_name = b"other.pth".to_vec()),
            "is called \"other.pth\" where its content lies",
        ),
        (with(&stored, |file| file.packed_bytes += 9), short),
        (with(&stored, |file| file.packed_bytes = 1 << 50), short),
        (with(&stored, |file| file.packed_bytes = u64::MAX), nothing),
        (with(&stored, |file| file.shift = 1 << 45), nothing),
        (with(&stored, |file| file.shift = 3), nothing),
        (
            zip(&[stored.clone(), stored.clone()]),
            "two files \"Anna.pth\"",
        ),
        (zip_of(&two, 1), "it lists 2 files and says that they are 1"),
        (zip_of(&two, 9), "files and says that they are 9"),
    ]);
}

#[test]
fn files_that_lie_over_each_other_are_refused() {
    let sound = checkpoint();
    let (model, other) = (
        Member::stored(MODEL, &sound),
        Member::stored("a.txt", b"Hello."),
    );
    // The list has the second file at the place of the first one, which ends behind it.
    let back = (30 + MODEL.len() + sound.len()) as i64;
    let over = Member {
        shift: -back,
        ..other.clone()
    };
    assert!(refusal(&zip(&[model.clone(), over])).contains("lie over each other"));
    // The first file goes on into the second one.
    let into = Member {
        packed_bytes: sound.len() as u64 + 20,
        ..model.clone()
    };
    assert!(refusal(&zip(&[into, other.clone()])).contains("lie over each other"));
    // What is passed over counts, too, wherever it stands.
    let many = (0..20).map(|number| Member {
        shift: -back - 41 * number,
        ..Member::stored(&format!("{number:03}.t"), b"Hello.")
    });
    let all: Vec<Member> = [model].into_iter().chain(many).collect();
    assert!(refusal(&zip(&all)).contains("lie over each other"));
}

#[test]
fn what_is_in_an_archive_makes_one_voice_or_none() {
    let (sound, text) = (checkpoint(), Member::stored("readme.txt", b"Hello."));
    let stored = |name: &str| Member::stored(name, &sound);
    let inner = zip(&[stored(MODEL)]);
    let many: Vec<Member> = (0..1_001)
        .map(|number| Member::stored(&format!("{number}.txt"), b""))
        .collect();
    assert_refused(vec![
        (zip(&[]), "without files"),
        (zip(std::slice::from_ref(&text)), "in it is \"readme.txt\""),
        (
            zip(&[Member::stored("inner.zip", &inner), text.clone()]),
            "archives inside an archive are not opened",
        ),
        (
            zip(&[Member::stored(MODEL, &inner)]),
            "its file \"Anna.pth\" is an archive that holds neither",
        ),
        (
            zip(&[Member::stored(MODEL, b"Not found")]),
            "its file \"Anna.pth\" is of no known kind",
        ),
        (
            zip(&[stored("a/Anna.pth"), stored("b/Berta.pth")]),
            "several models, \"a/Anna.pth\", \"b/Berta.pth\"; they are imported one by one",
        ),
        (
            zip(&[
                stored(MODEL),
                Member::stored("added.index", &index()),
                Member::stored("trained.index", &index()),
            ]),
            "several indexes, \"added.index\", \"trained.index\"; a voice has one",
        ),
        (
            zip(&[Member::stored("added.index", &index())]),
            "an archive without a model (.pth or .onnx); in it is \"added.index\"",
        ),
        (
            zip(&[
                Member::stored("anna/package.toml", b"schema = 1"),
                stored(MODEL),
            ]),
            "unpack it and give the folder",
        ),
        (zip(&many), "more than 1000 files"),
    ]);
}

#[test]
fn a_name_in_an_archive_leads_nowhere() {
    let above = tempfile::tempdir().expect("a folder");
    let absolute = above.path().join("Anna.pth");
    for name in [
        "../../../../../../../tmp/Anna.pth",
        "..\\..\\Anna.pth",
        absolute.to_str().expect("plain"),
        "C:\\Windows\\Anna.pth",
        "a/./..//Anna.pth",
    ] {
        let (imported, package, _folder) = made(&zip(&[Member::stored(name, &checkpoint())]));
        assert_eq!(package.manifest().name, "Anna", "{:?}", imported.found);
    }
    assert_eq!(fs::read_dir(above.path()).expect("it is there").count(), 0);
    // What a terminal or a file system would obey is not in the name.
    let strange = Member {
        name: b"\x1b[2J\xff<b>..\0.pth".to_vec(),
        local_name: b"\x1b[2J\xff<b>..\0.pth".to_vec(),
        ..Member::stored("", &checkpoint())
    };
    let (imported, package, _folder) = made(&zip(&[strange]));
    assert_eq!(package.manifest().name, "_[2J__b_.._");
    assert!(
        !imported.found[0].contains('\u{1b}'),
        "{:?}",
        imported.found
    );
    let many = |count: usize| format!("{}.onnx", "声".repeat(count));
    for (name, wanted) in [
        ("x/..pth".to_owned(), "model.pth".to_owned()),
        ("...pth".to_owned(), "model.pth".to_owned()),
        (".hidden.PTH".to_owned(), "hidden.pth".to_owned()),
        (many(500), many(60)),
    ] {
        assert_eq!(tame(&name), wanted);
    }
}

#[test]
fn an_archive_that_is_cut_or_changed_anywhere_breaks_nothing() {
    let whole = zip(&[
        Member::deflated("readme.txt", b"Hello."),
        Member::deflated(MODEL, &checkpoint()),
        Member::deflated("added.index", &index()),
    ]);
    let run = |archive: &[u8]| {
        let folder = tempfile::tempdir().expect("a folder");
        attempt(folder.path(), archive).map(drop)
    };
    for length in (0..whole.len()).step_by(997) {
        run(&whole[..length]).expect_err("it is cut");
    }
    let list = whole.len() - 250;
    let places = (0..list).step_by(1_499).chain(list..whole.len());
    for place in places {
        let mut changed = whole.clone();
        changed[place] ^= 0x41;
        // A comment or a time may be changed and is not looked at; what is read is held to its checksum.
        let _ = run(&changed);
    }
}
