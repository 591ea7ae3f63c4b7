use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::MovingError;

/// The note in the data folder.
const NOTE: &str = "migrate-store.json";

/// The places of a move, which are noted before anything is put there, so that what is found there later is known to be this move's
/// own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// The database that rows come from and the one that they go to, without passwords.
    pub database: [String; 2],
    /// Where files come from and where they go.
    pub files: [String; 2],
}

impl Begun {
    /// Whether this very move was begun before.
    pub fn is_noted(&self, data_folder: &Path) -> Result<bool, MovingError> {
        let path = data_folder.join(NOTE);
        match fs::read(&path) {
            Ok(text) => match serde_json::from_slice::<Self>(&text) {
                Ok(noted) => Ok(noted == *self),
                Err(source) => Err(MovingError::Note { path, source }),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(MovingError::System { path, source }),
        }
    }

    /// Notes it.
    pub fn note(&self, data_folder: &Path) -> Result<(), MovingError> {
        let path = data_folder.join(NOTE);
        let text = serde_json::to_vec_pretty(self).map_err(|source| MovingError::Note {
            path: path.clone(),
            source,
        })?;
        let written = File::create(&path).and_then(|mut file| {
            file.write_all(&text)?;
            file.sync_all()
        });
        written.map_err(failed(&path))
    }

    /// Forgets it: all is done.
    pub fn forget(data_folder: &Path) -> Result<(), MovingError> {
        let path = data_folder.join(NOTE);
        fs::remove_file(&path).map_err(failed(&path))
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> MovingError + use<> {
    let path: PathBuf = path.to_owned();
    move |source| MovingError::System { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_very_same_move_is_gone_on_with() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let places = |database: &str| Begun {
            database: ["data/vocalhost.sqlite".to_owned(), database.to_owned()],
            files: ["data/files".to_owned(), "s3://sounds".to_owned()],
        };
        let (one, other) = (places("postgres://a/b"), places("postgres://a/c"));
        assert!(!one.is_noted(folder.path()).expect("nothing is there"));
        one.note(folder.path()).expect("it is noted");
        assert!(one.is_noted(folder.path()).expect("it is read"));
        assert!(!other.is_noted(folder.path()).expect("it is read"));
        Begun::forget(folder.path()).expect("it is there");
        assert!(!one.is_noted(folder.path()).expect("nothing is there"));
        fs::write(folder.path().join(NOTE), "{").expect("it can be written");
        let strange = one.is_noted(folder.path());
        assert!(
            matches!(strange, Err(MovingError::Note { .. })),
            "{strange:?}"
        );
    }
}
