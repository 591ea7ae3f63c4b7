//! Small ONNX graphs, written by hand: just as much of the format as the tests' models need.
//!
//! The numbers of the fields are those of `onnx.proto` (IR version 8), the wire format is that of Protocol Buffers.

/// An input or an output: its name and dimensions; `None` is one that changes.
pub type Port<'a> = (&'a str, &'a [Option<i64>]);

/// A graph under construction.
#[derive(Default)]
#[must_use]
pub struct Graph {
    nodes: Vec<u8>,
    initialisers: Vec<u8>,
    ports: Vec<u8>,
}

/// ONNX's numbers of element types.
const FLOAT: i64 = 1;
const INT64: i64 = 7;
const FLOAT16: i64 = 10;

/// An attribute of a node.
pub enum Attribute {
    /// A whole number.
    Int(i64),
    /// Whole numbers.
    Ints(Vec<i64>),
}

impl Graph {
    /// An input of floats.
    pub fn input(mut self, port: Port<'_>) -> Self {
        message(&mut self.ports, 11, &value_info(port, FLOAT));
        self
    }

    /// An input of 64-bit integers.
    pub fn integer_input(mut self, port: Port<'_>) -> Self {
        message(&mut self.ports, 11, &value_info(port, INT64));
        self
    }

    /// An input of half floats.
    pub fn half_input(mut self, port: Port<'_>) -> Self {
        message(&mut self.ports, 11, &value_info(port, FLOAT16));
        self
    }

    /// An output of half floats.
    pub fn half_output(mut self, port: Port<'_>) -> Self {
        message(&mut self.ports, 12, &value_info(port, FLOAT16));
        self
    }

    /// An output of floats.
    pub fn output(mut self, port: Port<'_>) -> Self {
        message(&mut self.ports, 12, &value_info(port, FLOAT));
        self
    }

    /// A constant of floats.
    pub fn constant(self, name: &str, shape: &[i64], values: &[f32]) -> Self {
        let raw = values.iter().flat_map(|value| value.to_le_bytes());
        self.initialiser(name, shape, (FLOAT, raw.collect()))
    }

    /// A row of 64-bit integers.
    pub fn integers(self, name: &str, values: &[i64]) -> Self {
        let raw = values.iter().flat_map(|value| value.to_le_bytes());
        self.initialiser(name, &[values.len() as i64], (INT64, raw.collect()))
    }

    fn initialiser(mut self, name: &str, shape: &[i64], (element, raw): (i64, Vec<u8>)) -> Self {
        let mut tensor = Vec::new();
        for length in shape {
            number(&mut tensor, 1, *length);
        }
        number(&mut tensor, 2, element);
        message(&mut tensor, 8, name.as_bytes());
        message(&mut tensor, 9, &raw);
        message(&mut self.initialisers, 5, &tensor);
        self
    }

    /// An operation with one output.
    pub fn node(
        mut self,
        operation: &str,
        inputs: &[&str],
        output: &str,
        attributes: &[(&str, Attribute)],
    ) -> Self {
        let mut node = Vec::new();
        for input in inputs {
            message(&mut node, 1, input.as_bytes());
        }
        message(&mut node, 2, output.as_bytes());
        message(&mut node, 4, operation.as_bytes());
        for (name, value) in attributes {
            let mut attribute = Vec::new();
            message(&mut attribute, 1, name.as_bytes());
            match value {
                Attribute::Int(value) => {
                    number(&mut attribute, 3, *value);
                    number(&mut attribute, 20, 2);
                }
                Attribute::Ints(values) => {
                    for value in values {
                        number(&mut attribute, 8, *value);
                    }
                    number(&mut attribute, 20, 7);
                }
            }
            message(&mut node, 5, &attribute);
        }
        message(&mut self.nodes, 1, &node);
        self
    }

    /// The model file.
    pub fn model(self) -> Vec<u8> {
        let mut graph = self.nodes;
        message(&mut graph, 2, b"test");
        graph.extend(self.initialisers);
        graph.extend(self.ports);
        let mut operators = Vec::new();
        message(&mut operators, 1, b"");
        number(&mut operators, 2, 17);
        let mut model = Vec::new();
        number(&mut model, 1, 8);
        message(&mut model, 7, &graph);
        message(&mut model, 8, &operators);
        model
    }
}

fn value_info((name, shape): Port<'_>, element: i64) -> Vec<u8> {
    let mut dimensions = Vec::new();
    for length in shape {
        let mut dimension = Vec::new();
        match length {
            Some(length) => number(&mut dimension, 1, *length),
            None => message(&mut dimension, 2, b"time"),
        }
        message(&mut dimensions, 1, &dimension);
    }
    let mut tensor = Vec::new();
    number(&mut tensor, 1, element);
    message(&mut tensor, 2, &dimensions);
    let mut kind = Vec::new();
    message(&mut kind, 1, &tensor);
    let mut info = Vec::new();
    message(&mut info, 1, name.as_bytes());
    message(&mut info, 2, &kind);
    info
}

fn number(out: &mut Vec<u8>, field: u32, value: i64) {
    varint(out, u64::from(field) << 3);
    varint(out, value as u64);
}

fn message(out: &mut Vec<u8>, field: u32, bytes: &[u8]) {
    varint(out, (u64::from(field) << 3) | 2);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
