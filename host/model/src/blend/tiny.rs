//! Small ONNX files for the unit tests, written field by field.

use vocalhost_onnx::wire::put_bytes;

/// An initialiser: name, ONNX's number of the element type, dimensions, little-endian values.
pub(super) struct TinyTensor {
    pub(super) name: &'static str,
    pub(super) data_type: u8,
    pub(super) dims: Vec<u8>,
    pub(super) values: Vec<u8>,
}

impl TinyTensor {
    pub(super) fn singles(name: &'static str, values: &[f32]) -> Self {
        Self {
            name,
            data_type: 1,
            dims: vec![values.len() as u8],
            values: values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
        }
    }

    pub(super) fn integers(name: &'static str, values: &[i64]) -> Self {
        Self {
            name,
            data_type: 7,
            dims: vec![values.len() as u8],
            values: values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
        }
    }
}

/// A node: operator, name, inputs, and the value of its integer attribute `axis`.
pub(super) struct TinyNode {
    pub(super) operator: &'static str,
    pub(super) name: &'static str,
    pub(super) inputs: Vec<&'static str>,
    pub(super) axis: u8,
}

/// A file with one graph.
pub(super) struct TinyGraph {
    pub(super) producer: &'static str,
    pub(super) opset: u8,
    pub(super) input: &'static str,
    pub(super) nodes: Vec<TinyNode>,
    pub(super) tensors: Vec<TinyTensor>,
}

impl TinyGraph {
    /// A graph of two nodes with the given tensors.
    pub(super) fn with(tensors: Vec<TinyTensor>) -> Self {
        let node = |operator, name, inputs| TinyNode {
            operator,
            name,
            inputs,
            axis: 1,
        };
        Self {
            producer: "tests",
            opset: 17,
            input: "x",
            nodes: vec![
                node("MatMul", "first", vec!["x", "w"]),
                node("Concat", "second", vec!["y"]),
            ],
            tensors,
        }
    }

    pub(super) fn file(&self) -> Vec<u8> {
        let mut graph = Vec::new();
        for node in &self.nodes {
            let mut message = Vec::new();
            for input in &node.inputs {
                put_bytes(&mut message, 1, input.as_bytes());
            }
            put_bytes(&mut message, 3, node.name.as_bytes());
            put_bytes(&mut message, 4, node.operator.as_bytes());
            let mut attribute = Vec::new();
            put_bytes(&mut attribute, 1, b"axis");
            attribute.extend([0x18, node.axis]);
            put_bytes(&mut message, 5, &attribute);
            put_bytes(&mut graph, 1, &message);
        }
        for tensor in &self.tensors {
            let mut message = vec![0x10, tensor.data_type];
            for dim in &tensor.dims {
                message.extend([0x08, *dim]);
            }
            put_bytes(&mut message, 8, tensor.name.as_bytes());
            put_bytes(&mut message, 9, &tensor.values);
            put_bytes(&mut graph, 5, &message);
        }
        let mut input = Vec::new();
        put_bytes(&mut input, 1, self.input.as_bytes());
        put_bytes(&mut input, 2, b"\x0a\x02\x08\x01");
        put_bytes(&mut graph, 11, &input);
        let mut file = vec![0x08, 8];
        put_bytes(&mut file, 2, self.producer.as_bytes());
        put_bytes(&mut file, 7, &graph);
        put_bytes(&mut file, 8, &[0x10, self.opset]);
        // A field that no version of ONNX has yet.
        put_bytes(&mut file, 999, self.producer.as_bytes());
        file
    }
}
