use std::io::Read;
use std::path::Path;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::actor::note;
use super::database::{user_id, with_existing_store};
use super::output::{print_json, print_list};
use super::{Chosen, CliError, effect, keys};
use vocalhost_api::v1::chain::KnownEffect;
use vocalhost_api::v1::{pipelines, timestamp};
use vocalhost_catalogues::shelf::Listing;
use vocalhost_store::{NewPipeline, PipelineRecord};
use vocalhost_system::clock;

/// `vocalhost pipeline`.
#[derive(Debug, Subcommand)]
pub enum PipelineCommand {
    /// List the pipelines of every user, or of one.
    List(ListArguments),
    /// Print the chain that a name stands for.
    Show(ShowArguments),
    /// Save a chain under a name, in the place of the one before.
    Save(SaveArguments),
    /// Forget a pipeline. Jobs that were made with it are not touched.
    Remove(RemoveArguments),
}

/// `vocalhost pipeline list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Only this user's own.
    #[arg(long, value_name = "NAME", value_parser = keys::user_name)]
    user: Option<String>,
    /// Only shared ones.
    #[arg(long)]
    shared: bool,
    /// As JSON, with their chains.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// `vocalhost pipeline show`.
#[derive(Debug, Args)]
pub struct ShowArguments {
    /// The pipeline.
    #[arg(value_parser = pipeline_name)]
    name: String,
    /// What the name stands for when this user says it; without it, the shared pipeline.
    #[arg(long, value_name = "NAME", value_parser = keys::user_name, conflicts_with = "shared")]
    user: Option<String>,
    /// The shared pipeline, as without `--user`.
    #[arg(long)]
    shared: bool,
    /// With everything there is to know about it.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// `vocalhost pipeline save`.
#[derive(Debug, Args)]
pub struct SaveArguments {
    /// The pipeline: 1 to 64 of a-z, 0-9, - and _.
    #[arg(value_parser = pipeline_name)]
    name: String,
    /// The chain, a JSON array such as `[{"effect":"reverb","params":{"width":1}}]`; or a file with it, or - for
    /// standard input.
    chain: String,
    /// Whose it is.
    #[arg(long, value_name = "NAME", value_parser = keys::user_name)]
    user: String,
    /// Everybody may use it. Saving without this takes a pipeline back.
    #[arg(long)]
    shared: bool,
    /// Print what was saved, as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// `vocalhost pipeline remove`.
#[derive(Debug, Args)]
pub struct RemoveArguments {
    /// The pipeline.
    #[arg(value_parser = pipeline_name)]
    name: String,
    /// Whose it is.
    #[arg(long, value_name = "NAME", value_parser = keys::user_name)]
    user: String,
    /// Say so in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

fn pipeline_name(name: &str) -> Result<String, String> {
    if pipelines::is_name(name) {
        return Ok(name.to_owned());
    }
    Err("must be 1 to 64 of a-z, 0-9, - and _".to_owned())
}

/// Runs the command on the database of the settings in force; the server may be running, and acts on it at once.
pub fn run(command: PipelineCommand) -> Result<(), CliError> {
    match command {
        PipelineCommand::List(arguments) => list(&arguments),
        PipelineCommand::Show(arguments) => show(&arguments),
        PipelineCommand::Save(arguments) => save(&arguments),
        PipelineCommand::Remove(arguments) => remove(&arguments),
    }
}

fn list(arguments: &ListArguments) -> Result<(), CliError> {
    let mut found = with_existing_store(&arguments.chosen, async |store| {
        if let Some(user) = &arguments.user {
            user_id(store, user).await?;
        }
        Ok(store.list_pipelines().await?)
    })?;
    found.retain(|pipeline| {
        let wanted = |user: &String| *user == pipeline.owner;
        arguments.user.as_ref().is_none_or(wanted) && (pipeline.shared || !arguments.shared)
    });
    print_list(arguments.json, &found, record, print_line);
    Ok(())
}

fn print_line(pipeline: &PipelineRecord) {
    let effects = pipeline.chain.as_array().map_or(0, Vec::len);
    say_line!(
        "{:<24}  {:<16}  {:<7}  {effects} {}",
        pipeline.name,
        pipeline.owner,
        if pipeline.shared { "shared" } else { "private" },
        if effects == 1 { "effect" } else { "effects" }
    );
}

fn show(arguments: &ShowArguments) -> Result<(), CliError> {
    let name = &arguments.name;
    let found = with_existing_store(&arguments.chosen, async |store| {
        Ok(match &arguments.user {
            Some(user) => store.pipeline(user_id(store, user).await?, name).await?,
            None => store.shared_pipeline(name).await?,
        })
    })?;
    let found = found.ok_or_else(|| {
        let kind = arguments.user.as_ref().map_or("shared ", |_| "");
        CliError::Missing(format!("{kind}pipeline {name}"))
    })?;
    if arguments.json {
        print_json(&record(&found));
    } else {
        print_json(&found.chain);
    }
    Ok(())
}

fn save(arguments: &SaveArguments) -> Result<(), CliError> {
    let settings = arguments.chosen.load()?.settings;
    let chain = read_chain(&arguments.chain)?;
    let saved = with_existing_store(&arguments.chosen, async |store| {
        let owner_id = user_id(store, &arguments.user).await?;
        check_chain(&*effect::listing(&settings, store).await?, &chain)?;
        let new = NewPipeline {
            owner_id,
            name: arguments.name.clone(),
            shared: arguments.shared,
            chain,
        };
        let now_us = clock::now_us();
        Ok(store
            .save_pipeline(&new, pipelines::MAX_PER_USER, now_us)
            .await?)
    })?;
    note(&arguments.chosen, "savePipeline", &saved.name)?;
    if arguments.json {
        print_json(&record(&saved));
    }
    Ok(())
}

fn remove(arguments: &RemoveArguments) -> Result<(), CliError> {
    let (user, name) = (&arguments.user, &arguments.name);
    let removed = with_existing_store(&arguments.chosen, async |store| {
        let owner_id = user_id(store, user).await?;
        Ok(store.delete_pipeline(owner_id, name).await?)
    })?;
    if !removed {
        return Err(CliError::Missing(format!("pipeline {name} of {user}")));
    }
    note(&arguments.chosen, "deletePipeline", name)?;
    if arguments.json {
        print_json(&json!({ "name": name, "user": user, "removed": true }));
    }
    Ok(())
}

/// The chain that an argument gives: as JSON, as a file's name, or as a dash for standard input.
fn read_chain(argument: &str) -> Result<Value, CliError> {
    let text = if argument.trim_start().starts_with('[') {
        argument.to_owned()
    } else if argument == "-" {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|source| CliError::System {
            what: "cannot read the chain from standard input",
            source,
        })?;
        text
    } else {
        let file = Path::new(argument);
        std::fs::read_to_string(file).map_err(CliError::of_file("cannot read", file))?
    };
    serde_json::from_str(&text).map_err(|error| CliError::Chain(format!("it is no JSON: {error}")))
}

/// Refuses a chain that a request could not use either.
fn check_chain(effects: &Listing, chain: &Value) -> Result<(), CliError> {
    let find = |name: &str| effects.find(name).map(KnownEffect::from);
    let mistakes = pipelines::mistakes_in(chain, &find);
    if mistakes.is_empty() {
        return Ok(());
    }
    let lines = mistakes.iter().map(|mistake| {
        let message = &mistake.message;
        format!("{}: {message}", mistake.field)
    });
    Err(CliError::Chain(lines.collect::<Vec<_>>().join("\n")))
}

fn record(pipeline: &PipelineRecord) -> Value {
    json!({
        "name": pipeline.name,
        "user": pipeline.owner,
        "shared": pipeline.shared,
        "chain": pipeline.chain,
        "createdAt": timestamp(pipeline.created_at_us),
        "updatedAt": timestamp(pipeline.updated_at_us),
    })
}
