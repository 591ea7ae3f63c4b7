use std::collections::{HashMap, HashSet};

use super::operator::{DOMAIN, NAME, attribute};
use super::vector::Instructions;
use crate::model::wire::{Field, WireError, fields, put_bytes, put_float, put_number};

/// Numbers of the fields of ONNX's messages (onnx.proto, version 1).
mod field {
    pub(super) const MODEL_GRAPH: u32 = 7;
    pub(super) const MODEL_OPSET_IMPORT: u32 = 8;
    pub(super) const GRAPH_NODE: u32 = 1;
    pub(super) const GRAPH_INITIALIZER: u32 = 5;
    pub(super) const GRAPH_INPUT: u32 = 11;
    pub(super) const GRAPH_OUTPUT: u32 = 12;
    pub(super) const NODE_INPUT: u32 = 1;
    pub(super) const NODE_OUTPUT: u32 = 2;
    pub(super) const NODE_NAME: u32 = 3;
    pub(super) const NODE_OPERATOR: u32 = 4;
    pub(super) const NODE_ATTRIBUTE: u32 = 5;
    pub(super) const NODE_DOMAIN: u32 = 7;
    pub(super) const ATTRIBUTE_NAME: u32 = 1;
    pub(super) const ATTRIBUTE_FLOAT: u32 = 2;
    pub(super) const ATTRIBUTE_NUMBER: u32 = 3;
    pub(super) const ATTRIBUTE_TEXT: u32 = 4;
    pub(super) const ATTRIBUTE_TENSOR: u32 = 5;
    pub(super) const ATTRIBUTE_GRAPH: u32 = 6;
    pub(super) const ATTRIBUTE_NUMBERS: u32 = 8;
    pub(super) const ATTRIBUTE_GRAPHS: u32 = 11;
    pub(super) const ATTRIBUTE_TYPE: u32 = 20;
    pub(super) const TENSOR_DIMENSIONS: u32 = 1;
    pub(super) const TENSOR_TYPE: u32 = 2;
    pub(super) const TENSOR_NAME: u32 = 8;
    pub(super) const VALUE_NAME: u32 = 1;
    pub(super) const OPSET_DOMAIN: u32 = 1;
    pub(super) const OPSET_VERSION: u32 = 2;
}

/// `AttributeProto.AttributeType` of a float, an integer and a text.
const FLOAT_ATTRIBUTE: u64 = 1;
const NUMBER_ATTRIBUTE: u64 = 2;
const TEXT_ATTRIBUTE: u64 = 3;

/// `TensorProto.DataType` of a float in single precision.
const FLOAT: u64 = 1;

/// What a normalisation adds to the variance when it does not say (ONNX, `BatchNormalization`).
const EPSILON: f32 = 1e-5;

/// The file of a graph with our operator in place of the convolutions that it is faster for; nothing where there are none, or where
/// this processor lacks the instructions. Nothing else of the file changes. What cannot be read is left to ONNX Runtime to complain of.
pub(in super::super) fn rewritten(file: &[u8]) -> Option<Vec<u8>> {
    Instructions::here()?;
    replace(file).ok().flatten()
}

/// A node, taken apart.
struct Node<'a> {
    /// Its place among the fields of the graph.
    place: usize,
    operator: &'a [u8],
    inputs: Vec<&'a [u8]>,
    outputs: Vec<&'a [u8]>,
    attributes: Vec<Attribute<'a>>,
    /// Whether it is ONNX's own.
    is_standard: bool,
}

/// An attribute of a node, with what of it matters here.
#[derive(Default)]
struct Attribute<'a> {
    name: &'a [u8],
    float: Option<f32>,
    number: i64,
    numbers: Vec<u64>,
    text: &'a [u8],
    tensor: Option<&'a [u8]>,
    has_graph: bool,
}

/// Dimensions of numbers in single precision that never change.
type Constants<'a> = HashMap<&'a [u8], Vec<u64>>;

