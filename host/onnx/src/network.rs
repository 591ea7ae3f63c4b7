use std::collections::HashMap;
use std::io::{self, Write};

use crate::wire::{put_bytes, put_head, put_number};

/// Version of ONNX's file format, and of the operators that the graph is written in: the first with `LayerNormalization`.
const IR_VERSION: u64 = 8;
const OPSET: u64 = 17;

/// Numbers of the fields of ONNX's messages (onnx.proto, IR version 8).
mod field {
    pub(super) mod model {
        pub(in super::super) const IR_VERSION: u32 = 1;
        pub(in super::super) const PRODUCER: u32 = 2;
        pub(in super::super) const GRAPH: u32 = 7;
        pub(in super::super) const OPSET: u32 = 8;
        pub(in super::super) const OPSET_VERSION: u32 = 2;
    }
    pub(super) mod graph {
        pub(in super::super) const NODE: u32 = 1;
        pub(in super::super) const NAME: u32 = 2;
        pub(in super::super) const INITIALIZER: u32 = 5;
        pub(in super::super) const INPUT: u32 = 11;
        pub(in super::super) const OUTPUT: u32 = 12;
    }
    pub(super) mod node {
        pub(in super::super) const INPUT: u32 = 1;
        pub(in super::super) const OUTPUT: u32 = 2;
        pub(in super::super) const NAME: u32 = 3;
        pub(in super::super) const OPERATOR: u32 = 4;
        pub(in super::super) const ATTRIBUTE: u32 = 5;
    }
    pub(super) mod attribute {
        pub(in super::super) const NAME: u32 = 1;
        pub(in super::super) const FLOAT: u32 = 2;
        pub(in super::super) const INT: u32 = 3;
        pub(in super::super) const TEXT: u32 = 4;
        pub(in super::super) const INTS: u32 = 8;
        pub(in super::super) const TYPE: u32 = 20;
    }
    pub(super) mod tensor {
        pub(in super::super) const DIMS: u32 = 1;
        pub(in super::super) const DATA_TYPE: u32 = 2;
        pub(in super::super) const NAME: u32 = 8;
        pub(in super::super) const RAW_DATA: u32 = 9;
    }
}

/// ONNX's numbers of element types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataType {
    /// Single precision.
    F32 = 1,
    /// 64-bit integers.
    I64 = 7,
    /// Half precision.
    F16 = 10,
    /// Double precision.
    F64 = 11,
}

/// A tensor of the graph: an output of an operation, an input, or a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge(String);

