//! Packages in one file that reach out of their folder, or that were cut or changed.

use std::fs;
use std::path::{Path, PathBuf};

use vocalhost_import::{Answers, ImportError, ImportRequest, import};
use vocalhost_model::Package;
use vocalhost_testing::separators::Separator;

/// What becomes of a file, and of the package that it claims to be.
fn imported(file: &Path) -> Result<Package, String> {
    let target = tempfile::tempdir().expect("a temporary folder");
    let files = [file.to_owned()];
    let request = ImportRequest {
        files: &files,
        answers: &Answers::default(),
        target: target.path(),
        today: "2026-11-21",
        only: None,
        identities: &[],
    };
    import(&request).map_err(|error| match error {
        ImportError::Refused { reason, .. } => reason,
        other => other.to_string(),
    })?;
    let package = Package::open(target.path()).map_err(|error| error.to_string())?;
    package.verify().map_err(|error| error.to_string())?;
    Ok(package)
}

/// An archive as exports are, of a package whose graph is called `name`.
fn archive_of(folder: &Path, name: &str) -> PathBuf {
    let models = folder.join("plain");
    Separator::of_shares("vocals", &[("vocals", 0.25)], "backing").write(&models);
    let package = models.join("test.vocals-1");
    let manifest = fs::read_to_string(package.join("package.toml")).expect("a manifest");
    let manifest = manifest.replace("[files.\"graph.onnx\"]", &format!("[files.{name:?}]"));
    let graph = fs::read(package.join("graph.onnx")).expect("a graph");
    let mut archive = Vec::new();
    for (name, content) in [("package.toml", manifest.as_bytes()), (name, &graph)] {
        let length = u32::try_from(content.len()).expect("small");
        let letters = u16::try_from(name.len()).expect("short");
        // Signature; version, flags, method, time; checksum, which nothing reads; sizes and lengths.
        archive.extend(0x0403_4b50_u32.to_le_bytes());
        archive.extend([20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        archive.extend([length.to_le_bytes(), length.to_le_bytes()].concat());
        archive.extend([letters.to_le_bytes(), [0, 0]].concat());
        archive.extend(name.as_bytes());
        archive.extend(content);
    }
    let file = folder.join("crafted.vmp");
    fs::write(&file, archive).expect("written");
    file
}

#[test]
fn an_archive_writes_nothing_outside_of_its_package() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    imported(&archive_of(folder.path(), "model.onnx")).expect("an honest one comes in");
    let target = folder.path().join("work/package");
    fs::create_dir_all(&target).expect("a folder");
    let absolute = folder.path().join("absolute.onnx");
    for name in [
        "../../above.onnx",
        absolute.to_str().expect("plain text"),
        "a/../../../above.onnx",
    ] {
        let files = [archive_of(folder.path(), name)];
        let refused = import(&ImportRequest {
            files: &files,
            answers: &Answers::default(),
            target: &target,
            today: "2026-11-23",
            only: None,
            identities: &[],
        });
        let said = refused.expect_err("it is refused").to_string();
        assert!(said.contains("leaves the package's folder"), "{said}");
        for outside in [&absolute, &folder.path().join("above.onnx")] {
            assert!(!outside.exists(), "{name} was written");
        }
    }
    assert_eq!(fs::read_dir(&target).expect("it is there").count(), 0);
}

#[test]
fn a_package_whose_files_have_names_that_no_folder_holds_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let long = "n".repeat(300);
    for (name, reason) in [
        ("graphs//model.onnx", "names nothing"),
        (long.as_str(), "longer than file names"),
        ("package.toml/model.onnx", "is a file, too"),
    ] {
        let said = imported(&archive_of(folder.path(), name)).expect_err("it is refused");
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn a_package_that_is_cut_or_changed_anywhere_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let archive = archive_of(folder.path(), "graph.onnx");
    let whole = fs::read(&archive).expect("an archive");
    let package = imported(&archive).expect("it is whole");
    assert_eq!(package.manifest().id, "test.vocals-1");
    let files = package.manifest().files.values();
    let content: usize = files.map(|entry| entry.bytes as usize).sum();
    let file = folder.path().join("other");
    for length in 0..whole.len() {
        fs::write(&file, &whole[..length]).expect("written");
        let refused = imported(&file).expect_err("it is cut");
        assert!(
            !refused.is_empty() && !refused.contains("panic"),
            "{length}: {refused}"
        );
    }
    // The graph stands last: any of its bits tells.
    for position in (whole.len() - content..whole.len()).step_by(7) {
        let mut changed = whole.clone();
        changed[position] ^= 1;
        fs::write(&file, &changed).expect("written");
        imported(&file).expect_err("it is changed");
    }
    // What a change of the rest makes of it is a package or a refusal, never a panic.
    for position in (0..whole.len() - content).step_by(3) {
        for bit in [0, 3, 7] {
            let mut changed = whole.clone();
            changed[position] ^= 1 << bit;
            fs::write(&file, &changed).expect("written");
            let _ = imported(&file);
        }
    }
}
