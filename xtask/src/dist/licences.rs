//! The licences of all that a release is made of, in one file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::crates::{Crates, Described, Locked};
use super::models::Model;
use super::runtime::Runtime;

/// What the names of files with licences begin with.
const BEGINNINGS: [&str; 5] = ["LICEN", "COPYING", "NOTICE", "UNLICENSE", "COPYRIGHT"];

/// Folders of a crate with code of others, whose licences count, too, or the one licence there that does: libFLAC is under Xiph's,
/// and the texts beside it are those of its programs and of its documentation.
const OF_OTHERS: [&str; 2] = ["lame-3.100", "flac/COPYING.Xiph"];

/// A licence text that stands once, with all that have it.
type Texts = BTreeMap<String, Vec<String>>;

/// Writes the file's text. `standard` is the Apache licence, for crates that name it and bring no text.
pub fn write(
    crates: &Crates,
    models: &[Model],
    runtime: &Runtime,
    standard: &str,
) -> Result<String> {
    let mut texts = Texts::new();
    let mut list = String::new();
    for one in crates.locked.iter().filter(|one| one.is_others()) {
        let Some(described) = crates.describe(one).filter(|_| crates.is_linked(one)) else {
            continue;
        };
        let licence = described.licence.as_deref().unwrap_or("see its text");
        let line = format!("  {} {}: {licence}\n", one.name, one.version);
        list.push_str(&line);
        for text in texts_of(one, described, crates, standard)? {
            let holder = format!("{} {}", one.name, one.version);
            texts.entry(text).or_default().push(holder);
        }
    }
    let mut whole = format!(
        "{HEAD}{}\nModels\n\n{}\nCrates\n\n{list}\nThe libraries of the console, which is in the program:\n{CONSOLE}\n",
        if runtime.nvidia.is_some() { NVIDIA } else { "" },
        of_models(models)
    );
    let mut blocks: Vec<(Vec<String>, String)> = texts
        .into_iter()
        .map(|(text, holders)| (holders, text))
        .collect();
    blocks.sort();
    for (holders, text) in blocks {
        let line = format!("{RULE}\n{}\n{RULE}\n\n{}\n\n", holders.join(", "), text);
        whole.push_str(&line);
    }
    Ok(whole)
}

const HEAD: &str = "\
What vocalhost is made of, and under which licences

vocalhost itself: MIT or Apache-2.0, at your choice (LICENSE-MIT, LICENSE-APACHE).

ONNX Runtime (lib/libonnxruntime.so): MIT, Copyright (c) Microsoft Corporation; its text and the notices of what it is made of lie
beside it.

LAME, which makes the MP3 files, is linked statically and is under the LGPL: its text stands below with the crate mp3lame-sys. Who wants
to link another LAME, or none, builds the program from its source, which is public in full.
";

const NVIDIA: &str = "
NVIDIA's libraries (/opt/nvidia): under NVIDIA's licences for the CUDA Toolkit and for cuDNN, whose texts lie beside them. They may be
passed on as a part of this program and for its use alone.
";

const CONSOLE: &str =
    "  preact and @preact/signals: MIT, Copyright (c) 2015-present Jason Miller and the Preact team
  tus-js-client: MIT, Copyright (c) 2015-present tus - Resumable File Uploads
";

const RULE: &str =
    "--------------------------------------------------------------------------------";

fn of_models(models: &[Model]) -> String {
    let line = |model: &Model| {
        format!(
            "  {} {}: {}\n    {}\n",
            model.id, model.version, model.licence, model.attribution
        )
    };
    models.iter().map(line).collect()
}

fn texts_of(
    one: &Locked,
    described: &Described,
    crates: &Crates,
    standard: &str,
) -> Result<Vec<String>> {
    let mut texts = texts_in(&described.folder)?;
    for inside in OF_OTHERS {
        texts.extend(texts_in(&described.folder.join(inside))?);
    }
    if texts.is_empty() {
        // Crates of one repository have one licence, which some of them leave there.
        let siblings = crates
            .described
            .values()
            .filter(|other| other.repository.is_some() && other.repository == described.repository);
        for sibling in siblings {
            texts = texts_in(&sibling.folder)?;
            if !texts.is_empty() {
                break;
            }
        }
    }
    let licence = described.licence.as_deref().unwrap_or_default();
    if texts.is_empty() && licence.contains("Apache-2.0") {
        texts.push(standard.trim().to_owned());
    } else if texts.is_empty() && licence.contains("MIT") {
        texts.push(mit(&described.authors, &one.name));
    }
    Ok(texts)
}

/// The texts that lie in a folder, or the one in a file, without the spaces around them.
fn texts_in(folder: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    if folder.is_file() {
        return Ok(vec![text_of(folder)?]);
    }
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(texts);
    };
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_uppercase();
        if path.is_file() && BEGINNINGS.iter().any(|one| name.starts_with(one)) {
            texts.push(text_of(&path)?);
        }
    }
    texts.sort();
    Ok(texts)
}

fn text_of(file: &Path) -> Result<String> {
    let text = fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
    let text = String::from_utf8_lossy(&text).replace("\r\n", "\n");
    Ok(text.trim().to_owned())
}

fn mit(authors: &[String], name: &str) -> String {
    let holder = if authors.is_empty() {
        format!("the authors of {name}")
    } else {
        authors.join(", ")
    };
    let ours = include_str!("../../../LICENSE-MIT");
    let lines = ours.lines().map(|line| {
        if line.starts_with("Copyright") {
            format!("Copyright (c) {holder}")
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_many_share_stands_once_and_a_missing_one_is_made_up_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let described = |name: &str, licence: &str, text: Option<&str>| {
            let own = folder.path().join(name);
            fs::create_dir_all(&own).expect("it is made");
            if let Some(text) = text {
                fs::write(own.join("LICENSE.md"), text).expect("it is written");
            }
            let id = (name.to_owned(), "1.0.0".to_owned());
            let described = Described {
                licence: Some(licence.to_owned()),
                repository: None,
                authors: vec!["Ann".to_owned()],
                folder: own,
            };
            (id, described)
        };
        let described = BTreeMap::from([
            described("one", "ISC", Some("The text.\r\n")),
            described("other", "ISC", Some("\nThe text.")),
            described("without", "MIT", None),
            described("tests-only", "ISC", Some("Another text.")),
        ]);
        let locked = described.keys().map(|(name, version)| Locked {
            name: name.clone(),
            version: version.clone(),
            checksum: Some(String::new()),
            dependencies: Vec::new(),
        });
        let linked = described.keys().filter(|(name, _)| name != "tests-only");
        let crates = Crates {
            locked: locked.collect(),
            linked: linked.cloned().collect(),
            described,
        };
        let mut runtime = Runtime {
            files: Vec::new(),
            components: Vec::new(),
            nvidia: None,
        };
        let text = write(&crates, &[], &runtime, "Apache").expect("it is written");
        assert_eq!(text.matches("The text.").count(), 1);
        assert!(text.contains("\none 1.0.0, other 1.0.0\n"), "{text}");
        assert!(text.contains("Copyright (c) Ann"), "{text}");
        assert!(!text.contains("Another text."), "{text}");
        assert!(!text.contains("NVIDIA"), "{text}");
        runtime.nvidia = Some(folder.path().to_owned());
        let with_cuda = write(&crates, &[], &runtime, "Apache").expect("it is written");
        assert!(with_cuda.contains("/opt/nvidia"), "{with_cuda}");
    }
}
