//! `vocalhost models`: packages and voices.

mod export;
mod folder;
mod import;
pub(super) mod library;
mod look;
pub(super) mod made;
mod remove;
pub(super) mod taking;
mod told;
mod voices;

use clap::Subcommand;
use serde_json::{Value, json};

use super::output::print_json;
use super::{Chosen, CliError};
use vocalhost_store::ModelChange;

/// `vocalhost models`.
#[derive(Debug, Subcommand)]
pub enum ModelsCommand {
    /// List the packages in the model folders, and those that cannot be used with the reason.
    List {
        /// As JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        chosen: Chosen,
    },
    /// Import a model, or those of a folder: look at its files, try it out, and keep it as a package.
    Import(import::ImportArguments),
    /// Look at the files of a model as an import does, and keep nothing.
    Check(look::CheckArguments),
    /// Show a voice or a package.
    Show(look::OneModel),
    /// Remove an imported voice or package.
    Remove(remove::RemoveArguments),
    /// Write a voice or a package to one file, for another installation.
    Export(export::ExportArguments),
    /// List the voices of all users, with their numbers.
    Voices(voices::VoicesArguments),
    /// Let new jobs use a voice again.
    Enable(voices::OneVoice),
    /// Keep new jobs from using a voice.
    Disable(voices::OneVoice),
    /// Give a voice another title, which stays when its package is read again.
    Rename(voices::RenameArguments),
    /// Bind an imported voice of RVC to another content encoder.
    Rebind(voices::RebindArguments),
    /// Make a user's voice everybody's.
    Publish(voices::OneVoice),
    /// Give a voice that was made public back to its owner.
    Unpublish(voices::OneVoice),
}

/// Runs `vocalhost models`.
pub fn run(command: ModelsCommand) -> Result<(), CliError> {
    match command {
        ModelsCommand::List { json, chosen } => list(json, &chosen),
        ModelsCommand::Import(arguments) => import::run(&arguments),
        ModelsCommand::Check(arguments) => look::check(&arguments),
        ModelsCommand::Show(one) => look::show(&one),
        ModelsCommand::Remove(arguments) => remove::run(&arguments),
        ModelsCommand::Export(arguments) => export::run(&arguments),
        ModelsCommand::Voices(arguments) => voices::list(&arguments),
        ModelsCommand::Rename(arguments) => voices::rename(&arguments),
        ModelsCommand::Rebind(arguments) => voices::rebind(&arguments),
        ModelsCommand::Enable(one) => voices::change(&one, ModelChange::Enable(true)),
        ModelsCommand::Disable(one) => voices::change(&one, ModelChange::Enable(false)),
        ModelsCommand::Publish(one) => voices::change(&one, ModelChange::Publish(true)),
        ModelsCommand::Unpublish(one) => voices::change(&one, ModelChange::Publish(false)),
    }
}

fn list(json: bool, chosen: &Chosen) -> Result<(), CliError> {
    let settings = chosen.load()?.settings;
    let catalog = vocalhost_model::Catalog::open(&settings.model_folders());
    if json {
        let refused: Vec<Value> = catalog
            .rejected()
            .iter()
            .map(|(folder, error)| json!({ "folder": folder, "reason": error.to_string() }))
            .collect();
        let packages: Vec<Value> = catalog
            .packages()
            .iter()
            .map(|package| look::package_record(&catalog, &settings.separators, package))
            .collect();
        print_json(&json!({ "packages": packages, "refused": refused }));
        return Ok(());
    }
    let widest = |text: fn(&vocalhost_model::Manifest) -> &str| {
        let packages = catalog.packages().iter();
        packages
            .map(|package| text(package.manifest()).chars().count())
            .max()
            .unwrap_or(0)
    };
    let (ids, names) = (
        widest(|manifest| &manifest.id),
        widest(|manifest| &manifest.name),
    );
    for package in catalog.packages() {
        let manifest = package.manifest();
        let used_for = catalog.used_for(package, &settings.separators);
        let state = match (package.verify(), used_for) {
            (Ok(()), None) => "usable".to_owned(),
            (Ok(()), Some(task)) => format!("usable, used for {}", task.as_str()),
            (Err(error), _) => error.to_string(),
        };
        say_line!(
            "{:<ids$} {:<9} {:<10} {:<names$} {state}",
            manifest.id,
            manifest.version,
            manifest.kind.as_str(),
            manifest.name
        );
    }
    for (folder, error) in catalog.rejected() {
        say_line!("{} refused: {error}", folder.display());
    }
    Ok(())
}
