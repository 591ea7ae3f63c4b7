use clap::Subcommand;
use serde_json::{Value, json};

use super::actor::actor;
use super::database::with_existing_store;
use super::output::{print_json, print_list};
use super::{Chosen, CliError, keys};
use vocalhost_api::v1::sessions::record;
use vocalhost_api::v1::timestamp;
use vocalhost_store::SessionRecord;
use vocalhost_system::clock;

/// `vocalhost sessions`.
#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// List who is signed in to the console.
    List {
        /// Only this user's.
        #[arg(long, value_name = "NAME", value_parser = keys::user_name)]
        user: Option<String>,
        /// As JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        chosen: Chosen,
    },
    /// Sign somebody out.
    Revoke {
        /// The session.
        id: String,
        /// Say so in JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        chosen: Chosen,
    },
}

/// Runs the command on the database of the settings in force; the server may be running.
pub fn run(command: SessionsCommand) -> Result<(), CliError> {
    match command {
        SessionsCommand::List { user, json, chosen } => {
            let sessions = with_existing_store(&chosen, async |store| {
                let user_id = match &user {
                    Some(name) => {
                        let found = store.user_id(name).await?;
                        Some(found.ok_or_else(|| CliError::Missing(format!("user {name}")))?)
                    }
                    None => None,
                };
                Ok(store.list_sessions(user_id, clock::now_us()).await?)
            })?;
            print_list(json, &sessions, with_user, print_line);
            Ok(())
        }
        SessionsCommand::Revoke { id, json, chosen } => {
            let revoked = with_existing_store(&chosen, async |store| {
                let (session, now_us) = ((id.as_str(), None), clock::now_us());
                let by = actor();
                let revoked = store.close_session(session, "revokeSession", &by, now_us);
                Ok(revoked.await?)
            })?;
            if !revoked {
                return Err(CliError::Missing(format!("session {id}")));
            }
            if json {
                print_json(&json!({ "id": id, "revoked": true }));
            }
            Ok(())
        }
    }
}

fn with_user(session: &SessionRecord) -> Value {
    let mut shown = record(session);
    shown["user"] = json!(session.user);
    shown
}

fn print_line(session: &SessionRecord) {
    say_line!(
        "{}  {:<16}  key {}  until {}  {}",
        session.id,
        session.user,
        session.key_id,
        timestamp(session.expires_at_us),
        session.address.as_deref().unwrap_or("-")
    );
}
