//! The models of a folder, each looked at by a child.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::bags;
use super::index::index_of;
use super::settings::settings_of;
use super::walk::{Walked, walk};
use crate::cli::CliError;
use crate::cli::models::library::Opened;
use crate::cli::models::told::shown;
use vocalhost_catalogues::library::LibraryError;
use vocalhost_model::Kind;
use vocalhost_system::clock;
use vocalhost_work::worker::glance::{Glance, Seen};
use vocalhost_work::worker::import::ImportFault;

/// A file of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surveyed {
    /// Where it lies, and its path within the folder, as people know it.
    pub file: PathBuf,
    pub within: PathBuf,
    pub bytes: u64,
    pub sha256: Option<String>,
    pub state: State,
}

/// What can be done with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// A model that is not here yet.
    New(Model),
    /// A model that was imported before, with the number or id that `models show` takes.
    Here(Model, String),
    /// The same file as another of the folder.
    Twin(PathBuf),
    /// Nothing that this server imports, and what it is.
    Other(String),
    /// Damaged, or not to be used, and why.
    Refused(String),
}

/// What a file is as a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    pub kind: Kind,
    pub name: String,
    /// What belongs to it: weights of a graph, the index of a voice.
    pub more: Vec<PathBuf>,
}

/// All files of a folder that may be models, and how many others only training needs. Encoders and F0 estimators come first: voices
/// are bound to those that are there.
pub async fn survey(folder: &Path, opened: &Opened) -> Result<(Vec<Surveyed>, usize), CliError> {
    let walked = walk(folder)?;
    let here = opened.library.sources(clock::now_us()).await?;
    let mut seen: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut separators: BTreeSet<&PathBuf> = BTreeSet::new();
    let mut surveyed = Vec::new();
    for file in &walked.models {
        let within = file.strip_prefix(folder).unwrap_or(file).to_owned();
        let (state, sha256) = match glance(opened, file).await? {
            Ok(Glance { seen: look, sha256 }) => {
                if matches!(look, Seen::Model { kind, .. } if kind == Kind::Separator) {
                    separators.insert(file);
                }
                let state = match seen.get(&sha256) {
                    Some(first) => State::Twin(first.clone()),
                    None => state(look, file, &walked, here.get(&sha256)),
                };
                seen.entry(sha256.clone()).or_insert_with(|| within.clone());
                (state, Some(sha256))
            }
            Err(reason) => (State::Refused(reason), None),
        };
        surveyed.push(Surveyed {
            bytes: bytes_of(file),
            file: file.clone(),
            within,
            sha256,
            state,
        });
    }
    for text in bags::may_be(&walked.settings, &walked.models) {
        let Ok(Glance { seen, sha256 }) = glance(opened, text).await? else {
            continue;
        };
        let Seen::Bag { models } = seen else {
            continue;
        };
        let state = of_bag((text, &models), (&walked, &separators), here.get(&sha256));
        let mut bytes = bytes_of(text);
        if let State::New(model) | State::Here(model, _) = &state {
            // The models of a bag are not listed on their own.
            surveyed.retain(|one| !model.more.contains(&one.file));
            bytes += model.more.iter().map(|file| bytes_of(file)).sum::<u64>();
        }
        surveyed.push(Surveyed {
            bytes,
            file: text.clone(),
            within: text.strip_prefix(folder).unwrap_or(text).to_owned(),
            sha256: Some(sha256),
            state,
        });
    }
    surveyed.sort_by_key(|one| match &one.state {
        State::New(model) | State::Here(model, _) => match model.kind {
            Kind::Content | Kind::F0 | Kind::Speaker => 0,
            Kind::Separator => 1,
            Kind::Voice => 2,
        },
        State::Twin(_) => 3,
        State::Other(_) => 4,
        State::Refused(_) => 5,
    });
    Ok((surveyed, walked.of_training))
}

/// What a child sees of a file, or why it cannot be used.
async fn glance(opened: &Opened, file: &Path) -> Result<Result<Glance, String>, CliError> {
    match opened.library.glance(file, &beside(file)).await {
        Ok(glance) => Ok(Ok(glance)),
        Err(LibraryError::Import(ImportFault::Rejected { reason, .. })) => Ok(Err(reason)),
        Err(other) => Err(other.into()),
    }
}

/// Of a file, or of all in the folder of a package.
fn bytes_of(file: &Path) -> u64 {
    let size = |path: &Path| path.metadata().map_or(0, |facts| facts.len());
    if !file.is_dir() {
        return size(file);
    }
    let entries = std::fs::read_dir(file).into_iter().flatten().flatten();
    entries.map(|entry| size(&entry.path())).sum()
}

