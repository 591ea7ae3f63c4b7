//! What is read of a graph's file: its nodes, and what is known of its values before it runs.

use std::collections::{HashMap, HashSet};

use crate::model::wire::{Field, WireError, fields};

/// Numbers of the fields of ONNX's messages (onnx.proto, version 1).
pub(super) mod field {
    pub(in super::super) const MODEL_GRAPH: u32 = 7;
    pub(in super::super) const MODEL_OPSET_IMPORT: u32 = 8;
    pub(in super::super) const GRAPH_NODE: u32 = 1;
    pub(in super::super) const GRAPH_INITIALIZER: u32 = 5;
    pub(in super::super) const GRAPH_INPUT: u32 = 11;
    pub(in super::super) const GRAPH_OUTPUT: u32 = 12;
    pub(in super::super) const NODE_INPUT: u32 = 1;
    pub(in super::super) const NODE_OUTPUT: u32 = 2;
    pub(in super::super) const NODE_NAME: u32 = 3;
    pub(in super::super) const NODE_OPERATOR: u32 = 4;
    pub(in super::super) const NODE_ATTRIBUTE: u32 = 5;
    pub(in super::super) const NODE_DOMAIN: u32 = 7;
    pub(in super::super) const ATTRIBUTE_NAME: u32 = 1;
    pub(in super::super) const ATTRIBUTE_FLOAT: u32 = 2;
    pub(in super::super) const ATTRIBUTE_NUMBER: u32 = 3;
    pub(in super::super) const ATTRIBUTE_TEXT: u32 = 4;
    pub(in super::super) const ATTRIBUTE_TENSOR: u32 = 5;
    pub(in super::super) const ATTRIBUTE_GRAPH: u32 = 6;
    pub(in super::super) const ATTRIBUTE_NUMBERS: u32 = 8;
    pub(in super::super) const ATTRIBUTE_GRAPHS: u32 = 11;
    pub(in super::super) const ATTRIBUTE_TYPE: u32 = 20;
    pub(in super::super) const TENSOR_DIMENSIONS: u32 = 1;
    pub(in super::super) const TENSOR_TYPE: u32 = 2;
    pub(in super::super) const TENSOR_INTEGERS: u32 = 7;
    pub(in super::super) const TENSOR_NAME: u32 = 8;
    pub(in super::super) const TENSOR_RAW: u32 = 9;
    pub(in super::super) const VALUE_NAME: u32 = 1;
    pub(in super::super) const OPSET_DOMAIN: u32 = 1;
    pub(in super::super) const OPSET_VERSION: u32 = 2;
}

/// `TensorProto.DataType` of a float in single precision and of an integer of 64 bits.
const FLOAT: u64 = 1;
const INTEGER: u64 = 7;

/// A node, taken apart.
pub(super) struct Node<'a> {
    /// Its place among the fields of the graph.
    pub(super) place: usize,
    pub(super) operator: &'a [u8],
    pub(super) inputs: Vec<&'a [u8]>,
    pub(super) outputs: Vec<&'a [u8]>,
    pub(super) attributes: Vec<Attribute<'a>>,
    /// Whether it is ONNX's own.
    pub(super) is_standard: bool,
}

/// An attribute of a node, with what of it matters here.
#[derive(Default)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a [u8],
    pub(super) float: Option<f32>,
    pub(super) number: i64,
    pub(super) numbers: Vec<u64>,
    pub(super) text: &'a [u8],
    pub(super) tensor: Option<&'a [u8]>,
    pub(super) has_graph: bool,
}

/// Dimensions of numbers in single precision that never change.
pub(super) type Constants<'a> = HashMap<&'a [u8], Vec<u64>>;

