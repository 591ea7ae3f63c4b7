//! `vocalhost models import FOLDER`: the models of an installation of UVR, RVC or Applio, listed and imported one after the other.

mod ask;
mod bags;
mod index;
mod settings;
mod survey;
mod walk;

use std::io::{self, IsTerminal as _};
use std::path::Path;

use serde_json::json;

use super::CliError;
use super::import::ImportArguments;
use super::library::{Opened, look_at_library, with_library};
use super::made::Made;
use super::taking::{or_interrupted, owner, say_where, take_in};
use super::told::{shown, to_say};
use crate::cli::output::print_json;
use crate::cli::progress::Waiting;
use survey::{Model, State, Surveyed, survey};
use vocalhost_catalogues::library::LibraryError;
use vocalhost_model::{Kind, Package};
use vocalhost_store::{StoreError, VoiceOwner};
use vocalhost_work::worker::import::ImportFault;

/// A file of the folder that was to be imported, and what became of it: a model, or the reason why it is none.
struct Done<'s> {
    one: &'s Surveyed,
    outcome: Result<Made, String>,
}

/// Whether a path is a folder of models, and not that of one package.
pub fn is_one(path: &Path) -> bool {
    path.is_dir() && !path.join(Package::MANIFEST_NAME).exists()
}

/// Lists the models of a folder, and imports those that are chosen.
pub fn run(arguments: &ImportArguments, folder: &Path) -> Result<(), CliError> {
    arguments.model.refuse_facts_about_one()?;
    if arguments.json && !arguments.all {
        return look_at_library(&arguments.chosen, async |opened| {
            let (found, of_training) = looked(folder, opened).await?;
            let models: Vec<_> = found.iter().map(Surveyed::record).collect();
            print_json(
                &json!({ "folder": shown(folder), "models": models, "ofTraining": of_training }),
            );
            Ok(())
        });
    }
    if !arguments.all && !io::stdin().is_terminal() {
        return Err(CliError::Usage(format!(
            "{} is a folder, and nobody is here to be asked which of its models to import: --all imports all that are new, --json \
             lists them",
            shown(folder)
        )));
    }
    say_where(&arguments.chosen.load()?.settings);
    with_library(&arguments.chosen, async |opened| {
        let user = arguments.model.user.as_deref();
        let owner = owner(&opened.store, user).await?;
        let (found, of_training) = looked(folder, opened).await?;
        let chosen = choose(arguments, &found, of_training)?;
        let mut done = Vec::new();
        for (one, model) in &chosen {
            if !arguments.json {
                say_line!("{}", shown(&one.within));
            }
            let outcome = import_chosen(arguments, opened, (one, model), owner).await?;
            if !arguments.json {
                tell(&outcome);
            }
            done.push(Done { one, outcome });
        }
        finish(arguments, folder, &found, &done)
    })
}

async fn looked(folder: &Path, opened: &Opened) -> Result<(Vec<Surveyed>, usize), CliError> {
    let waiting = Waiting::for_what("looking at the files");
    let found = or_interrupted(survey(folder, opened)).await?;
    drop(waiting);
    found
}

/// The models that are to be imported: all that are new, or those that somebody at a terminal chooses.
fn choose<'s>(
    arguments: &ImportArguments,
    found: &'s [Surveyed],
    of_training: usize,
) -> Result<Vec<(&'s Surveyed, &'s Model)>, CliError> {
    let new: Vec<_> = found
        .iter()
        .filter_map(|one| match &one.state {
            State::New(model) => Some((one, model)),
            _ => None,
        })
        .collect();
    if !arguments.json {
        list(found, of_training);
    }
    if arguments.all {
        return Ok(new);
    }
    if new.is_empty() {
        say_line!("there is nothing to import that is not here already");
        return Ok(new);
    }
    let failed = |source| CliError::System {
        what: "cannot ask which models to import",
        source,
    };
    let numbers = ask::ask(new.len(), &mut io::stdin().lock(), &mut io::stderr());
    let numbers = numbers.map_err(failed)?;
    Ok(numbers.into_iter().map(|number| new[number - 1]).collect())
}