fn state(look: Seen, file: &Path, walked: &Walked, here: Option<&String>) -> State {
    let (kind, name, mut more, settings) = match look {
        Seen::Model {
            kind,
            name,
            weights,
            settings,
        } => (kind, name, weights, settings),
        Seen::Bag { .. } => return State::Other("is a bag of Demucs".to_owned()),
        Seen::Other(what) => return State::Other(what),
    };
    if file.is_dir() || file.extension().is_some_and(|ending| ending == "vmp") {
        // A package has all that belongs to it.
        return new_or_here(Model { kind, name, more }, here);
    }
    if kind == Kind::Voice {
        more.extend(index_of(file, &walked.models, &walked.indexes).cloned());
    }
    if kind == Kind::Content {
        more.extend(configuration_of(file));
    }
    if let Some(of) = settings {
        more.extend(settings_of(file, &of, &walked.models, &walked.settings).cloned());
    }
    new_or_here(Model { kind, name, more }, here)
}

/// What transformers says of an encoder beside its weights.
fn configuration_of(weights: &Path) -> Option<PathBuf> {
    let configuration = weights.with_file_name("config.json");
    configuration.is_file().then_some(configuration)
}

/// The state of a text that is a bag. Models of a generation that is not imported here do not belong to it.
fn of_bag(
    (text, names): (&Path, &[String]),
    (walked, separators): (&Walked, &BTreeSet<&PathBuf>),
    here: Option<&String>,
) -> State {
    let files = match bags::files_of(text, names, &walked.models) {
        Ok(files) => files,
        Err(name) => {
            return State::Other(format!(
                "is a bag of Demucs, whose model {} does not lie beside it",
                shown(Path::new(&format!("{name}-….th")))
            ));
        }
    };
    if let Some(other) = files.iter().find(|file| !separators.contains(*file)) {
        let name = shown(Path::new(other.file_name().unwrap_or_default()));
        return State::Other(format!(
            "is a bag of Demucs, whose model {name} is not imported"
        ));
    }
    let name = text.file_stem().unwrap_or_default().to_string_lossy();
    let model = Model {
        kind: Kind::Separator,
        name: name.trim().to_owned(),
        more: files.into_iter().cloned().collect(),
    };
    new_or_here(model, here)
}

fn new_or_here(model: Model, here: Option<&String>) -> State {
    match here {
        Some(id) => State::Here(model, id.clone()),
        None => State::New(model),
    }
}

/// Files beside a graph that may hold its weights: those whose names begin with its own.
fn beside(file: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(stem)) = (file.parent(), file.file_stem()) else {
        return Vec::new();
    };
    if file.extension().is_none_or(|ending| ending != "onnx") {
        return Vec::new();
    }
    let stem = stem.to_string_lossy();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let may_be = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let ending = name.strip_prefix(stem.as_ref()).unwrap_or_default();
        [".data", ".onnx.data", ".onnx_data", ".bin", ".weights"].contains(&ending)
    };
    entries.map(|entry| entry.path()).filter(may_be).collect()
}

impl Surveyed {
    /// Its kind, a word.
    pub fn kind(&self) -> &'static str {
        match &self.state {
            State::New(model) | State::Here(model, _) => model.kind.as_str(),
            State::Twin(_) => "twin",
            State::Other(_) => "other",
            State::Refused(_) => "refused",
        }
    }

    /// What there is to say of it, for a line of a list.
    pub fn remark(&self) -> String {
        match &self.state {
            State::New(model) => match model.more.as_slice() {
                [] => String::new(),
                more => {
                    let names: Vec<_> = more.iter().filter_map(|file| file.file_name()).collect();
                    let names = names.iter().map(|name| shown(Path::new(name)));
                    format!("with {}", names.collect::<Vec<_>>().join(", "))
                }
            },
            State::Here(_, id) => format!("is here already: {id}"),
            State::Twin(first) => format!("is the same file as {}", shown(first)),
            State::Other(reason) | State::Refused(reason) => reason.clone(),
        }
    }

    /// As JSON.
    pub fn record(&self) -> Value {
        let mut record = json!({
            "file": shown(&self.within),
            "bytes": self.bytes,
            "sha256": self.sha256,
            "state": match &self.state {
                State::New(_) => "new",
                State::Here(..) => "here",
                State::Twin(_) => "twin",
                State::Other(_) => "other",
                State::Refused(_) => "refused",
            },
        });
        match &self.state {
            State::New(model) | State::Here(model, _) => {
                record["kind"] = model.kind.as_str().into();
                record["name"] = model.name.clone().into();
                let more = model.more.iter().map(|file| shown(file));
                record["more"] = more.collect::<Vec<_>>().into();
            }
            State::Twin(first) => record["sameAs"] = shown(first).into(),
            State::Other(reason) | State::Refused(reason) => {
                record["reason"] = reason.clone().into();
            }
        }
        if let State::Here(_, id) = &self.state {
            record["id"] = id.clone().into();
        }
        record
    }
}
