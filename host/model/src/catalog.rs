use std::fs;
use std::path::{Path, PathBuf};

use super::file_names::MANIFEST_NAME;
use super::generation::generation;
use super::manifest::{Family, Kind};
use super::separation::{Task, check_members};
use super::{ModelError, Package};

/// The usable packages of the model folders, and the refused ones.
#[derive(Debug, Default)]
pub struct Catalog {
    packages: Vec<Package>,
    rejected: Vec<(PathBuf, ModelError)>,
    /// Ids of content encoders and F0 estimators that take precedence over newer ones for voices that name none.
    pub(super) preferred: Vec<String>,
}

impl Catalog {
    /// Searches each folder: it may be a package itself, or hold packages one level down. Folders without a manifest are skipped. A package
    /// that cannot be used is listed with the reason and affects no other.
    #[must_use]
    pub fn open(folders: &[PathBuf]) -> Self {
        let mut catalog = Self::default();
        for folder in folders {
            match candidates(folder) {
                Ok(candidates) => candidates.iter().for_each(|path| catalog.add(path)),
                Err(error) => {
                    let path = folder.clone();
                    let reason = format!("the model folder cannot be read: {error}");
                    let error = ModelError::File { path, reason };
                    catalog.rejected.push((folder.clone(), error));
                }
            }
        }
        catalog.reject_what_lacks_others();
        catalog
    }

    /// The same catalogue, where voices of RVC that name no content encoder or F0 estimator get those of these ids before newer ones.
    #[must_use]
    pub fn preferring(mut self, ids: &[String]) -> Self {
        ids.clone_into(&mut self.preferred);
        self
    }

    /// The catalogue as it would be without the package of this id, and without those that need it.
    #[must_use]
    pub fn without(&self, id: &str) -> Self {
        let others = self.packages.iter();
        let mut catalog = Self {
            packages: others
                .filter(|package| package.manifest().id != id)
                .cloned()
                .collect(),
            rejected: Vec::new(),
            preferred: self.preferred.clone(),
        };
        catalog.reject_what_lacks_others();
        catalog
    }

    fn reject_what_lacks_others(&mut self) {
        self.reject_voices_without_their_parts();
        self.reject_ensembles_without_their_members();
    }

    /// Every usable package, in the order of the folders, then by name.
    #[must_use]
    pub fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// Every refused folder and why.
    #[must_use]
    pub fn rejected(&self) -> &[(PathBuf, ModelError)] {
        &self.rejected
    }

    /// The packages that are voices.
    pub fn voices(&self) -> impl Iterator<Item = &Package> {
        self.packages
            .iter()
            .filter(|package| package.manifest().kind == Kind::Voice)
    }

    /// The separators for a task.
    pub fn separators(&self, task: Task) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(move |package| {
            let facts = package.manifest().separator.as_ref();
            facts.is_some_and(|facts| facts.task == task)
        })
    }

    /// The separator for a task: one whose id is in `named`, otherwise the newest.
    #[must_use]
    pub fn separator(&self, task: Task, named: &[String]) -> Option<&Package> {
        self.first_of(&[task], named)
    }

    /// The preferred separator among those of several tasks that can do the same work: one whose id is in `named`, otherwise the newest.
    #[must_use]
    pub fn first_of(&self, tasks: &[Task], named: &[String]) -> Option<&Package> {
        let all = tasks.iter().flat_map(|task| self.separators(*task));
        all.max_by_key(|package| {
            let manifest = package.manifest();
            let is_named = named.contains(&manifest.id);
            (is_named, manifest.age())
        })
    }

    /// The task that jobs use a package for: its own, if it is the separator chosen for that task given the `named` ones.
    #[must_use]
    pub fn used_for(&self, package: &Package, named: &[String]) -> Option<Task> {
        let task = package.manifest().separator.as_ref()?.task;
        let used = self.separator(task, named)?;
        (used.manifest().id == package.manifest().id).then_some(task)
    }

    /// The first two of the `named` separators that share a task, which leaves open which one to use.
    #[must_use]
    pub fn rivals(&self, named: &[String]) -> Option<(Task, [&str; 2])> {
        Task::ALL.into_iter().find_map(|task| {
            let mut rivals = self
                .separators(task)
                .map(|package| package.manifest().id.as_str())
                .filter(|id| named.iter().any(|name| name == id));
            Some((task, [rivals.next()?, rivals.next()?]))
        })
    }

    /// The package with an id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Package> {
        self.packages
            .iter()
            .find(|package| package.manifest().id == id)
    }

    /// The package with an id or, where that is gone, its latest later generation.
    #[must_use]
    pub fn find_or_successor(&self, id: &str) -> Option<&Package> {
        self.find(id).or_else(|| {
            let (name, gone) = generation(id)?;
            let number_of = |package: &&Package| {
                let (own, number) = generation(&package.manifest().id)?;
                (own == name && number > gone).then_some(number)
            };
            let later = self
                .packages
                .iter()
                .filter(|package| number_of(package).is_some());
            later.max_by_key(number_of)
        })
    }

    fn add(&mut self, folder: &Path) {
        match Package::open(folder) {
            Ok(package) => {
                if let Some(first) = self.find(&package.manifest().id) {
                    let error = ModelError::DuplicateId {
                        path: package.folder().join(MANIFEST_NAME),
                        first: first.folder().to_owned(),
                        id: package.manifest().id.clone(),
                    };
                    self.rejected.push((folder.to_owned(), error));
                } else {
                    self.packages.push(package);
                }
            }
            Err(error) => self.rejected.push((folder.to_owned(), error)),
        }
    }

    fn reject_ensembles_without_their_members(&mut self) {
        let mut rejected = Vec::new();
        for package in &self.packages {
            if let Err(error) = check_members(package, |id| self.find(id)) {
                rejected.push((package.folder().to_owned(), error));
            }
        }
        self.packages.retain(|package| {
            !rejected
                .iter()
                .any(|(folder, _)| folder == package.folder())
        });
        self.rejected.extend(rejected);
    }

    /// Packages that a voice names come with it, so a voice without them is broken. A voice of RVC, however, may wait for an encoder that
    /// is installed later.
    fn reject_voices_without_their_parts(&mut self) {
        let faults: Vec<(String, ModelError)> = self
            .voices()
            .filter(|voice| voice.manifest().family != Family::Rvc)
            .filter_map(|voice| {
                let missing = self.parts(voice.manifest()).err()?;
                let error = missing.of(voice.folder().join(MANIFEST_NAME));
                Some((voice.manifest().id.clone(), error))
            })
            .collect();
        for (id, error) in faults {
            let position = self
                .packages
                .iter()
                .position(|package| package.manifest().id == id);
            if let Some(position) = position {
                let package = self.packages.remove(position);
                self.rejected.push((package.folder().to_owned(), error));
            }
        }
    }
}

/// The folders that have a manifest, sorted so that the catalog does not depend on the file system's order.
pub(super) fn candidates(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    if folder.join(MANIFEST_NAME).exists() {
        return Ok(vec![folder.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.join(MANIFEST_NAME).exists() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
