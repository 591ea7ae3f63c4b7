//! Files of torch, good and hostile.

mod headers;

use std::fs;

use vocalhost_testing::repository;

use super::testing::{Pickle, archive};
use super::*;

fn fixture(name: &str) -> Vec<u8> {
    let folder = repository("tests/fixtures/checkpoints");
    fs::read(folder.join(name)).expect("the fixture is there")
}

fn open(bytes: &[u8]) -> Result<TorchFile, TorchError> {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), bytes).expect("writable");
    TorchFile::open(file.path())
}

fn refusal(bytes: &[u8]) -> String {
    match open(bytes) {
        Err(TorchError::Refused(reason)) => reason,
        other => panic!("not refused: {other:?}"),
    }
}

fn refused_pickle(pickle: &[u8]) -> String {
    refusal(&archive(&[("data.pkl", pickle)]))
}

fn values(file: &mut TorchFile, key: &str) -> Result<Values, TorchError> {
    let root = file.document().root().expect("a root");
    let tensor = match file.document().member(root, key) {
        Some(Node::Tensor(tensor)) => tensor.clone(),
        other => panic!("no tensor: {other:?}"),
    };
    file.values(&tensor)
}

/// 1, 2, 3, … as halves.
fn halves(count: u16) -> Vec<u8> {
    let numbers = (1..=count).map(|number| half::f16::from_f32(f32::from(number)));
    numbers.flat_map(half::f16::to_le_bytes).collect()
}

#[test]
fn what_torch_wrote_is_read() {
    let mut file = open(&fixture("rvc-v2-40k.pth")).expect("a file of torch");
    let document = file.document();
    let root = document.root().expect("a root");
    assert!(matches!(document.member(root, "info"), Some(Node::Text(text)) if text == "200epoch"));
    let config = document.member_entry(root, "config").expect("a config");
    let config = document.elements(config).expect("a list");
    assert_eq!(document.integers(config[12]), Some(vec![10, 10, 2, 2]));
    assert_eq!(document.integer(config[17]), Some(40_000));
    let weights = document.member_entry(root, "weight").expect("weights");
    let weight = document.member(weights, "enc_p.emb_phone.weight");
    let Some(Node::Tensor(tensor)) = weight.cloned() else {
        panic!("no tensor: {weight:?}");
    };
    assert_eq!(tensor.dims, [4, 768]);
    let Values::F16(bytes) = file.values(&tensor).expect("its values") else {
        panic!("halves are kept");
    };
    assert_eq!(bytes.len(), 4 * 768 * 2);
}

#[test]
fn a_program_of_torchscript_is_told_from_a_checkpoint() {
    let pickle = Pickle::dict().end();
    let script = archive(&[("m/data.pkl", &pickle), ("m/constants.pkl", &pickle)]);
    assert!(refusal(&script).contains("TorchScript"));
    assert!(open(&archive(&[("m/data.pkl", &pickle)])).is_ok());
}

#[test]
fn a_transposed_tensor_is_put_into_order() {
    let pickle = Pickle::dict()
        .text("w")
        .tensor("0", 6, &[3, 2], &[1, 3])
        .end();
    let file = archive(&[("data.pkl", &pickle), ("data/0", &halves(6))]);
    let mut file = open(&file).expect("a file of torch");
    let Ok(Values::F16(bytes)) = values(&mut file, "w") else {
        panic!("halves");
    };
    let numbers: Vec<f32> = bytes
        .as_chunks::<2>()
        .0
        .iter()
        .map(|half| half::f16::from_le_bytes(*half).to_f32())
        .collect();
    assert!(
        numbers
            .iter()
            .zip([1.0, 4.0, 2.0, 5.0, 3.0, 6.0])
            .all(|(a, b)| (a - b).abs() < 1e-6)
    );
}

