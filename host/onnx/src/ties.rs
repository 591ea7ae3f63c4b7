use std::collections::{HashMap, HashSet};

use super::Element;
use super::order::taken;
use super::read::{Initializer, Node, OnnxFile};

/// Operators that compute a single number from one or two. Exporters leave the root of a constant to the graph.
const ARITHMETIC: [&str; 6] = ["Pow", "Sqrt", "Reciprocal", "Mul", "Div", "Cast"];

/// Which nodes make and take the tensors of a graph.
pub struct Ties<'f, 'a> {
    file: &'f OnnxFile<'a>,
    makers: HashMap<&'a str, usize>,
    /// How often a tensor is taken, and by which node last.
    takers: HashMap<&'a str, (usize, usize)>,
    weights: HashMap<&'a str, &'f Initializer<'a>>,
    /// Tensors that are a single constant number.
    numbers: HashSet<&'a str>,
    /// Tensors that may be in double precision.
    doubles: HashSet<&'a str>,
    /// Tensors declared to have fewer dimensions than a matrix.
    vectors: HashSet<&'a str>,
}

impl<'f, 'a> Ties<'f, 'a> {
    /// Reads a whole graph once.
    pub fn of(file: &'f OnnxFile<'a>) -> Self {
        let (mut makers, mut takers) = (HashMap::new(), HashMap::new());
        let is_number = |tensor: &Initializer<'_>| tensor.dims.iter().all(|dim| *dim == 1);
        let weights = file.graph.initializers.iter();
        let mut weights: HashMap<&'a str, _> =
            weights.map(|tensor| (tensor.name, tensor)).collect();
        let single = weights.iter().filter(|(_, tensor)| is_number(tensor));
        let mut numbers: HashSet<&'a str> = single.map(|(name, _)| *name).collect();
        let mut doubles = doubles_at_first(file);
        for (place, node) in file.graph.nodes.iter().enumerate() {
            if makes_doubles(node, &doubles) {
                doubles.extend(&node.outputs);
            }
            makers.extend(node.outputs.iter().map(|output| (*output, place)));
            let constant = node.constant();
            if let Some(constant) = constant {
                weights.extend(node.outputs.iter().map(|output| (*output, constant)));
            }
            let is_computed = ARITHMETIC.iter().any(|name| node.is_standard(name))
                && node.inputs.iter().all(|input| numbers.contains(input));
            if is_computed || constant.is_some_and(is_number) {
                numbers.extend(&node.outputs);
            }
            for name in taken(node) {
                takers.entry(name).or_insert((0, place)).0 += 1;
                takers.entry(name).and_modify(|taker| taker.1 = place);
            }
        }
        for output in &file.graph.outputs {
            // An output of the graph is taken by more than a node.
            takers.entry(output.name).or_insert((0, 0)).0 += 2;
        }
        Self {
            file,
            makers,
            takers,
            weights,
            numbers,
            doubles,
            vectors: vectors(file),
        }
    }

    /// The node at a place.
    ///
    /// # Panics
    /// When the graph has no such place.
    #[must_use]
    pub fn node(&self, place: usize) -> &'f Node<'a> {
        &self.file.graph.nodes[place]
    }

    /// The place of the node that makes a tensor.
    #[must_use]
    pub fn maker(&self, tensor: &str) -> Option<usize> {
        self.makers.get(tensor).copied()
    }

    /// The index of the node that makes a tensor, if it is this operator of ONNX's own and the tensor is taken only once.
    #[must_use]
    pub fn own_maker(&self, tensor: &str, operator: &str) -> Option<usize> {
        let place = self.maker(tensor)?;
        let is_it = self.node(place).is_standard(operator);
        (is_it && self.only_taker(tensor).is_some()).then_some(place)
    }

    /// The only node that takes a tensor, if it takes it once.
    #[must_use]
    pub fn only_taker(&self, tensor: &str) -> Option<usize> {
        let (count, place) = self.takers.get(tensor)?;
        (*count == 1).then_some(*place)
    }

