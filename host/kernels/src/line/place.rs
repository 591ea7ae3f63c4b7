use super::super::convolution::{Gated, Geometry, inputs};
use super::super::replacement::Replacement;
use super::super::weights::Weights;
use super::operator::{NAME, attribute};
use vocalhost_onnx::{Ties, whole_attribute};

/// The least number of input channels for which it is faster.
const LEAST: u64 = 32;

/// Outputs are few if there are this many times as many inputs.
const FEW: u64 = 4;

/// The replacement of the convolution that begins at `place`, if our operator applies and is faster.
pub(in super::super) fn line_at<'f, 'a>(
    place: usize,
    ties: &Ties<'f, 'a>,
    weights: &Weights<'f, 'a>,
) -> Option<Replacement> {
    let node = ties.node(place);
    if !node.is_standard("Conv") {
        return None;
    }
    if let Some(unit) = Gated::at(place, ties, weights) {
        let is_ours = matches!(unit.geometry.taps, [1] | [1, 1]) && unit.geometry.inputs >= LEAST;
        let (places, inputs) = (unit.places, &unit.inputs);
        return is_ours.then(|| replacement(places, inputs, unit.output, 1, true));
    }
    let inputs = inputs(node, weights)?;
    let ([_, filter, ..], [output]) = (inputs, &node.outputs[..]) else {
        return None;
    };
    let geometry = Geometry::of(node, weights.singles(filter)?)?;
    let ([3], [dilation]) = (geometry.taps, &geometry.dilations[..]) else {
        return None;
    };
    let is_ours = geometry.inputs >= LEAST.max(FEW * geometry.outputs);
    is_ours.then(|| replacement(vec![place], inputs, output, *dilation, false))
}

fn replacement(
    places: Vec<usize>,
    inputs: &[&str],
    output: &str,
    dilation: i64,
    is_gated: bool,
) -> Replacement {
    let attributes = [
        whole_attribute(attribute::DILATION, dilation),
        whole_attribute(attribute::GATED, i64::from(is_gated)),
    ];
    Replacement::new(places, NAME, inputs, output, &attributes)
}
