//! What a file is, told without making a package of it: enough to list a folder of models.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::demucs::Bag;
use super::digest::digest_of;
use super::kind::{FileKind, kind_of};
use super::known::{self, Checkpoint};
use super::loaded::{Loaded, read};
use super::package::{at, read_manifest};
use super::{ImportError, archive, checkpoint, graphs, rvc, torch};
use vocalhost_model::{FileRole, Kind, Manifest, ModelError, Package, is_title};

/// What was seen of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Glance {
    /// What it is.
    pub seen: Seen,
    /// SHA-256 of it, lower-case hexadecimal; of a package, that of its graph.
    pub sha256: String,
}

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// A model that an import may take, which looks closer.
    Model {
        /// What it is for.
        kind: Kind,
        /// What its maker calls it, or its file without the ending.
        name: String,
        /// The files beside it that hold its weights.
        weights: Vec<PathBuf>,
        /// How its settings, which lie elsewhere, are found, if such a model has some.
        #[serde(default)]
        settings: Option<SettingsOf>,
    },
    /// A bag of Demucs: what the files of its models are called, alone or with a checksum behind (`name-…`).
    Bag {
        /// The names.
        models: Vec<String>,
    },
    /// Whole, and nothing that this server imports; a sentence without its subject says what.
    Other(String),
}

/// How a separator's settings are found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsOf {
    /// The MD5 of the file's last 10,000 KiB, lower-case hexadecimal: UVR's name for it.
    pub digest: String,
    /// The name of UVR's configuration, without an ending, if the file is known by its content.
    pub name: Option<String>,
}

/// Looks at a file, or at the folder of a package; `beside` are files that may hold the weights of a graph.
///
/// # Errors
/// [`ImportError::Refused`] when it is damaged or may not be used, [`ImportError::Io`] when it cannot be read.
pub fn glance(file: &Path, beside: &[PathBuf]) -> Result<Glance, ImportError> {
    let refused = |reason: &str| ImportError::Refused {
        file: file.to_owned(),
        reason: reason.to_owned(),
    };
    let manifest = if file.is_dir() {
        let path = file.join(Package::MANIFEST_NAME);
        let text = File::open(&path).map_err(at(&path));
        Some(text.and_then(|mut text| read_manifest(&path, &mut text)))
    } else {
        archive::manifest(file)
    };
    if let Some(text) = manifest {
        return of_package(&text?).map_err(|error| refused(&error.to_string()));
    }
    let seen = match kind_of(file).map_err(at(file))? {
        FileKind::Archive => match torch::why_none(file) {
            None => of_checkpoint(file)?,
            Some(reason) => return Err(refused(&reason)),
        },
        FileKind::Onnx => of_graph(file, beside)?,
        FileKind::Weights => of_checkpoint(file)?,
        FileKind::Useless(reason) => return Err(refused(reason)),
        FileKind::Data => of_text(file),
        FileKind::Faiss => Seen::Other("is of no known kind".to_owned()),
    };
    Ok(Glance {
        seen,
        sha256: digest_of(file).map_err(at(file))?,
    })
}

/// A package, as far as its manifest tells.
fn of_package(text: &str) -> Result<Glance, ModelError> {
    let manifest = Manifest::parse(Path::new(Package::MANIFEST_NAME), text)?;
    let sha256 = match manifest.file(FileRole::Graph) {
        Some((_, graph)) => graph.sha256.clone(),
        // One that only names others.
        None => base16ct::lower::encode_string(&Sha256::digest(text)),
    };
    Ok(Glance {
        seen: Seen::Model {
            kind: manifest.kind,
            name: manifest.name,
            weights: Vec::new(),
            settings: None,
        },
        sha256,
    })
}

/// What a file is that is neither a graph nor weights: a bag is a text.
fn of_text(file: &Path) -> Seen {
    match Bag::of_file(file) {
        Ok(bag) => Seen::Bag {
            models: bag.into_models(),
        },
        Err(_) => Seen::Other("is of no known kind".to_owned()),
    }
}

