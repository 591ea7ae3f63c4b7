use super::super::convolution::follower;
use super::super::replacement::Replacement;
use super::super::weights::Weights;
use super::operator::{NAME, TRANSPOSED};
use vocalhost_onnx::{Node, Ties, whole_attribute};

/// The least number of rows and columns for which it is faster: a small matrix is packed for few products.
const LEAST: u64 = 256;

/// The replacement of the product at `place` with a constant matrix, if our operator applies and is faster.
pub(in super::super) fn product_at<'a>(
    place: usize,
    ties: &Ties<'_, 'a>,
    weights: &Weights<'_, 'a>,
) -> Option<Replacement> {
    let node = ties.node(place);
    let is_general = node.is_standard("Gemm");
    if !is_general && !node.is_standard("MatMul") {
        return None;
    }
    let ([rows, matrix, rest @ ..], [output]) = (&node.inputs[..], &node.outputs[..]) else {
        return None;
    };
    let [inputs, outputs] = weights.singles(matrix)? else {
        return None;
    };
    let is_transposed = is_general && is_set(node, "transB");
    let is_plain =
        !is_general || !is_set(node, "transA") && is_one(node, "alpha") && is_one(node, "beta");
    if *inputs.min(outputs) < LEAST || !is_plain {
        return None;
    }
    let columns = if is_transposed { inputs } else { outputs };
    let is_bias = |name: &str| weights.singles(name).is_some_and(|dims| dims == [*columns]);
    let mut places = vec![place];
    let mut taken = vec![*rows, *matrix];
    let mut output = *output;
    match rest {
        [] | [""] if is_general => {}
        [bias] if is_bias(bias) => taken.push(bias),
        [] => {
            if let Some((sum, bias)) = bias_behind(output, ties, is_bias) {
                places.push(sum);
                taken.push(bias);
                output = ties.node(sum).outputs.first()?;
            }
        }
        _ => return None,
    }
    let attributes = [whole_attribute(TRANSPOSED, i64::from(is_transposed))];
    Some(Replacement::new(places, NAME, &taken, output, &attributes))
}

/// The addition that is the only node to take a product, and the bias that it adds.
fn bias_behind<'a>(
    product: &str,
    ties: &Ties<'_, 'a>,
    is_bias: impl Fn(&str) -> bool,
) -> Option<(usize, &'a str)> {
    let (place, sum) = follower(ties, product, "Add")?;
    let bias = sum.inputs.iter().find(|name| is_bias(name))?;
    Some((place, bias))
}

fn is_set(node: &Node<'_>, name: &str) -> bool {
    let own = node.attribute(name).and_then(|own| own.int);
    own.is_some_and(|own| own != 0)
}

/// Whether a factor changes nothing.
#[allow(
    clippy::float_cmp,
    reason = "it is what the file says, not what was computed"
)]
fn is_one(node: &Node<'_>, name: &str) -> bool {
    let own = node.attribute(name).and_then(|own| own.float);
    own.is_none_or(|own| own == 1.0)
}
