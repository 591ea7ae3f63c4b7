use vocalhost_onnx::node_message_of;

/// The domain of our operators. No file may name it: graphs are checked for foreign domains before they are accepted.
pub(super) const DOMAIN: &str = "vocalhost";

/// A node that replaces some others.
pub(super) struct Replacement {
    /// The positions of the replaced nodes. The new one takes the place of the last, where the inputs of all are
    /// available.
    pub(super) places: Vec<usize>,
    /// The new node's message.
    pub(super) node: Vec<u8>,
}

impl Replacement {
    /// A node of one of our operators. `attributes` are whole messages.
    pub(super) fn new(
        places: Vec<usize>,
        operator: &str,
        inputs: &[&str],
        output: &str,
        attributes: &[Vec<u8>],
    ) -> Self {
        let node = node_message_of((DOMAIN, operator), output, inputs, output, attributes);
        Self { places, node }
    }
}
