//! The voice that a command names.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::database::WHOLE_LIST;
use crate::cli::models::library::look_at_library;
use crate::cli::{Chosen, CliError};
use vocalhost_config::Settings;
use vocalhost_job::{ConversionSpec, Succession};
use vocalhost_model::{Catalog, Kind, Package, VoiceKnobs};
use vocalhost_store::ListedModel;

/// The number that the voice has in the order.
pub const HERE: i64 = 1;

/// A voice that was found.
pub struct Found {
    /// The folder of its package.
    pub folder: PathBuf,
    /// The earlier voice that was named, where this one has taken its place.
    pub succession: Option<Succession>,
}

impl From<&Path> for Found {
    fn from(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            succession: None,
        }
    }
}

/// The voice that is named: by the folder of its package, as one of the model folders, or as one of the file store, whose files are
/// brought into the scratch folder. A later generation stands for one that is gone.
pub fn find(
    chosen: &Chosen,
    settings: &Settings,
    named: &str,
    scratch: &Path,
) -> Result<Found, CliError> {
    let path = Path::new(named);
    if path.join(Package::MANIFEST_NAME).is_file() {
        return Ok(path.into());
    }
    let catalog = Catalog::open(&settings.model_folders());
    let is_it = |package: &&Package| {
        let manifest = package.manifest();
        manifest.id == named || manifest.name == named
    };
    if let Some(package) = catalog.voices().find(is_it) {
        return Ok(package.folder().into());
    }
    if let Some(found) = or_successor(&catalog, named) {
        return Ok(found);
    }
    let target = scratch.join("voice");
    look_at_library(chosen, async |opened| {
        let found = opened.store.all_models(false, WHOLE_LIST).await?;
        let is_it = |listed: &&ListedModel| {
            let voice = &listed.voice;
            voice.id.to_string() == named || voice.package_id == named || voice.title == named
        };
        let titles = || found.rows.iter().map(|listed| listed.voice.title.as_str());
        let missing = || missing(named, (&catalog, titles().collect()), settings);
        let mut called = found.rows.iter().filter(is_it);
        let voice = match (called.next(), called.next()) {
            (Some(listed), None) => &listed.voice,
            (Some(_), Some(_)) => {
                let what = format!("several voices are called {named}: name one by its number");
                return Err(CliError::Usage(what));
            }
            (None, _) => return Err(missing()),
        };
        if voice.package.is_empty() {
            let found = or_successor(&catalog, &voice.package_id).ok_or_else(missing)?;
            return Ok(Found {
                succession: found.succession.or_else(|| voice.succession()),
                ..found
            });
        }
        fs::create_dir(&target).map_err(|source| CliError::System {
            what: "cannot make a folder",
            source,
        })?;
        for file in &voice.package {
            opened
                .files
                .fetch_to(&file.key, &target.join(&file.name))
                .await?;
        }
        Ok(target.as_path().into())
    })
}

/// The folders that models are looked for in, for people.
pub fn model_folders(settings: &Settings) -> String {
    let folders = settings.model_folders();
    let shown = folders.iter().map(|folder| folder.display().to_string());
    format!("{} (models_dir)", shown.collect::<Vec<_>>().join(", "))
}

/// Says which voices there are instead; that there are none is another mistake than a wrong name.
fn missing(
    named: &str,
    (catalog, mut titles): (&Catalog, BTreeSet<&str>),
    settings: &Settings,
) -> CliError {
    let of_folders = catalog.voices();
    titles.extend(of_folders.map(|package| package.manifest().name.as_str()));
    let instead = if titles.is_empty() {
        format!("no voice at all is in {}", model_folders(settings))
    } else {
        let titles: Vec<&str> = titles.into_iter().collect();
        let alike = titles
            .iter()
            .find(|title| title.to_lowercase() == named.to_lowercase());
        match alike {
            Some(alike) => format!("there is {alike}; capital letters count"),
            None => format!("there are {}", titles.join(", ")),
        }
    };
    CliError::Missing(format!("voice {named}: {instead}"))
}

/// The package of an id in the model folders, or the later generation that stands for it.
fn or_successor(catalog: &Catalog, id: &str) -> Option<Found> {
    let package = catalog.find_or_successor(id)?;
    let later = &package.manifest().id;
    let succession = (later != id).then(|| Succession {
        model_id: HERE,
        earlier: id.to_owned(),
        later: later.clone(),
    });
    Some(Found {
        folder: package.folder().to_owned(),
        succession,
    })
}

/// Refuses what is chosen about a voice that it does not have.
pub fn check(folder: &Path, spec: &ConversionSpec) -> Result<(), CliError> {
    let package = Package::open(folder)?;
    let manifest = package.manifest();
    if manifest.kind != Kind::Voice {
        return Err(CliError::Usage(format!("{} is no voice", manifest.id)));
    }
    let knobs = VoiceKnobs {
        protect: spec.protect,
        speaker: spec.speaker,
        ..VoiceKnobs::default()
    };
    if let Some(field) = knobs.foreign_to(manifest.family) {
        return Err(CliError::Usage(format!(
            "{field} is nothing that voices of the family {} have",
            manifest.family.as_str()
        )));
    }
    if let Some(count) = knobs.too_few_speakers(manifest) {
        let last = count.saturating_sub(1);
        return Err(CliError::Usage(format!(
            "speakerId must be between 0 and {last}: the voice has {count}"
        )));
    }
    Ok(())
}
