use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use super::library::{Opened, with_library};
use super::voices::title;
use super::{Chosen, CliError};
use crate::cli::actor::actor;
use crate::cli::database::user_id;
use crate::cli::progress::Waiting;
use crate::cli::{keys, print_json};
use vocalhost_api::v1::admin_models::record;
use vocalhost_api::v1::model_form;
use vocalhost_catalogues::library::{Import, ImportAsk, LibraryError, OnlySome, Wanted};
use vocalhost_letters::words::plain;
use vocalhost_model::{Catalog, Package, Task};
use vocalhost_store::{Store, VoiceOwner};
use vocalhost_system::clock;
use vocalhost_system::token;
use vocalhost_work::worker::import::{Answers, Findings, ImportFault, Question, Why};

/// The most characters of a file's name that are printed; no system has longer ones.
const MAX_SHOWN: usize = 4_096;

/// `vocalhost models import`.
#[derive(Debug, Args)]
pub struct ImportArguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Say what was imported in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// A model that is to be looked at, and what a person says about it.
#[derive(Debug, Args)]
pub struct ModelArguments {
    /// The files of one model: a checkpoint, a graph or an exported package, and what belongs to it; or the folder of a
    /// package.
    #[arg(id = "model_files", required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The title that people see.
    #[arg(long, value_parser = title)]
    name: Option<String>,
    /// The id of the package; voices get one of their own.
    #[arg(long)]
    id: Option<String>,
    /// The licence of the files.
    #[arg(long)]
    license: Option<String>,
    /// Who must be named.
    #[arg(long)]
    attribution: Option<String>,
    /// How the owner of the voice agreed.
    #[arg(long)]
    consent: Option<String>,
    /// What the model was trained on.
    #[arg(long)]
    trained_on: Option<String>,
    /// Where the model comes from.
    #[arg(long, value_name = "URL")]
    source_url: Option<String>,
    /// A tag of a voice; may be repeated.
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// A fact that the files do not say; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = fact)]
    facts: Vec<(String, String)>,
    /// A voice is everybody's; the default.
    #[arg(long, conflicts_with = "user")]
    public: bool,
    /// A voice is this user's alone.
    #[arg(long, value_name = "NAME", value_parser = keys::user_name)]
    user: Option<String>,
}

impl ModelArguments {
    /// The files.
    pub fn files(&self) -> Result<Vec<PathBuf>, CliError> {
        let whole = |file: &PathBuf| {
            let missing = || CliError::Missing(format!("file {}", shown(file)));
            let path = std::path::absolute(file).map_err(|_| missing())?;
            let facts = path.metadata().map_err(|_| missing())?;
            if path.to_str().is_none() {
                let what = format!(
                    "{} has a name that is no UTF-8 text: rename it",
                    shown(file)
                );
                return Err(CliError::WrongState(what));
            }
            // Whoever opens a pipe waits for somebody to write into it.
            if facts.is_file() || facts.is_dir() {
                return Ok(path);
            }
            let what = format!("{} is neither a file nor a folder", shown(file));
            Err(CliError::WrongState(what))
        };
        self.files.iter().map(whole).collect()
    }

    /// What is said about them.
    pub fn answers(&self) -> Answers {
        Answers {
            id: self.id.clone(),
            untitled: None,
            title: self.name.clone(),
            license: self.license.clone(),
            attribution: self.attribution.clone(),
            trained_on: self.trained_on.clone(),
            consent: self.consent.clone(),
            source_url: self.source_url.clone(),
            tags: model_form::tidy_tags(self.tags.iter().map(String::as_str)),
            facts: self.facts.iter().cloned().collect::<BTreeMap<_, _>>(),
        }
    }

