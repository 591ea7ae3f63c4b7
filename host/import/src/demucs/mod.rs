//! Demucs of the fourth generation as its program has saved it, made into graphs: `htdemucs`, `htdemucs_6s`, and the bag `htdemucs_ft`,
//! whose models come together. The graphs are drawn here in the form that exporters give them, with the transforms outside.

mod bag;
mod network;
mod parts;
mod plan;
mod positions;
mod settings;
#[cfg(test)]
mod tests;
mod transformer;

use std::path::{Path, PathBuf};

use super::drawing::{DrawFault, Weights};
use super::graphs::{self, Order};
use super::loaded::Loaded;
use super::torch::TorchFile;
use super::{Answers, ImportError, ImportRequest, Imported};
pub(super) use bag::Bag;
use settings::{Settings, WHAT};
use vocalhost_model::Kind;

/// Where its weights are.
const STATE: &str = "state";
/// The most models of a bag.
const MAX_MODELS: usize = 16;

/// Whether a file of weights is such a Demucs.
pub(super) fn is_one(file: &TorchFile) -> bool {
    settings::is_one(file.document())
}

/// Whether every one of several files is such a Demucs; one that cannot be read is not.
pub(super) fn are_all(paths: &[&PathBuf]) -> bool {
    paths
        .iter()
        .all(|path| TorchFile::open(path).is_ok_and(|file| is_one(&file)))
}

/// Makes a package of the models at `paths`, with the bag in the file `bag` if there is one.
pub(super) fn import(
    request: &ImportRequest<'_>,
    paths: &[&PathBuf],
    bag: Option<&PathBuf>,
) -> Result<Imported, ImportError> {
    request.check_wanted(Kind::Separator)?;
    if let Some(more) = paths.get(MAX_MODELS) {
        let reason = format!("is one of more than {MAX_MODELS} models");
        return Err(DrawFault::refused(reason).of(more));
    }
    let (paths, bag) = match bag {
        None => (paths.to_vec(), None),
        Some(file) => {
            let read = Bag::of_file(file).map_err(|fault| fault.of(file))?;
            let called = paths.iter().map(|&path| (path, request.called(path)));
            let called: Vec<(&PathBuf, PathBuf)> = called.collect();
            let paths = read.ordered(&called).map_err(|fault| fault.of(file))?;
            (paths, Some((file, read)))
        }
    };
    let read = bag.as_ref().map(|(_, read)| read);
    let mut drawn: Vec<Drawn> = Vec::with_capacity(paths.len());
    for path in &paths {
        let next = self::drawn(path, read).map_err(|fault| fault.of(path))?;
        if let Some(first) = drawn.first()
            && first.sources != next.sources
        {
            let reason = format!(
                "estimates {}, and the first of its models {}",
                next.sources.join(", "),
                first.sources.join(", ")
            );
            return Err(DrawFault::refused(reason).of(path));
        }
        drawn.push(next);
    }
    let sources = drawn.first().map_or(&[][..], |first| &first.sources);
    let answers = answered(request.answers, sources, bag.as_ref())?;
    let request = ImportRequest {
        answers: &answers,
        ..*request
    };
    let graphs = paths
        .iter()
        .zip(&drawn)
        .map(|(path, drawn)| Loaded::check(path, &drawn.graph, &[]))
        .collect::<Result<Vec<_>, _>>()?;
    let Some((graph, more)) = graphs.split_first() else {
        return Err(DrawFault::refused("is no model".to_owned()).of(Path::new("")));
    };
    graphs::import(&Order {
        request: &request,
        graph,
        more,
        index: None,
        // The same models are in several bags.
        source: bag.as_ref().map(|(file, _)| file.as_path()),
        called: &[],
        known: None,
    })
}

/// A model as a graph.
struct Drawn {
    graph: Vec<u8>,
    sources: Vec<String>,
}

fn drawn(path: &Path, bag: Option<&Bag>) -> Result<Drawn, DrawFault> {
    let mut file = TorchFile::open(path)?;
    let document = file.document();
    let mut settings = Settings::of(document)?;
    if let Some(bag) = bag {
        settings.samples = bag.samples(settings.samples);
    }
    let state = document
        .root()
        .and_then(|root| document.member_entry(root, STATE));
    let state = state.ok_or_else(|| DrawFault::refused("has no weights (state)".to_owned()))?;
    if document.member(state, "__quantized").is_some() {
        return Err(DrawFault::refused(
            "has weights in fewer bits than 16 (quantised by diffq), which are not read; use the model that it was made from"
                .to_owned(),
        ));
    }
    let name = |key: &str| Some(key.to_owned());
    let weights = Weights::of((document, state), file.length(), WHAT, name)?;
    let network = network::draw(&mut file, weights, &settings)?;
    Ok(Drawn {
        graph: network.into_bytes("htdemucs"),
        sources: settings.sources,
    })
}

/// What a person said, and what the files say in the place of what nobody did.
fn answered(
    answers: &Answers,
    sources: &[String],
    bag: Option<&(&PathBuf, Bag)>,
) -> Result<Answers, ImportError> {
    let mut answered = answers.clone();
    let stems = "stems".to_owned();
    answered
        .facts
        .entry(stems)
        .or_insert_with(|| sources.join(","));
    let Some((file, bag)) = bag else {
        return Ok(answered);
    };
    if answered.untitled.is_none() {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        answered.untitled = Some(stem.trim().to_owned()).filter(|stem| !stem.is_empty());
    }
    if bag.is_of_several() && !answered.facts.contains_key("weights") {
        let rows = bag.weights(sources.len()).map_err(|fault| fault.of(file))?;
        answered.facts.insert("weights".to_owned(), rows);
    }
    Ok(answered)
}
