use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use toml::{Table, Value};

use vocalhost_model::{FileRole, Package};

use super::digest::digest_of;
use super::{ImportError, ImportRequest, Imported, answered};

/// What stands where nobody said anything. People see it, and can ask before they use a model.
const NOT_STATED: &str = "Not stated by whoever imported it.";
/// The longest part of a title that becomes part of an id.
const MAX_ID_LETTERS: usize = 48;

/// A package in the making, in the target folder of a request.
pub(super) struct Draft<'r> {
    request: &'r ImportRequest<'r>,
    source: PathBuf,
    manifest: Table,
    files: Table,
    tensors: Vec<Value>,
    digest: String,
}

impl<'r> Draft<'r> {
    /// Begins a package of what `source` holds.
    pub(super) fn new(
        request: &'r ImportRequest<'r>,
        source: &Path,
        kind: &str,
        family: &str,
    ) -> Self {
        let mut draft = Self {
            request,
            source: source.to_owned(),
            manifest: Table::new(),
            files: Table::new(),
            tensors: Vec::new(),
            digest: String::new(),
        };
        let answers = request.answers;
        let said = |answer: &Option<String>| match answer {
            Some(text) if !text.trim().is_empty() => text.trim().to_owned(),
            _ => NOT_STATED.to_owned(),
        };
        draft.manifest.insert("schema".to_owned(), Value::from(1));
        for (key, value) in [
            ("name", draft.title()),
            ("version", "1.0.0".to_owned()),
            ("kind", kind.to_owned()),
            ("family", family.to_owned()),
            ("license", said(&answers.license)),
            ("attribution", said(&answers.attribution)),
            ("trained_on", said(&answers.trained_on)),
            ("consent", said(&answers.consent)),
            ("created", request.today.to_owned()),
        ] {
            draft.manifest.insert(key.to_owned(), Value::from(value));
        }
        if let Some(url) = &answers.source_url {
            let url = Value::from(url.as_str());
            draft.manifest.insert("source_url".to_owned(), url);
        }
        draft
    }

    /// Has the package recognised by another file than the one that the graph is of.
    pub(super) fn known_by(&mut self, source: &Path) {
        source.clone_into(&mut self.source);
    }

    /// What a person calls it, or else what such models are called, or the file's name without its ending.
    fn title(&self) -> String {
        let answers = &self.request.answers;
        let given = answers.title.as_deref().map(str::trim);
        let stem = || self.source.file_stem().map(|stem| stem.to_string_lossy());
        match (given.filter(|title| !title.is_empty()), &answers.untitled) {
            (Some(title), _) => title.to_owned(),
            (None, Some(untitled)) => untitled.clone(),
            (None, None) => {
                stem().map_or_else(|| "Imported".to_owned(), |stem| stem.trim().to_owned())
            }
        }
    }

    /// Adds a section.
    pub(super) fn section<const N: usize>(&mut self, name: &str, entries: [(&str, Value); N]) {
        self.manifest
            .insert(name.to_owned(), Value::Table(table(entries)));
    }

    /// Adds or changes an entry of a section.
    pub(super) fn entry(&mut self, section: &str, key: &str, value: impl Into<Value>) {
        let section = self
            .manifest
            .entry(section)
            .or_insert_with(|| Value::Table(Table::new()));
        if let Value::Table(section) = section {
            section.insert(key.to_owned(), value.into());
        }
    }

    /// Adds an input or an output, as a table of a manifest.
    pub(super) fn tensor(&mut self, tensor: Table) {
        self.tensors.push(Value::Table(tensor));
    }

