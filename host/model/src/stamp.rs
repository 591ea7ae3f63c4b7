use std::path::PathBuf;
use std::time::SystemTime;

use super::catalog::candidates;
use super::file_names::MANIFEST_NAME;

/// The state of the model folders at one moment. A different stamp means that packages have come, gone or changed since. Packages are moved
/// into their folder whole, so no stamp ever covers half a package.
///
/// Taking one reads the names of the folders and asks for the age of each folder, and for the age and size of each manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp(Vec<(PathBuf, Option<SystemTime>, u64)>);

impl Stamp {
    /// The stamp of these folders now.
    #[must_use]
    pub fn of(folders: &[PathBuf]) -> Self {
        let mark = |path: PathBuf| {
            let facts = path.metadata().ok();
            let modified = facts.as_ref().and_then(|facts| facts.modified().ok());
            let bytes = facts.map_or(0, |facts| if facts.is_file() { facts.len() } else { 0 });
            (path, modified, bytes)
        };
        let mut marks = Vec::new();
        for folder in folders {
            marks.push(mark(folder.clone()));
            let packages = candidates(folder).unwrap_or_default().into_iter();
            marks.extend(packages.map(|package| mark(package.join(MANIFEST_NAME))));
        }
        Self(marks)
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
        std::fs::write(package.join(MANIFEST_NAME), "x").expect("written");
        let there = Stamp::of(&folders);
        assert_ne!(there, empty);
        assert_eq!(Stamp::of(&folders), there);
        std::fs::write(package.join(MANIFEST_NAME), "xy").expect("written");
        assert_ne!(Stamp::of(&folders), there);
        let changed = Stamp::of(&folders);
        std::fs::remove_dir_all(&package).expect("removed");
        assert_ne!(Stamp::of(&folders), changed);
    }
}