#[test]
fn names_that_no_model_needs_are_refused_whoever_asks_for_them() {
    let call = |module, name| {
        let pickle = Pickle::dict().text("x").global(module, name);
        refused_pickle(&pickle.code(b"(X\x04\x00\x00\x00truetR").end())
    };
    for (module, name) in [
        ("os", "system"),
        ("builtins", "eval"),
        ("torch", "load"),
        ("torch._utils", "_rebuild_tensor_v2.__globals__"),
    ] {
        let reason = call(module, name);
        assert!(reason.contains(&format!("{module}.{name}")), "{reason}");
    }
    let stacked = Pickle::dict()
        .text("x")
        .text("os")
        .text("system")
        .code(b"\x93");
    assert!(refused_pickle(&stacked.end()).contains("os.system"));
    // `GET`, `INST`, `OBJ`, `EXT1`: ways to the same end.
    for code in [b'g', b'i', b'o', 0x82] {
        let reason = refused_pickle(&Pickle::dict().code(&[code]).end());
        assert!(reason.contains("instruction"), "{reason}");
    }
}

#[test]
fn tensors_beyond_their_numbers_are_refused() {
    let huge = i64::MAX;
    for (stored, dims, strides) in [
        (6, &[7][..], &[1][..]),
        (6, &[3, 2], &[2, 2]),
        (6, &[4, 4], &[0, 0]),
        (6, &[huge, huge, huge], &[0, 0, 0]),
        (6, &[2], &[huge]),
        (6, &[-1], &[1]),
        (6, &[1; 9], &[1; 9]),
        (-1, &[1], &[1]),
    ] {
        let pickle = Pickle::dict()
            .text("w")
            .tensor("0", stored, dims, strides)
            .end();
        let reason = refused_pickle(&pickle);
        assert!(reason.contains("damaged"), "{dims:?}: {reason}");
    }
    // A tensor that fits what the pickle says, but not what the file has.
    let pickle = Pickle::dict()
        .text("w")
        .tensor("0", 1 << 40, &[1 << 40], &[1])
        .end();
    let file = archive(&[("data.pkl", &pickle), ("data/0", &halves(6))]);
    let mut file = open(&file).expect("opens, for nothing is read yet");
    let error = values(&mut file, "w").expect_err("too short");
    assert!(error.to_string().contains("not as long"), "{error}");
}

#[test]
fn numbers_that_many_tensors_share_are_not_read_without_end() {
    let pickle = Pickle::dict()
        .text("w")
        .tensor("0", 500, &[500], &[1])
        .end();
    let file = archive(&[("data.pkl", &pickle), ("data/0", &halves(500))]);
    let mut file = open(&file).expect("a file of torch");
    let reads = (0..10)
        .take_while(|_| values(&mut file, "w").is_ok())
        .count();
    assert!((1..=2).contains(&reads), "{reads}");
}

#[test]
fn pickles_that_are_broken_are_refused_with_the_reason() {
    let deep = Pickle::dict().code(&b"(".repeat(2_000)).end();
    assert!(refused_pickle(&deep).contains("nested"));
    // `BINPUT` in the empty, `BINGET` of nothing, a pop below a mark, filling a text.
    for code in [
        &b"\x80\x02q\x00."[..],
        b"h\x05.",
        b"}(a.",
        b"}(s.",
        b"X\x00\x00\x00\x00(Nu.",
        b".",
    ] {
        assert!(refused_pickle(code).contains("its pickle"), "{code:?}");
    }
    let circle = b"\x80\x02]q\x00h\x00a.";
    let circle = archive(&[("data.pkl", circle)]);
    assert!(open(&circle).expect("harmless").document().root().is_some());
    let long = [&b"\x80\x02X\xff\xff\xff\x7f"[..], b"abc."].concat();
    assert!(refused_pickle(&long).contains("cut off"));
}

#[test]
fn a_pickle_with_any_byte_changed_is_read_or_refused() {
    let original = open_pickle("rvc-v2-40k.pth");
    for at in (0..original.len()).step_by(29) {
        for value in [0, b'u', b'R', 0xff] {
            let mut pickle = original.clone();
            pickle[at] = value;
            let _ = pickle::read(&pickle);
        }
        assert!(pickle::read(&original[..at]).is_err(), "cut at {at}");
    }
}

fn open_pickle(name: &str) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), fixture(name)).expect("writable");
    let mut archive = Archive::open(file.path()).expect("an archive");
    let name = pickle_name(&archive).expect("a pickle");
    archive.read(&name, pickle::MAX_BYTES).expect("readable")
}

