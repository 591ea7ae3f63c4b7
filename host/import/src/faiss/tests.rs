//! Indexes that FAISS wrote, and such as it would never write.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;

use super::index::{Cells, Index};
use super::read::parse;
use crate::{Answers, ImportError, ImportRequest, import};
use vocalhost_model::{FileRole, IndexElement, Package};
use vocalhost_testing::repository;

fn fixtures() -> PathBuf {
    repository("tests/fixtures")
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(fixtures().join("index").join(name)).expect("the fixture is there")
}

/// The vectors of `tests/parity/checkpoints/golden_index.py`: sin(0.7 n) cos(0.13 n).
fn rows(count: usize, dim: usize) -> Vec<f32> {
    let numbers = (0..count * dim).map(|n| n as f64);
    numbers
        .map(|n| ((0.7 * n).sin() * (0.13 * n).cos()) as f32)
        .collect()
}

/// The numbers of the vectors in each cell, as FAISS says.
fn cells(name: &str) -> Vec<Vec<usize>> {
    let golden: Value = serde_json::from_slice(&file("golden.json")).expect("the fixture is JSON");
    serde_json::from_value(golden["cells"][name].clone()).expect("lists of numbers")
}

fn singles(bytes: &[u8]) -> Vec<f32> {
    let numbers = bytes.as_chunks::<4>().0.iter();
    numbers.map(|number| f32::from_le_bytes(*number)).collect()
}

#[test]
fn the_vectors_of_a_divided_index_come_cell_by_cell() {
    for (name, count, dim) in [("ivf", 40, 6), ("ivf-256", 20, 256), ("sparse", 1, 6)] {
        let index = parse(&file(&format!("{name}.index"))).expect("an index");
        let (stored, cells) = (rows(count, dim), cells(name));
        let found = singles(&index.rows);
        // The library's sines differ from NumPy's by a last bit at most.
        let expected: Vec<f32> = cells
            .iter()
            .flatten()
            .flat_map(|row| stored[row * dim..][..dim].to_vec())
            .collect();
        assert_eq!(found.len(), expected.len(), "{name}");
        assert!(
            found
                .iter()
                .zip(&expected)
                .all(|(a, b)| (a - b).abs() < 1e-6),
            "{name}"
        );
        let divided = index.cells.expect("it is divided");
        let counts: Vec<usize> = divided.counts.iter().map(|count| *count as usize).collect();
        assert_eq!(
            counts,
            cells.iter().map(Vec::len).collect::<Vec<_>>(),
            "{name}"
        );
        assert_eq!(
            (divided.probe, divided.centres.len()),
            (1, counts.len() * dim * 4),
            "{name}"
        );
    }
}

#[test]
fn each_vector_of_a_divided_index_is_in_the_cell_whose_centre_is_nearest() {
    let index = parse(&file("ivf.index")).expect("an index");
    let divided = index.cells.expect("it is divided");
    let centres = singles(&divided.centres);
    let distance = |row: &[f32], centre: &[f32]| -> f32 {
        row.iter().zip(centre).map(|(a, b)| (a - b) * (a - b)).sum()
    };
    let cell_of = divided.counts.iter().enumerate();
    let cell_of = cell_of.flat_map(|(cell, count)| vec![cell; *count as usize]);
    for (row, cell) in singles(&index.rows).chunks_exact(6).zip(cell_of) {
        let nearest = (0..3).min_by(|a, b| {
            let to = |cell: &usize| distance(row, &centres[cell * 6..][..6]);
            to(a).total_cmp(&to(b))
        });
        assert_eq!(nearest, Some(cell));
    }
}

#[test]
fn a_flat_index_is_its_vectors() {
    let index = parse(&file("flat.index")).expect("an index");
    assert_eq!((index.dim, index.cells.is_none()), (6, true));
    let (found, expected) = (singles(&index.rows), rows(40, 6));
    assert!(
        found.len() == 240
            && found
                .iter()
                .zip(expected)
                .all(|(a, b)| (a - b).abs() < 1e-6)
    );
}

/// What FAISS gives back of an index of `golden_index.py`, vector after vector.
fn rebuilt(name: &str) -> Vec<f32> {
    let golden: Value = serde_json::from_slice(&file("golden.json")).expect("the fixture is JSON");
    let numbers = golden["rebuilt"][name].as_array().expect("numbers").iter();
    let numbers = numbers.map(|number| number.as_f64().expect("a number") as f32);
    numbers.collect()
}

