use super::{Chosen, CliError, runtime};
use crate::config::Settings;
use crate::store::Store;

/// Works on the database of the settings in force, which is made when it is not there; the server may be running.
pub fn with_store<T>(
    chosen: &Chosen,
    work: impl AsyncFnOnce(&Store) -> Result<T, CliError>,
) -> Result<T, CliError> {
    let settings = chosen.load()?.settings;
    crate::app::prepare_data_folder(&settings)?;
    open(&settings, work)
}

/// Works on the database of the settings in force, which must be there: whoever looks at a data folder that was
/// mistyped is told so, and finds nothing made.
pub fn with_existing_store<T>(
    chosen: &Chosen,
    work: impl AsyncFnOnce(&Store) -> Result<T, CliError>,
) -> Result<T, CliError> {
    let settings = chosen.load()?.settings;
    require_database(&settings)?;
    open(&settings, work)
}

/// Says where there should be a database when there is none.
pub fn require_database(settings: &Settings) -> Result<(), CliError> {
    let database = settings.database_path();
    if database.is_file() {
        return Ok(());
    }
    let what = format!("database at {}", database.display());
    Err(CliError::Missing(what))
}

fn open<T>(
    settings: &Settings,
    work: impl AsyncFnOnce(&Store) -> Result<T, CliError>,
) -> Result<T, CliError> {
    runtime()?.block_on(async {
        let store = Store::open(&settings.database_path()).await?;
        let done = work(&store).await;
        store.close().await;
        done
    })
}
