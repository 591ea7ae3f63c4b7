//! An installation on its way from one kind of place to another: the rows of its database, and the files. A move that was begun and not
//! ended is continued.

mod begun;
mod error;
mod files;

pub use begun::Begun;
pub use error::MovingError;
pub use files::{MovedFiles, move_files};

use vocalhost_store::{DatabaseAddress, MovedTable, Store};

/// Opens the database that rows go to. It must be unused, unless an earlier run has filled it: then there is nothing left to do, and its
/// tables are returned.
pub async fn open_target(
    from: &Store,
    address: &DatabaseAddress,
    begun: bool,
) -> Result<(Store, Option<Vec<MovedTable>>), MovingError> {
    let store = Store::open(address.clone()).await?;
    if store.is_unused().await? {
        return Ok((store, None));
    }
    if begun && let Ok(same) = from.compare_rows_with(&store).await {
        return Ok((store, Some(same)));
    }
    store.close().await;
    Err(MovingError::Used(address.to_string()))
}

/// Complains when servers, or commands, are connected to a database.
pub async fn require_idle(address: &DatabaseAddress) -> Result<(), MovingError> {
    match Store::users_of(address).await? {
        0 => Ok(()),
        connections => Err(MovingError::InUse {
            place: address.to_string(),
            connections,
        }),
    }
}