/// A convolution and what follows it, to be replaced.
struct Match<'a> {
    nodes: Vec<usize>,
    inputs: Vec<&'a [u8]>,
    output: &'a [u8],
    is_line: bool,
    dilation: u64,
    has_bias: bool,
    epsilon: Option<f32>,
    rectifies: bool,
}

fn replace(file: &[u8]) -> Result<Option<Vec<u8>>, WireError> {
    let model: Vec<Field<'_>> = fields(file).collect::<Result<_, _>>()?;
    let mut graphs = model
        .iter()
        .filter(|part| part.number == field::MODEL_GRAPH);
    let (Some(graph), None) = (graphs.next(), graphs.next()) else {
        return Ok(None);
    };
    let parts: Vec<Field<'_>> = fields(graph.bytes()?).collect::<Result<_, _>>()?;
    let nodes = nodes(&parts)?;
    // A graph within a node may name anything of this one.
    let within = nodes.iter().flat_map(|node| &node.attributes);
    if within.into_iter().any(|attribute| attribute.has_graph) {
        return Ok(None);
    }
    let uses = uses(&parts, &nodes)?;
    let constants = constants(&parts, &nodes)?;
    let found: Vec<Match<'_>> = nodes
        .iter()
        .enumerate()
        .filter_map(|(at, node)| matching(at, node, &nodes, &uses, &constants))
        .collect();
    if found.is_empty() {
        return Ok(None);
    }
    Ok(Some(written(&model, &parts, &nodes, &found)))
}

fn nodes<'a>(parts: &[Field<'a>]) -> Result<Vec<Node<'a>>, WireError> {
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
    fn is(&self, operator: &[u8]) -> bool {
        self.is_standard && self.operator == operator
    }

    fn attribute(&self, name: &[u8]) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|own| own.name == name)
    }

    /// A list of numbers, or so many times what stands for one that is not given.
    fn numbers(&self, name: &[u8], count: usize, otherwise: u64) -> Vec<u64> {
        let given = self.attribute(name).map(|own| own.numbers.clone());
        given.unwrap_or_else(|| vec![otherwise; count])
    }
}

/// How many nodes and outputs take each value.
fn uses<'a>(
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

