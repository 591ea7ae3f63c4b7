use super::super::convolution::{Gated, Geometry, follower, inputs};
use super::super::replacement::Replacement;
use super::super::weights::Weights;
use super::operator::{After, NAME, attribute};
use vocalhost_onnx::{Ties, float_attribute, whole_attribute};

/// The epsilon of a normalisation that states none (ONNX, `BatchNormalization`).
const EPSILON: f32 = 1e-5;

/// The least number of channels for which a convolution over rows is faster this way: sums cost the same per channel, while products cost
/// more with more channels.
const ROWS_CHANNELS: u64 = 16;

/// The same along a line, where a sum is used for a third as many products.
const LINE_CHANNELS: u64 = 64;

/// The same for a gate along a line, whose halves are not written out.
const GATE_CHANNELS: u64 = 48;

/// Taps further apart make a panel's inputs longer than the panel.
const MAX_DILATION: i64 = 64;

/// A convolution and what follows it, to be replaced.
struct Found<'a> {
    places: Vec<usize>,
    inputs: Vec<&'a str>,
    output: &'a str,
    way: Way,
    epsilon: Option<f32>,
    after: After,
}

/// How a convolution runs.
struct Way {
    is_line: bool,
    dilation: i64,
}

impl Way {
    /// The method for a convolution, if ours applies; along a line it needs so many channels.
    fn of(geometry: &Geometry<'_>, line_channels: u64) -> Option<Self> {
        let (is_line, dilation, least) = match (geometry.taps, &geometry.dilations[..]) {
            ([3], [dilation]) | ([1, 3], [_, dilation]) => (true, *dilation, line_channels),
            ([3, 3], [1, dilation]) => (false, *dilation, ROWS_CHANNELS),
            _ => return None,
        };
        let channels = geometry.outputs.min(geometry.inputs);
        let is_worth_it = channels >= least && dilation <= MAX_DILATION;
        is_worth_it.then_some(Self { is_line, dilation })
    }
}

/// The replacement of the convolution that begins at `place`, if our operator applies and is faster.
pub(in super::super) fn convolution_at<'f, 'a>(
    place: usize,
    ties: &Ties<'f, 'a>,
    weights: &Weights<'f, 'a>,
) -> Option<Replacement> {
    if !ties.node(place).is_standard("Conv") {
        return None;
    }
    let found = gated(place, ties, weights).or_else(|| plain(place, ties, weights))?;
    let attributes = [
        whole_attribute(attribute::LINE, i64::from(found.way.is_line)),
        whole_attribute(attribute::DILATION, found.way.dilation),
        whole_attribute(attribute::AFTER, found.after as i64),
        float_attribute(attribute::EPSILON, found.epsilon.unwrap_or(EPSILON)),
    ];
    Some(Replacement::new(
        found.places,
        NAME,
        &found.inputs,
        found.output,
        &attributes,
    ))
}

fn gated<'f, 'a>(
    place: usize,
    ties: &Ties<'f, 'a>,
    weights: &Weights<'f, 'a>,
) -> Option<Found<'a>> {
    let unit = Gated::at(place, ties, weights)?;
    Some(Found {
        way: Way::of(&unit.geometry, GATE_CHANNELS)?,
        places: unit.places,
        inputs: unit.inputs,
        output: unit.output,
        epsilon: None,
        after: After::Gate,
    })
}

/// A single convolution, with the normalisation and the rectifier that follow it.
fn plain<'a>(place: usize, ties: &Ties<'_, 'a>, weights: &Weights<'_, 'a>) -> Option<Found<'a>> {
    let node = ties.node(place);
    let inputs = inputs(node, weights)?;
    let ([_, filter, ..], [output]) = (inputs, &node.outputs[..]) else {
        return None;
    };
    let mut found = Found {
        places: vec![place],
        inputs: inputs.to_vec(),
        output,
        way: Way::of(
            &Geometry::of(node, weights.singles(filter)?)?,
            LINE_CHANNELS,
        )?,
        epsilon: None,
        after: After::Nothing,
    };
    if let Some((place, norm)) = follower(ties, found.output, "BatchNormalization") {
        // A separate normalisation would cost what is saved.
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
