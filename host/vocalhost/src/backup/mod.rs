//! Backups of a data folder: a folder with the database, the files, the key that signs links, and a list of them with
//! their checksums. Knows nothing of what is in the database: whoever makes a backup has it written at the right moment.

mod error;
mod manifest;
mod restore;
mod write;

pub use error::BackupError;
pub use manifest::{FORMAT, Manifest};
pub use restore::Restore;
pub use write::{Backup, Way};

use std::path::{Component, Path};

/// The database within a backup and within a data folder.
const DATABASE: &str = "vocalhost.sqlite";

/// The key that signs links, if one was made.
const SIGNING_KEY: &str = "url-signing.key";

/// The folder of recordings, results, voices and components.
const FILES: &str = "files";

/// The folder of imported models but for voices.
const MODELS: &str = "models";

/// The list, which is written last: without it a backup is not whole.
const MANIFEST: &str = "backup.json";

/// Whether a path of a list stays within its folder and is one that a backup has.
fn is_inside(path: &str) -> bool {
    let path = Path::new(path);
    let plain = path
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let known = path == Path::new(DATABASE)
        || path == Path::new(SIGNING_KEY)
        || path.starts_with(FILES)
        || path.starts_with(MODELS);
    plain && known
}
