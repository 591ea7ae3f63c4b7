use std::collections::HashMap;

use super::Element;
use super::read::{Graph, Initializer, Node, OnnxFile};

/// Looks up named things in a graph: a stranger's may have so many nodes that a search for each of them would take minutes.
#[derive(Debug)]
pub struct Places<'a> {
    initializers: HashMap<&'a str, usize>,
    makers: HashMap<&'a str, usize>,
    elements: HashMap<&'a str, Element>,
}

impl<'a> Places<'a> {
    fn of(graph: &Graph<'a>) -> Self {
        let mut found = Self {
            initializers: HashMap::new(),
            makers: HashMap::new(),
            elements: HashMap::new(),
        };
        for (place, tensor) in graph.initializers.iter().enumerate() {
            found.initializers.entry(tensor.name).or_insert(place);
        }
        for (place, node) in graph.nodes.iter().enumerate() {
            for output in &node.outputs {
                found.makers.entry(output).or_insert(place);
            }
        }
        for port in graph.inputs.iter().chain(&graph.values) {
            if port.is_tensor {
                found.elements.entry(port.name).or_insert(port.element);
            }
        }
        found
    }
}

impl<'a> OnnxFile<'a> {
    /// The weight of a name.
    pub fn initializer(&self, name: &str) -> Option<&Initializer<'a>> {
        let place = self.places().initializers.get(name)?;
        self.graph.initializers.get(*place)
    }

    /// The operation that makes a tensor.
    pub fn maker(&self, output: &str) -> Option<&Node<'a>> {
        let place = self.places().makers.get(output)?;
        self.graph.nodes.get(*place)
    }

    /// The element type of an input or of an intermediate tensor, if the file declares it.
    pub fn declared_element(&self, name: &str) -> Option<Element> {
        self.places().elements.get(name).copied()
    }

    fn places(&self) -> &Places<'a> {
        self.places.get_or_init(|| Places::of(&self.graph))
    }
}
