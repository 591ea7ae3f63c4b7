use super::CliError;
use super::library::with_existing_library;
use super::look::OneModel;
use crate::cli::actor::actor;
use crate::cli::print_json;
use crate::clock;
use crate::store::OwnVoice;

/// Removes an imported model: a voice of whoever it is, or a package. A running server knows at once.
pub fn run(one: &OneModel) -> Result<(), CliError> {
    with_existing_library(one.chosen(), async |opened| {
        let (library, actor, now_us) = (&opened.library, actor(), clock::now_us());
        let Some(number) = one.number() else {
            return Ok(library.remove_package(one.id(), &actor, now_us).await?);
        };
        match library.remove_voice(number, None, &actor, now_us).await? {
            OwnVoice::Done(..) => Ok(()),
            OwnVoice::Unknown => Err(CliError::Missing(format!("voice {number}"))),
            OwnVoice::NotOwn => Err(CliError::WrongState(format!(
                "voice {number} comes from a model folder: remove its package there"
            ))),
            OwnVoice::InTheMaking => Err(CliError::WrongState(format!(
                "a blend is still making voice {number}: cancel that"
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