#[test]
fn an_archive_that_is_cut_or_altered_is_refused() {
    let whole = fixture("rvc-v2-40k.pth");
    for end in (0..whole.len()).step_by(997).chain([whole.len() - 1]) {
        let reason = refusal(&whole[..end]);
        assert!(!reason.is_empty(), "cut at {end}");
    }
    let mut packed = archive(&[("data.pkl", b"N.")]);
    let listing = packed.len() - 22 - 46 - "archive/data.pkl".len();
    packed[listing + 10] = 8;
    assert!(refusal(&packed).contains("packs"));
    let mut altered = archive(&[("data.pkl", b"N.")]);
    let content = 30 + "archive/data.pkl".len();
    altered[content] = b']';
    assert!(refusal(&altered).contains("checksum"));
    let twice = archive(&[("data.pkl", b"N."), ("data.pkl", b"N.")]);
    assert!(refusal(&twice).contains("two entries"));
    assert!(refusal(&archive(&[("other", b"")])).contains("none that torch"));
    let swapped = archive(&[("data.pkl", b"N."), ("byteorder", b"big")]);
    assert!(refusal(&swapped).contains("largest"));
}

#[test]
fn an_archive_that_promises_more_than_it_has_costs_nothing() {
    let mut file = archive(&[("data.pkl", b"N.")]);
    let listing = file.len() - 22 - 46 - "archive/data.pkl".len();
    for at in [listing + 20, listing + 24] {
        file[at..at + 4].copy_from_slice(&0xffff_fff0_u32.to_le_bytes());
    }
    assert!(refusal(&file).contains("cut off"));
    let mut file = archive(&[("data.pkl", b"N.")]);
    let end = file.len() - 22;
    file[end + 10..end + 12].copy_from_slice(&u16::MAX.to_le_bytes());
    assert!(refusal(&file).contains("too many entries"));
}

/// A file of the old format with the tensor `w`, of the numbers 1 to 6, and what is behind its pickles.
fn old(behind: &[u8]) -> Vec<u8> {
    let machine = Pickle::dict().text("little_endian").code(b"\x88").end();
    let tensors = Pickle::dict()
        .text("w")
        .tensor("7", 6, &[3, 2], &[2, 1])
        .end();
    let keys = Pickle(b"\x80\x02](".to_vec()).text("7").code(b"e.").0;
    let version = b"\x80\x02M\xe9\x03.";
    [&old::MAGIC, &version[..], &machine, &tensors, &keys, behind].concat()
}

#[test]
fn the_old_format_is_read_and_held_to_its_length() {
    let count = 6_u64.to_le_bytes();
    let whole = old(&[&count[..], &halves(6)].concat());
    let mut file = open(&whole).expect("a file of torch");
    assert!(matches!(values(&mut file, "w"), Ok(Values::F16(bytes)) if bytes == halves(6)));
    for end in 0..whole.len() {
        assert!(open(&whole[..end]).is_err(), "cut at {end}");
    }
    let lying = old(&[&7_u64.to_le_bytes()[..], &halves(7)].concat());
    assert!(refusal(&lying).contains("not as long"));
    let mut other = whole.clone();
    // The version, which is the number behind the first pickle.
    other[old::MAGIC.len() + 3] = 0;
    assert!(refusal(&other).contains("nobody knows"));
    let mut swapped = whole;
    let place = swapped
        .windows(13)
        .position(|some| some == b"little_endian");
    swapped[place.expect("it is there") + 13] = 0x89;
    assert!(refusal(&swapped).contains("largest"));
}

#[test]
fn objects_of_classes_that_stand_beside_weights_are_passed_over() {
    let program = Pickle::dict()
        .text("args")
        .global("argparse", "Namespace")
        .code(b")\x81}")
        .text("arch")
        .text("hubert")
        .code(b"sb")
        .text("end")
        .text("here")
        .end();
    let document = pickle::read(&program).expect("nothing is run");
    let root = document.root().expect("a root");
    assert!(matches!(document.member(root, "end"), Some(Node::Text(text)) if text == "here"));
    let args = document.member_entry(root, "args").expect("it is there");
    assert_eq!(document.members(args).count(), 0);
    let other = Pickle::dict()
        .text("x")
        .global("torch", "FloatStorage")
        .code(b")\x81");
    assert!(refused_pickle(&other.end()).contains("makes an object"));
}
