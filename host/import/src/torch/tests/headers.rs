//! Files of the format safetensors, good and hostile.

use std::fs;

use super::super::*;

/// A file with a header and numbers behind it.
fn file(header: &str, numbers: &[u8]) -> Vec<u8> {
    let length = (header.len() as u64).to_le_bytes();
    [&length[..], header.as_bytes(), numbers].concat()
}

fn open(bytes: &[u8]) -> Result<TorchFile, TorchError> {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    fs::write(file.path(), bytes).expect("writable");
    TorchFile::open(file.path())
}

fn refusal(header: &str, numbers: &[u8]) -> String {
    match open(&file(header, numbers)) {
        Err(TorchError::Refused(reason)) => reason,
        other => panic!("{header}: {other:?}"),
    }
}

fn values(file: &mut TorchFile, key: &str) -> Values {
    let root = file.document().root().expect("a root");
    let Some(Node::Tensor(tensor)) = file.document().member(root, key).cloned() else {
        panic!("{key} is no tensor");
    };
    file.values(&tensor).expect("its numbers")
}

#[test]
fn tensors_are_read_in_every_type_of_numbers_that_weights_have() {
    let header = r#"{"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]},"a":{"dtype":"F16","shape":[2,1],"data_offsets":[0,4]},"c":{"dtype":"BF16","shape":[],"data_offsets":[12,14]},"n":{"dtype":"I64","shape":[],"data_offsets":[14,22]}} "#;
    let mut numbers = Vec::new();
    numbers.extend(
        [1.0_f32, -2.0]
            .map(half::f16::from_f32)
            .map(half::f16::to_le_bytes)
            .concat(),
    );
    numbers.extend([0.5_f32, 3.0].map(f32::to_le_bytes).concat());
    numbers.extend(half::bf16::from_f32(4.0).to_le_bytes());
    numbers.extend(7_i64.to_le_bytes());
    let mut file = open(&file(header, &numbers)).expect("readable");
    assert_eq!(values(&mut file, "a").singles(), [1.0, -2.0]);
    assert_eq!(values(&mut file, "b").singles(), [0.5, 3.0]);
    assert_eq!(values(&mut file, "c").singles(), [4.0]);
    let root = file.document().root().expect("a root");
    assert_eq!(file.document().members(root).count(), 4);
}

#[test]
fn headers_that_lie_are_refused_with_what_they_lie_about() {
    let one = |entry: &str| format!(r#"{{"w":{entry}}}"#);
    let two = |first: &str, second: &str| format!(r#"{{"w":{first},"v":{second}}}"#);
    let eight = [0_u8; 8];
    let whole = r#"{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#;
    for (header, expected) in [
        // Beyond the end, and with something left over.
        (
            one(r#"{"dtype":"F32","shape":[3],"data_offsets":[0,12]}"#),
            "beyond the end",
        ),
        (
            one(r#"{"dtype":"F32","shape":[1],"data_offsets":[0,4]}"#),
            "belong to no tensor",
        ),
        ("{}".to_owned(), "belong to no tensor"),
        // Over one another, with a gap, backwards.
        (two(whole, whole), "where the one before it ends"),
        (
            two(
                r#"{"dtype":"F16","shape":[2],"data_offsets":[0,4]}"#,
                r#"{"dtype":"F16","shape":[1],"data_offsets":[6,8]}"#,
            ),
            "where the one before it ends",
        ),
        (
            one(r#"{"dtype":"F32","shape":[2],"data_offsets":[8,0]}"#),
            "where the one before it ends",
        ),
        // Shapes of other lengths, some too large to count.
        (
            one(r#"{"dtype":"F32","shape":[3],"data_offsets":[0,8]}"#),
            "not as long as its shape",
        ),
        (
            one(r#"{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,8]}"#),
            "not as long as its shape",
        ),
        (
            one(r#"{"dtype":"F32","shape":[0,18446744073709551615],"data_offsets":[0,8]}"#),
            "not as long as its shape",
        ),
        (
            one(r#"{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]}"#),
            "too many dimensions",
        ),
        // Types that nobody knows, or that no weight has here.
        (
            one(r#"{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}"#),
            "F8_E4M3",
        ),
        (
            one(r#"{"dtype":"X\u001b[2J","shape":[8],"data_offsets":[0,8]}"#),
            "not supported",
        ),
        // No header at all.
        (one(r#"{"dtype":"F32","shape":[2]}"#), "cannot be read"),
        (
            one(r#"{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}"#),
            "cannot be read",
        ),
        (
            one(r#"{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1}"#),
            "cannot be read",
        ),
        (
            one(r#"{"dtype":"F32","shape":[2],"data_offsets":[0,8,9]}"#),
            "cannot be read",
        ),
        (r#"{"__metadata__":{"a":1}}"#.to_owned(), "cannot be read"),
        ("{\"w\":".to_owned(), "cannot be read"),
        (format!("{{\"w\":{}", "[".repeat(100_000)), "cannot be read"),
    ] {
        let reason = refusal(&header, &eight);
        let shown: String = header.chars().take(80).collect();
        assert!(reason.contains(expected), "{shown}: {reason}");
        assert!(!reason.contains('\u{1b}'), "{shown}");
    }
    let twice = r#"{"w":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
    assert!(refusal(twice, &eight).contains("there twice"));
    let long = format!(r#"{{"{}":{whole}}}"#, "w".repeat(2_000));
    assert!(refusal(&long, &eight).contains("bytes"));
}

#[test]
fn a_header_that_is_too_long_or_too_full_is_not_read() {
    let length_of = |length: u64| {
        let mut bytes = file("{}", &[]);
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        bytes
    };
    for length in [3, 1 << 20, (1 << 40) - 1] {
        let error = open(&length_of(length)).expect_err("it lies").to_string();
        assert!(error.contains("longer than the file"), "{length}: {error}");
    }
    let padded = format!("{{}}{}", " ".repeat(4 << 20));
    assert!(refusal(&padded, &[]).contains("the most that are read"));
    let empty = r#"{"dtype":"F32","shape":[0],"data_offsets":[0,0]}"#;
    let many: Vec<String> = (0..20_001)
        .map(|number| format!("\"{number}\":{empty}"))
        .collect();
    let many = format!("{{{}}}", many.join(","));
    assert!(refusal(&many, &[]).contains("more than 20000 tensors"));
}

#[test]
fn a_file_that_is_cut_or_changed_anywhere_is_read_or_refused() {
    let header = r#"{"a":{"dtype":"F16","shape":[2,3],"data_offsets":[0,12]},"b":{"dtype":"F64","shape":[1],"data_offsets":[12,20]}}"#;
    let whole = file(header, &[1; 20]);
    for at in 0..whole.len() {
        assert!(open(&whole[..at]).is_err(), "cut at {at}");
        for value in [0, b'"', b'9', 0xff] {
            let mut changed = whole.clone();
            changed[at] = value;
            if let Ok(mut file) = open(&changed) {
                let root = file.document().root().expect("a root");
                let members = file.document().members(root).map(|(_, entry)| entry);
                let tensors = members.map(|entry| file.document().get(entry).clone());
                for node in tensors.collect::<Vec<_>>() {
                    if let Node::Tensor(tensor) = node {
                        let _ = file.values(&tensor);
                    }
                }
            }
        }
    }
}