/// The kinds that RVC's training does not make.
const OTHERS: [&str; 14] = [
    "hnsw-flat",
    "hnsw-sq8",
    "pq",
    "ivf-pq",
    "sq8",
    "sq6",
    "sq4",
    "sqfp16",
    "sqbf16",
    "ivf-sq8",
    "ivf-hnsw",
    "ivf-products",
    "products-sq6",
    "mapped",
];

#[test]
fn vectors_of_other_kinds_are_those_that_faiss_gives_back() {
    for name in OTHERS {
        let index = parse(&file(&format!("{name}.index"))).expect("an index");
        let expected = rebuilt(name);
        let expected: Vec<f32> = if name.starts_with("ivf") {
            let cells = cells(name).concat();
            let row = |row: usize| expected[row * 6..][..6].to_vec();
            cells.into_iter().flat_map(row).collect()
        } else {
            expected
        };
        let found = singles(&index.rows);
        assert_eq!((index.dim, found.len()), (6, 240), "{name}");
        for (place, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert!(
                (found - expected).abs() < 1e-5,
                "{name} {place}: {found} {expected}"
            );
        }
    }
}

#[test]
fn what_an_index_was_is_said_and_cells_of_another_measure_are_left_out() {
    let index = |name: &str| parse(&file(&format!("{name}.index"))).expect("an index");
    let said = |name: &str| index(name).was.join(" ");
    assert!(said("hnsw-flat").contains("none is missed"));
    let graph = said("hnsw-sq8");
    assert!(
        graph.contains("(HNSW)") && graph.contains("(SQ) to 6 bytes of 24"),
        "{graph}"
    );
    assert!(said("products").contains("inner product"));
    assert!(said("ivf-pq").contains("(PQ) to 2 bytes of 24"));
    assert_eq!(said("ivf-hnsw"), "");
    let has_cells =
        ["ivf-pq", "ivf-sq8", "ivf-hnsw", "ivf-products"].map(|name| index(name).cells.is_some());
    assert_eq!(has_cells, [true, true, true, false]);
}

#[test]
fn other_indexes_are_refused_by_their_kind() {
    let mut bytes = file("flat.index");
    bytes[..4].copy_from_slice(b"IxHe");
    let reason = parse(&bytes).expect_err("is refused");
    assert!(
        reason.contains("IxHe") && reason.contains("Flat, IVF and HNSW"),
        "{reason}"
    );
    // The measure stands behind a length, two numbers, two more that nothing uses, and a byte.
    let mut bytes = file("flat.index");
    bytes[33] = 5;
    let reason = parse(&bytes).expect_err("is refused");
    assert!(
        reason.contains("the distance or the inner product"),
        "{reason}"
    );
    // A graph of an index without vectors is one of none.
    assert!(
        parse(&file("hnsw.index"))
            .expect("an index")
            .rows
            .is_empty()
    );
}

#[test]
fn quantised_vectors_are_counted_before_there_is_room_for_them() {
    // A product quantiser of one byte for 4,096 channels, and a million vectors: 16 GB if they were believed.
    let header = |rows: u64| {
        let mut bytes = b"IxPq".to_vec();
        bytes.extend(4_096_u32.to_le_bytes());
        bytes.extend(rows.to_le_bytes());
        bytes.extend([0; 16]);
        bytes.extend([1, 1, 0, 0, 0]);
        for number in [4_096_u64, 1, 1, 2 * 4_096] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(vec![0; 2 * 4_096 * 4]);
        bytes.extend(rows.to_le_bytes());
        bytes
    };
    let mut whole = header(1_000_000);
    whole.resize(whole.len() + 1_000_000 + 9, 0);
    let reason = parse(&whole).expect_err("is refused");
    assert!(
        reason.contains("1000000 vectors, which are more than"),
        "{reason}"
    );
    let reason = parse(&header(u64::MAX / 2)).expect_err("is refused");
    assert!(reason.contains("cut off"), "{reason}");
    // Indexes inside one another without end.
    let mut nested = Vec::new();
    for _ in 0..50_000 {
        nested.extend(b"IxMp");
        nested.extend(&file("mapped.index")[4..37]);
    }
    let reason = parse(&nested).expect_err("is refused");
    assert!(reason.contains("inside one another"), "{reason}");
}