/// Initialisers that are no inputs, those that are cast to single precision, and constants: what ONNX Runtime knows before it runs.
fn constants<'a>(parts: &[Field<'a>], nodes: &[Node<'a>]) -> Result<Constants<'a>, WireError> {
    let inputs: HashSet<&[u8]> = names(parts, field::GRAPH_INPUT)?.into_iter().collect();
    let (mut all, mut floats) = (HashMap::new(), Constants::new());
    for part in parts
        .iter()
        .filter(|part| part.number == field::GRAPH_INITIALIZER)
    {
        let tensor = tensor_of(part.bytes()?)?;
        if !inputs.contains(tensor.name) {
            all.insert(tensor.name, (tensor.kind, tensor.dimensions));
        }
    }
    for node in nodes {
        let [output] = node.outputs[..] else { continue };
        let casts = node.is(b"Cast")
            && node
                .attribute(b"to")
                .is_some_and(|to| to.number as u64 == FLOAT);
        let value = node.attribute(b"value").and_then(|value| value.tensor);
        if casts && let Some((_, dimensions)) = node.inputs.first().and_then(|name| all.get(name)) {
            floats.insert(output, dimensions.clone());
        } else if node.is(b"Constant")
            && let Some(value) = value
        {
            let tensor = tensor_of(value)?;
            if tensor.kind == FLOAT {
                floats.insert(output, tensor.dimensions);
            }
        }
    }
    let own = all.into_iter().filter(|(_, (kind, _))| *kind == FLOAT);
    floats.extend(own.map(|(name, (_, dimensions))| (name, dimensions)));
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

/// The convolution that begins at a node, if our operator can take its place and is worth it.
fn matching<'a>(
    at: usize,
    node: &Node<'a>,
    nodes: &[Node<'a>],
    uses: &HashMap<&'a [u8], usize>,
    constants: &Constants<'a>,
) -> Option<Match<'a>> {
    if !node.is(b"Conv") {
        return None;
    }
    let ([image, filter, rest @ ..], [output]) = (&node.inputs[..], &node.outputs[..]) else {
        return None;
    };
    let (is_line, dilation) = shape(node, constants.get(filter)?)?;
    let mut found = Match {
        nodes: vec![at],
        inputs: vec![image, filter],
        output,
        is_line,
        dilation,
        has_bias: false,
        epsilon: None,
        rectifies: false,
    };
    match rest {
        [] | [b""] => {}
        [bias] if constants.contains_key(bias) => {
            found.has_bias = true;
            found.inputs.push(bias);
        }
        _ => return None,
    }
    // The only node that takes a value, if there is just one.
    let follower = |output: &'a [u8]| {
        let mut takers = nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.inputs.contains(&output));
        takers.next().filter(|_| uses.get(output) == Some(&1))
    };
    if let Some((at, norm)) =
        follower(found.output).filter(|(_, node)| node.is(b"BatchNormalization"))
    {
        // Apart it would cost what is saved.
        let [_, numbers @ ..] = &norm.inputs[..] else {
            return None;
        };
        let is_plain = ["training_mode", "is_test"].iter().all(|name| {
            norm.attribute(name.as_bytes())
                .is_none_or(|mode| mode.number == 0)
        });
        let ([output], true) = (&norm.outputs[..], is_plain) else {
            return None;
        };
        if numbers.len() != 4 || !numbers.iter().all(|name| constants.contains_key(name)) {
            return None;
        }
        let epsilon = norm.attribute(b"epsilon").and_then(|own| own.float);
        found.epsilon = Some(epsilon.unwrap_or(EPSILON));
        found.inputs.extend(numbers);
        found.nodes.push(at);
        found.output = output;
    }
    if let Some((at, rectifier)) = follower(found.output).filter(|(_, node)| node.is(b"Relu")) {
        let [output] = &rectifier.outputs[..] else {
            return None;
        };
        found.rectifies = true;
        found.nodes.push(at);
        found.output = output;
    }
    Some(found)
}

/// Whether a convolution runs along a line, and how far its taps lie apart; nothing if it is of another kind.
fn shape(node: &Node<'_>, filter: &[u64]) -> Option<(bool, u64)> {
    let [outputs, inputs, taps @ ..] = filter else {
        return None;
    };
    let axes = taps.len();
    let is_auto = node
        .attribute(b"auto_pad")
        .is_some_and(|own| !matches!(own.text, b"" | b"NOTSET"));
    let is_grouped = node.attribute(b"group").is_some_and(|own| own.number != 1);
    let steps = node.numbers(b"strides", axes, 1);
    if is_auto || is_grouped || steps.iter().any(|step| *step != 1) {
        return None;
    }
    let dilations = node.numbers(b"dilations", axes, 1);
    let pads = node.numbers(b"pads", 2 * axes, 0);
    let (is_line, dilation, wanted) = match (taps, &dilations[..]) {
        ([3], [dilation]) => (true, *dilation, vec![*dilation; 2]),
        ([1, 3], [_, dilation]) => (true, *dilation, vec![0, *dilation, 0, *dilation]),
        ([3, 3], [1, dilation]) => (false, *dilation, vec![1, *dilation, 1, *dilation]),
        _ => return None,
    };
    let least = if is_line {
        LINE_CHANNELS
    } else {
        ROWS_CHANNELS
    };
    let is_worth_it = *outputs.min(inputs) >= least && (1..=MAX_DILATION).contains(&dilation);
    (pads == wanted && is_worth_it).then_some((is_line, dilation))
}

/// Channels from which on a convolution over rows is faster in our way: sums cost as much for each channel, products more with
/// more of them.
const ROWS_CHANNELS: u64 = 16;

/// The same along a line, where a sum serves a third of the products.
const LINE_CHANNELS: u64 = 64;