/// A line for each file, with a number where it can be chosen.
fn list(found: &[Surveyed], of_training: usize) {
    let widest = |text: fn(&Surveyed) -> usize| found.iter().map(text).max().unwrap_or(0);
    let width = widest(|one| shown(&one.within).chars().count());
    let mut number = 0;
    for one in found {
        let place = if matches!(one.state, State::New(_)) {
            number += 1;
            number.to_string()
        } else {
            String::new()
        };
        let megabytes = one.bytes as f64 / 1e6;
        let line = format!(
            "{place:>4} {:<9} {megabytes:>7.1} MB  {:<width$}  {}",
            one.kind(),
            shown(&one.within),
            one.remark()
        );
        say_line!("{}", line.trim_end());
    }
    match of_training {
        0 => {}
        1 => say_line!("     1 file that only training needs is passed over"),
        many => say_line!("     {many} files that only training needs are passed over"),
    }
}

async fn import_chosen(
    arguments: &ImportArguments,
    opened: &Opened,
    (one, model): (&Surveyed, &Model),
    owner: VoiceOwner,
) -> Result<Result<Made, String>, CliError> {
    let files = std::iter::once(&one.file).chain(&model.more);
    let mut answers = arguments.model.answers();
    let owner = if model.kind == Kind::Voice {
        owner
    } else {
        answers.tags.clear();
        VoiceOwner::Everybody(None)
    };
    let taking = take_in(opened, (files.cloned().collect(), answers), owner);
    match taking.await? {
        Ok(imported) => Ok(Ok(Made::of(&arguments.chosen, &imported, opened).await?)),
        Err(error) => refusal(error).map(Err),
    }
}

/// Why a model was refused; a failure that would meet every other model, too, is an error.
fn refusal(error: LibraryError) -> Result<String, CliError> {
    match error {
        LibraryError::Import(ImportFault::Rejected { reason, .. }) => Ok(reason),
        LibraryError::Import(ImportFault::Missing(questions)) => Ok(format!(
            "{}\nimport it by itself, so that it can be said",
            to_say(&questions)
        )),
        error @ (LibraryError::Import(ImportFault::NotWanted { .. })
        | LibraryError::Pointless { .. }
        | LibraryError::IdTaken(_)
        | LibraryError::Store(StoreError::StorageQuota { .. })) => Ok(error.to_string()),
        other => Err(other.into()),
    }
}

fn tell(outcome: &Result<Made, String>) {
    match outcome {
        Ok(made) => made.said.iter().for_each(|line| say_line!("  {line}")),
        Err(reason) => say_line!("  refused: {}", reason.replace('\n', "\n  ")),
    }
}

/// Says what became of it all; an error when a model that was to be imported was refused.
fn finish(
    arguments: &ImportArguments,
    folder: &Path,
    found: &[Surveyed],
    done: &[Done<'_>],
) -> Result<(), CliError> {
    if arguments.json {
        let records = found.iter().map(|one| {
            let mut record = one.record();
            if let Some(done) = done.iter().find(|done| done.one == one) {
                match &done.outcome {
                    Ok(made) => record["imported"] = made.record.clone(),
                    Err(reason) => record["refused"] = reason.clone().into(),
                }
            }
            record
        });
        let records: Vec<_> = records.collect();
        print_json(&json!({ "folder": shown(folder), "models": records }));
    }
    let is_refused = |done: &&Done<'_>| done.outcome.is_err();
    let mut refused: Vec<String> = done
        .iter()
        .filter(is_refused)
        .map(|done| shown(&done.one.within))
        .collect();
    let imported = done.len() - refused.len();
    if arguments.all {
        // Whoever imports all of them counts on the damaged ones, too.
        let damaged = found
            .iter()
            .filter(|one| matches!(one.state, State::Refused(_)));
        refused.extend(damaged.map(|one| shown(&one.within)));
    }
    if !arguments.json {
        say_line!("imported: {imported}");
    }
    if refused.is_empty() {
        return Ok(());
    }
    Err(CliError::WrongState(format!(
        "refused: {}: {}",
        refused.len(),
        refused.join(", ")
    )))
}
