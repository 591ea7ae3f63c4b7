//! What every separator is drawn from and ends as: its weights by the names that they have in the network, and the graph that has a place for
//! each of them.

use crate::drawing::{DrawFault, Layers, Network, Weights, without_wrapping};
use crate::graphs::DrawnSeparator;
use crate::torch::{Entry, TorchFile};

/// The bytes of a graph, and what there is to say of it.
pub(super) type Drawn = (Vec<u8>, DrawnSeparator);

/// A weight's name without the prefix of programs that keep a network as a part of another.
pub(super) fn plain(name: &str) -> &str {
    const HOLDERS: [&str; 2] = ["model.", "net."];
    let name = without_wrapping(name);
    let rest = HOLDERS.iter().find_map(|holder| name.strip_prefix(holder));
    rest.map_or(name, without_wrapping)
}

/// The weights of a separator; `passed` are the endings of what its program keeps besides.
pub(super) fn weights(
    file: &TorchFile,
    dict: Entry,
    what: &'static str,
    passed: &[&str],
) -> Result<Weights, DrawFault> {
    let name = |key: &str| {
        let is_passed = passed.iter().any(|ending| key.ends_with(ending));
        (!is_passed).then(|| plain(key).to_owned())
    };
    Weights::of((file.document(), dict), file.length(), what, name)
}

/// A network that is drawn whole: every weight has its place in it, or it is another one.
pub(super) fn finished<A>(net: Layers<'_, A>, name: &str) -> Result<Network, DrawFault> {
    match net.weights.left_over() {
        None => Ok(net.network),
        Some(left) => Err(DrawFault::refused(format!(
            "has the weight {left:?}, which the {name} that is drawn here has not; another build of it is imported as its export to ONNX"
        ))),
    }
}
