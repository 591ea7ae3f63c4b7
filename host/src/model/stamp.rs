use std::path::PathBuf;
use std::time::SystemTime;

use super::catalog::candidates;
use super::package::MANIFEST_NAME;

/// What the model folders looked like at one moment. Another one means that packages have come, gone or changed since;
/// whoever brings packages moves them into their folder whole, so that no stamp is ever of half a package.
///
/// Taking one reads the names of the folders and asks for the age and size of each manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp(Vec<(PathBuf, Option<SystemTime>, u64)>);

impl Stamp {
    /// The stamp of these folders now.
    #[must_use]
    pub fn of(folders: &[PathBuf]) -> Self {
        let packages = folders
            .iter()
            .flat_map(|folder| candidates(folder).unwrap_or_default());
        let marks = packages.map(|package| {
            let facts = package.join(MANIFEST_NAME).metadata().ok();
            let modified = facts.as_ref().and_then(|facts| facts.modified().ok());
            let bytes = facts.map_or(0, |facts| facts.len());
            (package, modified, bytes)
        });
        Self(marks.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_comes_goes_or_changes_changes_the_stamp() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let folders = [folder.path().to_owned(), folder.path().join("not-there")];
        let empty = Stamp::of(&folders);
        let package = folder.path().join("a");
        std::fs::create_dir(&package).expect("a folder");
        assert_eq!(Stamp::of(&folders), empty, "a folder is no package yet");
        std::fs::write(package.join(MANIFEST_NAME), "x").expect("written");
        let there = Stamp::of(&folders);
        assert_ne!(there, empty);
        assert_eq!(Stamp::of(&folders), there);
        std::fs::write(package.join(MANIFEST_NAME), "xy").expect("written");
        assert_ne!(Stamp::of(&folders), there);
        std::fs::remove_dir_all(&package).expect("removed");
        assert_eq!(Stamp::of(&folders), empty);
    }
}
