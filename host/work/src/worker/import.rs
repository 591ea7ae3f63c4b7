//! A look at a model that somebody wants to import, in a child process with limits of its own: the server itself reads
//! nothing of it. The child makes a package of it and tries it out.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Resource;
use serde::{Deserialize, Serialize};
use tokio::process::Command;

use super::child::{self, BESIDE_JOBS, Fault, Look, absolute};
use super::encoder;
use super::{trial, walls};
use vocalhost_import::{ImportError, ImportRequest};
use vocalhost_letters::words::{plain, quoted};
use vocalhost_model::{Catalog, Kind, Manifest, ModelError, Package, Runtime};
use vocalhost_system::memory;

pub use vocalhost_import::{Answers, Question, Why};

/// Processor time: hashing and writing a gigabyte takes some seconds, and the trial of the largest separators some minutes: the products
/// of a BS-RoFormer alone take 111 s for a piece on one core of a machine of 2026, and there are slower ones. The wall allows for a
/// machine whose jobs leave it most of a processor. Memory: the largest file that a package may
/// have, a copy of it in the inference library, and what a run needs beside. No file of a package may be larger than what the
/// child may write, and an answer is sentences about what was found, or questions.
const LOOK: Look = Look {
    wall: Duration::from_mins(10),
    limits: &[
        (Resource::Data, 6 << 30),
        (Resource::Cpu, 420),
        (Resource::Fsize, 1 << 30),
    ],
    niceness: BESIDE_JOBS,
    max_answer_bytes: 256 << 10,
};

/// Why a model is refused that a limit of the look stops.
const TOO_MUCH: &str =
    "the model asks for more time or memory than looking at one and trying it takes";

/// The most characters of a reason or of something that was found. Words of the files are in both, and both are printed.
const MAX_SENTENCE: usize = 2_000;

/// The most encoders that a question names.
const MAX_ENCODERS: usize = 16;

/// What is said of an output whose length is another than the package promises.
const NOT_THAT_SHAPE: &str = "which is not tensor.";

/// What to do with a graph that has one length inside.
const TRACED_ONCE: &str = "inside it knows one length only, as happens where a length is made a plain number (`int(x.shape[2])`) while \
     a model is exported. Export it again with lengths that stay tensors, or import the checkpoint that it was made from";

/// What ONNX Runtime says when it gets no more memory: of its own, and passed on from the C++ library.
const OUT_OF_MEMORY: [&str; 2] = ["Failed to allocate memory", "std::bad_alloc"];

/// What the child is to do. It lies in a file beside the package that is to be.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ImportOrder {
    /// The files of one model; the first one is the model itself.
    pub files: Vec<PathBuf>,
    /// What a person said about it.
    pub answers: Answers,
    /// An empty folder, which becomes the package.
    pub target: PathBuf,
    /// The day of the import, `YYYY-MM-DD`.
    pub today: String,
    /// Folders of model packages, where a voice finds what it needs.
    pub models_dirs: Vec<PathBuf>,
    /// The ONNX Runtime library; `None` looks in the usual places.
    pub onnxruntime: Option<PathBuf>,
    /// Ids of content encoders that go before others for voices that name none.
    #[serde(default)]
    pub voice_parts: Vec<String>,
    /// Memory that a worker may hold.
    pub worker_memory_bytes: u64,
    /// What it may be, if not anything.
    pub only: Option<Kind>,
}

impl ImportOrder {
    /// The same order for a child that is in another folder.
    fn with_absolute_paths(&self) -> Self {
        let all = |paths: &[PathBuf]| paths.iter().map(|path| absolute(path)).collect();
        // Without a name the library may be where a relative path of the environment leads.
        let found = Runtime::locate(self.onnxruntime.as_deref()).ok();
        Self {
            files: all(&self.files),
            answers: self.answers.clone(),
            target: absolute(&self.target),
            today: self.today.clone(),
            models_dirs: all(&self.models_dirs),
            onnxruntime: found.or_else(|| self.onnxruntime.as_deref().map(absolute)),
            voice_parts: self.voice_parts.clone(),
            worker_memory_bytes: self.worker_memory_bytes,
            only: self.only,
        }
    }
}

