use std::fs;
use std::path::{Path, PathBuf};

use super::manifest::Kind;
use super::package::MANIFEST_NAME;
use super::separation::{self, Task};
use super::{ModelError, Package};

/// The packages that were found in the model folders, and those that were refused.
#[derive(Debug, Default)]
pub struct Catalog {
    packages: Vec<Package>,
    rejected: Vec<(PathBuf, ModelError)>,
}

impl Catalog {
    /// Looks into each folder: it may be a package itself, or hold packages one level down. Folders without a manifest
    /// are passed over. A package that cannot be used is kept aside with the reason and harms no other.
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
        catalog.reject_voices_without_their_parts();
        catalog.reject_ensembles_without_their_members();
        catalog
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

    /// The separator for a task: one that is `named` by its id, otherwise the newest, and of those made on one day the one
    /// whose id comes last.
    #[must_use]
    pub fn separator(&self, task: Task, named: &[String]) -> Option<&Package> {
        self.separators(task).max_by_key(|package| {
            let manifest = package.manifest();
            let is_named = named.contains(&manifest.id);
            (is_named, &manifest.created, &manifest.id)
        })
    }

    /// The package of an id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Package> {
        self.packages
            .iter()
            .find(|package| package.manifest().id == id)
    }

    /// The content encoder and the F0 estimator that a voice refers to.
    pub(super) fn parts(&self, voice: &Package) -> Result<(&Package, &Package), ModelError> {
        let facts = voice
            .manifest()
            .voice
            .as_ref()
            .ok_or_else(|| dependency(voice, "kind", "is not a voice".to_owned()))?;
        let content = self.part(voice, "voice.content", &facts.content, Kind::Content)?;
        let f0 = self.part(voice, "voice.f0", &facts.f0, Kind::F0)?;
        let width = facts.content_dim + facts.energy_channels;
        let given = content.manifest().content.map_or(0, |content| content.dim);
        if given != width {
            let reason = format!(
                "{} gives {given} channels, the voice wants {width}",
                facts.content
            );
            return Err(dependency(voice, "voice.content", reason));
        }
        Ok((content, f0))
    }

    fn part(
        &self,
        voice: &Package,
        key: &'static str,
        id: &str,
        kind: Kind,
    ) -> Result<&Package, ModelError> {
        match self.find(id) {
            Some(package) if package.manifest().kind == kind => Ok(package),
            Some(_) => Err(dependency(voice, key, format!("{id} is of another kind"))),
            None => Err(dependency(
                voice,
                key,
                format!("there is no usable package {id}"),
            )),
        }
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
            if let Err(error) = separation::check_members(package, self) {
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

    fn reject_voices_without_their_parts(&mut self) {
        let faults: Vec<(String, ModelError)> = self
            .voices()
            .filter_map(|voice| {
                let error = self.parts(voice).err()?;
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
fn candidates(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
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

fn dependency(voice: &Package, key: &'static str, reason: String) -> ModelError {
    ModelError::Dependency {
        path: voice.folder().join(MANIFEST_NAME),
        key,
        reason,
    }
}
