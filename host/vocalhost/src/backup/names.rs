//! The names of what a backup and a data folder have.

use std::path::{Component, Path};

/// The database within a backup and within a data folder.
pub(super) const DATABASE: &str = "vocalhost.sqlite";

/// The key that signs links, if one was made.
pub(super) const SIGNING_KEY: &str = "url-signing.key";

/// The folder of recordings, results, voices and components.
pub(super) const FILES: &str = "files";

/// The folder of imported models but for voices.
pub(super) const MODELS: &str = "models";

/// The list, which is written last: without it a backup is not whole.
pub(super) const MANIFEST: &str = "backup.json";

/// Whether a path of a list stays within its folder and is one that a backup has.
pub(super) fn is_inside(path: &str) -> bool {
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
