//! How a model comes into the library: whose it is, and a look at it that may be interrupted.

use std::path::PathBuf;

use tokio::signal::unix::{SignalKind, signal};

use super::CliError;
use super::library::Opened;
use crate::cli::actor::actor;
use crate::cli::database::user_id;
use crate::cli::progress::Waiting;
use vocalhost_catalogues::library::{Import, ImportAsk, LibraryError, Wanted};
use vocalhost_config::Settings;
use vocalhost_store::{Store, VoiceOwner};
use vocalhost_system::{clock, token};
use vocalhost_work::worker::import::Answers;

/// Says that a new data folder is made, in case a server's was meant; a server that is set up later finds there what is
/// imported now.
pub fn say_where(settings: &Settings) {
    if settings.database.is_none() && !settings.database_path().exists() {
        let folder = std::path::absolute(&settings.data_dir);
        let folder = folder.unwrap_or_else(|_| settings.data_dir.clone());
        eprintln!(
            "there is no data folder at {} yet: it is made (the setting `data_dir` names another one)",
            folder.display()
        );
    }
}

/// Has a model looked at and keeps it; the inner error is the model's.
pub async fn take_in(
    opened: &Opened,
    (files, answers): (Vec<PathBuf>, Answers),
    owner: VoiceOwner,
) -> Result<Result<Import, LibraryError>, CliError> {
    let ask = ImportAsk {
        files,
        answers,
        wanted: Wanted::Any,
        owner,
        token: token::draw().map_err(|source| CliError::System {
            what: "the system gives no random numbers",
            source,
        })?,
        picture: None,
        demo: None,
    };
    let looking = opened.library.look(ask, clock::now_us());
    Ok(match unless_interrupted(looking).await? {
        Ok(looked) => looked.keep(None, &actor(), clock::now_us()).await,
        Err(error) => Err(error),
    })
}

/// What comes of looking at a model, unless the program is told to end before: then what there is of the model is deleted.
pub async fn unless_interrupted<T>(looking: impl Future<Output = T>) -> Result<T, CliError> {
    let _shown = Waiting::for_what("looking at the model, and trying it out");
    or_interrupted(looking).await
}

/// What comes of looking, unless the program is told to end before.
pub async fn or_interrupted<T>(looking: impl Future<Output = T>) -> Result<T, CliError> {
    let failed = |source| CliError::System {
        what: "cannot wait for signals",
        source,
    };
    let mut told = signal(SignalKind::terminate()).map_err(failed)?;
    // A terminal that is closed.
    let mut hung_up = signal(SignalKind::hangup()).map_err(failed)?;
    tokio::select! {
        looked = looking => Ok(looked),
        pressed = tokio::signal::ctrl_c() => {
            pressed.map_err(failed)?;
            Err(interrupted())
        }
        _ = told.recv() => Err(interrupted()),
        _ = hung_up.recv() => Err(interrupted()),
    }
}

fn interrupted() -> CliError {
    CliError::WrongState("interrupted; nothing is kept of the model".to_owned())
}

/// Whose a voice is: that of the user who is named, or everybody's.
pub async fn owner(store: &Store, user: Option<&str>) -> Result<VoiceOwner, CliError> {
    let Some(name) = user else {
        return Ok(VoiceOwner::Everybody(None));
    };
    Ok(VoiceOwner::User(user_id(store, name).await?))
}
