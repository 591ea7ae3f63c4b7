use std::collections::{HashMap, HashSet};

use super::graph::{Constants, Node, Uses, constants, field, nodes, uses};
use super::operator::{DOMAIN, NAME, attribute};
use super::vector::Instructions;
use crate::model::wire::{Field, WireError, fields, put_bytes, put_float, put_number};

/// `AttributeProto.AttributeType` of a float and of an integer.
const FLOAT_ATTRIBUTE: u64 = 1;
const NUMBER_ATTRIBUTE: u64 = 2;

/// What a normalisation adds to the variance when it does not say (ONNX, `BatchNormalization`).
const EPSILON: f32 = 1e-5;

/// The file of a graph with our operator in place of the convolutions that it is faster for; nothing where there are none, or where
/// this processor lacks the instructions. Nothing else of the file changes. What cannot be read is left to ONNX Runtime to complain of.
pub(in super::super) fn rewritten(file: &[u8]) -> Option<Vec<u8>> {
    Instructions::here()?;
    replace(file).ok().flatten()
}

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

/// The convolution that begins at a node, if our operator can take its place and is worth it.
fn matching<'a>(
    at: usize,
    node: &Node<'a>,
    nodes: &[Node<'a>],
    uses: &HashMap<&'a [u8], Uses>,
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
    let follower = |output: &'a [u8]| {
        let at = uses.get(output)?.only()?;
        Some((at, &nodes[at]))
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
