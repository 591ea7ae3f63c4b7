use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::library::with_library;
use super::made::Made;
use super::taking::{owner, say_where, take_in};
use super::told::{shown, to_say};
use super::voices::title;
use super::{Chosen, CliError, folder};
use crate::cli::keys;
use crate::cli::output::print_json;
use vocalhost_api::v1::model_form;
use vocalhost_catalogues::library::{LibraryError, OnlySome};
use vocalhost_work::worker::import::{Answers, ImportFault};

/// `vocalhost models import`.
#[derive(Debug, Args)]
pub struct ImportArguments {
    #[command(flatten)]
    pub(super) model: ModelArguments,
    /// Of a folder with models, import all that are not here yet, and ask nothing.
    #[arg(long)]
    pub(super) all: bool,
    /// Say what was imported in JSON; of a folder with models, list them.
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) chosen: Chosen,
}

/// A model that is to be looked at, and what a person says about it.
#[derive(Debug, Args)]
pub struct ModelArguments {
    /// The files of one model: a checkpoint, a graph or an exported package, and what belongs to it; an archive (ZIP) with a
    /// voice in it; the folder of a package; or, of an import, a folder with models, such as an installation of UVR, RVC or Applio.
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
    pub(super) user: Option<String>,
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
            called: Vec::new(),
            facts: self.facts.iter().cloned().collect::<BTreeMap<_, _>>(),
        }
    }

    /// Refuses what can be said of one model only, where a folder with many is given.
    pub fn refuse_facts_about_one(&self) -> Result<(), CliError> {
        let said = [
            (self.name.is_some(), "--name"),
            (self.id.is_some(), "--id"),
            (!self.facts.is_empty(), "--set"),
        ];
        match said.iter().find(|(is_said, _)| *is_said) {
            Some((_, flag)) => Err(CliError::Usage(format!(
                "{flag} is said of one model, and a folder may have many: import that model by itself"
            ))),
            None => Ok(()),
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
    let of_many = match files.as_slice() {
        [one] if folder::is_one(one) => Some(one),
        _ => None,
    };
    if arguments.all && of_many.is_none() {
        let what = "--all is about a folder with models, and here are the files of one";
        return Err(CliError::Usage(what.to_owned()));
    }
    if let Some(many) = of_many {
        return folder::run(arguments, many);
    }
    say_where(&settings);
    with_library(&arguments.chosen, async |opened| {
        let user = model.user.as_deref();
        let owner = owner(&opened.store, user).await?;
        let imported = take_in(opened, (files, model.answers()), owner).await?;
        let imported = imported.map_err(|error| model.fail(error, arguments.json))?;
        let made = Made::of(&arguments.chosen, &imported, opened).await?;
        if arguments.json {
            print_json(&made.record);
        } else {
            made.said.iter().for_each(|line| say_line!("{line}"));
        }
        Ok(())
    })
}
