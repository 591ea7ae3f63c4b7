use clap::{Args, Subcommand};

use super::database::with_existing_store;
use super::output::print_list;
use super::{Chosen, CliError};
use vocalhost_api::v1::admin_audit::record;
use vocalhost_api::v1::timestamp;
use vocalhost_store::{AuditQuery, AuditRecord};

/// `vocalhost audit`.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// List what was done, newest first.
    List(ListArguments),
}

/// `vocalhost audit list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Only what this user did.
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Only this action, such as createKey.
    #[arg(long)]
    action: Option<String>,
    /// At most this many.
    #[arg(long, default_value_t = 100)]
    limit: u64,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Runs `vocalhost audit`.
pub fn run(command: &AuditCommand) -> Result<(), CliError> {
    let AuditCommand::List(arguments) = command;
    let query = AuditQuery {
        actor: arguments.user.clone(),
        action: arguments.action.clone(),
        descending: true,
        page: 1,
        per_page: arguments.limit,
    };
    let found = with_existing_store(&arguments.chosen, async |store| {
        Ok(store.audit_log(&query).await?)
    })?;
    print_list(arguments.json, &found.rows, record, print_line);
    Ok(())
}

fn print_line(line: &AuditRecord) {
    let who = line.actor.name.as_deref().unwrap_or("the server");
    let key = line.actor.key_id.as_deref().unwrap_or("-");
    say_line!(
        "{}  {who:<16} {key:<8}  {:<20} {:<4} {}",
        timestamp(line.at_us),
        line.action,
        line.outcome,
        line.target
    );
}
