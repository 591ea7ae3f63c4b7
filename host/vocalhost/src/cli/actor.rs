use super::database::with_existing_store;
use super::{Chosen, CliError};
use vocalhost_store::Actor;
use vocalhost_system::clock;

/// Who is at the command line, for the audit log: whoever the environment says, since whoever may write the data folder
/// may write anything.
pub fn actor() -> Actor {
    let named = |name: &str| std::env::var(name).ok().filter(|user| !user.is_empty());
    Actor::command_line(named("SUDO_USER").or_else(|| named("USER")))
}

/// Notes in the audit log what a command did, when the work itself does not.
pub fn note(chosen: &Chosen, action: &str, target: &str) -> Result<(), CliError> {
    with_existing_store(chosen, async |store| {
        Ok(store
            .note(&actor(), (action, target), "ok", clock::now_us())
            .await?)
    })
}