/// What a model turned out to be. Its package lies in the target folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// The package's id.
    pub id: String,
    /// What it is for.
    pub kind: Kind,
    /// The family that it belongs to, as manifests name it.
    pub family: String,
    /// What was found, a sentence each.
    pub found: Vec<String>,
}

/// Why a model was not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportFault {
    /// The files cannot be used; whoever imports them may read why.
    #[error("{reason}")]
    Rejected {
        /// The position of the file among those of the order, if it is the fault of one.
        file: Option<usize>,
        /// What is wrong.
        reason: String,
    },
    /// The files do not say everything, or what a person said cannot be taken.
    #[error("still to be said about it: {}", names(.0))]
    Missing(Vec<Question>),
    /// It is a model of another kind than was wanted.
    #[error("it is a model of the kind {}", .kind.as_str())]
    NotWanted {
        /// What it is.
        kind: Kind,
    },
    /// The look itself failed, which says nothing about the model.
    #[error("cannot look at a model: {0}")]
    Broken(String),
}

fn names(questions: &[Question]) -> String {
    let names: Vec<&str> = questions.iter().map(|one| one.name.as_str()).collect();
    names.join(", ")
}

/// Why the child refuses a model.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Refusal {
    Unusable { file: Option<usize>, reason: String },
    Missing(Vec<Question>),
    NotWanted(Kind),
}

type Answer = child::Answer<Findings, Refusal>;

/// Makes a package of a model in a child process, `program import-model ORDER`, where `order_file` is written first.
pub async fn import_in_child(
    program: &Path,
    order: &ImportOrder,
    order_file: &Path,
) -> Result<Findings, ImportFault> {
    let broken = |error: &dyn std::fmt::Display| ImportFault::Broken(error.to_string());
    let text = serde_json::to_vec(&order.with_absolute_paths()).map_err(|error| broken(&error))?;
    let written = tokio::fs::write(order_file, text).await;
    written.map_err(|error| broken(&error))?;
    let mut command = Command::new(program);
    command.arg("import-model").arg(absolute(order_file));
    LOOK.ask(command, order_file).await.map_err(fault)
}

fn fault(fault: Fault<Refusal>) -> ImportFault {
    let unusable = |reason: &str| ImportFault::Rejected {
        file: None,
        reason: reason.to_owned(),
    };
    match fault {
        Fault::Rejected(Refusal::Unusable { file, reason }) => {
            ImportFault::Rejected { file, reason }
        }
        Fault::Rejected(Refusal::Missing(questions)) => ImportFault::Missing(questions),
        Fault::Rejected(Refusal::NotWanted(kind)) => ImportFault::NotWanted { kind },
        Fault::TooMuch => unusable(TOO_MUCH),
        Fault::TooLong => unusable("there is more to say about the model than anybody would read"),
        // A mistake of ours, but about this file, and sending it again will not help.
        Fault::Panicked(reason) => {
            tracing::error!(%reason, "looking at a model ended in a panic");
            unusable("the model cannot be read")
        }
        Fault::Broken(reason) => ImportFault::Broken(reason),
    }
}

/// The child's side, to be called before anything else in a process of its own: limits this process for good, makes a
/// package, tries it out, and returns the line to print.
#[must_use]
pub fn answer(order_file: &Path) -> String {
    // Our own words, which say what the walls have to leave.
    let order = read(order_file);
    let walls = order.as_ref().map(walls::of_import).unwrap_or_default();
    LOOK.answer(walls, || match order {
        Ok(order) => make(&order),
        Err(reason) => Answer::Broken(reason),
    })
}