    /// The error of a model, as [`ModelArguments::explain`] has it; for programs the reason is printed as JSON, too.
    pub fn fail(&self, error: LibraryError, as_json: bool) -> CliError {
        let told = match &error {
            LibraryError::Import(ImportFault::Missing(questions)) => {
                Some(json!({ "questions": questions }))
            }
            LibraryError::Import(ImportFault::Rejected { reason, .. }) => {
                Some(json!({ "refused": reason }))
            }
            _ => None,
        };
        let error = self.explain(error);
        if as_json {
            print_json(&told.unwrap_or_else(|| json!({ "refused": error.to_string() })));
        }
        error
    }

    /// The error of a model that is refused, with the name of its file, and of one that lacks something, with what to say.
    pub fn explain(&self, error: LibraryError) -> CliError {
        match error {
            LibraryError::Import(ImportFault::Rejected { file, reason }) => {
                let file = file
                    .or(Some(0))
                    .and_then(|position| self.files.get(position));
                let file = file.map(|file| format!("{}: ", shown(file)));
                CliError::WrongState(format!("{}{reason}", file.unwrap_or_default()))
            }
            LibraryError::Import(ImportFault::Missing(questions)) => {
                CliError::WrongState(to_say(&questions))
            }
            LibraryError::Pointless { kind, what } => {
                let flag = match what {
                    OnlySome::Id => "--id",
                    OnlySome::Tags => "--tag",
                    OnlySome::Owner => "--user",
                    // There are no flags for these.
                    OnlySome::Picture | OnlySome::Demo => "a file",
                };
                CliError::WrongState(format!("{flag}: {}", what.rule(kind)))
            }
            other => other.into(),
        }
    }
}

/// The name of a file that somebody may have got from elsewhere, without what a terminal would obey.
fn shown(file: &Path) -> String {
    plain(&file.to_string_lossy(), MAX_SHOWN)
}

/// What is still to be said, and what cannot be said so.
fn to_say(questions: &[Question]) -> String {
    let list = |title: &str, is_asked: fn(&Question) -> bool| {
        let asked = questions.iter().filter(|question| is_asked(question));
        let lines: Vec<String> = asked.map(ask).collect();
        (!lines.is_empty()).then(|| format!("{title}:\n{}", lines.join("\n")))
    };
    let lists = [
        list(
            "what was said about the model cannot be taken",
            |question| question.why != Why::Unsaid,
        ),
        list("the files do not say everything; add", |question| {
            question.why == Why::Unsaid
        }),
    ];
    let lists: Vec<String> = lists.into_iter().flatten().collect();
    lists.join("\n")
}

/// A question as a flag that answers it.
fn ask(question: &Question) -> String {
    let flag = match question.name.as_str() {
        "title" => "--name".to_owned(),
        "tags" => "--tag".to_owned(),
        name @ ("id" | "license" | "attribution" | "consent" | "trained_on" | "source_url") => {
            format!("--{}", name.replace('_', "-"))
        }
        name => format!("--set {name}="),
    };
    format!("  {flag}  {}", question.in_words())
}

