//! The `.yaml` of a bag of Demucs: which models make it up, and the weight of each for every stem.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::drawing::DrawFault;
use crate::yaml::Yaml;
use vocalhost_letters::words::quoted;

use super::settings::of_seconds;

/// The longest file that is read.
const MAX_BYTES: u64 = 64 << 10;

/// What a bag says.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Bag {
    /// Its models, by the beginning of their files' names.
    models: Vec<String>,
    /// A row for each model, with a number for each stem.
    weights: Option<Vec<Vec<f64>>>,
    /// Samples of a piece, for models that take longer ones.
    samples: Option<u64>,
}

impl Bag {
    /// What its models' files are called, or what their names begin with.
    pub(crate) fn into_models(self) -> Vec<String> {
        self.models
    }

    /// Reads the file.
    pub(crate) fn of_file(path: &Path) -> Result<Self, DrawFault> {
        let mut text = String::new();
        let file = File::open(path).map_err(DrawFault::Io)?;
        match file.take(MAX_BYTES + 1).read_to_string(&mut text) {
            Ok(_) if text.len() as u64 <= MAX_BYTES => {}
            Err(error) if error.kind() != std::io::ErrorKind::InvalidData => {
                return Err(DrawFault::Io(error));
            }
            _ => return Err(no_bag("it is no short text")),
        }
        Self::of(&text)
    }

    fn of(text: &str) -> Result<Self, DrawFault> {
        let read = Yaml::read(text).map_err(DrawFault::refused)?;
        let Some(Yaml::List(models)) = read.member("models") else {
            return Err(no_bag("it has no list of models"));
        };
        let names = models.iter().map(|model| match model {
            Yaml::Text(name) if !name.is_empty() => Ok(name.clone()),
            _ => Err(no_bag("one of its models has no name")),
        });
        let models = names.collect::<Result<Vec<_>, _>>()?;
        let weights = match read.member("weights") {
            None | Some(Yaml::Nothing) => None,
            Some(Yaml::List(rows)) if rows.len() == models.len() => Some(
                rows.iter()
                    .map(numbers)
                    .collect::<Option<Vec<_>>>()
                    .ok_or_else(|| no_bag("its weights are no rows of numbers from 0 to 1000"))?,
            ),
            Some(_) => return Err(no_bag("its weights are no rows, one for each model")),
        };
        let samples = match read.member("segment") {
            None | Some(Yaml::Nothing) => None,
            Some(segment) => {
                let seconds = number(segment).and_then(of_seconds);
                Some(seconds.ok_or_else(|| no_bag("its segment is no usable number of seconds"))?)
            }
        };
        Ok(Self {
            models,
            weights,
            samples,
        })
    }

