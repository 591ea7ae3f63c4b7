//! The files of an installation that may be models, by their names; nothing is opened.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::CliError;
use vocalhost_model::Package;

/// The most files and folders that are looked at, and how deep.
const MAX_SEEN: usize = 200_000;
const MAX_DEPTH: usize = 12;

/// What files of models are called.
const MODELS: [&str; 7] = ["pth", "onnx", "pt", "ckpt", "th", "safetensors", "vmp"];
/// What transformers calls weights, which Applio and others take encoders from; other files may end in `.bin`, too.
const WEIGHTS: &str = "pytorch_model.bin";
/// The same weights, where a folder has them in both forms.
const SAFE_WEIGHTS: &str = "model.safetensors";
const INDEX: &str = "index";
const SETTINGS: [&str; 2] = ["yaml", "yml"];

/// Folders of what models are trained from, and of programs.
const PASSED_OVER: [&str; 12] = [
    "pretrained",
    "pretrained_v2",
    "pretraineds",
    "site-packages",
    "node_modules",
    "__pycache__",
    "venv",
    "env",
    "runtime",
    "python",
    "mute",
    "mute_spin",
];

/// What lies in a folder.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Files that may be models, and folders of packages, in the order of their names.
    pub models: Vec<PathBuf>,
    /// Files that may be indexes of voices.
    pub indexes: Vec<PathBuf>,
    /// Files that may be settings of separators, or bags of several.
    pub settings: Vec<PathBuf>,
    /// How many models there only training needs.
    pub of_training: usize,
}

/// Looks through a folder and those in it. Links to folders are not followed, and what has no readable name is left out.
pub fn walk(folder: &Path) -> Result<Walked, CliError> {
    let mut found = Walked::default();
    let mut seen = 0;
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let unreadable = |source| {
            CliError::WrongState(format!(
                "cannot read the folder {}: {source}",
                folder.display()
            ))
        };
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            seen += 1;
            if seen > MAX_SEEN {
                return Err(CliError::WrongState(format!(
                    "there are more than {MAX_SEEN} files and folders there; give the folder of the models in it"
                )));
            }
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().to_lowercase();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder {
                let is_passed = name.starts_with('.') || PASSED_OVER.contains(&name.as_str());
                if path.to_str().is_some() && path.join(Package::MANIFEST_NAME).is_file() {
                    found.models.push(path);
                } else if !is_passed && depth < MAX_DEPTH {
                    open.push((path, depth + 1));
                }
            } else if path.to_str().is_some() && path.is_file() {
                found.take(path, &name);
            }
        }
    }
    found.take_one_of_each_pair();
    found.models.sort();
    found.indexes.sort();
    found.settings.sort();
    Ok(found)
}

impl Walked {
    fn take(&mut self, path: PathBuf, name: &str) {
        let Some((stem, ending)) = name.rsplit_once('.') else {
            return;
        };
        if stem.starts_with('.') {
            return;
        }
        if ending == INDEX {
            // RVC leaves beside every index an empty one that it was grown from.
            if !stem.starts_with("trained_") {
                self.indexes.push(path);
            }
        } else if SETTINGS.contains(&ending) {
            self.settings.push(path);
        } else if MODELS.contains(&ending) || name == WEIGHTS {
            if is_of_training(stem) {
                self.of_training += 1;
            } else {
                self.models.push(path);
            }
        }
    }

    /// Leaves weights out that lie in another form beside them.
    fn take_one_of_each_pair(&mut self) {
        let is_called = |path: &Path, name: &str| {
            let found = path.file_name().unwrap_or_default();
            found.to_string_lossy().to_lowercase() == name
        };
        let safe = self.models.iter();
        let safe = safe.filter(|path| is_called(path, SAFE_WEIGHTS));
        let folders: BTreeSet<PathBuf> = safe
            .filter_map(|path| path.parent().map(Path::to_owned))
            .collect();
        self.models.retain(|path| {
            let is_pair = path.parent().is_some_and(|folder| folders.contains(folder));
            !(is_pair && is_called(path, WEIGHTS))
        });
    }
}

/// Whether RVC and Applio use this name for files that only training needs: `G_2333`, `D_latest`.
fn is_of_training(stem: &str) -> bool {
    let rest = stem.strip_prefix("g_").or_else(|| stem.strip_prefix("d_"));
    rest.is_some_and(|rest| {
        rest == "latest" || (!rest.is_empty() && rest.bytes().all(|letter| letter.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_and_indexes_are_found_by_their_names_and_what_is_for_training_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in [
            "assets/weights/Anna.PTH",
            "assets/weights/notes.txt",
            "assets/pretrained_v2/f0G40k.pth",
            "logs/Anna/added_IVF1_Anna_v2.index",
            "logs/Anna/trained_IVF1_Anna_v2.index",
            "logs/Anna/G_2333333.pth",
            "logs/Anna/D_latest.pth",
            "logs/Anna/G_minor.pth",
            "models/MDX_Net_Models/a.onnx",
            "embedders/contentvec/pytorch_model.bin",
            "embedders/contentvec/optimizer.bin",
            "embedders/spin/model.safetensors",
            "embedders/spin/pytorch_model.bin",
            "models/MDX_Net_Models/model_data/mdx_c_configs/b.YAML",
            ".git/b.onnx",
        ] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, "").expect("written");
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), folder.path().join("logs/again"))
            .expect("a link");
        let found = walk(folder.path()).expect("it can be read");
        let names = |paths: &[PathBuf]| {
            let inside = paths.iter().map(|path| path.strip_prefix(folder.path()));
            let inside = inside.map(|path| path.expect("inside").display().to_string());
            inside.collect::<Vec<_>>()
        };
        assert_eq!(
            names(&found.models),
            [
                "assets/weights/Anna.PTH",
                "embedders/contentvec/pytorch_model.bin",
                "embedders/spin/model.safetensors",
                "logs/Anna/G_minor.pth",
                "models/MDX_Net_Models/a.onnx"
            ]
        );
        assert_eq!(
            names(&found.indexes),
            ["logs/Anna/added_IVF1_Anna_v2.index"]
        );
        assert_eq!(
            names(&found.settings),
            ["models/MDX_Net_Models/model_data/mdx_c_configs/b.YAML"]
        );
        assert_eq!(found.of_training, 2);
    }
}