fn fact(text: &str) -> Result<(String, String), String> {
    let (key, value) = text
        .split_once('=')
        .ok_or_else(|| "must be KEY=VALUE".to_owned())?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// Imports a model; a running server has it at once.
pub fn run(arguments: &ImportArguments) -> Result<(), CliError> {
    let model = &arguments.model;
    let files = model.files()?;
    let settings = arguments.chosen.load()?.settings;
    if !settings.database_path().exists() {
        // Whoever meant a server's folder is told; a server that is set up later finds what is imported now.
        let folder = std::path::absolute(&settings.data_dir).unwrap_or(settings.data_dir);
        eprintln!(
            "there is no data folder at {} yet: it is made (the setting `data_dir` names another one)",
            folder.display()
        );
    }
    with_library(&arguments.chosen, async |opened| {
        let ask = ImportAsk {
            files,
            answers: model.answers(),
            wanted: Wanted::Any,
            owner: owner(&opened.store, model.user.as_deref()).await?,
            token: token::draw().map_err(|source| CliError::System {
                what: "the system gives no random numbers",
                source,
            })?,
            picture: None,
            demo: None,
        };
        let looking = opened.library.look(ask, clock::now_us());
        let looked = unless_interrupted(looking).await?;
        let looked = looked.map_err(|error| model.fail(error, arguments.json))?;
        let imported = looked.keep(None, &actor(), clock::now_us()).await;
        let imported = imported.map_err(|error| model.fail(error, arguments.json))?;
        tell(arguments, &imported, opened).await
    })
}

/// What comes of looking at a model, unless the program is told to end before: what there is of the model goes with it.
pub async fn unless_interrupted<T>(looking: impl Future<Output = T>) -> Result<T, CliError> {
    let failed = |source| CliError::System {
        what: "cannot wait for signals",
        source,
    };
    let _shown = Waiting::for_what("looking at the model, and trying it out");
    let mut told = signal(SignalKind::terminate()).map_err(failed)?;
    // A terminal that is closed.
    let mut hung_up = signal(SignalKind::hangup()).map_err(failed)?;
    tokio::select! {
        looked = looking => Ok(looked),
        pressed = tokio::signal::ctrl_c() => {
            pressed.map_err(failed)?;
            Err(interrupted())
        }
        _ = told.recv() => Err(interrupted()),
        _ = hung_up.recv() => Err(interrupted()),
    }
}

fn interrupted() -> CliError {
    CliError::WrongState("interrupted; nothing is kept of the model".to_owned())
}

async fn owner(store: &Store, user: Option<&str>) -> Result<VoiceOwner, CliError> {
    let Some(name) = user else {
        return Ok(VoiceOwner::Everybody(None));
    };
    Ok(VoiceOwner::User(user_id(store, name).await?))
}

async fn tell(
    arguments: &ImportArguments,
    imported: &Import,
    opened: &Opened,
) -> Result<(), CliError> {
    let findings = &imported.findings;
    let voice = match &imported.voice {
        Some(voice) => opened.store.listed_model(voice.id).await?,
        None => None,
    };
    let models = opened.library.current(clock::now_us()).await?;
    let named = arguments.chosen.load()?.settings.separators;
    let package = models.find(&findings.id);
    let used_for = package.and_then(|package| models.used_for(package, &named));
    if arguments.json {
        let mut shown = in_json(findings);
        shown["voice"] = voice.as_ref().map(record).into();
        shown["usedFor"] = used_for.map(Task::as_str).into();
        print_json(&shown);
        return Ok(());
    }
    print_found(findings);
    match voice {
        Some(voice) => say_line!("imported voice {} {}", voice.voice.id, voice.voice.title),
        None => say_line!("imported {}", findings.id),
    }
    if let Some(task) = used_for {
        let task = task.as_str();
        say_line!(
            "jobs that separate {task} use it from now on; the setting `separators` names another for them"
        );
    } else if let Some((task, used)) = package.and_then(|new| in_its_place(&models, &named, new)) {
        let task = task.as_str();
        say_line!(
            "jobs that separate {task} go on with {used}; the setting `separators` can name this one for them"
        );
    }
    Ok(())
}

/// The task of a separator, and the id of the one that jobs use for it.
fn in_its_place<'m>(
    models: &'m Catalog,
    named: &[String],
    new: &Package,
) -> Option<(Task, &'m str)> {
    let task = new.manifest().separator.as_ref()?.task;
    let used = models.separator(task, named)?;
    Some((task, &used.manifest().id))
}

/// What was found, in JSON.
pub fn in_json(findings: &Findings) -> serde_json::Value {
    json!({
        "packageId": findings.id,
        "kind": findings.kind.as_str(),
        "family": findings.family,
        "found": findings.found,
    })
}

/// What was found, a line each.
pub fn print_found(findings: &Findings) {
    for line in &findings.found {
        say_line!("{line}");
    }
}