    /// The files in the order of the bag's models; each comes with its name. A file is called as its model, alone or with its checksum
    /// behind (`name-…`).
    pub(super) fn ordered<'f>(
        &self,
        files: &[(&'f PathBuf, PathBuf)],
    ) -> Result<Vec<&'f PathBuf>, DrawFault> {
        if files.len() != self.models.len() {
            return Err(DrawFault::refused(format!(
                "is a bag of {} models ({}), and {} were given",
                self.models.len(),
                quoted(&self.models.join(", ")),
                files.len()
            )));
        }
        let found = self.models.iter().map(|model| {
            let is_it = |(_, called): &&(&PathBuf, PathBuf)| {
                let stem = called.file_stem().unwrap_or_default().to_string_lossy();
                let rest = stem.strip_prefix(model.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
            };
            let found = files.iter().find(is_it).map(|(file, _)| *file);
            found.ok_or_else(|| {
                DrawFault::refused(format!(
                    "is a bag with the model {}, and no file that was given is called so; its files are called as they were \
                     downloaded, {}",
                    quoted(model),
                    quoted(&format!("{model}-….th"))
                ))
            })
        });
        // Of a single model there is nothing to mix up.
        if let [(only, _)] = files {
            return Ok(vec![only]);
        }
        found.collect()
    }

    /// Whether there is anything to weigh.
    pub(super) fn is_of_several(&self) -> bool {
        self.models.len() > 1
    }

    /// The shorter of a model's own pieces and the bag's.
    pub(super) fn samples(&self, own: u64) -> u64 {
        self.samples.map_or(own, |samples| samples.min(own))
    }

    /// The weight of each model for each stem, as a person would write it.
    pub(super) fn weights(&self, stems: usize) -> Result<String, DrawFault> {
        let Some(rows) = &self.weights else {
            return Ok("equal".to_owned());
        };
        if let Some(row) = rows.iter().find(|row| row.len() != stems) {
            return Err(no_bag(&format!(
                "it has a row of {} weights, and its models have {stems} stems",
                row.len()
            )));
        }
        let row = |row: &Vec<f64>| {
            let numbers: Vec<String> = row.iter().map(f64::to_string).collect();
            numbers.join(",")
        };
        let rows: Vec<String> = rows.iter().map(row).collect();
        Ok(rows.join(";"))
    }
}

fn numbers(row: &Yaml) -> Option<Vec<f64>> {
    let Yaml::List(row) = row else {
        return None;
    };
    let is_weight = |number: &f64| (0.0..=1_000.0).contains(number);
    row.iter()
        .map(|value| number(value).filter(is_weight))
        .collect()
}

fn number(value: &Yaml) -> Option<f64> {
    match value {
        Yaml::Text(text) => text.parse().ok(),
        _ => None,
    }
}

fn no_bag(reason: &str) -> DrawFault {
    DrawFault::refused(format!(
        "is no bag of Demucs, which is what may stand beside its models (.yaml): {reason}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TUNED: &str =
        "models: ['f7e0c4bc', 'd12395a8']\nweights: [\n  [1., 0.],\n  [0., 1.],\n]\nsegment: 5\n";

    #[test]
    fn a_bag_says_which_models_count_for_what() {
        let bag = Bag::of(TUNED).expect("a bag");
        assert_eq!(bag.models, ["f7e0c4bc", "d12395a8"]);
        assert_eq!(bag.weights(2).expect("rows"), "1,0;0,1");
        assert!(bag.weights(4).is_err());
        assert_eq!(
            (bag.samples(343_980), bag.samples(100_000)),
            (220_500, 100_000)
        );
        let alone = Bag::of("models: ['955717e8']\n").expect("a bag");
        assert_eq!(alone.weights(4).expect("rows"), "equal");
        assert_eq!(alone.samples(343_980), 343_980);
    }

    #[test]
    fn its_files_are_known_by_their_names() {
        let bag = Bag::of(TUNED).expect("a bag");
        let path = |name: &str| PathBuf::from("/models").join(name);
        let (first, second) = (path("f7e0c4bc-ba3fe64a.th"), path("d12395a8.th"));
        let called = |files: &[&PathBuf]| -> Vec<PathBuf> {
            files.iter().map(|&file| file.clone()).collect()
        };
        let pairs = |files: &[&'static str], called: Vec<PathBuf>| {
            let files = files.iter().map(PathBuf::from).zip(called);
            files.collect::<Vec<_>>()
        };
        let ordered = |bag: &Bag, pairs: &[(PathBuf, PathBuf)]| {
            let pairs: Vec<(&PathBuf, PathBuf)> = pairs
                .iter()
                .map(|(file, called)| (file, called.clone()))
                .collect();
            let ordered = bag.ordered(&pairs).ok()?;
            Some(ordered.into_iter().cloned().collect::<Vec<_>>())
        };
        // What a file is called counts, not where it lies.
        let both = pairs(&["x", "y"], called(&[&second, &first]));
        let wanted = ["y", "x"].map(PathBuf::from).to_vec();
        assert_eq!(ordered(&bag, &both), Some(wanted));
        let other = path("f7e0c4bcd-1.th");
        for files in [&[&first][..], &[&other, &second], &[&first, &first]] {
            let given = pairs(&["x", "y"][..files.len()], called(files));
            assert_eq!(ordered(&bag, &given), None, "{files:?}");
        }
        let alone = Bag::of("models: ['955717e8']\n").expect("a bag");
        let given = pairs(&["x"], called(&[&other]));
        assert_eq!(ordered(&alone, &given), Some(vec![PathBuf::from("x")]));
    }

    #[test]
    fn what_is_no_bag_is_refused_with_the_reason() {
        for (text, wanted) in [
            ("a: 1\n", "no list of models"),
            ("models: [[]]\n", "no name"),
            ("models: [a]\nweights: [[1], [1]]\n", "one for each model"),
            ("models: [a]\nweights: [[x]]\n", "rows of numbers"),
            ("models: [a]\nweights: [[-1]]\n", "rows of numbers"),
            ("models: [a]\nsegment: -4\n", "segment"),
            ("models: &m [a]\nweights: *m\n", "written elsewhere"),
        ] {
            let Err(DrawFault::Refused(reason)) = Bag::of(text) else {
                panic!("not refused: {text}");
            };
            assert!(reason.contains(wanted), "{text}: {reason}");
        }
    }
}
