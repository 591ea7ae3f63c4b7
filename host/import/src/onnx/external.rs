use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::check::bytes;
use vocalhost_letters::words::quoted;
use vocalhost_onnx::{External, Fault, OnnxFile};

/// Finds the weights that lie in other files: only in those that were given with the graph, never by the path that the
/// graph names. A file is known by its last name, of several by lying beside the `graph`, or by being the only one where the
/// graph wants only one.
///
/// # Errors
/// When a file is missing or shorter than the graph says, and when it could be one of several.
pub(crate) fn resolve(
    graph: &Path,
    file: &OnnxFile<'_>,
    others: &[PathBuf],
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
    others: &'o [PathBuf],
) -> Result<&'o PathBuf, &'static str> {
    const MISSING: &str = "which has to be given too";
    let folder = graph.parent().unwrap_or(Path::new(""));
    let name = Path::new(location).file_name().ok_or(MISSING)?;
    let called: Vec<_> = others
        .iter()
        .filter(|path| path.file_name() == Some(name))
        .collect();
    let beside = [folder.join(location), folder.join(name)];
    let mut beside = beside.iter().filter(|place| called.contains(place));
    match (&called[..], others) {
        ([one], _) => Ok(one),
        ([], [only]) if wanted == 1 => Ok(only),
        ([], _) => Err(MISSING),
        (several, _) => beside
            .next()
            .and_then(|place| several.iter().find(|path| **path == place))
            .copied()
            .ok_or("and of several of that name none lies beside the graph"),
    }
}
