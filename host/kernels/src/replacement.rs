use vocalhost_onnx::node_message_of;

/// The domain of our operators. No file may name it: graphs are checked for domains of others before they are taken in.
pub(super) const DOMAIN: &str = "vocalhost";

/// What takes the place of some nodes.
pub(super) struct Replacement {
    /// The places of the nodes. The last makes way for the new one: what the others take is there by then.
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
