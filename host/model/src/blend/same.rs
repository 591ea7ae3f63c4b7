//! Whether two graphs are the same but for their weights.
//!
//! What a graph computes is compared: operators and their versions, nodes in order with their inputs, outputs and attributes, the graph's
//! inputs and outputs, and names, element types and dimensions of the initialisers. What only tells where a graph comes from (producer,
//! names of nodes, documentation, metadata) may differ; so may the number of speakers, and the width of the floats that weights are stored
//! in, provided that the operators accept it.

use std::collections::BTreeMap;

use super::graph::{Graph, GraphError};
use super::speakers;
use super::tensor::Tensor;
use vocalhost_onnx::wire::{Field, WireError, fields};

/// Numbers of fields in ONNX's messages (onnx.proto, version 1), both compared and ignored ones.
mod field {
    pub(super) const NODE_INPUT: u32 = 1;
    pub(super) const NODE_OUTPUT: u32 = 2;
    pub(super) const NODE_NAME: u32 = 3;
    pub(super) const NODE_OP_TYPE: u32 = 4;
    pub(super) const NODE_ATTRIBUTE: u32 = 5;
    pub(super) const NODE_DOMAIN: u32 = 7;
    pub(super) const NODE_OVERLOAD: u32 = 8;
    pub(super) const ATTRIBUTE_NAME: u32 = 1;
    pub(super) const ATTRIBUTE_DOC: u32 = 13;
    pub(super) const VALUE_NAME: u32 = 1;
    pub(super) const VALUE_TYPE: u32 = 2;
}

/// The first thing in which two graphs differ, in words; `None` when only their weights do.
pub(super) fn difference(a: &Graph<'_>, b: &Graph<'_>) -> Result<Option<String>, GraphError> {
    if sorted(a.opset_imports()?) != sorted(b.opset_imports()?) {
        return Ok(Some("they use other versions of the operators".to_owned()));
    }
    if sorted(a.functions()?) != sorted(b.functions()?) {
        return Ok(Some("they bring other operators along".to_owned()));
    }
    for (what, a, b) in [
        ("inputs", a.inputs()?, b.inputs()?),
        ("outputs", a.outputs()?, b.outputs()?),
    ] {
        if let Some(found) = values_differ(what, &a, &b)? {
            return Ok(Some(found));
        }
    }
    if let Some(found) = nodes_differ(&a.nodes()?, &b.nodes()?)? {
        return Ok(Some(found));
    }
    if a.sparse_tensors()? != b.sparse_tensors()? {
        return Ok(Some("their sparse tensors differ".to_owned()));
    }
    tensors_differ(&a.tensors, &b.tensors)
}

/// What is compared of two graphs apart from their initialisers, in a canonical order: equal for graphs that do not differ there.
pub(super) fn canonical(graph: &Graph<'_>) -> Result<Vec<Vec<u8>>, GraphError> {
    let mut parts = Vec::new();
    let mut section = |messages: Vec<Vec<u8>>| {
        parts.push((messages.len() as u64).to_le_bytes().to_vec());
        parts.extend(messages);
    };
    let owned = |messages: Vec<&[u8]>| messages.into_iter().map(<[u8]>::to_vec).collect();
    section(owned(sorted(graph.opset_imports()?)));
    section(owned(sorted(graph.functions()?)));
    for values in [graph.inputs()?, graph.outputs()?] {
        let mut texts = Vec::new();
        for value in values {
            let value = Value::parse(value)?;
            texts.extend([value.name.into_bytes(), value.kind.to_vec()]);
        }
        section(texts);
    }
    for node in graph.nodes()? {
        let node = Node::parse(node)?;
        let mut texts = vec![node.operator.into_bytes()];
        texts.extend(node.variant.map(<[u8]>::to_vec));
        section(texts);
        section(owned(node.inputs));
        section(owned(node.outputs));
        for (name, encoded) in node.attributes {
            section(vec![name.into_bytes(), encoded.concat()]);
        }
    }
    section(owned(graph.sparse_tensors()?));
    Ok(parts)
}

fn sorted(mut messages: Vec<&[u8]>) -> Vec<&[u8]> {
    messages.sort_unstable();
    messages
}

