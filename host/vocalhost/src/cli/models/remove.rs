use clap::Args;

use super::CliError;
use super::library::with_existing_library;
use super::look::OneModel;
use crate::cli::actor::actor;
use crate::cli::output::print_json;
use vocalhost_catalogues::library::LibraryError;
use vocalhost_store::OwnVoice;
use vocalhost_system::clock;

/// `vocalhost models remove`.
#[derive(Debug, Args)]
pub struct RemoveArguments {
    #[command(flatten)]
    one: OneModel,
    /// Remove a package although other models need it, which cannot be used from then on, or a setting names it.
    #[arg(long)]
    force: bool,
}

/// Removes an imported model: a voice of whoever it is, or a package. A running server knows at once.
pub fn run(arguments: &RemoveArguments) -> Result<(), CliError> {
    let RemoveArguments { one, force } = arguments;
    with_existing_library(one.chosen(), async |opened| {
        let (library, actor, now_us) = (&opened.library, actor(), clock::now_us());
        let Some(number) = one.number() else {
            let removed = library.remove_package(one.id(), *force, &actor, now_us);
            return removed.await.map_err(|error| match error {
                LibraryError::Needed { .. } | LibraryError::Named { .. } => {
                    CliError::WrongState(format!("{error}; --force removes it all the same"))
                }
                other => other.into(),
            });
        };
        match library.remove_voice(number, None, &actor, now_us).await? {
            OwnVoice::Done(..) => Ok(()),
            OwnVoice::Unknown => Err(CliError::Missing(format!("voice {number}"))),
            OwnVoice::NotOwn => Err(CliError::WrongState(format!(
                "voice {number} comes from a model folder: remove its package there"
            ))),
            OwnVoice::InTheMaking => Err(CliError::WrongState(format!(
                "a job is still making voice {number}: cancel that"
            ))),
        }
    })?;
    if one.is_json() {
        print_json(&serde_json::json!({ "removed": one.id() }));
    } else {
        say_line!("removed {}", one.id());
    }
    Ok(())
}
