use super::{Chosen, CliError};
use crate::app::{database_address, file_store, library_settings, prepare_data_folder};
use crate::cli::database;
use crate::cli::runtime::runtime;
use vocalhost_catalogues::library::Library;
use vocalhost_config::Settings;
use vocalhost_files::FileStore;
use vocalhost_store::Store;
use vocalhost_system::clock;

/// What a command works with.
pub struct Opened {
    /// The models of the data folder in force.
    pub library: Library,
    /// Its database.
    pub store: Store,
    /// Its files.
    pub files: FileStore,
}

/// Does `work` with the models of the data folder in force, which is made when it is not there; the server may be running.
pub fn with_library<T>(
    chosen: &Chosen,
    work: impl AsyncFnOnce(&Opened) -> Result<T, CliError>,
) -> Result<T, CliError> {
    let settings = chosen.load()?.settings;
    prepare_data_folder(&settings)?;
    open(&settings, work)
}

/// The same for a data folder that must be there already.
pub fn with_existing_library<T>(
    chosen: &Chosen,
    work: impl AsyncFnOnce(&Opened) -> Result<T, CliError>,
) -> Result<T, CliError> {
    open(&database::existing(chosen)?, work)
}

/// The same for work that changes nothing: looking at models makes no data folder, and without one there are those of the
/// model folders.
pub fn look_at_library<T>(
    chosen: &Chosen,
    work: impl AsyncFnOnce(&Opened) -> Result<T, CliError>,
) -> Result<T, CliError> {
    let (settings, _passing) = database::to_look(chosen)?;
    open(&settings, work)
}

fn open<T>(
    settings: &Settings,
    work: impl AsyncFnOnce(&Opened) -> Result<T, CliError>,
) -> Result<T, CliError> {
    let program = std::env::current_exe().map_err(|source| CliError::System {
        what: "cannot find the program's own file",
        source,
    })?;
    runtime()?.block_on(async {
        let store = Store::open(database_address(settings)).await?;
        let done = with_store(settings, &program, &store, work).await;
        store.close().await;
        done
    })
}

async fn with_store<T>(
    settings: &Settings,
    program: &std::path::Path,
    store: &Store,
    work: impl AsyncFnOnce(&Opened) -> Result<T, CliError>,
) -> Result<T, CliError> {
    let files = file_store(settings)?;
    let kept = library_settings(settings, program);
    let library = Library::open(store.clone(), files.clone(), kept, clock::now_us()).await?;
    work(&Opened {
        library,
        store: store.clone(),
        files,
    })
    .await
}