fn values_differ(what: &str, a: &[&[u8]], b: &[&[u8]]) -> Result<Option<String>, WireError> {
    if a.len() != b.len() {
        return Ok(Some(format!(
            "they have {} and {} {what}",
            a.len(),
            b.len()
        )));
    }
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (Value::parse(a)?, Value::parse(b)?);
        if a.name != b.name {
            return Ok(Some(format!("{what}: {:?} against {:?}", a.name, b.name)));
        }
        if a.kind != b.kind {
            return Ok(Some(format!("{what}: the types of {:?} differ", a.name)));
        }
    }
    Ok(None)
}

/// An input or output.
struct Value<'a> {
    name: String,
    kind: &'a [u8],
}

impl<'a> Value<'a> {
    fn parse(message: &'a [u8]) -> Result<Self, WireError> {
        let mut value = Self {
            name: String::new(),
            kind: &[],
        };
        for field in fields(message) {
            let field = field?;
            match field.number {
                field::VALUE_NAME => value.name = field.text()?,
                field::VALUE_TYPE => value.kind = field.bytes()?,
                _ => {}
            }
        }
        Ok(value)
    }
}

fn nodes_differ(a: &[&[u8]], b: &[&[u8]]) -> Result<Option<String>, WireError> {
    for (number, (a, b)) in a.iter().zip(b).enumerate() {
        if a == b {
            continue;
        }
        let (a, b) = (Node::parse(a)?, Node::parse(b)?);
        if let Some(what) = a.differs(&b) {
            let (operator, name) = (&a.operator, &a.name);
            return Ok(Some(format!("node {number}, {operator} {name:?}: {what}")));
        }
    }
    if a.len() != b.len() {
        return Ok(Some(format!("they have {} and {} nodes", a.len(), b.len())));
    }
    Ok(None)
}

/// An operation.
#[derive(Default)]
struct Node<'a> {
    name: String,
    operator: String,
    /// Domain and overload of the operator.
    variant: [&'a [u8]; 2],
    inputs: Vec<&'a [u8]>,
    outputs: Vec<&'a [u8]>,
    /// Encoded fields of each attribute, by its name.
    attributes: BTreeMap<String, Vec<&'a [u8]>>,
}

impl<'a> Node<'a> {
    fn parse(message: &'a [u8]) -> Result<Self, WireError> {
        let mut node = Self::default();
        for field in fields(message) {
            let field = field?;
            match field.number {
                field::NODE_INPUT => node.inputs.push(field.bytes()?),
                field::NODE_OUTPUT => node.outputs.push(field.bytes()?),
                field::NODE_NAME => node.name = field.text()?,
                field::NODE_OP_TYPE => node.operator = field.text()?,
                field::NODE_ATTRIBUTE => {
                    let (name, encoded) = attribute(&field)?;
                    node.attributes.insert(name, encoded);
                }
                field::NODE_DOMAIN => node.variant[0] = field.bytes()?,
                field::NODE_OVERLOAD => node.variant[1] = field.bytes()?,
                _ => {}
            }
        }
        Ok(node)
    }

    fn differs(&self, other: &Self) -> Option<String> {
        if self.operator != other.operator || self.variant != other.variant {
            return Some(format!("the other has {} there", other.operator));
        }
        if self.inputs != other.inputs {
            return Some("the inputs differ".to_owned());
        }
        if self.outputs != other.outputs {
            return Some("the outputs differ".to_owned());
        }
        let names = self.attributes.keys().chain(other.attributes.keys());
        let differing = |name: &&String| self.attributes.get(*name) != other.attributes.get(*name);
        let found = names.filter(differing).min()?;
        Some(format!("attribute {found:?} differs"))
    }
}

/// An attribute's name and its fields without documentation, ordered by number.
fn attribute<'a>(field: &Field<'a>) -> Result<(String, Vec<&'a [u8]>), WireError> {
    let found: Vec<Field<'a>> = fields(field.bytes()?).collect::<Result<_, _>>()?;
    let name = found
        .iter()
        .find(|field| field.number == field::ATTRIBUTE_NAME);
    let name = name.map(Field::text).transpose()?.unwrap_or_default();
    let mut compared: Vec<&Field<'a>> = found
        .iter()
        .filter(|field| field.number != field::ATTRIBUTE_DOC)
        .collect();
    compared.sort_by_key(|field| field.number);
    Ok((name, compared.iter().map(|field| field.encoded).collect()))
}