fn read(order_file: &Path) -> Result<ImportOrder, String> {
    let text = std::fs::read(order_file).map_err(|error| error.to_string())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

fn make(order: &ImportOrder) -> Answer {
    let models = Catalog::open(&order.models_dirs).preferring(&order.voice_parts);
    let identities: Vec<String> = models.encoder_identities().map(str::to_owned).collect();
    let request = ImportRequest {
        files: &order.files,
        answers: &order.answers,
        target: &order.target,
        today: &order.today,
        only: order.only,
        identities: &identities,
    };
    let mut found = match vocalhost_import::import(&request) {
        Ok(imported) => imported.found,
        Err(ImportError::Missing { mut questions }) => {
            name_encoders(&mut questions, &models);
            return Answer::Rejected(Refusal::Missing(questions));
        }
        Err(error) => return refusal(order, error),
    };
    let package = match Package::open(&order.target).and_then(|package| {
        package.verify()?;
        Ok(package)
    }) {
        Ok(package) => package,
        Err(error) => return rejected(order, None, &error.to_string()),
    };
    let mut misnamed = of_another_kind(&order.answers, &models);
    if misnamed.is_empty() {
        misnamed.extend(unfitting(&order.answers, package.manifest(), &models));
    }
    if !misnamed.is_empty() {
        return Answer::Rejected(Refusal::Missing(misnamed));
    }
    let made = package.with_structure();
    let package = match made.and_then(|package| bind(package, &models, &mut found)) {
        Ok(package) => package,
        Err(error) => return rejected(order, None, &error.to_string()),
    };
    let runtime = match Runtime::load(order.onnxruntime.as_deref()) {
        Ok(runtime) => runtime,
        Err(error) => return Answer::Broken(error.to_string()),
    };
    let scratch = order.target.with_extension("trial");
    memory::forget_peak();
    match trial::run(&runtime, &package, &models, &scratch) {
        Ok(said) => {
            found.extend(said);
            found.extend(too_much_for_a_worker(order.worker_memory_bytes));
        }
        Err(error @ (ModelError::LibraryMissing { .. } | ModelError::LibraryUnusable { .. })) => {
            return Answer::Broken(error.to_string());
        }
        Err(error) => return rejected(order, None, &in_words(&error)),
    }
    match encoder::known(&runtime, package, &models, &mut found) {
        Ok(Ok(package)) => Answer::Ok(findings(&package, &found)),
        Ok(Err(question)) => Answer::Rejected(Refusal::Missing(vec![question])),
        Err(error) => rejected(order, None, &in_words(&error)),
    }
}

/// Binds a voice of RVC that names no content encoder to one that is there: it keeps that, whatever is installed later. Says which one it is
/// bound to.
fn bind(
    package: Package,
    models: &Catalog,
    found: &mut Vec<String>,
) -> Result<Package, ModelError> {
    let voice = package.manifest();
    let named = voice.rvc.as_ref().and(voice.voice.as_ref());
    let named = named.and_then(|facts| models.find(facts.content.as_deref()?));
    let Some(encoder) = named.or_else(|| models.encoder_to_bind(voice)) else {
        return Ok(package);
    };
    let encoder = encoder.manifest();
    let bound = match named {
        Some(_) => package,
        None => package.bound_to(&encoder.id)?,
    };
    let content = encoder.content.as_ref();
    found.push(
        match content.and_then(|content| content.identity.as_ref()) {
            Some(identity) => format!(
                "It is bound to the content encoder {} ({identity}).",
                encoder.id
            ),
            None => format!(
                "It is bound to the content encoder {}, of which nobody has said which one it is.",
                encoder.id
            ),
        },
    );
    Ok(bound)
}

/// The answers that name a package which is there and is not what they have to name. A voice waits for one that is not there; one of
/// another kind it would wait for in vain.
fn of_another_kind(answers: &Answers, models: &Catalog) -> Vec<Question> {
    let named = |(name, wanted): (&str, Kind)| {
        let said = answers.facts.get(name)?.trim();
        let found = models.find(said)?.manifest().kind;
        (found != wanted).then(|| Question {
            name: name.to_owned(),
            why: Why::Wrong,
            text: format!(
                "{} cannot be taken: that is {}, not {}.",
                quoted(said),
                article(found),
                article(wanted)
            ),
            allowed: Vec::new(),
        })
    };
    let answers = [("content", Kind::Content), ("f0", Kind::F0)];
    answers.into_iter().filter_map(named).collect()
}

/// The answer that names a content encoder which is there, but gives other vectors than the voice wants.
fn unfitting(answers: &Answers, voice: &Manifest, models: &Catalog) -> Option<Question> {
    let said = answers.facts.get("content")?.trim();
    models.find(said)?;
    let missing = models.parts(voice).err()?;
    (missing.key == "voice.content").then(|| Question {
        name: "content".to_owned(),
        why: Why::Wrong,
        text: format!("{} cannot be taken: {}.", quoted(said), missing.reason),
        allowed: Vec::new(),
    })
}

/// Says in a question for an encoder which ones there are: whoever imports a voice may not be allowed to list packages.
fn name_encoders(questions: &mut [Question], models: &Catalog) {
    let Some(question) = questions.iter_mut().find(|asked| asked.name == "content") else {
        return;
    };
    let encoders = models.packages().iter().map(Package::manifest);
    let encoders = encoders.filter(|manifest| manifest.kind == Kind::Content);
    let named = encoders.filter_map(|manifest| {
        let channels = manifest.content.as_ref()?.dim;
        Some(format!("{} ({channels} channels)", manifest.id))
    });
    let named: Vec<String> = named.take(MAX_ENCODERS).collect();
    let installed = match named.as_slice() {
        [] => "None is installed yet".to_owned(),
        named => format!("Installed are {}", named.join(", ")),
    };
    question.text = format!(
        "{} {installed}; for another one the voice waits.",
        question.text
    );
}

/// What people call a package of a kind.
fn article(kind: Kind) -> &'static str {
    match kind {
        Kind::Voice => "a voice",
        Kind::Content => "a content encoder",
        Kind::F0 => "an F0 estimator",
        Kind::Separator => "a separator",
        Kind::Speaker => "a speaker encoder",
    }
}

