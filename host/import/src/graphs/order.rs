//! What comes together to become one package: the request, its graphs, and what is known of them besides.

use std::path::{Path, PathBuf};

use crate::ImportRequest;
use crate::loaded::Loaded;

/// A graph to be made a package of.
pub(crate) struct Order<'o, 'a> {
    pub(crate) request: &'o ImportRequest<'o>,
    /// The graph, or the first of several that belong together.
    pub(crate) graph: &'o Loaded<'a>,
    /// The others.
    pub(crate) more: &'o [Loaded<'a>],
    /// An index of FAISS that came with it.
    pub(crate) index: Option<&'o PathBuf>,
    /// The file that it is known again by, if that is another than the graph's.
    pub(crate) source: Option<&'o Path>,
    /// Names that its files give it besides their own.
    pub(crate) called: &'o [String],
    /// Which encoder it is, when that is known of its file.
    pub(crate) known: Option<&'static str>,
}
