use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::check::bytes;
use vocalhost_letters::words::quoted;
use vocalhost_onnx::{External, Fault, OnnxFile};

/// A file that came with a graph: where it lies, and where it comes from, which is what a graph may call it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Other {
    pub(crate) file: PathBuf,
    pub(crate) called: PathBuf,
}

impl Other {
    /// One that lies where it comes from.
    pub(crate) fn at(file: &Path) -> Self {
        Self {
            file: file.to_owned(),
            called: file.to_owned(),
        }
    }
}

/// Finds the weights that lie in other files: only in those that were given with the graph, never by the path that the graph
/// names. A file matches by its file name; of several with that name, the one beside the `graph` does. The only file matches
/// under any name where the graph wants only one.
///
/// # Errors
/// When a file is missing or shorter than the graph says, and when it could be one of several.
pub(crate) fn resolve(
    graph: &Path,
    file: &OnnxFile<'_>,
    others: &[Other],
) -> Result<Vec<External>, Fault> {
    let tensors = file.graph.initializers.iter().enumerate();
    let tensors: Vec<_> = tensors
        .filter_map(|(place, tensor)| Some((place, tensor, tensor.external.as_ref()?)))
        .collect();
    let wanted: BTreeSet<&str> = tensors
        .iter()
        .filter_map(|(_, _, facts)| facts.get("location").copied())
        .collect();
    let mut found = Vec::with_capacity(tensors.len());
    for (place, tensor, facts) in tensors {
        let fault = |reason: String| Fault::new(format!("weight {} {reason}", quoted(tensor.name)));
        let location = facts
            .get("location")
            .ok_or_else(|| fault("does not say in which file its values are".to_owned()))?;
        let called = quoted(location);
        let path = given(graph, (location, wanted.len()), others)
            .map_err(|why| fault(format!("has its values in the file {called}, {why}")))?;
        let number = |key: &str, otherwise: u64| match facts.get(key) {
            Some(text) => text
                .parse()
                .map_err(|_| fault(format!("has the {key} {}", quoted(text)))),
            None => Ok(otherwise),
        };
        let expected = bytes(tensor).map_err(fault)?;
        let (offset, length) = (number("offset", 0)?, number("length", expected)?);
        if length != expected {
            return Err(fault(format!(
                "has {length} bytes in {called}, its shape asks for {expected}"
            )));
        }
        let size = fs::metadata(path).map_or(0, |facts| facts.len());
        if offset.checked_add(length).is_none_or(|end| end > size) {
            return Err(fault(format!(
                "lies at {offset} in {called}, which has only {size} bytes"
            )));
        }
        found.push(External {
            initializer: place,
            file: path.clone(),
            offset,
            bytes: length,
        });
    }
    Ok(found)
}

/// The file that a graph means by a location, of those that were given. Of several of one name it is the one beside the graph.
fn given<'o>(
    graph: &Path,
    (location, wanted): (&str, usize),
    others: &'o [Other],
) -> Result<&'o PathBuf, &'static str> {
    const MISSING: &str = "which has to be given too";
    let folder = graph.parent().unwrap_or(Path::new(""));
    let name = Path::new(location).file_name().ok_or(MISSING)?;
    let called: Vec<_> = others
        .iter()
        .filter(|other| other.called.file_name() == Some(name))
        .collect();
    let beside = [folder.join(location), folder.join(name)];
    let is_at = |place: &PathBuf| called.iter().find(|other| other.called == *place);
    match (&called[..], others) {
        ([one], _) => Ok(&one.file),
        ([], [only]) if wanted == 1 => Ok(&only.file),
        ([], _) => Err(MISSING),
        _ => beside
            .iter()
            .find_map(is_at)
            .map(|other| &other.file)
            .ok_or("and of several of that name none lies beside the graph"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_what_they_are_called_where_they_come_from() {
        let others = |called: &[&str]| -> Vec<Other> {
            let called = called.iter().enumerate();
            called
                .map(|(number, called)| Other {
                    file: PathBuf::from(format!("upload-{number}")),
                    called: PathBuf::from(called),
                })
                .collect()
        };
        let found = |location: &str, wanted: usize, called: &[&str]| {
            let others = others(called);
            let found = given(Path::new("m.onnx"), (location, wanted), &others);
            found.map(|file| file.display().to_string())
        };
        let two = ["a.data", "b.data"];
        assert_eq!(found("b.data", 2, &two).as_deref(), Ok("upload-1"));
        assert_eq!(found("weights/a.data", 2, &two).as_deref(), Ok("upload-0"));
        assert!(found("c.data", 2, &two).is_err());
        // The only one may be called anything, where only one is wanted.
        assert_eq!(found("c.data", 1, &["x"]).as_deref(), Ok("upload-0"));
        assert!(found("c.data", 2, &["x"]).is_err());
        // Of two of one name it is the one beside the graph.
        let same = ["elsewhere/a.data", "a.data"];
        assert_eq!(found("a.data", 1, &same).as_deref(), Ok("upload-1"));
        assert!(found("a.data", 1, &["x/a.data", "y/a.data"]).is_err());
    }
}