#[test]
fn numbers_whose_squares_are_none_are_refused() {
    let mut bytes = file("flat.index");
    let last = bytes.len() - 4;
    for value in [1e20_f32, f32::NAN, f32::NEG_INFINITY] {
        bytes[last..].copy_from_slice(&value.to_le_bytes());
        let reason = parse(&bytes).expect_err("is refused");
        assert!(reason.contains("at most 1e15"), "{reason}");
    }
}

#[test]
fn no_cut_makes_it_an_index_and_no_changed_byte_makes_it_panic() {
    let others = ["hnsw-sq8", "pq", "ivf-pq", "ivf-sq8", "sq6", "mapped"];
    for name in ["ivf", "flat", "sparse"].into_iter().chain(others) {
        let whole = file(&format!("{name}.index"));
        for end in 0..whole.len() {
            assert!(parse(&whole[..end]).is_err(), "{name} cut at {end}");
        }
        assert!(
            parse(&[&whole[..], &[0]].concat()).is_err(),
            "{name} goes on"
        );
        for at in 0..whole.len() {
            for value in [0, 0x7f, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                if let Ok(Index { rows, .. }) = parse(&bytes) {
                    assert!(rows.len() <= 16 * whole.len(), "{name}, byte {at}");
                }
            }
        }
    }
}

#[test]
fn an_index_of_too_many_vectors_is_thinned_out_and_keeps_every_cell() {
    let row = |number: u32| (number as f32).to_le_bytes().repeat(2);
    let index = |counts: &[u32]| Index {
        dim: 2,
        rows: (0..counts.iter().sum()).flat_map(row).collect(),
        cells: Some(Cells {
            centres: vec![0; counts.len() * 8],
            counts: counts.to_vec(),
            probe: 1,
        }),
        was: Vec::new(),
    };
    let counts = [10, 1, 0, 7, 2];
    let mut thinned = index(&counts);
    assert_eq!(thinned.thin(20), 1);
    assert_eq!(thinned, index(&counts));
    assert_eq!(thinned.thin(10), 3, "one in two would be eleven");
    let cells = thinned.cells.as_ref().expect("it is divided");
    assert_eq!(cells.counts, [4, 1, 0, 3, 1]);
    let kept = [0, 3, 6, 9, 10, 11, 14, 17, 18];
    assert_eq!(
        thinned.rows,
        kept.into_iter().flat_map(row).collect::<Vec<u8>>()
    );
    let mut flat = Index {
        cells: None,
        ..index(&counts)
    };
    assert_eq!(flat.thin(7), 3);
    assert_eq!(flat.rows.len(), 7 * 8);
}

fn import_with(index: &str) -> (Result<Vec<String>, ImportError>, tempfile::TempDir) {
    let target = tempfile::tempdir().expect("a temporary folder");
    let files = [
        fixtures().join("index").join(index),
        fixtures().join("checkpoints/rvc-v1-48k-f0.pth"),
    ];
    let result = import(&ImportRequest {
        files: &files,
        answers: &Answers {
            facts: BTreeMap::new(),
            ..Answers::default()
        },
        target: target.path(),
        today: "2026-11-21",
        only: None,
        identities: &[],
    });
    (result.map(|imported| imported.found), target)
}

#[test]
fn a_voice_gets_the_index_that_comes_with_it() {
    let (found, folder) = import_with("ivf-256.index");
    let found = found.expect("a voice with an index");
    assert!(
        found
            .iter()
            .any(|line| line.contains("20 vectors in 2 cells")
                && line.contains("looks into 1 of the cells")),
        "{found:?}"
    );
    let package = Package::open(folder.path()).expect("a package");
    package.verify().expect("its files are what it says");
    let index = package.manifest().index.as_ref().expect("an index");
    assert_eq!((index.rows, index.dim, index.k), (20, 256, 8));
    assert_eq!(index.dtype, IndexElement::F32);
    let cells = index.cells.expect("it is divided");
    assert_eq!((cells.count, cells.probe), (2, 1));
    let file = package.file(FileRole::Index).expect("the file");
    let bytes = std::fs::metadata(file).expect("there").len();
    assert_eq!(bytes, 22 * 256 * 4 + 2 * 4);
}

#[test]
fn an_index_of_another_voice_or_without_vectors_is_refused() {
    for (name, expected) in [("ivf.index", "another voice"), ("empty.index", "added_")] {
        let (result, _folder) = import_with(name);
        let Err(ImportError::Refused { file, reason }) = result else {
            panic!("{name} is refused");
        };
        assert!(
            file.ends_with(name) && reason.contains(expected),
            "{reason}"
        );
    }
}
