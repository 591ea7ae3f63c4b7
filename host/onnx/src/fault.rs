use super::wire::WireError;

/// What is wrong with a graph, for whoever imports it. It names the node or the tensor at fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Fault(String);

impl Fault {
    /// What is wrong, as the rest of a sentence about the graph.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl From<WireError> for Fault {
    fn from(error: WireError) -> Self {
        Self(format!("is damaged: {error}"))
    }
}
