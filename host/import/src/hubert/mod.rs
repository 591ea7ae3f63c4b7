//! Content encoders of the `HuBERT` kind (`ContentVec` among them) as torch or transformers have saved them, made into graphs.
//!
//! The graph is drawn here from our own description of the architecture, with the dimensions that the weights have. It gives what
//! RVC listens to: the last layer, and where there is the last projection, that of the ninth and of the last.

mod known;
mod names;
mod network;
mod settings;
mod sizes;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use super::asked::Asked;
use super::drawing::{DrawFault, Network, Weights};
use super::graphs::{Order, Vectors, import_encoder};
use super::loaded::Loaded;
use super::torch::{Entry, TorchFile};
use super::{Answers, ImportError, ImportRequest, Imported};
use settings::Settings;
use sizes::Sizes;
use vocalhost_model::Kind;

/// What messages call a file with the weights of an encoder.
const WHAT: &str = "content encoder of HuBERT's base size";
/// What transformers calls weights, whatever they are of.
const NAMELESS: [&str; 2] = ["pytorch_model", "model"];

/// The dictionary with the weights of an encoder, if the file has one.
pub(super) fn weights_in(file: &TorchFile) -> Option<Entry> {
    let document = file.document();
    document.weights(|dict| names::is_one(&document.members(dict).map(|(name, _)| name)))
}

/// Makes a package of the checkpoint at `path`, whose weights are in the dictionary `dict`, with the settings in the file `config`
/// if there is one.
pub(super) fn import(
    request: &ImportRequest<'_>,
    (path, mut file): (&Path, TorchFile),
    dict: Entry,
    config: Option<&PathBuf>,
) -> Result<Imported, ImportError> {
    request.check_wanted(Kind::Content)?;
    let settings = match config {
        Some(config) => Settings::of_json(config).map_err(|fault| fault.of(config))?,
        None => of_document(&file).map_err(|fault| fault.of(path))?,
    };
    let (bytes, vectors) = drawn(&mut file, dict, &settings).map_err(|fault| fault.of(path))?;
    drop(file);
    let known = known::known(path).map_err(|source| DrawFault::Io(source).of(path))?;
    let folder = folder(path);
    let answers = titled(request.answers, path, folder.as_deref());
    let request = ImportRequest {
        answers: &answers,
        ..*request
    };
    let called: Vec<String> = settings.name.into_iter().chain(folder).collect();
    let graph = Loaded::check(path, &bytes, &[])?;
    let order = Order {
        request: &request,
        graph: &graph,
        more: &[],
        index: None,
        source: None,
        called: &called,
        known,
    };
    import_encoder(&order, Asked::new(&request.answers.facts), &vectors)
}

fn of_document(file: &TorchFile) -> Result<Settings, DrawFault> {
    match file.document().root() {
        Some(root) => Settings::of_fairseq(file.document(), root),
        None => Ok(Settings::default()),
    }
}

/// The graph, and what it gives.
fn drawn(
    file: &mut TorchFile,
    dict: Entry,
    settings: &Settings,
) -> Result<(Vec<u8>, Vec<Vectors>), DrawFault> {
    let weights = Weights::of((file.document(), dict), file.length(), WHAT, names::name)?;
    let sizes = Sizes::of(&weights, settings)?;
    let (network, vectors): (Network, _) = network::draw(file, weights, &sizes)?;
    Ok((network.into_bytes("hubert"), vectors))
}

/// The folder that nameless weights lie in, which is called what they are.
fn folder(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_string_lossy();
    let folder = path.parent()?.file_name()?;
    let is_nameless = NAMELESS.contains(&stem.as_ref());
    is_nameless.then(|| folder.to_string_lossy().into_owned())
}

/// What a person said, and the folder's name in the place of one that says nothing.
fn titled(answers: &Answers, path: &Path, folder: Option<&str>) -> Answers {
    let mut titled = answers.clone();
    let stem = path.file_stem().map(|stem| stem.to_string_lossy());
    if titled.untitled.is_none() && stem.is_some_and(|stem| NAMELESS.contains(&stem.as_ref())) {
        titled.untitled = folder.map(str::to_owned);
    }
    titled
}
