use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use vocalhost_model::{Catalog, Manifest, Package, Stamp};
use vocalhost_store::{CatalogModel, ModelLinks};

/// The packages as they were at one moment.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// What the folders looked like; none before the first look.
    pub(super) stamp: Option<Stamp>,
    /// What is in them.
    pub(super) models: Arc<Catalog>,
    /// Whether the packages have the content that their manifests say, by folder, with the hashes that were compared: gigabytes are read
    /// only once.
    sound: BTreeMap<PathBuf, (Vec<String>, bool)>,
}

impl PartialEq<Stamp> for Seen {
    fn eq(&self, other: &Stamp) -> bool {
        self.stamp.as_ref() == Some(other)
    }
}

/// Looks at the packages in `folders`; `None` when nothing has changed since `before`.
pub(super) fn look(folders: &[PathBuf], before: &Seen, verifies: bool) -> Option<Seen> {
    // Taken first, so that a change during the reading shows in the next stamp.
    let stamp = Stamp::of(folders);
    if *before == stamp {
        return None;
    }
    let models = Catalog::open(folders);
    for (folder, error) in models.rejected() {
        tracing::warn!(folder = %folder.display(), cause = %error, "a model package is refused");
    }
    let mut sound = BTreeMap::new();
    for package in models.packages().iter().filter(|_| verifies) {
        let folder = package.folder();
        let files = package.manifest().files.values();
        let hashes: Vec<String> = files.map(|file| file.sha256.clone()).collect();
        let known = before.sound.get(folder);
        let known = known.filter(|(compared, _)| *compared == hashes);
        let is_sound = known.map_or_else(|| is_sound(package), |(_, is_sound)| *is_sound);
        sound.insert(folder.to_owned(), (hashes, is_sound));
    }
    Some(Seen {
        stamp: Some(stamp),
        models: Arc::new(models),
        sound,
    })
}

fn is_sound(package: &Package) -> bool {
    let verified = package.verify();
    if let Err(error) = &verified {
        let id = package.manifest().id.as_str();
        tracing::warn!(package = id, cause = %error, "a model package is damaged");
    }
    verified.is_ok()
}

impl Seen {
    /// The voices of the catalogue.
    pub(super) fn voices(&self) -> Vec<CatalogModel> {
        self.models
            .voices()
            .map(|package| {
                let manifest = package.manifest();
                let facts = manifest.voice.as_ref();
                CatalogModel {
                    package_id: manifest.id.clone(),
                    title: manifest.name.clone(),
                    tags: facts.map(|voice| voice.tags.clone()).unwrap_or_default(),
                    instrument: facts.is_some_and(|voice| voice.instrument),
                    fault: self.fault_of(package),
                    links: ModelLinks::default(),
                }
            })
            .collect()
    }

    /// Why a voice of a folder cannot be used.
    fn fault_of(&self, voice: &Package) -> Option<String> {
        fault_of(&self.models, voice, |package| self.is_sound(package))
    }

    /// Why a voice, wherever its own files lie, cannot be used with the packages that were seen.
    pub(super) fn fault_of_parts(&self, voice: &Manifest) -> Option<String> {
        fault_of_parts(&self.models, voice, |package| self.is_sound(package))
    }

    /// A package counts as sound until it has been read.
    fn is_sound(&self, package: &Package) -> bool {
        let known = self.sound.get(package.folder());
        known.is_none_or(|(_, is_sound)| *is_sound)
    }
}

/// Why each of these voices cannot be used, by id: voices in folders, and voices in the file store, for which the caller knows the manifest
/// or the fault. Reads only the files of voices in folders and of the packages that any of the voices needs, each once.
pub(super) fn faults_of(
    models: &Catalog,
    in_folders: &[String],
    stored: BTreeMap<String, Result<Manifest, String>>,
) -> BTreeMap<String, Option<String>> {
    let mut read = BTreeMap::new();
    let mut is_sound = |package: &Package| {
        let folder = package.folder().to_owned();
        *read.entry(folder).or_insert_with(|| is_sound(package))
    };
    let mut faults = BTreeMap::new();
    for voice in models.voices() {
        let id = &voice.manifest().id;
        if in_folders.contains(id) {
            faults.insert(id.clone(), fault_of(models, voice, &mut is_sound));
        }
    }
    for (id, voice) in stored {
        let fault = voice.map(|manifest| fault_of_parts(models, &manifest, &mut is_sound));
        faults.insert(id, fault.unwrap_or_else(Some));
    }
    faults
}

/// Why a voice cannot be used: its files, or those of the packages that it needs, are not what their manifests say.
fn fault_of(
    models: &Catalog,
    voice: &Package,
    mut is_sound: impl FnMut(&Package) -> bool,
) -> Option<String> {
    if !is_sound(voice) {
        return Some(damage_of(voice));
    }
    fault_of_parts(models, voice.manifest(), is_sound)
}

/// Why a voice lacks what it listens with: a package that it needs is missing, or its files are not what its manifest says.
fn fault_of_parts(
    models: &Catalog,
    voice: &Manifest,
    mut is_sound: impl FnMut(&Package) -> bool,
) -> Option<String> {
    match models.parts(voice) {
        Ok(parts) => parts.packages().find(|part| !is_sound(part)).map(damage_of),
        Err(missing) => Some(missing.reason),
    }
}

fn damage_of(package: &Package) -> String {
    let id = &package.manifest().id;
    format!("a file of the package {id} is not what its manifest says")
}
