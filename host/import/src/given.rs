//! The files that were given, sorted by what they are.

use std::path::PathBuf;

use super::checkpoint::Beside;
use super::graphs::{self, Order};
use super::kind::{FileKind, kind_of};
use super::loaded::{Loaded, read};
use super::onnx::Other;
use super::{ImportError, ImportRequest, Imported, archive, checkpoint, demucs, torch};
use vocalhost_onnx::OnnxFile;

/// The most files of one model.
const MAX_FILES: usize = 32;

/// The files of one model by what they are.
#[derive(Debug, Default)]
struct Given {
    graphs: Vec<PathBuf>,
    archives: Vec<PathBuf>,
    /// Files of weights that are no archives.
    weights: Vec<PathBuf>,
    indexes: Vec<PathBuf>,
    data: Vec<PathBuf>,
}

/// Makes a package of what was given.
pub(super) fn import(request: &ImportRequest<'_>) -> Result<Imported, ImportError> {
    let given = Given::sort(request.files)?;
    for archive in &given.archives {
        if archive::is_one(archive) {
            return Err(refused(
                archive,
                "is a package, which is imported by itself",
            ));
        }
        if let Some(reason) = torch::why_none(archive) {
            return Err(refused(archive, reason));
        }
    }
    match given.checkpoints().as_slice() {
        [] => of_graphs(request, &given),
        [path] if given.graphs.is_empty() => {
            let beside = Beside::of(&given.indexes, &given.data);
            checkpoint::import(request, path, beside)
        }
        several if given.graphs.is_empty() && demucs::are_all(several) => {
            let bag = Beside::of(&given.indexes, &given.data).alone("the bag's .yaml")?;
            demucs::import(request, several, bag)
        }
        [first, ..] => Err(refused(
            first,
            "is one of several models; they are imported one by one",
        )),
    }
}

impl Given {
    /// Everything that may be a checkpoint.
    fn checkpoints(&self) -> Vec<&PathBuf> {
        self.archives.iter().chain(&self.weights).collect()
    }

    fn sort(files: &[PathBuf]) -> Result<Self, ImportError> {
        let mut given = Self::default();
        if files.len() > MAX_FILES {
            let reason = format!(
                "is one of {} files; a model has {MAX_FILES} at most",
                files.len()
            );
            return Err(refused(&files[0], reason));
        }
        for file in files {
            if file.is_dir() {
                return Err(refused(
                    file,
                    "is a folder; that of a package is given alone, of another one the files",
                ));
            }
            let kind = kind_of(file).map_err(|source| ImportError::Io {
                file: file.clone(),
                source,
            })?;
            match kind {
                FileKind::Onnx => given.graphs.push(file.clone()),
                FileKind::Archive => given.archives.push(file.clone()),
                FileKind::Faiss => given.indexes.push(file.clone()),
                FileKind::Useless(reason) => return Err(refused(file, reason)),
                FileKind::Weights => given.weights.push(file.clone()),
                FileKind::Data => given.data.push(file.clone()),
            }
        }
        if let [_, second, ..] = given.indexes.as_slice() {
            return Err(refused(second, "is a second index; a voice has one"));
        }
        Ok(given)
    }
}

fn of_graphs(request: &ImportRequest<'_>, given: &Given) -> Result<Imported, ImportError> {
    let contents = given.graphs.iter().map(|path| Ok((path, read(path)?)));
    let mut contents = contents.collect::<Result<Vec<_>, ImportError>>()?;
    let mut data = given.data.clone();
    let has_weights_elsewhere =
        |bytes: &[u8]| OnnxFile::parse(bytes).is_ok_and(|file| file.has_weights_elsewhere());
    // A graph alone has no weights beside it that could be taken for one.
    let is_alone = contents.len() == 1;
    if !is_alone
        && contents
            .iter()
            .any(|(_, bytes)| has_weights_elsewhere(bytes))
    {
        // Weights may begin with the bytes that a graph begins with.
        let (graphs, weights) = contents
            .into_iter()
            .partition(|(_, bytes)| OnnxFile::parse(bytes).is_ok());
        contents = graphs;
        let weights: Vec<(&PathBuf, Vec<u8>)> = weights;
        data.extend(weights.into_iter().map(|(path, _)| path.clone()));
    }
    let others = data.iter().map(|file| Other {
        file: file.clone(),
        called: request.called(file),
    });
    let others: Vec<Other> = others.collect();
    let graphs = contents
        .iter()
        .map(|(path, bytes)| Loaded::check_with((path, &request.called(path)), bytes, &others))
        .collect::<Result<Vec<_>, _>>()?;
    let Some((graph, more)) = graphs.split_first() else {
        return Err(no_model(request, given));
    };
    let is_used = |file: &PathBuf| {
        graphs
            .iter()
            .any(|graph| graph.weights().any(|used| used == file))
    };
    if let Some(unused) = data.iter().find(|file| !is_used(file)) {
        return Err(refused(
            unused,
            "is of no known kind, and no graph has its weights there",
        ));
    }
    graphs::import(&Order {
        request,
        graph,
        more,
        index: given.indexes.first(),
        source: None,
        called: &[],
        known: None,
    })
}

/// There is neither a graph nor a checkpoint among the files.
fn no_model(request: &ImportRequest<'_>, given: &Given) -> ImportError {
    if let (Some(index), []) = (given.indexes.first(), given.data.as_slice()) {
        return refused(
            index,
            "is a retrieval index (FAISS), which belongs to a voice; give it together with the voice's own file",
        );
    }
    let first = given.data.first().or(request.files.first());
    refused(
        first.map_or(std::path::Path::new(""), PathBuf::as_path),
        "is of no known kind: neither a graph (ONNX) nor a checkpoint of torch nor a package",
    )
}

fn refused(file: &std::path::Path, reason: impl Into<String>) -> ImportError {
    ImportError::Refused {
        file: file.to_owned(),
        reason: reason.into(),
    }
}
