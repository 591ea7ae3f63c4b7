use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::Fault;
use super::read::{Graph, Node, OnnxFile, number};
use crate::wire::Field;
use vocalhost_letters::words::quoted;

/// Sorts the nodes of a file into the order that ONNX requires, each after those whose results it takes, both in memory and in what is
/// written.
///
/// ONNX Runtime does not need that order, and its converter to half precision appends its casts at the end.
pub fn put_in_order(file: &mut OnnxFile<'_>) {
    let Some(order) = sorted(&file.graph) else {
        return;
    };
    let nodes = std::mem::take(&mut file.graph.nodes);
    let mut nodes: Vec<Option<Node<'_>>> = nodes.into_iter().map(Some).collect();
    let nodes = order.iter().filter_map(|place| nodes[*place].take());
    file.graph.nodes = nodes.collect();
    let is_node = |field: &&mut Field<'_>| field.number == number::GRAPH_NODE;
    let fields = file.graph_fields.iter_mut().filter(is_node);
    let before: Vec<Field<'_>> = fields.map(|field| *field).collect();
    let fields = file.graph_fields.iter_mut().filter(is_node);
    for (field, place) in fields.zip(order) {
        *field = before[place];
    }
}

/// The indices of a graph's nodes, sorted so that each follows those whose results it takes, and otherwise in their old order. None if they
/// are sorted already, or form a cycle.
fn sorted(graph: &Graph<'_>) -> Option<Vec<usize>> {
    let mut makers = HashMap::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        for output in node.outputs.iter().filter(|output| !output.is_empty()) {
            makers.entry(*output).or_insert(place);
        }
    }
    let makers_of = |node: &Node<'_>| -> HashSet<usize> {
        let taken = taken(node).into_iter();
        taken.filter_map(|name| makers.get(name).copied()).collect()
    };
    let mut takers = vec![Vec::new(); graph.nodes.len()];
    let mut waits = Vec::with_capacity(graph.nodes.len());
    let mut is_sorted = true;
    for (place, node) in graph.nodes.iter().enumerate() {
        let makers = makers_of(node);
        waits.push(makers.len());
        for maker in makers {
            is_sorted &= maker < place;
            takers[maker].push(place);
        }
    }
    if is_sorted {
        return None;
    }
    let ready = waits.iter().enumerate().filter(|(_, waits)| **waits == 0);
    let mut ready: BinaryHeap<_> = ready.map(|(place, _)| Reverse(place)).collect();
    let mut order = Vec::with_capacity(waits.len());
    while let Some(Reverse(place)) = ready.pop() {
        order.push(place);
        for taker in &takers[place] {
            waits[*taker] -= 1;
            if waits[*taker] == 0 {
                ready.push(Reverse(*taker));
            }
        }
    }
    (order.len() == waits.len()).then_some(order)
}

#[allow(clippy::implicit_hasher, reason = "nobody needs sets of another kind")]
/// Checks that every tensor is made once, and before it is used. A body may use tensors of `outer`, the graphs around it.
pub fn ordered<'a>(graph: &Graph<'a>, outer: &[&HashSet<&'a str>]) -> Result<(), Fault> {
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

/// Everything that a node takes, including what the bodies in it take.
#[must_use]
pub fn taken<'a>(node: &Node<'a>) -> Vec<&'a str> {
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
