use clap::Subcommand;
use serde_json::json;

use super::actor::actor;
use super::database::{with_existing_store, with_store};
use super::output::{print_json, print_list};
use super::{Chosen, CliError};
use vocalhost_api::v1::admin::{is_user_name, name_rule};
use vocalhost_api::v1::admin_keys::{MAX_GRACE_S, record};
use vocalhost_store::{IssuedKey, KeyRecord, NewKey, Scope};
use vocalhost_system::clock;

const DAY_US: i64 = 86_400 * clock::US_PER_S;

/// Keys never live longer than this: a hundred years.
const MAX_DAYS: i64 = 36_500;

/// `vocalhost keys`.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Make a key and print it: the only time that it is shown.
    Create {
        /// Whose key it is; the user is made when there is none of that name.
        #[arg(long, value_name = "NAME", value_parser = user_name)]
        user: String,
        /// What the key is for.
        #[arg(long, default_value = "")]
        label: String,
        /// What the key may be used for, repeated or with commas: read, write, admin. Without it: read and write.
        #[arg(long, value_delimiter = ',', value_parser = scope)]
        scope: Vec<Scope>,
        /// When it stops working, in days from now.
        #[arg(long, value_parser = clap::value_parser!(i64).range(1..=MAX_DAYS))]
        expires_in_days: Option<i64>,
        /// With everything there is to know about it.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        chosen: Chosen,
    },
    /// List all keys, without their secrets.
    List {
        /// As JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        chosen: Chosen,
    },
    /// Make a key in place of another one, with its user, label, scopes and end, and print it.
    Rotate {
        /// The part of the old key before the dot.
        #[arg(value_parser = key_id)]
        id: String,
        /// How long the old key works on, in seconds; without it, it stops at once.
        #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=MAX_GRACE_S))]
        grace_seconds: u64,
        /// With everything there is to know about it.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        chosen: Chosen,
    },
    /// Stop a key from working.
    Revoke {
        /// The part of the key before the dot.
        #[arg(value_parser = key_id)]
        id: String,
        /// Say so in JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        chosen: Chosen,
    },
}

pub fn user_name(name: &str) -> Result<String, String> {
    if is_user_name(name) {
        return Ok(name.to_owned());
    }
    Err(name_rule())
}

/// Drops the secret of a key that was given whole, so that no message repeats it.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the signature that value parsers have"
)]
fn key_id(text: &str) -> Result<String, String> {
    Ok(text.split('.').next().unwrap_or_default().to_owned())
}

fn scope(word: &str) -> Result<Scope, String> {
    Scope::parse(word.trim()).ok_or_else(|| "must be read, write or admin".to_owned())
}

/// Runs the command on the database of the settings in force; the server may be running.
pub fn run(command: KeysCommand) -> Result<(), CliError> {
    match command {
        KeysCommand::Create {
            user,
            label,
            scope,
            expires_in_days,
            json,
            chosen,
        } => {
            let now_us = clock::now_us();
            let new = NewKey {
                user,
                label,
                scopes: if scope.is_empty() {
                    vec![Scope::Read, Scope::Write]
                } else {
                    scope
                },
                expires_at_us: expires_in_days.map(|days| now_us + days * DAY_US),
            };
            let issued = with_store(&chosen, async |store| {
                Ok(store.create_key(&new, &actor(), now_us).await?)
            })?;
            print_issued(&issued, json);
            Ok(())
        }
        KeysCommand::List { json, chosen } => {
            let keys = with_existing_store(&chosen, async |store| Ok(store.list_keys().await?))?;
            print_list(json, &keys, record, print_line);
            Ok(())
        }
        KeysCommand::Rotate {
            id,
            grace_seconds,
            json,
            chosen,
        } => {
            let grace_us = grace_seconds as i64 * clock::US_PER_S;
            let issued = with_existing_store(&chosen, async |store| {
                let now_us = clock::now_us();
                Ok(store.rotate_key(&id, grace_us, &actor(), now_us).await?)
            })?;
            let issued = issued.ok_or_else(|| CliError::Missing(format!("working key {id}")))?;
            print_issued(&issued, json);
            Ok(())
        }
        KeysCommand::Revoke { id, json, chosen } => {
            let now_us = clock::now_us();
            let revoked = with_existing_store(&chosen, async |store| {
                Ok(store.revoke_key(&id, &actor(), now_us).await?)
            })?;
            if !revoked {
                return Err(CliError::Missing(format!("working key {id}")));
            }
            if json {
                print_json(&json!({ "id": id, "revoked": true }));
            }
            Ok(())
        }
    }
}

fn print_issued(issued: &IssuedKey, json: bool) {
    if json {
        print_json(&json!({ "id": issued.id, "user": issued.user, "key": issued.key }));
    } else {
        say_line!("{}", issued.key);
    }
}

fn print_line(key: &KeyRecord) {
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    let state = match (key.revoked_at_us, key.expires_at_us) {
        (Some(at_us), _) => format!("revoked {}", time(at_us)),
        (None, Some(at_us)) => format!("expires {}", time(at_us)),
        (None, None) => "works".to_owned(),
    };
    say_line!(
        "{}  {:<16}  {:<16}  {state}  {}",
        key.id,
        key.user,
        scopes.join(","),
        key.label
    );
}

fn time(at_us: i64) -> String {
    vocalhost_api::v1::timestamp(at_us)
}
