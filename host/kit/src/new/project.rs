//! A new project on disk: whole, or not there at all.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::name::{EffectId, ProjectName, Vendor};
use super::template::{self, Language};

/// What a project is to be.
#[derive(Debug, Clone)]
pub struct Project {
    /// Its folder and its crate.
    pub name: ProjectName,
    /// What it is written in.
    pub language: Language,
    /// The effect's id.
    pub id: EffectId,
    /// Who makes it.
    pub vendor: Vendor,
}

/// Why a project could not be made. Nothing of it is left then.
#[derive(Debug, thiserror::Error)]
pub enum NewError {
    /// There is something already, which stays as it is.
    #[error("{} is there already", .0.display())]
    Exists(PathBuf),
    /// The folder that it should be made in cannot be used.
    #[error("cannot write to {}: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Writes the project into a folder of its name in `parent`, and says where it is.
pub fn create(project: &Project, parent: &Path) -> Result<PathBuf, NewError> {
    let refused = |source| NewError::Folder {
        folder: parent.to_owned(),
        source,
    };
    let place = parent.join(project.name.to_string());
    if place.symlink_metadata().is_ok() {
        return Err(NewError::Exists(place));
    }
    // Written to a temporary folder and moved: a reader finds all of it or nothing. The temporary folder is removed on every way out.
    let aside = tempfile::Builder::new()
        .prefix(".new-effect-")
        .permissions(Permissions::from_mode(0o777))
        .tempdir_in(parent)
        .map_err(refused)?;
    let files = template::files(
        project.language,
        &project.name,
        &project.id,
        &project.vendor,
    );
    for (path, text) in files {
        write(&aside.path().join(path), &text).map_err(refused)?;
    }
    // Making the folder fails when somebody else has made it meanwhile; moving onto it works only while it is empty.
    fs::create_dir(&place).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => NewError::Exists(place.clone()),
        _ => refused(source),
    })?;
    fs::rename(aside.path(), &place).map_err(refused)?;
    Ok(place)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}
