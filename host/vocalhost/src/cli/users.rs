use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;

use super::actor::actor;
use super::database::{WHOLE_LIST, with_existing_store};
use super::output::{print_json, print_list};
use super::runtime::runtime;
use super::{Chosen, CliError, keys};
use crate::app::file_store;
use vocalhost_api::v1::admin_users::{STILL_STOPPING, delete_files, record};
use vocalhost_config::SettingFlags;
use vocalhost_store::{Store, UserChange, UserLimits, UserRecord, UserRemoval};
use vocalhost_system::clock;

/// `vocalhost users`.
#[derive(Debug, Subcommand)]
pub enum UsersCommand {
    /// List all users.
    List(Listing),
    /// Make a user without keys.
    Create(OneUser),
    /// Show a user.
    Show(OneUser),
    /// Let a user's keys work again.
    Enable(OneUser),
    /// Stop a user's keys from working. Jobs that were accepted go on.
    Disable(OneUser),
    /// Give a user limits of their own.
    Limit(LimitArguments),
    /// Delete a user with all keys, jobs, files, voices, pipelines and webhooks. Voices that were made public stay.
    Delete(OneUser),
}

/// How a list is printed.
#[derive(Debug, Args)]
pub struct Listing {
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Which user.
#[derive(Debug, Args)]
pub struct OneUser {
    /// The user's name.
    #[arg(value_parser = keys::user_name)]
    name: String,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// `vocalhost users limit`.
#[derive(Debug, Args)]
pub struct LimitArguments {
    /// Jobs that run at a time; `default` for the setting, here and below.
    #[arg(long, value_name = "JOBS", value_parser = at_least_one)]
    max_running: Option<Given>,
    /// Jobs that may wait.
    #[arg(long, value_name = "JOBS", value_parser = at_least_one)]
    max_queued: Option<Given>,
    /// Bytes of recordings, results and voices; 0 for no limit.
    #[arg(id = "bytes", long = "storage-quota-bytes", value_name = "BYTES", value_parser = any_number)]
    storage_quota_bytes: Option<Given>,
    /// Minutes of audio over 30 days; 0 for no limit.
    // Flags with the name of a setting are left out of the help: these two go by other names inside.
    #[arg(id = "minutes", long = "audio-minutes-quota", value_name = "MINUTES", value_parser = any_number)]
    audio_minutes_quota: Option<Given>,
    /// The user's name.
    #[arg(value_parser = keys::user_name)]
    name: String,
    /// As JSON.
    #[arg(long)]
    json: bool,
    /// File with settings; `VOCALHOST_CONFIG` names it too.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Folder for the database, recordings and results. The other settings are no flags here: two have the names of limits.
    #[arg(long, value_name = "VALUE")]
    data_dir: Option<String>,
}

/// A limit, or the word that takes one back.
#[derive(Debug, Clone, Copy)]
struct Given(Option<u64>);

fn any_number(text: &str) -> Result<Given, String> {
    if text == "default" {
        return Ok(Given(None));
    }
    let number = text.parse().map_err(|_| "must be a number or `default`");
    Ok(Given(Some(number?)))
}

fn at_least_one(text: &str) -> Result<Given, String> {
    match any_number(text)? {
        Given(Some(0)) => Err("must be at least 1".to_owned()),
        given => Ok(given),
    }
}

/// Runs the command on the database of the settings in force; the server may be running.
pub fn run(command: &UsersCommand) -> Result<(), CliError> {
    match command {
        UsersCommand::List(listing) => list(listing),
        UsersCommand::Create(one) => {
            let made = with_existing_store(&one.chosen, async |store| {
                Ok(store
                    .create_user(&one.name, &actor(), clock::now_us())
                    .await?)
            })?;
            let made = made.ok_or_else(|| CliError::Taken(format!("user {}", one.name)))?;
            print(one, &made);
            Ok(())
        }
        UsersCommand::Show(one) => {
            let found =
                with_existing_store(&one.chosen, async |store| find(store, &one.name).await)?;
            print(one, &found);
            Ok(())
        }
        UsersCommand::Enable(one) => change(one, |_| enabled(true)),
        UsersCommand::Disable(one) => change(one, |_| enabled(false)),
        UsersCommand::Limit(arguments) => change(&arguments.user(), |before| UserChange {
            enabled: None,
            limits: Some(arguments.over(before)),
            seen: Some(before),
        }),
        UsersCommand::Delete(one) => delete(one),
    }
}

fn delete(one: &OneUser) -> Result<(), CliError> {
    let settings = one.chosen.load()?.settings;
    let removal = with_existing_store(&one.chosen, async |store| {
        let user = find(store, &one.name).await?;
        Ok(store
            .remove_user(user.id, &actor(), clock::now_us())
            .await?)
    })?;
    let removed = match removal {
        UserRemoval::Unknown => return Err(missing(&one.name)),
        UserRemoval::Stopping => {
            let why = format!("user {}: {STILL_STOPPING}", one.name);
            return Err(CliError::WrongState(why));
        }
        UserRemoval::Removed(removed) => removed,
    };
    let files = file_store(&settings)?;
    runtime()?.block_on(delete_files(&files, &removed))?;
    if one.json {
        print_json(&json!({ "name": one.name, "deleted": true }));
    }
    Ok(())
}

fn list(listing: &Listing) -> Result<(), CliError> {
    let found = with_existing_store(&listing.chosen, async |store| {
        Ok(store.users(false, WHOLE_LIST).await?)
    })?;
    print_list(listing.json, &found.rows, record, print_line);
    Ok(())
}

fn enabled(enabled: bool) -> UserChange {
    UserChange {
        enabled: Some(enabled),
        ..UserChange::default()
    }
}

fn change(one: &OneUser, change: impl Fn(UserLimits) -> UserChange) -> Result<(), CliError> {
    let after = with_existing_store(&one.chosen, async |store| {
        let before = find(store, &one.name).await?;
        let change = change(before.limits);
        let now_us = clock::now_us();
        Ok(store
            .change_user(before.id, &change, &actor(), now_us)
            .await?)
    })?;
    let after = after.ok_or_else(|| missing(&one.name))?;
    print(one, &after);
    Ok(())
}

impl LimitArguments {
    fn user(&self) -> OneUser {
        OneUser {
            name: self.name.clone(),
            json: self.json,
            chosen: Chosen {
                config: self.config.clone(),
                flags: SettingFlags {
                    data_dir: self.data_dir.iter().cloned().collect(),
                    ..SettingFlags::default()
                },
            },
        }
    }

