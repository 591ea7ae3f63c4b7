use super::super::convolution::{follower, inputs, is_plain};
use super::super::replacement::Replacement;
use super::super::weights::Weights;
use super::operator::{NAME, attribute};
use vocalhost_onnx::{Node, Ties, whole_attribute};

/// The least number of input channels for which it is faster.
const LEAST: u64 = 32;

/// The axis that the filter runs over.
const ROWS: i64 = 2;

/// Stands for no limit on the number of results.
const MANY: i64 = i32::MAX as i64;

/// The replacement of the transposed convolution at `place`, if our operator applies and is faster.
pub(in super::super) fn transposed_at<'a>(
    place: usize,
    ties: &Ties<'_, 'a>,
    weights: &Weights<'_, 'a>,
) -> Option<Replacement> {
    let node = ties.node(place);
    if !node.is_standard("ConvTranspose") {
        return None;
    }
    let inputs = inputs(node, weights)?;
    let ([_, filter, ..], [output]) = (inputs, &node.outputs[..]) else {
        return None;
    };
    let mut kept = kept(node, weights.singles(filter)?)?;
    let (mut places, mut output) = (vec![place], *output);
    if let Some((cut, of_it)) = cut_behind(output, ties) {
        places.push(cut);
        output = ties.node(cut).outputs.first()?;
        kept = kept.and_of_it(of_it);
    }
    let attributes = [
        whole_attribute(attribute::BEGIN, kept.begin),
        whole_attribute(attribute::END, kept.end),
        whole_attribute(attribute::MOST, kept.most),
    ];
    Some(Replacement::new(places, NAME, inputs, output, &attributes))
}

/// Which of all results are kept.
#[derive(Debug, Clone, Copy)]
struct Kept {
    /// How many are cut off at the beginning and at the end.
    begin: i64,
    end: i64,
    /// The most that are kept.
    most: i64,
}

impl Kept {
    /// The results kept when `inner` is applied to those kept here.
    fn and_of_it(self, inner: Self) -> Self {
        Self {
            begin: self.begin + inner.begin,
            end: self.end + inner.end,
            most: inner.most,
        }
    }
}

/// The node that is the only one to take a tensor and cuts off its first and last rows, and what it keeps.
fn cut_behind(tensor: &str, ties: &Ties<'_, '_>) -> Option<(usize, Kept)> {
    let (place, node) = follower(ties, tensor, "Slice")?;
    let [_, from, to, axis, rest @ ..] = &node.inputs[..] else {
        return None;
    };
    let number = |name: &str| ties.whole_number(name);
    let step = rest.first().map_or(Some(1), |step| number(step))?;
    let (from, to) = (number(from)?, number(to)?);
    let is_over_rows = number(axis)? == ROWS && step == 1 && (0..MANY).contains(&from);
    let kept = match to {
        ..0 => Kept {
            begin: from,
            end: to.saturating_neg(),
            most: MANY,
        },
        0.. => Kept {
            begin: from,
            end: 0,
            most: (to - from).clamp(0, MANY),
        },
    };
    (is_over_rows && kept.end < MANY).then_some((place, kept))
}

/// What a convolution keeps, if it is of the supported kind.
fn kept(node: &Node<'_>, filter: &[u64]) -> Option<Kept> {
    let (inputs, taps, axes) = match filter {
        [inputs, _, taps] => (inputs, taps, 1),
        [inputs, _, taps, 1] => (inputs, taps, 2),
        _ => return None,
    };
    let is_ours = is_plain(node)
        && node.attribute("output_shape").is_none()
        && *inputs >= LEAST
        && taps % 2 == 0;
    let numbers = |name: &str| node.attribute(name).map(|own| &own.ints[..]);
    let is_all = |name: &str, wanted: i64| {
        let own = numbers(name).unwrap_or_default();
        own.iter().all(|number| *number == wanted)
    };
    let half = (taps / 2) as i64;
    let steps = [half, 1];
    let is_stride = numbers("strides")? == &steps[..axes];
    let [begin, end] = match (axes, numbers("pads").unwrap_or(&[0; 4][..2 * axes])) {
        (1, [begin, end]) | (2, [begin, 0, end, 0]) => [*begin, *end],
        _ => return None,
    };
    let fits = is_ours
        && is_stride
        && is_all("dilations", 1)
        && is_all("output_padding", 0)
        && [begin, end].iter().all(|cut| (0..=half).contains(cut));
    fits.then_some(Kept {
        begin,
        end,
        most: MANY,
    })
}
