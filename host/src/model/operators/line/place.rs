use super::super::DOMAIN;
use super::super::convolution::{Gated, Geometry};
use super::super::rewrite::Replacement;
use super::super::weights::Weights;
use super::operator::{NAME, attribute};
use crate::model::onnx::{Ties, node_message_of, whole_attribute};

/// Channels of the input from which on it is worth it.
const LEAST: u64 = 32;

/// How many times as many inputs there are where outputs are few.
const FEW: u64 = 4;

/// What takes the place of the convolution that begins at `place`, if our operator can and is worth it.
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
        return is_ours.then(|| Replacement {
            node: message(&unit.inputs, unit.output, 1, true),
            places: unit.places,
        });
    }
    let ([_, filter, rest @ ..], [output]) = (&node.inputs[..], &node.outputs[..]) else {
        return None;
    };
    let geometry = Geometry::of(node, weights.singles(filter)?)?;
    let (dilation, inputs) = match (geometry.taps, &geometry.dilations[..], rest) {
        ([3], [dilation], [] | [""]) => (*dilation, &node.inputs[..2]),
        ([3], [dilation], [bias]) if weights.singles(bias).is_some() => {
            (*dilation, &node.inputs[..])
        }
        _ => return None,
    };
    let is_ours = geometry.inputs >= LEAST.max(FEW * geometry.outputs);
    is_ours.then(|| Replacement {
        places: vec![place],
        node: message(inputs, output, dilation, false),
    })
}

fn message(inputs: &[&str], output: &str, dilation: i64, is_gated: bool) -> Vec<u8> {
    let attributes = [
        whole_attribute(attribute::DILATION, dilation),
        whole_attribute(attribute::GATED, i64::from(is_gated)),
    ];
    node_message_of((DOMAIN, NAME), output, inputs, output, &attributes)
}
