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
    pub(in super::super) const TENSOR_NAME: u32 = 8;
    pub(in super::super) const VALUE_NAME: u32 = 1;
    pub(in super::super) const OPSET_DOMAIN: u32 = 1;
    pub(in super::super) const OPSET_VERSION: u32 = 2;
}

/// `TensorProto.DataType` of a float in single precision.
const FLOAT: u64 = 1;

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

/// Who takes a value.
#[derive(Default)]
pub(super) struct Uses {
    /// How many nodes and outputs do.
    count: usize,
    /// The last node that does.
    node: Option<usize>,
}

impl Uses {
    /// The only one that takes it, if that is a node.
    pub(super) fn only(&self) -> Option<usize> {
        self.node.filter(|_| self.count == 1)
    }
}

/// Who takes each value.
pub(super) fn uses<'a>(
    parts: &[Field<'a>],
    nodes: &[Node<'a>],
) -> Result<HashMap<&'a [u8], Uses>, WireError> {
    let mut uses: HashMap<&[u8], Uses> = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        for name in &node.inputs {
            let found = uses.entry(name).or_default();
            found.count += 1;
            found.node = Some(at);
        }
    }
    for name in names(parts, field::GRAPH_OUTPUT)? {
        uses.entry(name).or_default().count += 1;
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

/// Initialisers that are no inputs, what is cast to single precision, and constants: what ONNX Runtime knows before it runs. What is cut
/// out of them, as the halves of Demucs's gates are, is left out: it took 7 % less time there, and 106 MB more.
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

/// What of a tensor matters here.
#[derive(Default)]
struct Tensor<'a> {
    name: &'a [u8],
    kind: u64,
    dimensions: Vec<u64>,
}

fn tensor_of(message: &[u8]) -> Result<Tensor<'_>, WireError> {
    let mut tensor = Tensor::default();
    for part in fields(message) {
        let part = part?;
        match part.number {
            field::TENSOR_DIMENSIONS => part.varints(&mut tensor.dimensions)?,
            field::TENSOR_TYPE => tensor.kind = part.varint()?,
            field::TENSOR_NAME => tensor.name = part.bytes()?,
            _ => {}
        }
    }
    Ok(tensor)
}
