use clap::Args;

use super::library::with_existing_library;
use super::{Chosen, CliError};
use crate::cli::actor::actor;
use crate::cli::database::{WHOLE_LIST, with_existing_store};
use crate::cli::output::{print_json, print_list};
use vocalhost_api::v1::admin_models::{IN_THE_MAKING, NEVER_OWNED, record};
use vocalhost_model::{is_title, title_rule};
use vocalhost_store::{ListedModel, ModelChange, ModelChanged};
use vocalhost_system::clock;

/// How the list is printed.
#[derive(Debug, Args)]
pub struct VoicesArguments {
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Which voice.
#[derive(Debug, Args)]
pub struct OneVoice {
    /// The voice's number, as `models voices` shows it.
    #[arg(value_parser = number)]
    id: i64,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Only voices have numbers; packages have ids with letters.
fn number(text: &str) -> Result<i64, String> {
    let number = text.parse();
    number.map_err(|_| "is no number of a voice; `models voices` lists them".to_owned())
}

/// `vocalhost models rename`.
#[derive(Debug, Args)]
pub struct RenameArguments {
    #[command(flatten)]
    voice: OneVoice,
    /// The new title.
    #[arg(value_parser = title)]
    title: String,
}

/// `vocalhost models rebind`.
#[derive(Debug, Args)]
pub struct RebindArguments {
    #[command(flatten)]
    voice: OneVoice,
    /// The id of the content encoder, as `models list` shows it.
    #[arg(value_name = "ENCODER")]
    encoder: String,
}

/// A title, if it is a good one.
pub fn title(text: &str) -> Result<String, String> {
    let text = text.trim();
    if is_title(text) {
        return Ok(text.to_owned());
    }
    Err(title_rule())
}

/// Lists the voices of all users.
pub fn list(arguments: &VoicesArguments) -> Result<(), CliError> {
    let found = with_existing_library(&arguments.chosen, async |opened| {
        let mut found = opened.store.all_models(false, WHOLE_LIST).await?;
        opened.library.look_at_voices(&mut found.rows).await?;
        Ok(found)
    })?;
    print_list(arguments.json, &found.rows, record, print_line);
    Ok(())
}

/// Gives a voice another title.
pub fn rename(arguments: &RenameArguments) -> Result<(), CliError> {
    change(
        &arguments.voice,
        ModelChange::Rename(arguments.title.clone()),
    )
}

/// Binds a voice to another content encoder.
pub fn rebind(arguments: &RebindArguments) -> Result<(), CliError> {
    let one = &arguments.voice;
    let done = with_existing_library(&one.chosen, async |opened| {
        let library = &opened.library;
        let by = (&actor(), clock::now_us());
        Ok(library.rebind_voice(one.id, &arguments.encoder, by).await?)
    })?;
    told(one, done)
}

/// Changes a voice.
pub fn change(one: &OneVoice, change: ModelChange) -> Result<(), CliError> {
    let changes = [change];
    let done = with_existing_store(&one.chosen, async |store| {
        Ok(store
            .change_model(one.id, &changes, &actor(), clock::now_us())
            .await?)
    })?;
    told(one, done)
}

fn told(one: &OneVoice, done: ModelChanged) -> Result<(), CliError> {
    match done {
        ModelChanged::Unknown => Err(CliError::Missing(format!("voice {}", one.id))),
        ModelChanged::NeverOwned => Err(CliError::WrongState(NEVER_OWNED.to_owned())),
        ModelChanged::InTheMaking => Err(CliError::WrongState(IN_THE_MAKING.to_owned())),
        ModelChanged::Done(voice) => {
            if one.json {
                print_json(&record(&voice));
            } else {
                print_line(&voice);
            }
            Ok(())
        }
    }
}

fn print_line(listed: &ListedModel) {
    let voice = &listed.voice;
    let owner = listed.owner.as_deref().unwrap_or("(public)");
    let (state, why) = match (listed.enabled, voice.unusable_reason()) {
        (false, _) => ("disabled", String::new()),
        (true, None) => ("usable", String::new()),
        (true, Some(reason)) => ("unusable", format!(": {reason}")),
    };
    say_line!(
        "{:<6} {:<32} {owner:<16} {state:<9} {}{why}",
        voice.id,
        voice.package_id,
        voice.title
    );
}