/// Taps that lie further apart make a panel's inputs longer than the panel.
const MAX_DILATION: u64 = 64;

fn written(
    model: &[Field<'_>],
    parts: &[Field<'_>],
    nodes: &[Node<'_>],
    found: &[Match<'_>],
) -> Vec<u8> {
    // The last of the nodes makes way for the new one: what the others take is there by then.
    let mut dropped = HashSet::new();
    let mut placed = HashMap::new();
    for (number, one) in found.iter().enumerate() {
        dropped.extend(one.nodes.iter().map(|at| nodes[*at].place));
        if let Some(last) = one.nodes.last() {
            placed.insert(nodes[*last].place, number);
        }
    }
    let length: usize = model.iter().map(|part| part.encoded.len()).sum();
    let mut graph = Vec::with_capacity(length);
    for (place, part) in parts.iter().enumerate() {
        if let Some(number) = placed.get(&place) {
            put_bytes(&mut graph, field::GRAPH_NODE, &found[*number].node());
        } else if !dropped.contains(&place) {
            graph.extend_from_slice(part.encoded);
        }
    }
    let mut file = Vec::with_capacity(graph.len() + 1_024);
    for part in model {
        if part.number == field::MODEL_GRAPH {
            put_bytes(&mut file, field::MODEL_GRAPH, &graph);
        } else {
            file.extend_from_slice(part.encoded);
        }
    }
    let mut operators = Vec::new();
    put_bytes(&mut operators, field::OPSET_DOMAIN, DOMAIN.as_bytes());
    put_number(&mut operators, field::OPSET_VERSION, 1);
    put_bytes(&mut file, field::MODEL_OPSET_IMPORT, &operators);
    file
}

impl Match<'_> {
    /// The node that takes the place of all of them.
    fn node(&self) -> Vec<u8> {
        let mut node = Vec::new();
        for input in &self.inputs {
            put_bytes(&mut node, field::NODE_INPUT, input);
        }
        put_bytes(&mut node, field::NODE_OUTPUT, self.output);
        put_bytes(&mut node, field::NODE_NAME, self.output);
        put_bytes(&mut node, field::NODE_OPERATOR, NAME.as_bytes());
        put_bytes(&mut node, field::NODE_DOMAIN, DOMAIN.as_bytes());
        let numbers = [
            (attribute::LINE, u64::from(self.is_line)),
            (attribute::DILATION, self.dilation),
            (attribute::BIAS, u64::from(self.has_bias)),
            (attribute::NORM, u64::from(self.epsilon.is_some())),
            (attribute::RECTIFIES, u64::from(self.rectifies)),
        ];
        for (name, number) in numbers {
            let mut message = Vec::new();
            put_bytes(&mut message, field::ATTRIBUTE_NAME, name.as_bytes());
            put_number(&mut message, field::ATTRIBUTE_NUMBER, number);
            put_number(&mut message, field::ATTRIBUTE_TYPE, NUMBER_ATTRIBUTE);
            put_bytes(&mut node, field::NODE_ATTRIBUTE, &message);
        }
        let mut name = Vec::new();
        put_bytes(&mut name, field::ATTRIBUTE_NAME, attribute::NAME.as_bytes());
        put_bytes(&mut name, field::ATTRIBUTE_TEXT, self.output);
        put_number(&mut name, field::ATTRIBUTE_TYPE, TEXT_ATTRIBUTE);
        put_bytes(&mut node, field::NODE_ATTRIBUTE, &name);
        if let Some(epsilon) = self.epsilon {
            let mut message = Vec::new();
            put_bytes(
                &mut message,
                field::ATTRIBUTE_NAME,
                attribute::EPSILON.as_bytes(),
            );
            put_float(&mut message, field::ATTRIBUTE_FLOAT, epsilon);
            put_number(&mut message, field::ATTRIBUTE_TYPE, FLOAT_ATTRIBUTE);
            put_bytes(&mut node, field::NODE_ATTRIBUTE, &message);
        }
        node
    }
}
