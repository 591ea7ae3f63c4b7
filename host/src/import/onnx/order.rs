use std::collections::{HashMap, HashSet};

use super::Fault;
use super::read::{Graph, Node};
use crate::model::words::quoted;

/// Checks that every tensor is made once, and before it is used. A body sees what `outer` holds, the graphs around it.
pub(super) fn ordered<'a>(graph: &Graph<'a>, outer: &[&HashSet<&'a str>]) -> Result<(), Fault> {
    let mut made: HashSet<&'a str> = graph.inputs.iter().map(|port| port.name).collect();
    let mut weights = HashSet::new();
    for tensor in &graph.initializers {
        if !weights.insert(tensor.name) {
            let reason = format!("has two weights {}", quoted(tensor.name));
            return Err(Fault::new(reason));
        }
        made.insert(tensor.name);
    }
    let is_known = |made: &HashSet<&str>, name: &str| {
        name.is_empty() || made.contains(name) || outer.iter().any(|graph| graph.contains(name))
    };
    for (place, node) in graph.nodes.iter().enumerate() {
        for input in &node.inputs {
            if !is_known(&made, input) {
                return Err(unknown(graph, place, input));
            }
        }
        for body in node.attributes.iter().flat_map(|part| &part.graphs) {
            let mut around: Vec<&HashSet<&str>> = outer.to_vec();
            around.push(&made);
            ordered(body, &around)?;
        }
        for output in node.outputs.iter().filter(|output| !output.is_empty()) {
            if !made.insert(output) {
                let (node, output) = (node.text(), quoted(output));
                let reason = format!("{node} makes {output}, which is there already");
                return Err(Fault::new(reason));
            }
        }
    }
    let missing = graph
        .outputs
        .iter()
        .find(|port| !is_known(&made, port.name));
    match missing {
        Some(port) => Err(Fault::new(format!(
            "output {} is made by no node",
            quoted(port.name)
        ))),
        None => Ok(()),
    }
}

/// Why the node at `place` cannot take `input`.
fn unknown(graph: &Graph<'_>, place: usize, input: &str) -> Fault {
    let node = &graph.nodes[place];
    let name = quoted(input);
    let mut makers = HashMap::new();
    for (number, node) in graph.nodes.iter().enumerate() {
        makers.extend(node.outputs.iter().map(|output| (*output, number)));
    }
    let Some(maker) = makers.get(input) else {
        return Fault::new(format!("{} takes {name}, which nothing makes", node.text()));
    };
    let (mut open, mut seen) = (vec![*maker], HashSet::new());
    while let Some(number) = open.pop() {
        if number == place {
            return Fault::new(format!(
                "goes in a circle: {} takes {name}, which is made of its own result",
                node.text()
            ));
        }
        if seen.insert(number) {
            let inputs = graph.nodes[number].inputs.iter();
            open.extend(inputs.filter_map(|name| makers.get(name)));
        }
    }
    Fault::new(format!(
        "is out of order: {} takes {name}, which is made after it",
        node.text()
    ))
}

/// Everything that a node takes, inside the bodies that belong to it too.
pub(super) fn taken<'a>(node: &Node<'a>) -> Vec<&'a str> {
    let mut names = node.inputs.clone();
    let mut open: Vec<&Graph<'a>> = node
        .attributes
        .iter()
        .flat_map(|attribute| &attribute.graphs)
        .collect();
    while let Some(graph) = open.pop() {
        names.extend(graph.outputs.iter().map(|port| port.name));
        for inner in &graph.nodes {
            names.extend(&inner.inputs);
            open.extend(inner.attributes.iter().flat_map(|part| &part.graphs));
        }
    }
    names
}
