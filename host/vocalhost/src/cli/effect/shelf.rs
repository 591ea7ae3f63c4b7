use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::host::{compiled_effects, limits};
use super::{Chosen, CliError};
use crate::app::{database_address, file_store, prepare_data_folder, shelf_settings};
use crate::cli::database;
use crate::cli::runtime::runtime;
use vocalhost_catalogues::shelf::{Listing, Shelf, ShelfError, sync_builtin};
use vocalhost_config::Settings;
use vocalhost_effects::{Catalog, EffectHost};
use vocalhost_store::Store;
use vocalhost_system::clock;

/// Does `work` with the effects of the data folder in force; the server may be running.
pub fn with_shelf<T>(
    chosen: &Chosen,
    work: impl AsyncFnOnce(&Shelf, &Settings) -> Result<T, ShelfError>,
) -> Result<T, CliError> {
    with_shelf_of(&chosen.load()?.settings, work)
}

/// The same for a data folder that must be there already: an effect that is disabled in a mistyped folder would still be
/// on in the server's.
pub fn with_existing_shelf<T>(
    chosen: &Chosen,
    work: impl AsyncFnOnce(&Shelf, &Settings) -> Result<T, ShelfError>,
) -> Result<T, CliError> {
    with_shelf_of(&database::existing(chosen)?, work)
}

/// The same for work that changes nothing: looking at effects makes no data folder, and without one there are those of
/// the program.
pub fn look_at_shelf<T>(
    chosen: &Chosen,
    work: impl AsyncFnOnce(&Shelf) -> Result<T, ShelfError>,
) -> Result<T, CliError> {
    let (settings, _passing) = database::to_look(chosen)?;
    // Asked before there is a temporary folder: what is compiled into that would be deleted with it.
    let compiled = compiled_effects(&settings);
    prepare_data_folder(&settings)?;
    with_shelf_in(&settings, compiled, async |shelf, _| work(shelf).await)
}

/// The same with settings that are known already.
pub fn with_shelf_of<T>(
    settings: &Settings,
    work: impl AsyncFnOnce(&Shelf, &Settings) -> Result<T, ShelfError>,
) -> Result<T, CliError> {
    prepare_data_folder(settings)?;
    with_shelf_in(settings, compiled_effects(settings), work)
}

/// The same with the folder of compiled effects, where the data folder is there.
fn with_shelf_in<T>(
    settings: &Settings,
    compiled: Option<PathBuf>,
    work: impl AsyncFnOnce(&Shelf, &Settings) -> Result<T, ShelfError>,
) -> Result<T, CliError> {
    runtime()?.block_on(async {
        let store = Store::open(database_address(settings)).await?;
        let done = with_store(settings, (store.clone(), compiled), work).await;
        store.close().await;
        done
    })
}

/// The effects of an installation whose database is open.
pub async fn listing(settings: &Settings, store: &Store) -> Result<Arc<Listing>, CliError> {
    let opened = (store.clone(), compiled_effects(settings));
    with_store(settings, opened, async |shelf, _| shelf.current().await).await
}

async fn with_store<T>(
    settings: &Settings,
    (store, compiled): (Store, Option<PathBuf>),
    work: impl AsyncFnOnce(&Shelf, &Settings) -> Result<T, ShelfError>,
) -> Result<T, CliError> {
    let program = std::env::current_exe().map_err(|source| CliError::System {
        what: "cannot find the program's own file",
        source,
    })?;
    let files = file_store(settings)?;
    let shelf = Shelf::new(store.clone(), files, shelf_settings(settings, &program));
    // No server has worked in this folder yet: it would have entered its own effects.
    if shelf.current().await?.all().is_empty() {
        let is_empty =
            |folder: &Path| fs::read_dir(folder).is_ok_and(|mut all| all.next().is_none());
        if compiled.as_deref().is_none_or(is_empty) {
            eprintln!("compiling the effects, which takes a while the first time");
        }
        let host = EffectHost::open(compiled.as_deref(), limits(settings))?;
        let builtin = Catalog::builtin(&host)?;
        sync_builtin(&store, &builtin, clock::now_us()).await?;
    }
    Ok(work(&shelf, settings).await?)
}