pub(super) fn nodes<'a>(parts: &[Field<'a>]) -> Result<Vec<Node<'a>>, WireError> {
    let of_nodes = parts
        .iter()
        .enumerate()
        .filter(|(_, part)| part.number == field::GRAPH_NODE);
    of_nodes
        .map(|(place, part)| {
            let mut node = Node {
                place,
                operator: b"",
                inputs: Vec::new(),
                outputs: Vec::new(),
                attributes: Vec::new(),
                is_standard: true,
            };
            for part in fields(part.bytes()?) {
                let part = part?;
                match part.number {
                    field::NODE_INPUT => node.inputs.push(part.bytes()?),
                    field::NODE_OUTPUT => node.outputs.push(part.bytes()?),
                    field::NODE_OPERATOR => node.operator = part.bytes()?,
                    field::NODE_ATTRIBUTE => node.attributes.push(attribute_of(part.bytes()?)?),
                    field::NODE_DOMAIN => {
                        node.is_standard = matches!(part.bytes()?, b"" | b"ai.onnx");
                    }
                    _ => {}
                }
            }
            Ok(node)
        })
        .collect()
}

fn attribute_of(message: &[u8]) -> Result<Attribute<'_>, WireError> {
    let mut attribute = Attribute::default();
    for part in fields(message) {
        let part = part?;
        match part.number {
            field::ATTRIBUTE_NAME => attribute.name = part.bytes()?,
            field::ATTRIBUTE_FLOAT => {
                let mut float = Vec::new();
                part.fixed(size_of::<f32>(), &mut float)?;
                let float = float.try_into().map_err(|_| WireError::Type(part.number))?;
                attribute.float = Some(f32::from_le_bytes(float));
            }
            field::ATTRIBUTE_NUMBER => attribute.number = part.varint()? as i64,
            field::ATTRIBUTE_TEXT => attribute.text = part.bytes()?,
            field::ATTRIBUTE_TENSOR => attribute.tensor = Some(part.bytes()?),
            field::ATTRIBUTE_NUMBERS => part.varints(&mut attribute.numbers)?,
            field::ATTRIBUTE_GRAPH | field::ATTRIBUTE_GRAPHS => attribute.has_graph = true,
            _ => {}
        }
    }
    Ok(attribute)
}

impl<'a> Node<'a> {
    pub(super) fn is(&self, operator: &[u8]) -> bool {
        self.is_standard && self.operator == operator
    }

    pub(super) fn attribute(&self, name: &[u8]) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|own| own.name == name)
    }

    /// A list of numbers, or so many times what stands for one that is not given.
    pub(super) fn numbers(&self, name: &[u8], count: usize, otherwise: u64) -> Vec<u64> {
        let given = self.attribute(name).map(|own| own.numbers.clone());
        given.unwrap_or_else(|| vec![otherwise; count])
    }
}

/// How many nodes and outputs take each value.
pub(super) fn uses<'a>(
    parts: &[Field<'a>],
    nodes: &[Node<'a>],
) -> Result<HashMap<&'a [u8], usize>, WireError> {
    let mut uses = HashMap::new();
    for name in nodes.iter().flat_map(|node| &node.inputs) {
        *uses.entry(*name).or_default() += 1;
    }
    for name in names(parts, field::GRAPH_OUTPUT)? {
        *uses.entry(name).or_default() += 1;
    }
    Ok(uses)
}

/// Names of the graph's inputs or outputs.
fn names<'a>(parts: &[Field<'a>], number: u32) -> Result<Vec<&'a [u8]>, WireError> {
    let mut names = Vec::new();
    for part in parts.iter().filter(|part| part.number == number) {
        for part in fields(part.bytes()?) {
            let part = part?;
            if part.number == field::VALUE_NAME {
                names.push(part.bytes()?);
            }
        }
    }
    Ok(names)
}

