//! The check that a drawing of an estimator has a place for every weight.

use crate::drawing::{DrawFault, Layers, Network};

/// A network that is drawn whole: every weight has its place in it, or it is another one.
pub(super) fn finished<A>(net: Layers<'_, A>, name: &str) -> Result<Network, DrawFault> {
    match net.weights.left_over() {
        None => Ok(net.network),
        Some(left) => Err(DrawFault::refused(format!(
            "has the weight {left:?}, which {name} has not; it comes from another architecture"
        ))),
    }
}
