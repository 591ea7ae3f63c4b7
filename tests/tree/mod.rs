//! The shape of the tree, where the compiler does not hold it: how large a file may grow, where unsafe code may stand, and how many files
//! may name each other in a circle.
//! Which crate may know which stands in their manifests.

mod circles;

use std::fs;
use std::path::{Path, PathBuf};

use vocalhost_testing::repository;

/// A file is one idea; beyond this many lines it is at least two.
const FILE_LINE_CEILING: usize = 500;

/// The crates that may have unsafe code: vector instructions, the guest's compiled code and denormals, the kernel's calls that have
/// no safe form, and an encoder in C.
const MAY_BE_UNSAFE: [&str; 4] = ["effects", "flac", "kernels", "sandbox"];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder is readable") {
        let path = entry.expect("the entry is readable").path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "target") {
                rust_files(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_other_crate_of_the_host_forbids_unsafe_code() {
    let mut crates = 0;
    for entry in fs::read_dir(repository("host")).expect("the folder is readable") {
        let folder = entry.expect("the entry is readable").path();
        let library = fs::read_to_string(folder.join("src/lib.rs")).expect("a crate has a library");
        let may_be = MAY_BE_UNSAFE.iter().any(|name| folder.ends_with(name));
        let forbids = library.contains("#![forbid(unsafe_code)]");
        assert_ne!(may_be, forbids, "{}", folder.display());
        crates += 1;
    }
    assert!(crates > MAY_BE_UNSAFE.len(), "{crates}");
}

#[test]
fn no_file_grows_past_the_ceiling() {
    let mut files = Vec::new();
    for folder in ["host", "plugins", "tests", "benches", "xtask"] {
        rust_files(&repository(folder), &mut files);
    }
    let long: Vec<_> = files
        .iter()
        .map(|path| {
            (
                path,
                fs::read_to_string(path)
                    .expect("the file is text")
                    .lines()
                    .count(),
            )
        })
        .filter(|(_, lines)| *lines > FILE_LINE_CEILING)
        .collect();
    assert!(long.is_empty(), "{long:#?}");
}