fn of_checkpoint(file: &Path) -> Result<Seen, ImportError> {
    if let Some((kind, has_settings)) = checkpoint::gives(file)? {
        let settings = if has_settings {
            Some(settings_of(file)?)
        } else {
            None
        };
        return Ok(Seen::Model {
            kind,
            name: stem(file),
            weights: Vec::new(),
            settings,
        });
    }
    Ok(match rvc::glance(file)? {
        Ok(name) => Seen::Model {
            kind: Kind::Voice,
            name: name
                .filter(|name| is_title(name))
                .unwrap_or_else(|| stem(file)),
            weights: Vec::new(),
            settings: None,
        },
        Err(what) => Seen::Other(what),
    })
}

fn of_graph(file: &Path, beside: &[PathBuf]) -> Result<Seen, ImportError> {
    let bytes = read(file)?;
    let graph = Loaded::check(file, &bytes, beside)?;
    let mut weights: Vec<PathBuf> = graph.weights().map(Path::to_owned).collect();
    weights.sort();
    weights.dedup();
    Ok(match graphs::gives(&graph) {
        Ok(kind) => Seen::Model {
            kind,
            name: stem(file),
            weights,
            settings: None,
        },
        Err(what) => Seen::Other(what),
    })
}

fn settings_of(file: &Path) -> Result<SettingsOf, ImportError> {
    let digest = known::digest_of(file).map_err(at(file))?;
    let name = match known::by_digest(&digest) {
        Some(Checkpoint::Separator(known)) => Some(known.name.to_owned()),
        _ => None,
    };
    Ok(SettingsOf { digest, name })
}

fn stem(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default();
    stem.to_string_lossy().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use vocalhost_testing::repository;

    use super::*;
    use crate::torch::testing::{Pickle, archive};

    #[test]
    fn a_file_is_known_without_making_a_package_of_it() {
        let checkpoint = repository("tests/fixtures/checkpoints/rvc-v1-48k-f0.pth");
        let glanced = glance(&checkpoint, &[]).expect("it is whole");
        let Seen::Model { kind, weights, .. } = glanced.seen else {
            panic!("it is a voice");
        };
        assert_eq!((kind, weights.len()), (Kind::Voice, 0));
        assert_eq!(glanced.sha256.len(), 64);

        let folder = tempfile::tempdir().expect("a folder");
        let look = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).expect("written");
            glance(&path, &[])
        };
        let weights =
            |name: &str| archive(&[("data.pkl", &Pickle::dict().text(name).text("").end())]);
        let other = look("vr.pth", &weights("stg1_low_band_net.enc1")).expect("it is whole");
        assert!(
            matches!(&other.seen, Seen::Other(what) if what.contains("VR architecture")),
            "{other:?}"
        );
        let whole = fs::read(&checkpoint).expect("the fixture");
        let bag = look("tuned.yaml", b"models: ['f7e0c4bc', 'd12395a8']\n");
        let models = vec!["f7e0c4bc".to_owned(), "d12395a8".to_owned()];
        assert_eq!(bag.expect("it is whole").seen, Seen::Bag { models });
        let notes = look("notes.yaml", b"a: 1\n").expect("it is whole");
        assert!(matches!(notes.seen, Seen::Other(_)), "{notes:?}");
        let separator = repository("tests/fixtures/separators/bs.ckpt");
        let glanced = glance(&separator, &[]).expect("it is whole");
        let Seen::Model {
            settings: Some(settings),
            ..
        } = glanced.seen
        else {
            panic!("it is a separator");
        };
        assert_eq!((settings.digest.len(), settings.name), (32, None));
        let cut = look("cut.pth", &whole[..whole.len() / 2]).expect_err("it is cut");
        assert!(cut.to_string().contains("is cut off"), "{cut}");
        let page = look("page.pth", b"<!doctype html>").expect_err("it is a page");
        assert!(page.to_string().contains("web page"), "{page}");
    }
}
