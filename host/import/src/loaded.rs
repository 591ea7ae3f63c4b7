use std::fmt::{self, Display, Formatter};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use vocalhost_letters::words::{plain, quoted};
use vocalhost_model::FileRole;

use super::ImportError;
use super::draft::{Draft, table};
use super::onnx::{Other, check, resolve};
use vocalhost_onnx::{Dim, Edit, Element, External, Fault, OnnxFile, Port, port_message};

/// The largest graph, its weights included: what a file of a package may have.
const MAX_GRAPH_BYTES: u64 = 1 << 30;

/// The most characters of the name of a length in messages.
const MAX_LETTERS: usize = 40;

/// A graph that was checked, and where it comes from.
pub(super) struct Loaded<'a> {
    pub(super) path: &'a Path,
    pub(super) bytes: &'a [u8],
    pub(super) file: OnnxFile<'a>,
    external: Vec<External>,
}

/// Reads a file whole.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, ImportError> {
    let fault = |source| ImportError::Io {
        file: path.to_owned(),
        source,
    };
    let bytes = fs::metadata(path).map_err(fault)?.len();
    if bytes > MAX_GRAPH_BYTES {
        return Err(ImportError::Refused {
            file: path.to_owned(),
            reason: format!("has {bytes} bytes, {MAX_GRAPH_BYTES} are the most that can be used"),
        });
    }
    let mut content = Vec::with_capacity(bytes as usize);
    let file = File::open(path).map_err(fault)?;
    let mut file = file.take(MAX_GRAPH_BYTES);
    file.read_to_end(&mut content).map_err(fault)?;
    Ok(content)
}

impl<'a> Loaded<'a> {
    /// Takes a graph apart and checks it. `others` are the files that came with it, where its weights may be.
    pub(super) fn check(
        path: &'a Path,
        bytes: &'a [u8],
        others: &[PathBuf],
    ) -> Result<Self, ImportError> {
        let others: Vec<Other> = others.iter().map(|file| Other::at(file)).collect();
        Self::check_with((path, path), bytes, &others)
    }

    /// The same for files that may lie elsewhere than they come from; `called` is where the graph comes from.
    pub(super) fn check_with(
        (path, called): (&'a Path, &Path),
        bytes: &'a [u8],
        others: &[Other],
    ) -> Result<Self, ImportError> {
        let refused = |fault: Fault| ImportError::Refused {
            file: path.to_owned(),
            reason: fault.to_string(),
        };
        let file = OnnxFile::parse(bytes).map_err(refused)?;
        check(&file).map_err(refused)?;
        let external = resolve(called, &file, others).map_err(refused)?;
        Ok(Self {
            path,
            bytes,
            file,
            external,
        })
    }

    /// The files that hold its weights.
    pub(super) fn weights(&self) -> impl Iterator<Item = &Path> {
        self.external.iter().map(|external| external.file.as_path())
    }

    /// Changes to it, none yet.
    pub(super) fn edit(&self) -> Edit<'_, 'a> {
        Edit::new(&self.file, self.external.clone())
    }

    /// Writes it into a package, changed.
    pub(super) fn write(
        &self,
        draft: &mut Draft<'_>,
        name: &str,
        edit: &Edit<'_, 'a>,
    ) -> Result<(), ImportError> {
        let bytes = edit.bytes();
        if bytes > MAX_GRAPH_BYTES {
            return Err(self.refused(format!(
                "has {bytes} bytes with its weights, {MAX_GRAPH_BYTES} are the most that can be used"
            )));
        }
        draft.file(name, FileRole::Graph, |mut out| edit.write(&mut out))
    }

    /// The refusal of this graph.
    pub(super) fn refused(&self, reason: impl Into<String>) -> ImportError {
        ImportError::Refused {
            file: self.path.to_owned(),
            reason: reason.into(),
        }
    }

    /// The only output of a graph that has one.
    pub(super) fn output(&self) -> &Port<'a> {
        // A graph without outputs does not pass the check.
        &self.file.graph.outputs[0]
    }
}

/// An axis of a tensor as a manifest has it: a number, or a letter for one that changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Is(u64),
    Any(&'static str),
}

impl Display for Axis {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(length) => write!(out, "{length}"),
            Self::Any(letter) => out.write_str(letter),
        }
    }
}

/// The entry of a manifest for an input or an output whose axes are known, and the graph's own description of it put
/// right: graphs often say less than what holds.
pub(super) fn declare(
    edit: &mut Edit<'_, '_>,
    port: &Port<'_>,
    io: &str,
    role: &str,
    axes: &[Axis],
) -> Table {
    let dims: Vec<Dim<'_>> = axes
        .iter()
        .map(|axis| match axis {
            Axis::Is(length) => Dim::Fixed(*length),
            Axis::Any(name) => Dim::Any(name),
        })
        .collect();
    let message = port_message(port.name, port.element, &dims);
    edit.replace_port(port.name, message);
    describe(port.name, port.element, io, role, axes)
}

/// The entry of a manifest for an input or an output.
pub(super) fn describe(name: &str, element: Element, io: &str, role: &str, axes: &[Axis]) -> Table {
    let shape = axes.iter().map(|axis| match axis {
        Axis::Is(length) => Value::from(*length as i64),
        Axis::Any(name) => Value::from(*name),
    });
    table([
        ("io", Value::from(io)),
        ("name", Value::from(name)),
        ("role", Value::from(role)),
        ("dtype", Value::from(element.text())),
        ("shape", Value::Array(shape.collect())),
    ])
}

/// Whether a port may have these axes: a number agrees with the same number and with what is not declared, a letter only
/// with what changes.
pub(super) fn may_be(port: &Port<'_>, axes: &[Axis]) -> bool {
    let Some(dims) = &port.dims else {
        return true;
    };
    let agrees = |(dim, axis): (&Dim<'_>, &Axis)| match (dim, axis) {
        (Dim::Any(_), _) => true,
        (Dim::Fixed(found), Axis::Is(wanted)) => found == wanted,
        (Dim::Fixed(_), Axis::Any(_)) => false,
    };
    dims.len() == axes.len() && dims.iter().zip(axes).all(agrees)
}

/// A port's name, type and dimensions, for messages: `"x" f32 [1, T, 256]`.
pub(super) fn text(port: &Port<'_>) -> String {
    let dims = port.dims.as_ref().map(|dims| {
        let dims: Vec<String> = dims
            .iter()
            .map(|dim| match dim {
                Dim::Fixed(length) => length.to_string(),
                Dim::Any("") => "?".to_owned(),
                Dim::Any(name) => plain(name, MAX_LETTERS),
            })
            .collect();
        format!(" [{}]", dims.join(", "))
    });
    let dims = dims.unwrap_or_default();
    format!("{} {}{dims}", quoted(port.name), port.element.text())
}
