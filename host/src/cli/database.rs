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
    let database = settings.database_path();
    if !database.is_file() {
        let what = format!("database at {}", database.display());
        return Err(CliError::Missing(what));
    }
    open(&settings, work)
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
