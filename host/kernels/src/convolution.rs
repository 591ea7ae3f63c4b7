//! Convolutions of a graph that keep the size of an image, and gates that are made of them.

use super::weights::Weights;
use vocalhost_onnx::{Node, Ties};

/// The parameters of a convolution with a stride of 1 and as many zeros around the image as its taps reach beyond it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Geometry<'f> {
    pub(super) outputs: u64,
    pub(super) inputs: u64,
    /// An odd number along each axis.
    pub(super) taps: &'f [u64],
    pub(super) dilations: Vec<i64>,
}

impl<'f> Geometry<'f> {
    /// That of a node, if it is of this kind, with a filter of these dimensions.
    pub(super) fn of(node: &Node<'_>, filter: &'f [u64]) -> Option<Self> {
        let [outputs, inputs, taps @ ..] = filter else {
            return None;
        };
        let numbers = |name: &str, count: usize, otherwise: i64| {
            let given = node.attribute(name).map(|own| own.ints.clone());
            given.unwrap_or_else(|| vec![otherwise; count])
        };
        let steps = numbers("strides", taps.len(), 1);
        let dilations = numbers("dilations", taps.len(), 1);
        let reaches = taps.iter().zip(&dilations);
        let reaches = reaches.map(|(taps, dilation)| dilation.checked_mul((taps / 2) as i64));
        let reaches = reaches.collect::<Option<Vec<_>>>()?;
        let is_same = numbers("pads", 2 * taps.len(), 0) == [&reaches[..], &reaches].concat()
            && taps.iter().all(|taps| taps % 2 == 1)
            && steps.iter().all(|step| *step == 1)
            && dilations.iter().all(|dilation| *dilation > 0)
            && is_plain(node);
        is_same.then_some(Self {
            outputs: *outputs,
            inputs: *inputs,
            taps,
            dilations,
        })
    }
}

/// Whether every output depends on every input, and the zeros around the image are given as numbers.
pub(super) fn is_plain(node: &Node<'_>) -> bool {
    let groups = node.attribute("group").and_then(|groups| groups.int);
    let padding = node.attribute("auto_pad").map(|padding| padding.text);
    groups.is_none_or(|groups| groups == 1) && matches!(padding, None | Some(b"" | b"NOTSET"))
}

/// The inputs of a convolution, without an omitted bias; none if its bias is not constant.
pub(super) fn inputs<'n, 'a>(
    node: &'n Node<'a>,
    weights: &Weights<'_, 'a>,
) -> Option<&'n [&'a str]> {
    match &node.inputs[..] {
        [_, _] => Some(&node.inputs),
        [image_and_filter @ .., ""] if image_and_filter.len() == 2 => Some(image_and_filter),
        [_, _, bias] => weights.singles(bias).map(|_| &node.inputs[..]),
        _ => None,
    }
}

/// The node of this operator that is the only one to take a tensor.
pub(super) fn follower<'f, 'a>(
    ties: &Ties<'f, 'a>,
    tensor: &str,
    operator: &str,
) -> Option<(usize, &'f Node<'a>)> {
    let place = ties.only_taker(tensor)?;
    let node = ties.node(place);
    node.is_standard(operator).then_some((place, node))
}

/// A gated linear unit (Dauphin and others, "Language Modeling with Gated Convolutional Networks", 2017; `split_gates` of the imports):
/// a convolution with the first half of a filter, times the sigmoid of one with the second.
pub(super) struct Gated<'f, 'a> {
    /// The places of its nodes.
    pub(super) places: Vec<usize>,
    /// The image, the whole filter, and the whole bias, if there is one.
    pub(super) inputs: Vec<&'a str>,
    pub(super) output: &'a str,
    /// Geometry of the whole filter.
    pub(super) geometry: Geometry<'f>,
}

impl<'f, 'a> Gated<'f, 'a> {
    /// The unit whose first half is convolved at `place`.
    pub(super) fn at(place: usize, ties: &Ties<'f, 'a>, weights: &Weights<'f, 'a>) -> Option<Self> {
        let value = ties.node(place);
        let (last, product) = follower(ties, value.outputs.first()?, "Mul")?;
        let mut factors = product.inputs.iter();
        let open = factors.find(|factor| !value.outputs.contains(factor))?;
        let sigmoid = ties.own_maker(open, "Sigmoid")?;
        let shut = ties.own_maker(ties.node(sigmoid).inputs.first()?, "Conv")?;
        let halves = [value, ties.node(shut)];
        let [first, second] = halves.map(|node| Half::of(node, ties, weights));
        let (first, second) = (first?, second?);
        let is_gate = (first.which, second.which) == (0, 1)
            && first.inputs == second.inputs
            && first.geometry == second.geometry;
        let mut places = [first.cuts, second.cuts].concat();
        places.extend([place, shut, sigmoid, last]);
        is_gate.then_some(Self {
            places,
            inputs: first.inputs,
            output: product.outputs.first()?,
            geometry: first.geometry,
        })
    }
}

/// A convolution with a half of a filter and of a bias.
struct Half<'f, 'a> {
    /// The inputs of both halves: the image, the whole filter, and the whole bias.
    inputs: Vec<&'a str>,
    which: usize,
    geometry: Geometry<'f>,
    /// Nodes that cut out halves that nothing else takes.
    cuts: Vec<usize>,
}

impl<'f, 'a> Half<'f, 'a> {
    fn of(node: &Node<'a>, ties: &Ties<'f, 'a>, weights: &Weights<'f, 'a>) -> Option<Self> {
        let [image, numbers @ ..] = &node.inputs[..] else {
            return None;
        };
        let halves = numbers.iter().map(|name| weights.half(name));
        let halves = halves.collect::<Option<Vec<_>>>()?;
        let [filter, ..] = &halves[..] else {
            return None;
        };
        let mut inputs = vec![*image];
        inputs.extend(halves.iter().map(|half| half.whole));
        let cuts = halves.iter().zip(numbers);
        let cuts = cuts.filter(|(_, name)| ties.only_taker(name).is_some());
        let is_one = halves.iter().all(|half| half.which == filter.which);
        is_one.then_some(Self {
            inputs,
            which: filter.which,
            geometry: Geometry::of(node, weights.singles(filter.whole)?)?,
            cuts: cuts.map(|(half, _)| half.cut).collect(),
        })
    }
}