fn tensors_differ(a: &[Tensor<'_>], b: &[Tensor<'_>]) -> Result<Option<String>, GraphError> {
    let others = by_name(b);
    if others.len() != b.len() || by_name(a).len() != a.len() {
        return Ok(Some("a name stands for two tensors".to_owned()));
    }
    for tensor in a {
        let name = &tensor.name;
        let Some(other) = others.get(name.as_str()) else {
            return Ok(Some(format!("tensor {name:?} is only in the first")));
        };
        let (shape, other_shape) = (tensor.shape_text(), other.shape_text());
        let both_float = tensor.float().is_some() && other.float().is_some();
        if both_float && (tensor.dims == other.dims || speakers::differ_in_rows(tensor, other)) {
            continue;
        }
        if shape != other_shape {
            return Ok(Some(format!(
                "tensor {name:?} is {shape} against {other_shape}"
            )));
        }
        if tensor.values()? != other.values()? {
            return Ok(Some(format!("tensor {name:?}, {shape}, has other values")));
        }
    }
    let own = by_name(a);
    let only = b
        .iter()
        .find(|tensor| !own.contains_key(tensor.name.as_str()));
    Ok(only.map(|tensor| format!("tensor {:?} is only in the second", tensor.name)))
}

/// The tensors by their names.
pub(super) fn by_name<'t, 'a>(tensors: &'t [Tensor<'a>]) -> BTreeMap<&'t str, &'t Tensor<'a>> {
    let named = tensors.iter().map(|tensor| (tensor.name.as_str(), tensor));
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::super::tiny::{TinyGraph, TinyTensor};
    use super::*;

    fn plain() -> TinyGraph {
        TinyGraph::with(vec![
            TinyTensor::singles("w", &[1.0, 2.0]),
            TinyTensor::integers("axes", &[1]),
        ])
    }

    fn found(change: impl FnOnce(&mut TinyGraph)) -> Option<String> {
        let mut other = plain();
        change(&mut other);
        let (a, b) = (plain().file(), other.file());
        let (a, b) = (Graph::parse(&a), Graph::parse(&b));
        difference(&a.expect("a graph"), &b.expect("a graph")).expect("readable")
    }

    #[test]
    fn weights_and_origin_may_differ() {
        assert_eq!(found(|_| {}), None);
        assert_eq!(
            found(|graph| {
                graph.producer = "somebody else";
                graph.nodes[1].name = "renamed";
                graph.tensors[0] = TinyTensor::singles("w", &[-5.0, 0.5]);
                graph.tensors.reverse();
            }),
            None
        );
    }

    #[test]
    fn the_first_difference_is_named() {
        let check = |change: fn(&mut TinyGraph), expected: &str| {
            let found = found(change).expect("a difference");
            assert_eq!(found, expected);
        };
        check(
            |graph| graph.opset = 18,
            "they use other versions of the operators",
        );
        check(|graph| graph.input = "z", "inputs: \"x\" against \"z\"");
        check(
            |graph| graph.nodes[1].operator = "Split",
            "node 1, Concat \"second\": the other has Split there",
        );
        check(
            |graph| graph.nodes[0].inputs = vec!["x", "v"],
            "node 0, MatMul \"first\": the inputs differ",
        );
        check(
            |graph| graph.nodes[1].axis = 2,
            "node 1, Concat \"second\": attribute \"axis\" differs",
        );
        check(|graph| drop(graph.nodes.pop()), "they have 2 and 1 nodes");
        check(
            |graph| graph.tensors[0].name = "v",
            "tensor \"w\" is only in the first",
        );
        check(
            |graph| graph.tensors.push(TinyTensor::singles("more", &[0.0])),
            "tensor \"more\" is only in the second",
        );
        check(
            |graph| graph.tensors[0] = TinyTensor::singles("w", &[1.0]),
            "tensor \"w\" is f32 [2] against f32 [1]",
        );
        check(
            |graph| graph.tensors[1] = TinyTensor::integers("axes", &[2]),
            "tensor \"axes\", i64 [1], has other values",
        );
        check(
            |graph| graph.tensors.push(TinyTensor::singles("w", &[0.0, 0.0])),
            "a name stands for two tensors",
        );
    }
}
