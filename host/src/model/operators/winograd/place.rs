use super::super::DOMAIN;
use super::super::rewrite::Replacement;
use super::super::weights::Weights;
use super::operator::{After, NAME, attribute};
use crate::model::onnx::{Node, Ties, float_attribute, node_message_of, whole_attribute};

/// What a normalisation adds to the variance when it does not say (ONNX, `BatchNormalization`).
const EPSILON: f32 = 1e-5;

/// Channels from which on a convolution over rows is faster in our way: sums cost as much for each channel, products more with
/// more of them.
const ROWS_CHANNELS: u64 = 16;

/// The same along a line, where a sum serves a third of the products.
const LINE_CHANNELS: u64 = 64;

/// Taps that lie further apart make a panel's inputs longer than the panel.
const MAX_DILATION: i64 = 64;

/// A convolution and what follows it, to be replaced.
struct Found<'a> {
    places: Vec<usize>,
    inputs: Vec<&'a str>,
    output: &'a str,
    geometry: Geometry,
    epsilon: Option<f32>,
    after: After,
}

/// How a convolution runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Geometry {
    is_line: bool,
    dilation: i64,
}

/// What takes the place of the convolution that begins at `place`, if our operator can and is worth it.
pub(in super::super) fn convolution_at<'a>(
    place: usize,
    ties: &Ties<'_, 'a>,
    weights: &Weights<'_, 'a>,
) -> Option<Replacement> {
    let node = ties.node(place);
    if !node.is_standard("Conv") {
        return None;
    }
    let found = gated(place, ties, weights).or_else(|| plain(place, ties, weights))?;
    let attributes = [
        whole_attribute(attribute::LINE, i64::from(found.geometry.is_line)),
        whole_attribute(attribute::DILATION, found.geometry.dilation),
        whole_attribute(attribute::AFTER, found.after as i64),
        float_attribute(attribute::EPSILON, found.epsilon.unwrap_or(EPSILON)),
    ];
    Some(Replacement {
        places: found.places,
        node: node_message_of(
            (DOMAIN, NAME),
            found.output,
            &found.inputs,
            found.output,
            &attributes,
        ),
    })
}

/// A convolution of its own, with the normalisation and the rectifier behind it.
fn plain<'a>(place: usize, ties: &Ties<'_, 'a>, weights: &Weights<'_, 'a>) -> Option<Found<'a>> {
    let node = ties.node(place);
    let ([image, filter, rest @ ..], [output]) = (&node.inputs[..], &node.outputs[..]) else {
        return None;
    };
    let mut found = Found {
        places: vec![place],
        inputs: vec![image, filter],
        output,
        geometry: geometry(node, weights.singles(filter)?)?,
        epsilon: None,
        after: After::Nothing,
    };
    match rest {
        [] | [""] => {}
        [bias] if weights.singles(bias).is_some() => found.inputs.push(bias),
        _ => return None,
    }
    if let Some((place, norm)) = follower(ties, found.output, "BatchNormalization") {
        // Apart it would cost what is saved.
        let [_, numbers @ ..] = &norm.inputs[..] else {
            return None;
        };
        let is_plain = ["training_mode", "is_test"].iter().all(|name| {
            let mode = norm.attribute(name).and_then(|mode| mode.int);
            mode.is_none_or(|mode| mode == 0)
        });
        let is_fixed =
            numbers.len() == 4 && numbers.iter().all(|own| weights.singles(own).is_some());
        let ([output], true) = (&norm.outputs[..], is_plain && is_fixed) else {
            return None;
        };
        let epsilon = norm.attribute("epsilon").and_then(|own| own.float);
        found.epsilon = Some(epsilon.unwrap_or(EPSILON));
        found.inputs.extend(numbers);
        found.places.push(place);
        found.output = output;
    }
    if let Some((place, rectifier)) = follower(ties, found.output, "Relu") {
        found.after = After::Rectifier;
        found.places.push(place);
        found.output = rectifier.outputs.first()?;
    }
    Some(found)
}

/// The node of this operator that alone takes a tensor.
fn follower<'f, 'a>(
    ties: &Ties<'f, 'a>,
    tensor: &str,
    operator: &str,
) -> Option<(usize, &'f Node<'a>)> {
    let place = ties.only_taker(tensor)?;
    let node = ties.node(place);
    node.is_standard(operator).then_some((place, node))
}

/// A gated unit (`split_gates` of the imports): a convolution with the first half of a filter, times the sigmoid of one with the second.
fn gated<'a>(place: usize, ties: &Ties<'_, 'a>, weights: &Weights<'_, 'a>) -> Option<Found<'a>> {
    let value = ties.node(place);
    let (last, product) = follower(ties, value.outputs.first()?, "Mul")?;
    let mut factors = product.inputs.iter();
    let open = factors.find(|factor| !value.outputs.contains(factor))?;
    let sigmoid = ties.own_maker(open, "Sigmoid")?;
    let shut = ties.own_maker(ties.node(sigmoid).inputs.first()?, "Conv")?;
    let halves = [value, ties.node(shut)];
    let [first, second] = halves.map(|node| half_of(node, ties, weights));
    let (first, second) = (first?, second?);
    let is_gate = (first.which, second.which) == (0, 1)
        && first.inputs == second.inputs
        && first.geometry == second.geometry;
    let mut places = [first.cuts, second.cuts].concat();
    places.extend([place, shut, sigmoid, last]);
    is_gate.then_some(Found {
        places,
        inputs: first.inputs,
        output: product.outputs.first()?,
        geometry: first.geometry,
        epsilon: None,
        after: After::Gate,
    })
}

/// A convolution with a half of a filter and of a bias.
struct HalfOf<'a> {
    /// What both halves take: the image, the whole filter, and the whole bias.
    inputs: Vec<&'a str>,
    which: usize,
    geometry: Geometry,
    /// Nodes that cut out what nobody else takes.
    cuts: Vec<usize>,
}

fn half_of<'a>(
    node: &Node<'a>,
    ties: &Ties<'_, 'a>,
    weights: &Weights<'_, 'a>,
) -> Option<HalfOf<'a>> {
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
    let is_one = halves.iter().all(|half| half.which == filter.which);
    let cuts = halves.iter().zip(numbers);
    let cuts = cuts.filter(|(_, name)| ties.only_taker(name).is_some());
    Some(HalfOf {
        inputs,
        which: filter.which,
        geometry: geometry(node, weights.singles(filter.whole)?)?,
        cuts: cuts.map(|(half, _)| half.cut).collect(),
    })
    .filter(|_| is_one)
}

/// How a convolution runs, if it is of a kind that is ours and worth it.
fn geometry(node: &Node<'_>, filter: &[u64]) -> Option<Geometry> {
    let [outputs, inputs, taps @ ..] = filter else {
        return None;
    };
    let is_auto = node
        .attribute("auto_pad")
        .is_some_and(|own| !matches!(own.text, b"" | b"NOTSET"));
    let groups = node.attribute("group").and_then(|groups| groups.int);
    let numbers = |name: &str, count: usize, otherwise: i64| {
        let given = node.attribute(name).map(|own| own.ints.clone());
        given.unwrap_or_else(|| vec![otherwise; count])
    };
    let steps = numbers("strides", taps.len(), 1);
    if is_auto || groups.is_some_and(|groups| groups != 1) || steps.iter().any(|step| *step != 1) {
        return None;
    }
    let dilations = numbers("dilations", taps.len(), 1);
    let pads = numbers("pads", 2 * taps.len(), 0);
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
    (pads == wanted && is_worth_it).then_some(Geometry { is_line, dilation })
}