    /// Writes a file of the package with `write`, which gets a buffered writer.
    pub(super) fn file(
        &mut self,
        name: &str,
        role: FileRole,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), ImportError> {
        let path = self.request.target.join(name);
        let fault = |source| ImportError::Io {
            file: path.clone(),
            source,
        };
        let mut out = Hashing {
            file: BufWriter::new(File::create_new(&path).map_err(fault)?),
            hasher: Sha256::new(),
            bytes: 0,
        };
        write(&mut out).map_err(fault)?;
        out.file.flush().map_err(fault)?;
        let sha256 = base16ct::lower::encode_string(&out.hasher.finalize());
        if role == FileRole::Graph {
            self.digest.push_str(&sha256);
        }
        let role = Value::try_from(role).map_err(|error| self.refused(error.to_string()))?;
        let entry = [
            ("role", role),
            ("sha256", Value::from(sha256)),
            ("bytes", Value::from(out.bytes)),
        ];
        self.files
            .insert(name.to_owned(), Value::Table(table(entry)));
        Ok(())
    }

    /// Writes the manifest and opens the package, which checks it like any other.
    pub(super) fn finish(mut self, found: Vec<String>) -> Result<Imported, ImportError> {
        let id = match &self.request.answers.id {
            Some(id) => id.clone(),
            None => id_of(&self.title(), &self.digest),
        };
        let digest = digest_of(&self.source).map_err(|source| ImportError::Io {
            file: self.source.clone(),
            source,
        })?;
        let mut manifest = std::mem::take(&mut self.manifest);
        manifest.insert("id".to_owned(), Value::from(id));
        manifest.insert("source_sha256".to_owned(), Value::from(digest));
        manifest.insert(
            "files".to_owned(),
            Value::Table(std::mem::take(&mut self.files)),
        );
        let tensors = std::mem::take(&mut self.tensors);
        manifest.insert("tensor".to_owned(), Value::Array(tensors));
        let text = toml::to_string(&manifest).map_err(|error| self.refused(error.to_string()))?;
        let path = self.request.target.join(Package::MANIFEST_NAME);
        std::fs::write(&path, text).map_err(|source| ImportError::Io { file: path, source })?;
        let package = Package::open(self.request.target).map_err(|error| {
            answered::fault(error, self.request.answers, |reason| {
                self.refused(format!("makes no package: {reason}"))
            })
        })?;
        Ok(Imported {
            id: package.manifest().id.clone(),
            family: package.manifest().family,
            found,
        })
    }

    fn refused(&self, reason: String) -> ImportError {
        ImportError::Refused {
            file: self.source.clone(),
            reason,
        }
    }
}

/// A table of a manifest.
pub(super) fn table<const N: usize>(entries: [(&str, Value); N]) -> Table {
    entries
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
}

/// An id that tells people what it is, and differs between graphs: the title's letters and the beginning of the graph's
/// hash.
fn id_of(title: &str, digest: &str) -> String {
    let mut id = String::new();
    for letter in title.to_lowercase().chars() {
        if letter.is_ascii_alphanumeric() {
            id.push(letter);
        } else if !id.is_empty() && !id.ends_with('-') {
            id.push('-');
        }
        if id.len() >= MAX_ID_LETTERS {
            break;
        }
    }
    let name = match id.trim_end_matches('-') {
        "" => "imported".to_owned(),
        // An id has a letter, and there may be none in the hash.
        name if !name.contains(|letter: char| letter.is_ascii_lowercase()) => {
            format!("imported-{name}")
        }
        name => name.to_owned(),
    };
    // Several graphs: their hashes, one behind the other, hashed again.
    let digest = base16ct::lower::encode_string(&Sha256::digest(digest.as_bytes()));
    format!("{name}-{}", &digest[..8])
}

struct Hashing {
    file: BufWriter<File>,
    hasher: Sha256,
    bytes: i64,
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        self.bytes += count as i64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_made_of_titles_in_any_script() {
        let id = |title| id_of(title, "0123");
        assert!(id("My  Voice (v2)!").starts_with("my-voice-v2-"));
        assert!(id("声音").starts_with("imported-"));
        assert!(id("模型 2").starts_with("imported-2-"));
        assert_ne!(id("a"), id_of("a", "4567"));
        let long = id(&"x".repeat(200));
        assert_eq!(long.len(), MAX_ID_LETTERS + 9);
    }
}