/// What to say of a model whose trial took more memory than jobs have: workers have other limits than a look.
fn too_much_for_a_worker(limit_bytes: u64) -> Option<String> {
    let held = memory::peak_resident_bytes().filter(|held| *held > limit_bytes)?;
    Some(format!(
        "Trying it took {} MB of memory at once, and a worker may hold {} MB: jobs with it will run out of memory unless the setting \
         `worker_memory_bytes` is raised.",
        held / 1_000_000,
        limit_bytes / 1_000_000
    ))
}

/// Why the trial failed. An allocation that the inference library was refused comes back as an error of the model.
fn in_words(error: &ModelError) -> String {
    let said = error.to_string();
    if OUT_OF_MEMORY.iter().any(|words| said.contains(words)) {
        return TOO_MUCH.to_owned();
    }
    // The axes were declared free, and the runtime finds out what is inside.
    if said.contains(NOT_THAT_SHAPE) {
        return format!("{said}: {TRACED_ONCE}");
    }
    said
}

fn findings(package: &Package, found: &[String]) -> Findings {
    let manifest = package.manifest();
    let family = serde_json::to_value(manifest.family).ok();
    let family = family.and_then(|family| family.as_str().map(str::to_owned));
    Findings {
        id: manifest.id.clone(),
        kind: manifest.kind,
        family: family.unwrap_or_default(),
        found: found.iter().map(|said| plain(said, MAX_SENTENCE)).collect(),
    }
}