    fn over(&self, before: UserLimits) -> UserLimits {
        let given = |new: Option<Given>, old: Option<u64>| new.map_or(old, |given| given.0);
        UserLimits {
            max_running: given(self.max_running, before.max_running),
            max_queued: given(self.max_queued, before.max_queued),
            storage_quota_bytes: given(self.storage_quota_bytes, before.storage_quota_bytes),
            audio_minutes_quota: given(self.audio_minutes_quota, before.audio_minutes_quota),
        }
    }
}

async fn find(store: &Store, name: &str) -> Result<UserRecord, CliError> {
    let id = store.user_id(name).await?.ok_or_else(|| missing(name))?;
    store.user(id).await?.ok_or_else(|| missing(name))
}

fn missing(name: &str) -> CliError {
    CliError::Missing(format!("user {name}"))
}

fn print(one: &OneUser, user: &UserRecord) {
    if one.json {
        print_json(&record(user));
    } else {
        print_line(user);
    }
}

fn print_line(user: &UserRecord) {
    let state = if user.disabled_at_us.is_some() {
        "disabled"
    } else {
        "enabled"
    };
    let limits = &user.limits;
    let own: Vec<String> = [
        ("running", limits.max_running),
        ("queued", limits.max_queued),
        ("bytes", limits.storage_quota_bytes),
        ("minutes", limits.audio_minutes_quota),
    ]
    .into_iter()
    .filter_map(|(name, limit)| Some(format!("{name} {}", limit?)))
    .collect();
    say_line!(
        "{:<6} {:<24} {state:<9} {}",
        user.id,
        user.name,
        own.join(", ")
    );
}