    /// The only node that takes a tensor besides one that asks for its shape; and the shape's name, if there is one.
    #[must_use]
    pub fn taker_beside_shape(&self, tensor: &str) -> Option<(usize, Option<&'a str>)> {
        let takers = self.file.graph.nodes.iter().enumerate();
        let mut takers = takers.filter(|(_, node)| node.inputs.contains(&tensor));
        let (first, second) = (takers.next()?, takers.next());
        let counted = self.takers.get(tensor).map(|(count, _)| *count);
        let asks = |node: &Node<'_>| node.is_standard("Shape") && node.attributes.is_empty();
        match (first, second) {
            ((place, _), None) => (counted == Some(1)).then_some((place, None)),
            ((place, node), Some((_, shape))) if asks(shape) && !asks(node) => {
                (counted == Some(2)).then_some((place, shape.outputs.first().copied()))
            }
            ((_, shape), Some((place, node))) if asks(shape) && !asks(node) => {
                (counted == Some(2)).then_some((place, shape.outputs.first().copied()))
            }
            _ => None,
        }
    }

    /// The weight of a name, or the constant.
    #[must_use]
    pub fn weight(&self, name: &str) -> Option<&'f Initializer<'a>> {
        self.weights.get(name).copied()
    }

    /// The whole numbers of a tensor, when they are written in the graph.
    #[must_use]
    pub fn whole_numbers(&self, tensor: &str) -> Option<Vec<i64>> {
        self.weight(tensor)?.whole_numbers()
    }

    /// The whole number of a tensor of one, when it is written in the graph.
    #[must_use]
    pub fn whole_number(&self, tensor: &str) -> Option<i64> {
        match self.whole_numbers(tensor)?[..] {
            [number] => Some(number),
            _ => None,
        }
    }

    /// Whether a tensor is a single constant number.
    #[must_use]
    pub fn is_number(&self, tensor: &str) -> bool {
        self.numbers.contains(tensor)
    }

    /// Whether a tensor may hold matrices in single or half precision; for most tensors no more is known.
    #[must_use]
    pub fn may_be_matrices(&self, tensor: &str) -> bool {
        !self.doubles.contains(tensor) && !self.vectors.contains(tensor)
    }
}

fn doubles_at_first<'a>(file: &OnnxFile<'a>) -> HashSet<&'a str> {
    let ports = file.graph.inputs.iter();
    let ports = ports.map(|port| (port.name, port.element));
    let weights = file.graph.initializers.iter();
    let weights = weights.map(|tensor| (tensor.name, tensor.element));
    let doubles = ports
        .chain(weights)
        .filter(|(_, element)| *element == Element::F64);
    doubles.map(|(name, _)| name).collect()
}

/// Whether a node gives doubles, provided that it gives numbers.
fn makes_doubles(node: &Node<'_>, doubles: &HashSet<&str>) -> bool {
    if node.is_standard("Cast") {
        let to = node.attribute("to").and_then(|to| to.int);
        return to == Some(Element::F64.0 as i64);
    }
    let value = node.attribute("value").map(|value| &value.tensors[..]);
    let is_constant = matches!(value, Some([one]) if one.element == Element::F64);
    is_constant || node.inputs.iter().any(|input| doubles.contains(input))
}

fn vectors<'a>(file: &OnnxFile<'a>) -> HashSet<&'a str> {
    let (inputs, values) = (file.graph.inputs.iter(), file.graph.values.iter());
    let ports = inputs.chain(values).filter_map(|port| {
        let rank = port.dims.as_ref()?.len();
        (rank < 2).then_some(port.name)
    });
    let weights = file.graph.initializers.iter();
    let weights = weights.filter(|tensor| tensor.dims.len() < 2);
    ports.chain(weights.map(|tensor| tensor.name)).collect()
}