fn refusal(order: &ImportOrder, error: ImportError) -> Answer {
    let position = |file: &Path| order.files.iter().position(|one| one == file);
    match error {
        ImportError::Refused { file, reason } => rejected(order, position(&file), &reason),
        ImportError::Missing { questions } => Answer::Rejected(Refusal::Missing(questions)),
        ImportError::NotWanted { kind } => Answer::Rejected(Refusal::NotWanted(kind)),
        ImportError::Io { file, source } => match position(&file) {
            // Not even a file of a wrong kind fails to be read; one of the order that does was not there.
            Some(position) => rejected(order, Some(position), &source.to_string()),
            None => Answer::Broken(format!("{}: {source}", file.display())),
        },
    }
}

/// A refusal in words for whoever sent the model, who need not know where it lies.
fn rejected(order: &ImportOrder, file: Option<usize>, reason: &str) -> Answer {
    let mut reason = reason.to_owned();
    if let Ok(target) = order.target.canonicalize() {
        reason = reason.replace(&format!("{}/", target.display()), "");
    }
    reason = reason.replace(&format!("{}/", order.target.display()), "");
    let reason = plain(&reason, MAX_SENTENCE);
    Answer::Rejected(Refusal::Unusable { file, reason })
}

#[cfg(test)]
mod tests {
    use vocalhost_testing::repository;

    use super::*;

    #[test]
    fn a_graph_with_one_length_inside_is_told_from_a_wrong_package() {
        let error = |reason: &str| ModelError::File {
            path: "voice.onnx".into(),
            reason: reason.to_owned(),
        };
        let traced = "output audio has the shape [1, 1, 80000], which is not tensor.audio.shape";
        let said = in_words(&error(traced));
        assert!(
            said.contains("Export it again with lengths that stay tensors"),
            "{said}"
        );
        assert!(!in_words(&error("is damaged")).contains("Export it again"));
    }

    #[test]
    fn a_part_of_a_voice_is_not_another_voice() {
        let models = repository("models");
        let models = Catalog::open(&[models]);
        let of_kind = |kind: Kind| {
            let mut packages = models.packages().iter();
            let found = packages.find(|package| package.manifest().kind == kind);
            found.expect("it comes along").manifest().id.clone()
        };
        let [voice, content, f0] = [Kind::Voice, Kind::Content, Kind::F0].map(of_kind);
        let wrong = |content: &str, f0: &str| {
            let facts = [("content", content), ("f0", f0)];
            let facts = facts.map(|(name, said)| (name.to_owned(), said.to_owned()));
            let answers = Answers {
                facts: facts.into(),
                ..Answers::default()
            };
            of_another_kind(&answers, &models)
        };
        assert_eq!(wrong(&content, &f0), []);
        assert_eq!(wrong("not.there-1", "pyin"), []);
        let both = wrong(&f0, &voice);
        let names: Vec<&str> = both.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["content", "f0"]);
        let said = format!("\"{voice}\" cannot be taken: that is a voice, not an F0 estimator.");
        assert_eq!(both[1].text, said);

        // A voice of the first generation of RVC does not take the vectors of our own encoder.
        let mut rvc = models.find(&voice).expect("is there").manifest().clone();
        let facts = rvc.voice.as_mut().expect("is a voice");
        (facts.content, facts.content_dim) = (Some(content.clone()), 256);
        let answers = |said: &str| Answers {
            facts: [("content".to_owned(), said.to_owned())].into(),
            ..Answers::default()
        };
        let unfit = unfitting(&answers(&content), &rvc, &models).expect("it does not fit");
        assert_eq!((unfit.name.as_str(), unfit.why), ("content", Why::Wrong));
        assert!(unfit.text.contains("the voice wants"), "{}", unfit.text);
        assert_eq!(unfitting(&answers("not.there-1"), &rvc, &models), None);

        let mut asked = [unfit];
        name_encoders(&mut asked, &models);
        let named = format!("Installed are {content} (");
        assert!(asked[0].text.contains(&named), "{}", asked[0].text);
    }
}
