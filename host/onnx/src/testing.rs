//! Small files for tests that read or change ONNX.

use super::message::{
    node_message, node_message_of, opset_message, port_message, tensor_message, whole_attribute,
    wholes_attribute,
};
use super::read::number;
use super::{Dim, Element};
use crate::wire::{put_bytes, put_number};

/// A file under construction.
#[derive(Clone, Default)]
pub struct Tiny {
    graph: Vec<u8>,
    model: Vec<u8>,
}

impl Tiny {
    /// A file in opset 17 that takes `x`, f32 `[1, T]`, and gives `y` of the same shape; nodes are missing.
    #[must_use]
    pub fn between_x_and_y() -> Self {
        let dims = [Dim::Fixed(1), Dim::Any("T")];
        Self::in_opset("", 17)
            .input("x", Element::F32, &dims)
            .output("y", Element::F32, &dims)
    }

    /// An empty file that uses a version of a domain's operators.
    #[must_use]
    pub fn in_opset(domain: &str, version: u64) -> Self {
        let mut tiny = Self::default();
        put_number(&mut tiny.model, number::MODEL_IR_VERSION, 8);
        tiny.opset(domain, version)
    }

    /// Adds the operators of a domain.
    #[must_use]
    pub fn opset(mut self, domain: &str, version: u64) -> Self {
        let opset = opset_message(domain, version);
        put_bytes(&mut self.model, number::MODEL_OPSET_IMPORT, &opset);
        self
    }

    /// Adds metadata.
    #[must_use]
    pub fn metadata(mut self, key: &str, value: &str) -> Self {
        let mut entry = Vec::new();
        put_bytes(&mut entry, 1, key.as_bytes());
        put_bytes(&mut entry, 2, value.as_bytes());
        put_bytes(&mut self.model, number::MODEL_METADATA, &entry);
        self
    }

    /// Adds an input.
    #[must_use]
    pub fn input(self, name: &str, element: Element, dims: &[Dim<'_>]) -> Self {
        self.part(number::GRAPH_INPUT, &port_message(name, element, dims))
    }

    /// Adds an output.
    #[must_use]
    pub fn output(self, name: &str, element: Element, dims: &[Dim<'_>]) -> Self {
        self.part(number::GRAPH_OUTPUT, &port_message(name, element, dims))
    }

    /// An output whose shape is not declared.
    #[must_use]
    pub fn output_of_any_shape(self, name: &str, element: Element) -> Self {
        let (mut tensor, mut kind, mut port) = (Vec::new(), Vec::new(), Vec::new());
        put_number(&mut tensor, 1, element.0);
        put_bytes(&mut kind, 1, &tensor);
        put_bytes(&mut port, 1, name.as_bytes());
        put_bytes(&mut port, 2, &kind);
        self.part(number::GRAPH_OUTPUT, &port)
    }

    /// Adds a node without attributes, named after its output.
    #[must_use]
    pub fn node(self, operator: &str, inputs: &[&str], output: &str) -> Self {
        self.node_with(operator, inputs, output, &[])
    }

    /// `attributes` are whole messages.
    #[must_use]
    pub fn node_with(
        self,
        operator: &str,
        inputs: &[&str],
        output: &str,
        attributes: &[Vec<u8>],
    ) -> Self {
        let node = node_message(operator, output, inputs, output, attributes);
        self.part(number::GRAPH_NODE, &node)
    }

    /// A node that gives several tensors.
    ///
    /// # Panics
    /// When it gives none.
    #[must_use]
    pub fn node_giving(
        self,
        operator: &str,
        inputs: &[&str],
        outputs: &[&str],
        attributes: &[Vec<u8>],
    ) -> Self {
        let (first, rest) = outputs.split_first().expect("an output");
        let mut node = node_message(operator, first, inputs, first, attributes);
        for output in rest {
            put_bytes(&mut node, 2, output.as_bytes());
        }
        self.part(number::GRAPH_NODE, &node)
    }

    /// A node of another domain that takes `x` and gives `y`.
    #[must_use]
    pub fn node_of(self, domain: &str, operator: &str) -> Self {
        let node = node_message_of((domain, operator), "n", &["x"], "y", &[]);
        self.part(number::GRAPH_NODE, &node)
    }

    /// Adds a weight filled with one value.
    #[must_use]
    pub fn weight(self, name: &str, dims: &[u64], value: f32) -> Self {
        let count = dims.iter().product::<u64>() as usize;
        let values = value.to_le_bytes().repeat(count);
        self.weight_of(name, Element::F32, dims, &values)
    }

    /// Weights, whose values are given as they lie in memory, little-endian.
    #[must_use]
    pub fn weight_of(self, name: &str, element: Element, dims: &[u64], values: &[u8]) -> Self {
        let tensor = tensor_message(name, element, dims, values);
        self.part(number::GRAPH_INITIALIZER, &tensor)
    }

    /// Weights in another file.
    #[must_use]
    pub fn weight_in(self, name: &str, dims: &[u64], facts: &[(&str, &str)]) -> Self {
        let mut tensor = Vec::new();
        for dim in dims {
            put_number(&mut tensor, number::TENSOR_DIMS, *dim);
        }
        put_number(&mut tensor, number::TENSOR_DATA_TYPE, Element::F32.0);
        put_bytes(&mut tensor, number::TENSOR_NAME, name.as_bytes());
        for (key, value) in facts {
            let mut entry = Vec::new();
            put_bytes(&mut entry, 1, key.as_bytes());
            put_bytes(&mut entry, 2, value.as_bytes());
            put_bytes(&mut tensor, number::TENSOR_EXTERNAL_DATA, &entry);
        }
        put_number(&mut tensor, number::TENSOR_DATA_LOCATION, 1);
        self.part(number::GRAPH_INITIALIZER, &tensor)
    }

    /// Any field of the graph.
    #[must_use]
    pub fn part(mut self, field: u32, message: &[u8]) -> Self {
        put_bytes(&mut self.graph, field, message);
        self
    }

    /// Any field of the file.
    #[must_use]
    pub fn file_part(mut self, field: u32, message: &[u8]) -> Self {
        put_bytes(&mut self.model, field, message);
        self
    }

    /// The graph alone, for a body.
    #[must_use]
    pub fn graph(&self) -> Vec<u8> {
        self.graph.clone()
    }

    /// The file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut file = self.model.clone();
        put_bytes(&mut file, number::MODEL_GRAPH, &self.graph);
        file
    }
}

/// An attribute that holds a body.
#[must_use]
pub fn body(name: &str, graph: &[u8]) -> Vec<u8> {
    let mut attribute = Vec::new();
    put_bytes(&mut attribute, 1, name.as_bytes());
    put_bytes(&mut attribute, 6, graph);
    put_number(&mut attribute, 20, 5);
    attribute
}

/// An attribute that holds a whole number.
#[must_use]
pub fn whole(name: &str, value: u64) -> Vec<u8> {
    whole_attribute(name, value as i64)
}

/// An attribute that holds a text.
#[must_use]
pub fn text(name: &str, value: &str) -> Vec<u8> {
    let mut attribute = Vec::new();
    put_bytes(&mut attribute, 1, name.as_bytes());
    put_bytes(&mut attribute, 4, value.as_bytes());
    put_number(&mut attribute, 20, 3);
    attribute
}

/// An attribute that holds whole numbers.
#[must_use]
pub fn wholes(name: &str, values: &[u64]) -> Vec<u8> {
    let values: Vec<i64> = values.iter().map(|value| *value as i64).collect();
    wholes_attribute(name, &values)
}
