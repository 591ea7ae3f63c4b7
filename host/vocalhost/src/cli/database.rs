use std::io::ErrorKind;
use std::path::Path;

use tempfile::TempDir;

use super::runtime::runtime;
use super::{Chosen, CliError, scratch};
use crate::app::database_address;
use vocalhost_config::Settings;
use vocalhost_store::Store;

/// The page that all of a list is on.
pub const WHOLE_LIST: (u64, u64) = (1, 1_000_000);

/// Works on the database of the settings in force, which is made when it is not there; the server may be running.
pub fn with_store<T>(
    chosen: &Chosen,
    work: impl AsyncFnOnce(&Store) -> Result<T, CliError>,
) -> Result<T, CliError> {
    let settings = chosen.load()?.settings;
    crate::app::prepare_data_folder(&settings)?;
    open(&settings, work)
}

/// Works on the database of the settings in force, which must be there: a mistyped data folder is reported, and not made.
pub fn with_existing_store<T>(
    chosen: &Chosen,
    work: impl AsyncFnOnce(&Store) -> Result<T, CliError>,
) -> Result<T, CliError> {
    open(&existing(chosen)?, work)
}

/// The settings in force of a data folder that must be there already: a mistyped one is reported, and not made.
pub fn existing(chosen: &Chosen) -> Result<Settings, CliError> {
    let settings = chosen.load()?.settings;
    require_database(&settings)?;
    Ok(settings)
}

/// The settings in force for work that changes nothing: looking makes no data folder. Where there is none, an empty folder
/// stands in for it, which is deleted with the `TempDir` that comes along.
pub fn to_look(chosen: &Chosen) -> Result<(Settings, TempDir), CliError> {
    let mut settings = chosen.load()?.settings;
    let passing = scratch::passing_folder()?;
    if !has_database(&settings)? {
        passing.path().clone_into(&mut settings.data_dir);
    }
    Ok((settings, passing))
}

/// Says where there should be a database when there is none.
pub fn require_database(settings: &Settings) -> Result<(), CliError> {
    if has_database(settings)? {
        return Ok(());
    }
    let what = format!("database at {}", settings.database_path().display());
    Err(CliError::Missing(what))
}

/// Whether the settings name a server for the database, or else its file is there.
pub fn has_database(settings: &Settings) -> Result<bool, CliError> {
    Ok(settings.database.is_some() || is_there(&settings.database_path())?)
}

/// Whether a file is there. One that this user may not look for is not said to be missing.
fn is_there(file: &Path) -> Result<bool, CliError> {
    match file.metadata() {
        Ok(found) => Ok(found.is_file()),
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
            Ok(false)
        }
        Err(error) => Err(CliError::WrongState(format!(
            "cannot look for {}: {error}",
            file.display()
        ))),
    }
}

/// The number of a user.
pub async fn user_id(store: &Store, name: &str) -> Result<i64, CliError> {
    let found = store.user_id(name).await?;
    found.ok_or_else(|| CliError::Missing(format!("user {name}")))
}

fn open<T>(
    settings: &Settings,
    work: impl AsyncFnOnce(&Store) -> Result<T, CliError>,
) -> Result<T, CliError> {
    runtime()?.block_on(async {
        let store = Store::open(database_address(settings)).await?;
        let done = work(&store).await;
        store.close().await;
        done
    })
}
