use super::normalised::Normalised;
use vocalhost_onnx::{Edit, Nodes, OnnxFile, Ties};

/// The oldest version of ONNX in which what cuts and pads takes its numbers as inputs.
const OLDEST_OPSET: u64 = 11;
/// Axis of the channels.
const CHANNELS: i64 = 1;

/// A gated linear unit over channels (Dauphin and others, "Language Modeling with Gated Convolutional Networks", 2017): the first half
/// of them times the sigmoid of the second.
struct Gate<'f, 'a> {
    source: Source<'f, 'a>,
    /// From the node that takes the channels apart to the sigmoid.
    between: [usize; 2],
    /// The product.
    last: usize,
}

/// What makes the channels.
enum Source<'f, 'a> {
    Convolution(Convolution<'a>),
    Normalised(Normalised<'f, 'a>),
}

struct Convolution<'a> {
    place: usize,
    input: &'a str,
    weights: &'a str,
    bias: Option<&'a str>,
    /// Channels of a half.
    half: u64,
}

/// Has the two halves of every gated unit made by nodes of their own, since taking one tensor apart copies all of it, and has the
/// normalisation before them done by their weights. Gives the number of units.
pub(crate) fn split_gates<'a>(file: &OnnxFile<'a>, edit: &mut Edit<'_, 'a>) -> usize {
    let Some(OLDEST_OPSET..) = file.standard_opset() else {
        return 0;
    };
    let ties = Ties::of(file);
    let messages = file.node_messages();
    let places = 0..file.graph.nodes.len();
    let found: Vec<_> = places
        .filter_map(|place| Gate::ending_at(&ties, place))
        .collect();
    for gate in &found {
        let mut last = gate.last;
        let mut dropped = gate.between.to_vec();
        let mut new = Nodes::around(file, edit.constants(), ties.node(last).outputs[0], "gated");
        let [value, shut] = match &gate.source {
            Source::Convolution(source) => {
                dropped.push(source.place);
                source.halves(&mut new, messages[source.place])
            }
            Source::Normalised(source) => {
                dropped.extend(&source.places);
                let scaled = source.scale_after(&ties, last);
                if let Some((place, _)) = scaled {
                    dropped.push(std::mem::replace(&mut last, place));
                }
                source.halves(&mut new, scaled.map(|(_, scale)| scale))
            }
        };
        let open = new.put("Sigmoid", &[&shut], "open");
        new.end("Mul", &[&value, &open], ties.node(last).outputs[0]);
        let made = new.into_messages();
        for place in dropped {
            edit.replace_node(place, Vec::new());
        }
        edit.replace_node(last, made);
    }
    found.len()
}

impl<'f, 'a> Gate<'f, 'a> {
    /// The unit whose product is at `last`.
    fn ending_at(ties: &Ties<'f, 'a>, last: usize) -> Option<Self> {
        let product = ties.node(last);
        let [first, second] = product.inputs[..] else {
            return None;
        };
        if !product.is_standard("Mul") {
            return None;
        }
        let parts = [(first, second), (second, first)];
        parts.into_iter().find_map(|(value, open)| {
            let sigmoid = ties.own_maker(open, "Sigmoid")?;
            let shut = *ties.node(sigmoid).inputs.first()?;
            let split = ties.own_maker(shut, "Split")?;
            let node = ties.node(split);
            // Without sizes they are equal.
            let ([all], [a, b]) = (&node.inputs[..], &node.outputs[..]) else {
                return None;
            };
            let axis = node.attribute("axis").and_then(|axis| axis.int);
            let is_even = node.attribute("split").is_none() && axis == Some(CHANNELS);
            let is_gate = (*a, *b) == (value, shut) && ties.only_taker(value) == Some(last);
            let source = (is_even && is_gate).then(|| Source::of(ties, all))??;
            Some(Self {
                source,
                between: [split, sigmoid],
                last,
            })
        })
    }
}

impl<'f, 'a> Source<'f, 'a> {
    fn of(ties: &Ties<'f, 'a>, channels: &'a str) -> Option<Self> {
        let convolution = || Convolution::making(ties, channels).map(Self::Convolution);
        let normalised = || Normalised::making(ties, channels).map(Self::Normalised);
        convolution().or_else(normalised)
    }
}

impl<'a> Convolution<'a> {
    fn making(ties: &Ties<'_, 'a>, channels: &'a str) -> Option<Self> {
        let place = ties.own_maker(channels, "Conv")?;
        let node = ties.node(place);
        let groups = node.attribute("group").and_then(|groups| groups.int);
        let [input, weights] = *node.inputs.first_chunk()?;
        let bias = node.inputs.get(2).filter(|bias| !bias.is_empty());
        let count = *ties.weight(weights)?.dims.first()?;
        let is_even = count > 0 && count % 2 == 0 && groups.is_none_or(|groups| groups == 1);
        is_even.then(|| Self {
            place,
            input,
            weights,
            bias: bias.copied(),
            half: count / 2,
        })
    }

    /// The convolution, `message`, with the first half of its weights and with the second.
    fn halves(&self, new: &mut Nodes<'_>, message: &[u8]) -> [String; 2] {
        let half = self.half as i64;
        [("first", 0), ("second", half)].map(|(name, from)| {
            let mut part = |of: &str, what: &str| {
                let name = format!("{name}-{what}");
                cut(new, of, (from, from + half), (0, &name))
            };
            let weights = part(self.weights, "weights");
            let bias = self.bias.map(|bias| part(bias, "bias"));
            let mut inputs = vec![self.input, &weights];
            inputs.extend(bias.as_deref());
            new.like(message, &inputs, name)
        })
    }
}

/// What lies between two positions along an axis of `tensor`.
pub(super) fn cut(
    new: &mut Nodes<'_>,
    tensor: &str,
    (from, to): (i64, i64),
    (axis, name): (i64, &str),
) -> String {
    let [from, to, axis] = [from, to, axis].map(|position| new.wholes(&[position]));
    new.put("Slice", &[tensor, &from, &to, &axis], name)
}