/// An attribute of an operation.
#[derive(Debug, Clone, Copy)]
pub enum Attribute<'a> {
    /// An integer.
    Int(i64),
    /// Integers.
    Ints(&'a [i64]),
    /// A number.
    Float(f32),
    /// A word.
    Text(&'a str),
}

/// A dimension of an input or output: a length, or a letter for one that changes from run to run.
#[derive(Debug, Clone, Copy)]
pub enum Length<'a> {
    /// Always this long.
    Fixed(u64),
    /// Changes from run to run.
    Any(&'a str),
}

/// A graph under construction, operation by operation in execution order. Names are numbered, so the same calls give the same bytes.
#[derive(Debug, Default)]
pub struct Network {
    nodes: Vec<u8>,
    tensors: Vec<u8>,
    ports: Vec<u8>,
    operations: usize,
    constants: HashMap<Vec<u8>, Edge>,
}

impl Network {
    /// An input of the graph.
    pub fn input(&mut self, name: &str, kind: DataType, shape: &[Length<'_>]) -> Edge {
        let port = port(name, kind, shape);
        put_bytes(&mut self.ports, field::graph::INPUT, &port);
        Edge(name.to_owned())
    }

    /// Makes `edge` an output of the graph, under this name.
    pub fn output(&mut self, edge: &Edge, name: &str, shape: &[Length<'_>]) {
        self.operation("Identity", &[edge], &[name.to_owned()], &[]);
        let port = port(name, DataType::F32, shape);
        put_bytes(&mut self.ports, field::graph::OUTPUT, &port);
    }

    /// An initialiser under a name; `values` are row-major and little-endian.
    pub fn initializer(&mut self, name: &str, kind: DataType, dims: &[u64], values: &[u8]) -> Edge {
        let mut head = Vec::new();
        for dim in dims {
            put_number(&mut head, field::tensor::DIMS, *dim);
        }
        put_number(&mut head, field::tensor::DATA_TYPE, kind as u64);
        put_bytes(&mut head, field::tensor::NAME, name.as_bytes());
        put_head(&mut head, field::tensor::RAW_DATA, values.len() as u64);
        let length = (head.len() + values.len()) as u64;
        put_head(&mut self.tensors, field::graph::INITIALIZER, length);
        self.tensors.extend_from_slice(&head);
        self.tensors.extend_from_slice(values);
        Edge(name.to_owned())
    }

    /// A number.
    pub fn number(&mut self, value: f32) -> Edge {
        self.constant(DataType::F32, &[], &value.to_le_bytes())
    }

    /// A row of numbers.
    pub fn numbers(&mut self, values: &[f32]) -> Edge {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        self.constant(DataType::F32, &[values.len() as u64], &bytes)
    }

    /// A row of integers, for shapes, axes and indices.
    pub fn integers(&mut self, values: &[i64]) -> Edge {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        self.constant(DataType::I64, &[values.len() as u64], &bytes)
    }

    /// An integer.
    pub fn integer(&mut self, value: i64) -> Edge {
        self.constant(DataType::I64, &[], &value.to_le_bytes())
    }

    /// Equal constants are stored once.
    fn constant(&mut self, kind: DataType, dims: &[u64], values: &[u8]) -> Edge {
        let mut key = vec![kind as u8, dims.len() as u8];
        key.extend_from_slice(values);
        if let Some(edge) = self.constants.get(&key) {
            return edge.clone();
        }
        let name = format!("constant_{}", self.constants.len());
        let edge = self.initializer(&name, kind, dims, values);
        self.constants.insert(key, edge.clone());
        edge
    }

    /// An operation with one output.
    pub fn apply(&mut self, operator: &str, inputs: &[&Edge]) -> Edge {
        self.apply_with(operator, inputs, &[])
    }

    /// An operation with attributes and one output.
    pub fn apply_with(
        &mut self,
        operator: &str,
        inputs: &[&Edge],
        attributes: &[(&str, Attribute<'_>)],
    ) -> Edge {
        let output = format!("{operator}_{}", self.operations);
        self.operation(operator, inputs, std::slice::from_ref(&output), attributes);
        Edge(output)
    }

    /// Halves a tensor along an axis.
    pub fn halves(&mut self, input: &Edge, axis: i64, half: u64) -> (Edge, Edge) {
        let lengths = self.integers(&[half as i64; 2]);
        let outputs = ["a", "b"].map(|which| format!("Split_{}_{which}", self.operations));
        let axis = [("axis", Attribute::Int(axis))];
        self.operation("Split", &[input, &lengths], &outputs, &axis);
        let [first, second] = outputs;
        (Edge(first), Edge(second))
    }

    /// Halves a tensor along an axis whose length is even.
    pub fn even_halves(&mut self, input: &Edge, axis: i64) -> (Edge, Edge) {
        let outputs = ["a", "b"].map(|which| format!("Split_{}_{which}", self.operations));
        let axis = [("axis", Attribute::Int(axis))];
        self.operation("Split", &[input], &outputs, &axis);
        let [first, second] = outputs;
        (Edge(first), Edge(second))
    }

    /// Splits a tensor along an axis into parts of these lengths.
    pub fn split(&mut self, input: &Edge, axis: i64, lengths: &[u64]) -> Vec<Edge> {
        let wholes: Vec<i64> = lengths.iter().map(|length| *length as i64).collect();
        let wholes = self.integers(&wholes);
        let numbers = 0..lengths.len();
        let outputs = numbers.map(|number| format!("Split_{}_{number}", self.operations));
        let outputs: Vec<String> = outputs.collect();
        let axis = [("axis", Attribute::Int(axis))];
        self.operation("Split", &[input, &wholes], &outputs, &axis);
        outputs.into_iter().map(Edge).collect()
    }

    /// The Gaussian error linear unit, in its exact form ("Gaussian Error Linear Units", Hendrycks and Gimpel 2016).
    pub fn gelu(&mut self, x: &Edge) -> Edge {
        let root = self.number(std::f32::consts::SQRT_2);
        let (one, half) = (self.number(1.0), self.number(0.5));
        let scaled = self.apply("Div", &[x, &root]);
        let error = self.apply("Erf", &[&scaled]);
        let share = self.apply("Add", &[&error, &one]);
        let doubled = self.apply("Mul", &[x, &share]);
        self.apply("Mul", &[&doubled, &half])
    }

    /// Softmax along the last axis.
    pub fn softmax(&mut self, x: &Edge) -> Edge {
        self.apply_with("Softmax", &[x], &[("axis", Attribute::Int(-1))])
    }

    /// Stretches axes by these factors, with linear interpolation and the ends in place (`torch.nn.functional.interpolate` with
    /// `mode="bilinear"` and `align_corners`).
    pub fn interpolated(&mut self, x: &Edge, factors: &[f32]) -> Edge {
        let factors = self.numbers(factors);
        // Regions belong to another coordinate mode.
        let no_region = Edge(String::new());
        let attributes = [
            ("mode", Attribute::Text("linear")),
            (
                "coordinate_transformation_mode",
                Attribute::Text("align_corners"),
            ),
        ];
        self.apply_with("Resize", &[x, &no_region, &factors], &attributes)
    }

    fn operation(
        &mut self,
        operator: &str,
        inputs: &[&Edge],
        outputs: &[String],
        attributes: &[(&str, Attribute<'_>)],
    ) {
        let mut node = Vec::new();
        for Edge(input) in inputs {
            put_bytes(&mut node, field::node::INPUT, input.as_bytes());
        }
        for output in outputs {
            put_bytes(&mut node, field::node::OUTPUT, output.as_bytes());
        }
        let name = format!("{operator}_{}", self.operations);
        put_bytes(&mut node, field::node::NAME, name.as_bytes());
        put_bytes(&mut node, field::node::OPERATOR, operator.as_bytes());
        for (name, value) in attributes {
            let attribute = attribute(name, *value);
            put_bytes(&mut node, field::node::ATTRIBUTE, &attribute);
        }
        put_bytes(&mut self.nodes, field::graph::NODE, &node);
        self.operations += 1;
    }

    /// Writes the ONNX file.
    ///
    /// # Errors
    /// Those of `into`.
    pub fn write(&self, name: &str, into: &mut dyn Write) -> io::Result<()> {
        let rest = self.rest(name);
        into.write_all(&head(self.tensors.len() + rest.len()))?;
        into.write_all(&self.tensors)?;
        into.write_all(&rest)?;
        into.write_all(&tail())
    }

    /// The ONNX file in memory. Weights are not copied: a large network's do not fit twice.
    #[must_use]
    pub fn into_bytes(self, name: &str) -> Vec<u8> {
        let rest = self.rest(name);
        let head = head(self.tensors.len() + rest.len());
        let mut bytes = self.tensors;
        bytes.splice(..0, head);
        bytes.extend_from_slice(&rest);
        bytes.extend_from_slice(&tail());
        bytes
    }

    /// The whole graph without its weights.
    fn rest(&self, name: &str) -> Vec<u8> {
        let mut rest = Vec::new();
        put_bytes(&mut rest, field::graph::NAME, name.as_bytes());
        rest.extend_from_slice(&self.nodes);
        rest.extend_from_slice(&self.ports);
        rest
    }
}

/// The bytes before a graph of this length.
fn head(length: usize) -> Vec<u8> {
    let mut head = Vec::new();
    put_number(&mut head, field::model::IR_VERSION, IR_VERSION);
    put_bytes(&mut head, field::model::PRODUCER, b"vocalhost");
    put_head(&mut head, field::model::GRAPH, length as u64);
    head
}

/// The bytes after it.
fn tail() -> Vec<u8> {
    let (mut operators, mut tail) = (Vec::new(), Vec::new());
    put_number(&mut operators, field::model::OPSET_VERSION, OPSET);
    put_bytes(&mut tail, field::model::OPSET, &operators);
    tail
}

fn attribute(name: &str, value: Attribute<'_>) -> Vec<u8> {
    // `AttributeProto.AttributeType`.
    const FLOAT: u64 = 1;
    const INT: u64 = 2;
    const TEXT: u64 = 3;
    const INTS: u64 = 7;
    let mut message = Vec::new();
    put_bytes(&mut message, field::attribute::NAME, name.as_bytes());
    let kind = match value {
        Attribute::Int(value) => {
            put_number(&mut message, field::attribute::INT, value as u64);
            INT
        }
        Attribute::Ints(values) => {
            for value in values {
                put_number(&mut message, field::attribute::INTS, *value as u64);
            }
            INTS
        }
        Attribute::Text(word) => {
            put_bytes(&mut message, field::attribute::TEXT, word.as_bytes());
            TEXT
        }
        Attribute::Float(value) => {
            put_single(&mut message, field::attribute::FLOAT, value);
            FLOAT
        }
    };
    put_number(&mut message, field::attribute::TYPE, kind);
    message
}

/// A field of four bytes: the tag says wire type 5.
fn put_single(message: &mut Vec<u8>, number: u32, value: f32) {
    message.push((number << 3) as u8 | 5);
    message.extend(value.to_le_bytes());
}

/// A `ValueInfoProto`: name, and the type with its dimensions.
fn port(name: &str, kind: DataType, shape: &[Length<'_>]) -> Vec<u8> {
    let mut dimensions = Vec::new();
    for length in shape {
        let mut dimension = Vec::new();
        match length {
            Length::Fixed(length) => put_number(&mut dimension, 1, *length),
            Length::Any(letter) => put_bytes(&mut dimension, 2, letter.as_bytes()),
        }
        put_bytes(&mut dimensions, 1, &dimension);
    }
    let (mut tensor, mut wrapped, mut info) = (Vec::new(), Vec::new(), Vec::new());
    put_number(&mut tensor, 1, kind as u64);
    put_bytes(&mut tensor, 2, &dimensions);
    put_bytes(&mut wrapped, 1, &tensor);
    put_bytes(&mut info, 1, name.as_bytes());
    put_bytes(&mut info, 2, &wrapped);
    info
}
