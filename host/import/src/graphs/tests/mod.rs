//! Graphs as tools export them, only smaller: each is imported, opened as a package and run.

mod demucs;
mod documented;
mod exported;
mod lightened;
mod listeners;
mod separators;
mod voices;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::{Answers, ImportError, ImportRequest, Imported, Question, Why, import};
use vocalhost_model::{Manifest, Package, Runtime, try_graph};
use vocalhost_onnx::Dim;
use vocalhost_onnx::testing::Tiny;

const ONE: Dim<'static> = Dim::Fixed(1);
const T: Dim<'static> = Dim::Any("frames");
const N: Dim<'static> = Dim::Any("samples");

/// A package that was made of files, and the folder that it lies in.
struct Made {
    folder: TempDir,
    imported: Imported,
}

impl Made {
    fn package(&self) -> Package {
        let package = Package::open(&self.folder.path().join("package")).expect("a package");
        package.verify().expect("the files have their hashes");
        package
    }

    fn manifest(&self) -> Manifest {
        self.package().manifest().clone()
    }

    /// Runs it, where it is no separator.
    fn runs(&self) {
        let runtime = Runtime::load(None).expect("a runtime");
        try_graph(&runtime, &self.package()).expect("it runs");
    }

    fn found(&self) -> String {
        self.imported.found.join(" ")
    }
}

/// Imports files of these names and contents, with answers to questions.
fn made(files: &[(&str, Vec<u8>)], facts: &[(&str, &str)]) -> Result<Made, ImportError> {
    let folder = tempfile::tempdir().expect("a folder");
    let paths: Vec<PathBuf> = files
        .iter()
        .map(|(name, content)| {
            let path = folder.path().join(name);
            fs::write(&path, content).expect("written");
            path
        })
        .collect();
    let imported = import_files(&paths, facts, &folder.path().join("package"))?;
    Ok(Made { folder, imported })
}

fn import_files(
    files: &[PathBuf],
    facts: &[(&str, &str)],
    target: &Path,
) -> Result<Imported, ImportError> {
    fs::create_dir(target).expect("a folder");
    let facts: BTreeMap<String, String> = facts
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let answers = Answers {
        title: Some("A model".to_owned()),
        facts,
        ..Answers::default()
    };
    import(&ImportRequest {
        files,
        answers: &answers,
        target,
        today: "2026-11-20",
        only: None,
        identities: &[],
    })
}

/// One graph, imported without answers.
fn of(graph: &Tiny) -> Made {
    made(&[("model.onnx", graph.bytes())], &[]).expect("it is imported")
}

/// Why one graph is refused.
fn refusal(graph: &Tiny, facts: &[(&str, &str)]) -> String {
    match made(&[("model.onnx", graph.bytes())], facts) {
        Ok(made) => panic!("it is imported: {:?}", made.imported),
        Err(error) => error.to_string(),
    }
}

/// What is asked about files.
fn asked(files: &[(&str, Vec<u8>)], facts: &[(&str, &str)]) -> Vec<Question> {
    match made(files, facts) {
        Err(ImportError::Missing { questions }) => questions,
        Err(error) => panic!("{error}"),
        Ok(made) => panic!("it is imported: {:?}", made.imported),
    }
}

/// What is asked about one graph, as nobody said it.
fn questions(graph: &Tiny, facts: &[(&str, &str)]) -> Vec<String> {
    names(graph, facts, Why::Unsaid)
}

/// The answers to one graph's questions that cannot be.
fn wrong(graph: &Tiny, facts: &[(&str, &str)]) -> Vec<String> {
    names(graph, facts, Why::Wrong)
}

fn names(graph: &Tiny, facts: &[(&str, &str)], why: Why) -> Vec<String> {
    let asked = asked(&[("model.onnx", graph.bytes())], facts);
    let asked = asked.into_iter().filter(|question| question.why == why);
    asked.map(|question| question.name).collect()
}

/// Whole numbers of an initialiser, little-endian.
fn integers(values: &[i64]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}
