//! What a graph is, told by its inputs and outputs, and the package that follows from it. One file for each kind.

mod content;
mod demucs;
mod drawn;
mod halves;
mod known_encoders;
mod mdx;
mod order;
mod pitch;
mod purpose;
mod roformer;
mod spleeter;
mod stems;
#[cfg(test)]
mod tests;
mod voice;
mod waves;

pub(super) use content::{Vectors, import_of as import_encoder};
pub(super) use drawn::{
    DrawnSeparator, Transform, by_mean_and_deviation, package as package_drawn,
};
pub(super) use order::Order;
pub(super) use stems::{Stems, pieces_of};

use super::asked::Asked;
use super::loaded::{Loaded, text};
use super::{ImportError, Imported};
use vocalhost_model::Kind;
use vocalhost_onnx::Port;

/// A kind of graph: whether a graph is of it, and how it becomes a package.
struct KnownKind {
    is: fn(&Loaded<'_>) -> bool,
    gives: Kind,
    import: for<'o, 'a> fn(&Order<'o, 'a>, Asked<'o>) -> Result<Imported, ImportError>,
    /// Whether several graphs may belong to one package.
    takes_several: bool,
    takes_index: bool,
}

/// Every kind. No graph is of two: each is known by the names or the shapes of everything that it takes.
const KINDS: [KnownKind; 9] = [
    KnownKind {
        is: voice::is,
        gives: Kind::Voice,
        import: voice::import,
        takes_several: false,
        takes_index: true,
    },
    single(Kind::Content, content::is, content::import),
    single(Kind::F0, pitch::is, pitch::import),
    KnownKind {
        is: spleeter::is,
        gives: Kind::Separator,
        import: spleeter::import,
        takes_several: true,
        takes_index: false,
    },
    single(Kind::Separator, mdx::is, mdx::import),
    KnownKind {
        is: demucs::is_split,
        gives: Kind::Separator,
        import: demucs::import_split,
        takes_several: true,
        takes_index: false,
    },
    KnownKind {
        is: demucs::is_whole,
        gives: Kind::Separator,
        import: demucs::import_whole,
        takes_several: true,
        takes_index: false,
    },
    single(Kind::Separator, waves::is, waves::import),
    single(Kind::Separator, roformer::is, roformer::import),
];

/// The most inputs or outputs that are named in a message.
const MAX_LISTED: usize = 8;

/// Inputs or outputs, for messages.
fn list(ports: &[&Port<'_>]) -> String {
    let named: Vec<String> = ports
        .iter()
        .take(MAX_LISTED)
        .map(|port| text(port))
        .collect();
    match ports.len().saturating_sub(MAX_LISTED) {
        0 => named.join(", "),
        others => format!("{} and {others} more", named.join(", ")),
    }
}

const fn single(
    gives: Kind,
    is: fn(&Loaded<'_>) -> bool,
    import: for<'o, 'a> fn(&Order<'o, 'a>, Asked<'o>) -> Result<Imported, ImportError>,
) -> KnownKind {
    KnownKind {
        is,
        gives,
        import,
        takes_several: false,
        takes_index: false,
    }
}

/// What a graph is for; the error says why nobody knows.
pub(super) fn gives(graph: &Loaded<'_>) -> Result<Kind, String> {
    known(graph).map(|kind| kind.gives)
}

fn known(graph: &Loaded<'_>) -> Result<&'static KnownKind, String> {
    let found = KINDS.iter().find(|kind| (kind.is)(graph));
    found.ok_or_else(|| {
        let outputs: Vec<_> = graph.file.graph.outputs.iter().collect();
        format!(
            "is a graph of no known kind: it takes {} and gives {}{}",
            list(&graph.file.inputs()),
            list(&outputs),
            pitch::hint(graph).unwrap_or_default()
        )
    })
}

/// Makes a package of a graph, if it is of a known kind.
pub(super) fn import(order: &Order<'_, '_>) -> Result<Imported, ImportError> {
    let graph = order.graph;
    let kind = known(graph).map_err(|reason| graph.refused(reason))?;
    order.request.check_wanted(kind.gives)?;
    if let Some(other) = order.more.first()
        && !kind.takes_several
    {
        return Err(other.refused("is a second graph, and this kind of model has one"));
    }
    if let Some(index) = order.index
        && !kind.takes_index
    {
        return Err(ImportError::Refused {
            file: index.clone(),
            reason: "is an index, which only voices have".to_owned(),
        });
    }
    if kind.gives == Kind::Separator && all(order).any(halves::has_any) {
        return in_single(order, kind);
    }
    (kind.import)(order, Asked::new(&order.request.answers.facts))
}

fn all<'s, 'a>(order: &'s Order<'_, 'a>) -> impl Iterator<Item = &'s Loaded<'a>> {
    std::iter::once(order.graph).chain(order.more)
}

/// Makes a package of a separator's graphs, of which some take and give half precision, with single precision there.
fn in_single(order: &Order<'_, '_>, kind: &KnownKind) -> Result<Imported, ImportError> {
    let widened = all(order).map(|graph| Ok((graph.path, halves::widened(graph)?)));
    let widened = widened.collect::<Result<Vec<_>, ImportError>>()?;
    let graphs = widened
        .iter()
        .map(|(path, bytes)| Loaded::check(path, bytes, &[]))
        .collect::<Result<Vec<_>, _>>()?;
    let Some((graph, more)) = graphs.split_first() else {
        return Err(order.graph.refused("is no separator"));
    };
    let order = Order {
        request: order.request,
        graph,
        more,
        index: order.index,
        source: order.source,
        called: order.called,
        known: order.known,
    };
    let asked = Asked::new(&order.request.answers.facts);
    let mut imported = (kind.import)(&order, asked)?;
    let said = "It takes and gives numbers of half precision, which are narrowed and widened in the graph.";
    imported.found.push(said.to_owned());
    Ok(imported)
}