/// Initialisers that are no inputs, what is cast to single precision or cut out of them, and constants: what ONNX Runtime knows before
/// it runs.
pub(super) fn constants<'a>(
    parts: &[Field<'a>],
    nodes: &[Node<'a>],
) -> Result<Constants<'a>, WireError> {
    let inputs: HashSet<&[u8]> = names(parts, field::GRAPH_INPUT)?.into_iter().collect();
    let mut all = HashMap::new();
    let initializers = parts
        .iter()
        .filter(|part| part.number == field::GRAPH_INITIALIZER);
    for part in initializers {
        let tensor = tensor_of(part.bytes()?)?;
        if !inputs.contains(tensor.name) {
            all.insert(tensor.name, tensor);
        }
    }
    let mut floats = Constants::new();
    for node in nodes {
        let [output] = node.outputs[..] else { continue };
        let known: Vec<&Tensor<'_>> = node
            .inputs
            .iter()
            .filter_map(|name| all.get(name))
            .collect();
        let dimensions = if known.len() < node.inputs.len() {
            None
        } else if node.is(b"Cast") {
            let to = node.attribute(b"to").map(|to| to.number as u64);
            let cast = known.first().filter(|_| to == Some(FLOAT));
            cast.map(|tensor| tensor.dimensions.clone())
        } else if node.is(b"Slice") {
            cut(&known)
        } else if node.is(b"Constant") {
            let value = node.attribute(b"value").and_then(|value| value.tensor);
            let tensor = value.map(tensor_of).transpose()?;
            let tensor = tensor.filter(|tensor| tensor.kind == FLOAT);
            tensor.map(|tensor| tensor.dimensions)
        } else {
            None
        };
        floats.extend(dimensions.map(|dimensions| (output, dimensions)));
    }
    let own = all.into_iter().filter(|(_, tensor)| tensor.kind == FLOAT);
    floats.extend(own.map(|(name, tensor)| (name, tensor.dimensions)));
    Ok(floats)
}

/// Dimensions of what is cut out of floats along their first axis, as the halves of a gate are.
fn cut(inputs: &[&Tensor<'_>]) -> Option<Vec<u64>> {
    let [from, starts, ends, axes] = inputs else {
        return None;
    };
    let ([start], [end], [0]) = (
        &starts.values()?[..],
        &ends.values()?[..],
        &axes.values()?[..],
    ) else {
        return None;
    };
    let [first, rest @ ..] = &from.dimensions[..] else {
        return None;
    };
    let length = i64::try_from(*first).ok()?;
    let place = |at: i64| {
        if at < 0 {
            at.saturating_add(length)
        } else {
            at
        }
        .clamp(0, length)
    };
    let count = u64::try_from(place(*end) - place(*start)).ok()?;
    (from.kind == FLOAT).then(|| [&[count], rest].concat())
}

/// What of a tensor matters here.
#[derive(Default)]
struct Tensor<'a> {
    name: &'a [u8],
    kind: u64,
    dimensions: Vec<u64>,
    /// Its bytes, and its integers where they lie apart.
    raw: &'a [u8],
    integers: Vec<u64>,
}

impl Tensor<'_> {
    /// The values of whole numbers.
    fn values(&self) -> Option<Vec<i64>> {
        if self.kind != INTEGER {
            return None;
        }
        let raw = self
            .raw
            .as_chunks()
            .0
            .iter()
            .map(|bytes| i64::from_le_bytes(*bytes));
        Some(
            raw.chain(self.integers.iter().map(|value| *value as i64))
                .collect(),
        )
    }
}

fn tensor_of(message: &[u8]) -> Result<Tensor<'_>, WireError> {
    let mut tensor = Tensor::default();
    for part in fields(message) {
        let part = part?;
        match part.number {
            field::TENSOR_DIMENSIONS => part.varints(&mut tensor.dimensions)?,
            field::TENSOR_TYPE => tensor.kind = part.varint()?,
            field::TENSOR_INTEGERS => part.varints(&mut tensor.integers)?,
            field::TENSOR_NAME => tensor.name = part.bytes()?,
            field::TENSOR_RAW => tensor.raw = part.bytes()?,
            _ => {}
        }
    }
    Ok(tensor)
}
