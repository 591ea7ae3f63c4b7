use std::collections::HashMap;

use super::Element;
use super::message::{node_message, node_message_of, tensor_message, whole_attribute};
use super::read::{Graph, OnnxFile};
use crate::wire::{fields, put_bytes};

/// Numbers of the fields (onnx.proto) that a copy of a node does not share: inputs, outputs, name.
const NAMES: [u32; 3] = [1, 2, 3];

/// Weights added to a graph, each once: ONNX Runtime visits every tensor many times while it loads.
#[derive(Debug)]
pub struct Constants {
    prefix: String,
    /// The number of each, by its contents.
    numbers: HashMap<Vec<u8>, usize>,
    /// Their messages.
    made: Vec<Vec<u8>>,
}

impl Constants {
    /// No weights yet, for `file`; their names will begin with `prefix`.
    pub(crate) fn of(file: &OnnxFile<'_>, prefix: &str) -> Self {
        Self {
            prefix: free_prefix(file, prefix),
            numbers: HashMap::new(),
            made: Vec::new(),
        }
    }

    /// A whole number, without an axis.
    fn whole(&mut self, value: i64) -> String {
        self.named(Element::I64, &[], &value.to_le_bytes())
    }

    /// A list of whole numbers.
    pub fn wholes(&mut self, values: &[i64]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.named(
            Element::I64,
            &[values.len() as u64],
            &bytes.collect::<Vec<_>>(),
        )
    }

    /// A tensor filled with one number.
    pub fn filled(&mut self, dims: &[u64], value: f32) -> String {
        let count = dims.iter().product::<u64>() as usize;
        self.named(Element::F32, dims, &value.to_le_bytes().repeat(count))
    }

    /// The messages.
    #[must_use]
    pub(crate) fn messages(&self) -> &[Vec<u8>] {
        &self.made
    }

    fn named(&mut self, element: Element, dims: &[u64], values: &[u8]) -> String {
        let next = self.made.len();
        let content = tensor_message("", element, dims, values);
        let number = *self.numbers.entry(content).or_insert(next);
        let name = format!("{}/{number}", self.prefix);
        if number == next {
            self.made.push(tensor_message(&name, element, dims, values));
        }
        name
    }
}

/// Nodes under construction, whose names share a prefix. ONNX Runtime computes whatever depends on weights alone while
/// it loads.
pub struct Nodes<'c> {
    prefix: String,
    constants: &'c mut Constants,
    made: Vec<Vec<u8>>,
}

impl<'c> Nodes<'c> {
    /// Nodes around the tensor `output`.
    pub fn around(
        file: &OnnxFile<'_>,
        constants: &'c mut Constants,
        output: &str,
        what: &str,
    ) -> Self {
        Self {
            prefix: free_prefix(file, &format!("{output}/{what}")),
            constants,
            made: Vec::new(),
        }
    }

    /// The messages, in their order.
    #[must_use]
    pub fn into_messages(self) -> Vec<Vec<u8>> {
        self.made
    }

    /// A node whose output is named after it.
    pub fn put(&mut self, operator: &str, inputs: &[&str], name: &str) -> String {
        self.put_with(operator, inputs, name, &[])
    }

    /// As [`Nodes::put`], with attributes, which are whole messages.
    pub fn put_with(
        &mut self,
        operator: &str,
        inputs: &[&str],
        name: &str,
        attributes: &[Vec<u8>],
    ) -> String {
        self.put_of(("", operator), inputs, name, attributes)
    }

    /// A node of another set of operators.
    pub fn put_of(
        &mut self,
        operator: (&str, &str),
        inputs: &[&str],
        name: &str,
        attributes: &[Vec<u8>],
    ) -> String {
        let name = self.named(name);
        self.made
            .push(node_message_of(operator, &name, inputs, &name, attributes));
        name
    }

    /// A tensor in another type of numbers.
    pub fn cast(&mut self, tensor: &str, element: Element, name: &str) -> String {
        let to = [whole_attribute("to", element.0 as i64)];
        self.put_with("Cast", &[tensor], name, &to)
    }

    /// The last node, which makes `output`, a tensor that existed before.
    pub fn end(&mut self, operator: &str, inputs: &[&str], output: &str) {
        let name = self.named("end");
        self.made
            .push(node_message(operator, &name, inputs, output, &[]));
    }

    /// A whole number, without an axis.
    pub fn whole(&mut self, value: i64) -> String {
        self.constants.whole(value)
    }

    /// A list of whole numbers.
    pub fn wholes(&mut self, values: &[i64]) -> String {
        self.constants.wholes(values)
    }

    /// A tensor filled with one number.
    pub fn filled(&mut self, dims: &[u64], value: f32) -> String {
        self.constants.filled(dims, value)
    }

    /// A copy of the node in `message` with other inputs.
    pub fn like(&mut self, message: &[u8], inputs: &[&str], name: &str) -> String {
        let name = self.named(name);
        let mut node = Vec::new();
        for input in inputs {
            put_bytes(&mut node, 1, input.as_bytes());
        }
        put_bytes(&mut node, 2, name.as_bytes());
        put_bytes(&mut node, 3, name.as_bytes());
        // The message was read before, so every field is valid.
        for field in fields(message).flatten() {
            if !NAMES.contains(&field.number) {
                node.extend_from_slice(field.encoded);
            }
        }
        self.made.push(node);
        name
    }

    fn named(&self, name: &str) -> String {
        format!("{}/{name}", self.prefix)
    }
}

/// A prefix that no name of a file has, including those in bodies of loops and branches; it begins with `wanted`.
fn free_prefix(file: &OnnxFile<'_>, wanted: &str) -> String {
    let mut prefix = wanted.to_owned();
    while begins_a_name(&file.graph, &prefix) {
        prefix.push('_');
    }
    prefix
}

fn begins_a_name(graph: &Graph<'_>, prefix: &str) -> bool {
    let ports = graph.inputs.iter().map(|port| port.name);
    let weights = graph.initializers.iter().map(|tensor| tensor.name);
    let outputs = graph.nodes.iter().flat_map(|node| &node.outputs).copied();
    let mut names = ports.chain(weights).chain(outputs);
    let parts = graph.nodes.iter().flat_map(|node| &node.attributes);
    let mut bodies = parts.flat_map(|attribute| &attribute.graphs);
    names.any(|name| name.starts_with(prefix)) || bodies.any(|body| begins_a_name(body, prefix))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Tiny, body};
    use super::*;

    #[test]
    fn new_names_are_nobodys() {
        let inner = Tiny::default().node("Abs", &["x"], "constant_/0").graph();
        let graph = Tiny::between_x_and_y()
            .weight("constant/0", &[1], 1.0)
            .node_with("If", &["x"], "y", &[body("then_branch", &inner)])
            .bytes();
        let file = OnnxFile::parse(&graph).expect("a file");
        let mut constants = Constants::of(&file, "constant");
        assert_eq!(constants.wholes(&[1]), "constant__/0");
        assert_eq!(constants.wholes(&[2]), "constant__/1");
        assert_eq!(constants.wholes(&[1]), "constant__/0");
        assert_eq!(constants.messages().len(), 2);
    }
}
